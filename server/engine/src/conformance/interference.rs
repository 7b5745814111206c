//! Non-interference: deal anew what a viewer cannot know, and everything that viewer gets stays the same.

use rand_chacha::ChaCha8Rng;

use super::{
    Recorder, Reveals, SetUp, Testable, games, held_table, legal, pick, play_on, random_move, set_ups, table,
    test_rng,
};
use crate::{Game, NoEvents, Refusal, Seat, Seats, Viewer, below};

/// Everything a viewer gets at one moment.
#[derive(Debug)]
struct Output<G: Game> {
    view: G::View,
    waits_for: Seats,
    legal: Vec<G::Action>,
    default: Option<G::Action>,
    /// What the viewer hears when it tries some actions.
    refusals: Vec<Option<Refusal>>,
    /// What a game that leaks would give besides; nothing in a game that does not.
    leak: String,
}

impl<G: Game> Output<G> {
    fn of(game: &G, viewer: Viewer, tries: &[G::Action]) -> Output<G> {
        let seat = viewer.seat();
        let refusal = |seat: Seat, action: &G::Action| game.clone().apply(seat, *action, &mut NoEvents).err();
        Output {
            view: game.view(viewer),
            waits_for: game.waits_for(),
            legal: seat.map_or_else(Vec::new, |seat| legal(game, seat)),
            default: seat.and_then(|seat| game.default_action(seat)),
            refusals: seat
                .map_or_else(Vec::new, |seat| tries.iter().map(|action| refusal(seat, action)).collect()),
            leak: String::new(),
        }
    }
}

impl<G: Game> PartialEq for Output<G> {
    fn eq(&self, other: &Output<G>) -> bool {
        self.view == other.view
            && self.waits_for == other.waits_for
            && self.legal == other.legal
            && self.default == other.default
            && self.refusals == other.refusals
            && self.leak == other.leak
    }
}

/// What a viewer gets when it tries these actions.
type Outputs<G> = fn(&G, Viewer, &[<G as Game>::Action]) -> Output<G>;

/// Two games that a viewer cannot tell apart, until an event shows it more than `until`.
struct Twins<'a, G: Game> {
    games: [G; 2],
    viewer: Viewer,
    until: Reveals,
    outputs: Outputs<G>,
    rng: &'a mut ChaCha8Rng,
}

impl<G: Testable> Twins<'_, G> {
    /// Plays on in both games alike, and says what differs, or how many actions were compared.
    fn compare(&mut self, most: usize) -> Result<usize, String> {
        let mut told = [Vec::new(), Vec::new()];
        for step in 0..=most {
            let tries: Vec<G::Action> = (0..4).map(|_| G::any_action(self.rng)).collect();
            let before = self.games.clone();
            let answered = self.answer_secrets();
            // Who learns that secrets were answered waited for that, perhaps in one of the games only.
            let waited = answered.iter().any(|events| !events.is_empty());
            let held = self.games.each_ref().map(G::window_is_held);
            if waited && held.contains(&true) {
                return Err(format!("{:?} learns of answers in a held window: {answered:#?}", self.viewer));
            }
            for (told, events) in told.iter_mut().zip(answered) {
                told.extend(events);
            }
            if held[0] != held[1] {
                // The viewer does not see the window, and so must not see its end.
                self.close_windows()
                    .into_iter()
                    .zip(&mut told)
                    .for_each(|(events, told)| told.extend(events));
            }
            let shown = told.iter().flatten().map(G::reveals).max();
            if shown > Some(self.until) {
                return Ok(step);
            }
            if told[0] != told[1] {
                return Err(format!("{:?} is told {told:#?}", self.viewer));
            }
            let compared = if waited { &self.games } else { &before };
            let [one, other] = compared.each_ref().map(|game| (self.outputs)(game, self.viewer, &tries));
            if one != other {
                return Err(format!("{:?} gets {one:#?}\nor {other:#?}", self.viewer));
            }
            let both_held = held == [true; 2];
            told = match self.common_move() {
                Some(moves) if !both_held || below(4, self.rng) > 0 => [0, 1].map(|i| {
                    let (seat, action) = moves[i];
                    let mut events = Recorder::new();
                    self.games[i]
                        .apply(seat, action, &mut events)
                        .expect("an action that is offered applies");
                    events.told_to(self.viewer)
                }),
                _ if both_held => self.close_windows(),
                _ => return Ok(step),
            };
        }
        Ok(most)
    }

    /// Closes the windows that are held, and gives back what the viewer is told then.
    fn close_windows(&mut self) -> [Vec<G::Event>; 2] {
        let viewer = self.viewer;
        self.games.each_mut().map(|game| {
            let mut events = Recorder::new();
            game.close_window(&mut events);
            events.told_to(viewer)
        })
    }

    /// Secret decisions of others need not come up in both games: their defaults are played. Gives back what the viewer
    /// is told then. That it had to wait is what timing tells.
    fn answer_secrets(&mut self) -> [Vec<G::Event>; 2] {
        let viewer = self.viewer;
        self.games.each_mut().map(|game| {
            let mut events = Recorder::new();
            while let Some(seat) =
                game.to_act().iter().find(|seat| game.is_secret(*seat) && !viewer.is(*seat))
            {
                let default = game.default_action(seat).expect("a seat that is asked has a default");
                game.apply(seat, default, &mut events).expect("a default applies");
            }
            events.told_to(viewer)
        })
    }

    /// The same action in both games, or an action in each whose content nobody else learns.
    fn common_move(&mut self) -> Option<[(Seat, G::Action); 2]> {
        let [one, other] = &self.games;
        let asked: Vec<Seat> = one.to_act().iter().filter(|seat| other.to_act().contains(*seat)).collect();
        if asked.is_empty() {
            return None;
        }
        let seat = *pick(&asked, self.rng);
        let [one, other] = [legal(one, seat), legal(other, seat)];
        if !self.viewer.is(seat) && one.iter().chain(&other).all(G::is_private) {
            return Some([(seat, *pick(&one, self.rng)), (seat, *pick(&other, self.rng))]);
        }
        let common: Vec<G::Action> = one.into_iter().filter(|action| other.contains(action)).collect();
        (!common.is_empty()).then(|| [(seat, *pick(&common, self.rng)); 2])
    }
}

/// Plays so many random actions, and on to a moment at which no secret answer is kept back: a twin could not know it.
fn play_to<G: Game>(game: &mut G, moment: usize, rng: &mut ChaCha8Rng) {
    let mut kept_back = false;
    let mut played = 0;
    while kept_back || played < moment {
        let Some((seat, action)) = random_move(game, rng) else {
            if !game.window_is_held() {
                return;
            }
            game.close_window(&mut NoEvents);
            kept_back = false;
            continue;
        };
        let secret = game.is_secret(seat);
        game.apply(seat, action, &mut NoEvents).expect("an action that is offered applies");
        let is_open = game.window_is_held() || game.to_act().iter().any(|seat| game.is_secret(seat));
        kept_back = secret && is_open;
        played += 1;
    }
}

/// Compares at random moments of random games; gives back how many actions were compared.
fn check<G: Testable>(
    name: &str,
    rounds: u32,
    table: SetUp<G>,
    outputs: Outputs<G>,
) -> Result<usize, String> {
    let mut rng = test_rng(name);
    let mut compared = 0;
    for (players, options) in set_ups::<G>() {
        let length = play_on(&mut table(players, options, &mut rng), G::MAX_ACTIONS, &mut rng);
        for _ in 0..rounds {
            let mut game = table(players, options, &mut rng);
            let moment = below(length as u32, &mut rng) as usize;
            play_to(&mut game, moment, &mut rng);
            for viewer in Viewer::all(players) {
                let sampled = G::sample(&game.view(viewer), &mut rng).map_err(|error| error.to_string())?;
                let mut redealt = game.clone();
                redealt.redeal(viewer, &mut rng);
                for (twin, until) in [(sampled, Reveals::Nothing), (redealt, Reveals::Pile)] {
                    let games = [game.clone(), twin];
                    compared += Twins { games, viewer, until, outputs, rng: &mut rng }.compare(60)?;
                }
            }
        }
    }
    Ok(compared)
}

pub(super) fn what_is_hidden_changes_nothing_that_is_seen<G: Testable>() {
    let compared = check::<G>("what_is_hidden_changes_nothing_that_is_seen", games(150), table, Output::of)
        .unwrap_or_else(|why| panic!("{why}"));
    assert!(compared > 1000, "only {compared} actions were compared: the test tests nothing");
}

/// Where windows are held, not even those who wait for a secret answer can tell whether there is one.
pub(super) fn held_windows_tell_nothing<G: Testable>() {
    let compared = check::<G>("held_windows_tell_nothing", games(15), held_table, Output::of)
        .unwrap_or_else(|why| panic!("{why}"));
    assert!(compared > 100, "only {compared} actions were compared: the test tests nothing");
}

/// A view that shows somebody else's cards is found, and so is a list of actions that depends on them.
pub(super) fn a_leak_is_found<G: Testable>() {
    fn hand_size_of_actions<G: Testable>(game: &G, viewer: Viewer) -> usize {
        let others = Seat::all(game.players()).filter(|seat| !viewer.is(*seat) && !game.is_secret(*seat));
        others
            .map(|seat| legal(game, seat).iter().map(|action| format!("{action:?}").len()).sum::<usize>())
            .sum()
    }
    let leaking_view: Outputs<G> = |game, viewer, tries| Output {
        leak: format!("{:?}", game.census()),
        ..Output::of(game, viewer, tries)
    };
    let leaking_number: Outputs<G> = |game, viewer, tries| Output {
        leak: hand_size_of_actions(game, viewer).to_string(),
        ..Output::of(game, viewer, tries)
    };
    for leak in [leaking_view, leaking_number] {
        let found = check::<G>("a_leak_is_found", games(3), table, leak);
        assert!(found.is_err(), "a leak went unnoticed over {found:?} actions");
    }
}
