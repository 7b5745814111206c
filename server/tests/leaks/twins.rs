//! Playing a game at random, and finding another one that a viewer cannot tell from it.

use std::ops::Range;

use parlor_engine::{AnyAction, AnyEvent, Seat, ShuffleId, Viewer, below, shuffle};
use parlor_host::table::Entry;
use rand_chacha::ChaCha8Rng;

use crate::settings::{DECISION_MS, Kind, SECRET_MS};
use crate::worlds::{Deals, Deed, ROUNDS, Shown, World, deck};

/// How many steps are played, at least and at most. The more of them, the less is hidden from the viewer in the end.
const STEPS: Range<usize> = 10..30;
/// How often two cards are made to change places, to stay so if the viewer does not notice.
const SWAPS: usize = 60;

/// Two games that a viewer cannot tell apart, and what is done in each of them, step by step.
pub(crate) struct Twins {
    pub(crate) kind: Kind,
    pub(crate) viewer: Viewer,
    pub(crate) deals: [Deals; 2],
    pub(crate) steps: Vec<[Vec<Deed>; 2]>,
    /// Actions that somebody could do at some time.
    pub(crate) actions: Vec<AnyAction>,
}

impl Twins {
    /// Plays some steps at random, and then deals what the viewer cannot know by then otherwise.
    pub(crate) fn new(kind: Kind, viewer: Viewer, rng: &mut ChaCha8Rng) -> Twins {
        let most = STEPS.start + below((STEPS.end - STEPS.start) as u32, rng) as usize;
        let deck = deck(kind);
        let deal = |round| {
            let mut cards = deck.clone();
            shuffle(&mut cards, rng);
            (ShuffleId::deal(round), cards)
        };
        let deals: Deals = (0..ROUNDS).map(deal).collect();
        let played = Played::at_random(kind, &deals, viewer, most, rng);
        let mut twin = deals.clone();
        let mut deeds: Vec<Vec<Deed>> = played.steps.iter().map(|step| step.deeds.clone()).collect();
        for _ in 0..SWAPS {
            let round = below(ROUNDS.into(), rng) as usize;
            let cards = &mut twin[round].1;
            let [one, other] = [0; 2].map(|_| below(cards.len() as u32, rng) as usize);
            if cards[one] == cards[other] {
                continue;
            }
            cards.swap(one, other);
            match played.replay(kind, &twin, viewer) {
                Some(same) => deeds = same,
                None => twin[round].1.swap(one, other),
            }
        }
        let steps = played.steps.into_iter().zip(deeds).map(|(step, same)| [step.deeds, same]).collect();
        Twins { kind, viewer, deals: [deals, twin], steps, actions: played.actions }
    }

    /// Whether somebody else sees a difference at some time.
    pub(crate) fn differ(&self) -> bool {
        let mut worlds = self.deals.each_ref().map(|deals| World::dealt(self.kind, deals));
        let sees = |worlds: &[World; 2]| {
            Viewer::all(self.kind.players)
                .any(|viewer| worlds[0].table.view(viewer) != worlds[1].table.view(viewer))
        };
        self.steps.iter().any(|deeds| {
            let differ = sees(&worlds);
            for (world, deeds) in worlds.iter_mut().zip(deeds) {
                deeds.iter().for_each(|deed| drop(world.apply(deed, self.viewer)));
            }
            differ || sees(&worlds)
        })
    }
}

/// One step of a game: something is done, and then those answer who are asked in secret.
struct Step {
    deeds: Vec<Deed>,
    /// For each deed, what was played.
    actions: Vec<Option<AnyAction>>,
    /// How many of the deeds come before the answers in secret: none in the first step, else one.
    main: usize,
    shown: Shown,
}

/// A game that was played at random.
struct Played {
    steps: Vec<Step>,
    actions: Vec<AnyAction>,
}

/// What is done in one step, while it is done.
struct Doing<'a> {
    world: &'a mut World,
    viewer: Viewer,
    deeds: Vec<Deed>,
    actions: Vec<Option<AnyAction>>,
    /// For each deed, what the viewer was told by the game.
    told: Vec<Vec<AnyEvent>>,
}

impl Doing<'_> {
    fn new(world: &mut World, viewer: Viewer) -> Doing<'_> {
        Doing { world, viewer, deeds: Vec::new(), actions: Vec::new(), told: Vec::new() }
    }

    fn carry_out(&mut self, deed: Deed) {
        self.actions.push(match deed {
            Deed::Act { seat, index } => self.world.table.legal_actions(seat).get(index as usize).copied(),
            Deed::Resign { .. } | Deed::Wait { .. } => None,
        });
        self.told.push(self.world.apply(&deed, self.viewer));
        self.deeds.push(deed);
    }

    /// Others who are asked in secret.
    fn secrets(&self) -> Vec<Seat> {
        self.world.secrets().into_iter().filter(|seat| !self.viewer.is(*seat)).collect()
    }

    fn index_of(&self, seat: Seat, action: AnyAction) -> Option<u32> {
        let legal = self.world.table.legal_actions(seat);
        legal.iter().position(|offered| *offered == action).map(|index| index as u32)
    }

    /// Plays this action for a seat or, if that cannot be, what a clock would play.
    fn answer(&mut self, seat: Seat, action: Option<AnyAction>) {
        let default = || self.world.default_action(seat).and_then(|action| self.index_of(seat, action));
        let index = action.and_then(|action| self.index_of(seat, action)).or_else(default);
        self.carry_out(Deed::Act { seat, index: index.expect("a default that is offered") });
    }
}

impl Played {
    fn at_random(kind: Kind, deals: &Deals, viewer: Viewer, most: usize, rng: &mut ChaCha8Rng) -> Played {
        let mut world = World::dealt(kind, deals);
        let mut played = Played { steps: Vec::new(), actions: Vec::new() };
        while world.is_playing() && played.steps.len() < most {
            let chosen = (!played.steps.is_empty()).then(|| played.choose(kind, &world, viewer, rng));
            let mut doing = Doing::new(&mut world, viewer);
            let main = usize::from(chosen.is_some());
            if let Some(deed) = chosen {
                doing.carry_out(deed);
            }
            while let Some(seat) = doing.secrets().first().copied() {
                // A window that is held ends by itself: not everyone has to answer.
                if kind.held && below(4, rng) == 0 {
                    break;
                }
                // Without a clock nothing else runs, so the time of a secret decision can.
                if !kind.held && !kind.timed && below(5, rng) == 0 {
                    let deed = doing.world.time_outs(&doing.world.secrets(), SECRET_MS);
                    doing.carry_out(deed);
                } else {
                    let legal = doing.world.table.legal_actions(seat);
                    let any = legal[below(legal.len() as u32, rng) as usize];
                    doing.answer(seat, (below(4, rng) == 0).then_some(any));
                }
            }
            let Doing { deeds, actions, told, .. } = doing;
            let shown = world.shown(viewer, told);
            played.actions.extend(world.asked().iter().flat_map(|seat| world.table.legal_actions(*seat)));
            played.steps.push(Step { deeds, actions, main, shown });
        }
        played
    }

    fn choose(&self, kind: Kind, world: &World, viewer: Viewer, rng: &mut ChaCha8Rng) -> Deed {
        // Others who are asked in secret have answered, or let the window end.
        let is_mine = |seat: &Seat| !world.table.is_secret(*seat) || viewer.is(*seat);
        let mine: Vec<Seat> = world.asked().into_iter().filter(is_mine).collect();
        let is_held = world.table.window_is_held();
        if is_held && (mine.is_empty() || below(2, rng) == 0) {
            return Deed::Wait { ms: SECRET_MS, entries: vec![Entry::WindowClosed] };
        }
        let is_quiet = !is_held && world.secrets().is_empty();
        if kind.timed && is_quiet && below(12, rng) == 0 {
            return world.time_outs(&world.open(), DECISION_MS);
        }
        let has_resigned = || self.steps.iter().flat_map(|step| &step.deeds).any(Deed::is_resignation);
        if is_quiet && below(30, rng) == 0 && !has_resigned() {
            let number = below(kind.players.into(), rng) as usize;
            let seat = Seat::all(kind.players).nth(number).expect("a seat");
            if world.table.resign(seat).is_ok() {
                return Deed::Resign { seat };
            }
        }
        let seat = mine[below(mine.len() as u32, rng) as usize];
        Deed::Act { seat, index: below(world.table.legal_actions(seat).len() as u32, rng) }
    }

    /// The same with other deals, step by step; nothing if the viewer would notice.
    fn replay(&self, kind: Kind, deals: &Deals, viewer: Viewer) -> Option<Vec<Vec<Deed>>> {
        let mut world = World::dealt(kind, deals);
        let mut steps = Vec::new();
        for step in &self.steps {
            let mut doing = Doing::new(&mut world, viewer);
            let deeds = step.deeds.iter().zip(&step.actions);
            for (deed, action) in deeds.clone().take(step.main) {
                let same = same_deed(doing.world, viewer, deed, *action)?;
                doing.carry_out(same);
            }
            for (deed, action) in deeds.skip(step.main) {
                match deed {
                    Deed::Act { seat, .. } if doing.secrets().contains(seat) => doing.answer(*seat, *action),
                    Deed::Wait { ms, .. } => {
                        let deed = doing.world.time_outs(&doing.world.secrets(), *ms);
                        doing.carry_out(deed);
                    }
                    Deed::Act { .. } | Deed::Resign { .. } => {}
                }
            }
            while let Some(seat) = doing.secrets().first().copied().filter(|_| !kind.held) {
                doing.answer(seat, None);
            }
            let Doing { deeds, told, .. } = doing;
            if world.shown(viewer, told) != step.shown {
                return None;
            }
            steps.push(deeds);
        }
        Some(steps)
    }
}

/// The same thing done in another world; nothing if it cannot be, or would be seen to be something else.
fn same_deed(world: &World, viewer: Viewer, deed: &Deed, action: Option<AnyAction>) -> Option<Deed> {
    match deed {
        Deed::Act { seat, index } => {
            let legal = world.table.legal_actions(*seat);
            let same = legal.iter().position(|offered| Some(*offered) == action).map(|index| index as u32);
            let index = if viewer.is(*seat) {
                same.filter(|same| same == index)?
            } else {
                // Others may do something else, as long as the viewer does not see what.
                same.or_else(|| index.checked_rem(legal.len() as u32))?
            };
            Some(Deed::Act { seat: *seat, index })
        }
        Deed::Resign { seat } => world.table.resign(*seat).is_ok().then(|| deed.clone()),
        Deed::Wait { ms, entries } if *entries == [Entry::WindowClosed] => {
            world.table.window_is_held().then(|| Deed::Wait { ms: *ms, entries: entries.clone() })
        }
        Deed::Wait { ms, .. } => {
            let is_quiet = !world.table.window_is_held() && world.secrets().is_empty();
            let same = world.time_outs(&world.open(), *ms);
            (is_quiet && same == *deed).then_some(same)
        }
    }
}
