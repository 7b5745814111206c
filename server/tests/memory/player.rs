//! The player: greedy, as long as it knows nothing. One that remembers looks whether it knows a deal again, and if so
//! plays every action out in the game as it will be, against players who are as greedy as those it meets.

use std::cell::RefCell;
use std::rc::Rc;

use parlor_bots::{Greedy, Strategy};
use parlor_engine::{Audience, Chance, Events, MAX_SEATS, Seat, Shuffle, Viewer};
use rand_core::Rng;

use crate::games::{Memorable, Round};

/// In so many games is each action played out: what is not known of a deal is made up for each.
const GAMES: u32 = 6;

/// All deals that were seen, round by round. Several may share one: then each knows what the others saw.
pub(crate) type Memory = Rc<RefCell<Vec<Vec<Round>>>>;

/// How somebody plays.
#[derive(Clone)]
pub(crate) enum Habit {
    /// It remembers nothing.
    Honest,
    /// It knows a deal again if all cards are the same.
    Remembers(Memory),
    /// It also knows a deal again whose colours were changed about.
    SeesThrough(Memory),
}

impl Habit {
    pub(crate) fn remembers() -> Habit {
        Habit::Remembers(Memory::default())
    }

    pub(crate) fn sees_through() -> Habit {
        Habit::SeesThrough(Memory::default())
    }

    fn memory(&self) -> Option<&Memory> {
        match self {
            Habit::Honest => None,
            Habit::Remembers(memory) | Habit::SeesThrough(memory) => Some(memory),
        }
    }
}

/// Somebody at a table: all it is given is what a player on its seat is told.
pub(crate) struct Player<G: Memorable> {
    habit: Habit,
    seat: Seat,
    players: u8,
    /// What everyone saw done.
    done: Vec<(Seat, G::Action)>,
    /// What was seen of the cards.
    seen: Vec<Round>,
    /// The shuffles of the deal, if it is known again.
    known: Option<Vec<(Shuffle, Vec<u8>)>>,
}

impl<G: Memorable> Player<G> {
    /// Sits down, and sees the first of the table.
    pub(crate) fn sit(habit: &Habit, seat: Seat, players: u8, view: &G::View) -> Player<G> {
        let known = habit.memory().and_then(|memory| {
            let undoes = matches!(habit, Habit::SeesThrough(_));
            memory.borrow().iter().find_map(|deal| recognise::<G>(deal, seat, players, view, undoes))
        });
        Player { habit: habit.clone(), seat, players, done: Vec::new(), seen: Vec::new(), known }
    }

    /// Whether it knows the deal.
    pub(crate) fn knows(&self) -> bool {
        self.known.is_some()
    }

    /// Is told what happened.
    pub(crate) fn told(&mut self, audience: Audience, event: &G::Event) {
        if audience == Audience::Everyone {
            G::note(&mut self.seen, self.players, event);
        }
    }

    /// Sees what somebody does.
    pub(crate) fn sees(&mut self, seat: Seat, action: G::Action) {
        self.done.push((seat, action));
    }

    /// The index of what it does.
    pub(crate) fn decide(&self, view: &G::View, legal: &[G::Action], rng: &mut impl Rng) -> usize {
        self.look_ahead(legal, rng).unwrap_or_else(|| greedy::<G>(view, self.seat, legal, rng))
    }

    /// The game is over.
    pub(crate) fn leave(self) {
        // A deal that was known has nothing new.
        if let (Some(memory), None) = (self.habit.memory(), &self.known) {
            memory.borrow_mut().push(self.seen);
        }
    }

    /// What is best by what it remembers; nothing if it knows nothing of use.
    fn look_ahead(&self, legal: &[G::Action], rng: &mut impl Rng) -> Option<usize> {
        let known = self.known.as_ref()?;
        let mut totals = vec![0.0; legal.len()];
        for _ in 0..GAMES {
            let world = self.world(known, rng)?;
            for (total, action) in totals.iter_mut().zip(legal) {
                let mut world = world.clone();
                let mut scores = Scores::<G>::new();
                world.apply(self.seat, *action, &mut scores).ok()?;
                play_out(&mut world, &mut scores, rng);
                *total += scores.lead(self.seat, self.players);
            }
        }
        (0..legal.len()).max_by(|a, b| totals[*a].total_cmp(&totals[*b]))
    }

    /// The game as it must be, if the deal is the one that is known.
    fn world(&self, known: &[(Shuffle, Vec<u8>)], rng: &mut impl Rng) -> Option<G> {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let mut world = deal::<G>(self.players, Chance::scripted(seed, known.to_vec()))?;
        for (seat, action) in &self.done {
            world.apply(*seat, *action, &mut parlor_engine::NoEvents).ok()?;
        }
        Some(world)
    }
}

fn deal<G: Memorable>(players: u8, chance: Chance) -> Option<G> {
    G::new(G::INFO.rules_version, G::options(), players, chance, &mut parlor_engine::NoEvents).ok()
}

/// The shuffles of a deal under the names that it has now, if it is the deal that gives this view.
fn recognise<G: Memorable>(
    deal_seen: &[Round],
    seat: Seat,
    players: u8,
    view: &G::View,
    undoes: bool,
) -> Option<Vec<(Shuffle, Vec<u8>)>> {
    let first = deal_seen.first()?;
    // Without colours every card is a number of its own.
    let (count, cards) = G::colours(players).map_or((1, u8::MAX), |colours| (colours.count, colours.cards));
    let numbers = |mut codes: Vec<u8>| {
        codes.iter_mut().for_each(|code| *code %= cards);
        codes.sort_unstable();
        codes
    };
    let mine = first.hands[seat.index()].iter().chain(&first.open).copied().collect();
    if numbers(G::shown(view)) != numbers(mine) {
        return None;
    }
    let names: Vec<Vec<u8>> = if undoes { orders(count) } else { vec![(0..count).collect()] };
    names.into_iter().find_map(|names| {
        let rename = |code: &u8| names[usize::from(code / cards)] * cards + code % cards;
        let shuffles: Vec<(Shuffle, Vec<u8>)> = (0..)
            .zip(deal_seen)
            .map(|(number, round)| (Shuffle::deal(number), round.order().iter().map(rename).collect()))
            .collect();
        let world: G = deal(players, Chance::scripted([0; 32], shuffles.clone()))?;
        (world.view(Viewer::Seat(seat)) == *view).then_some(shuffles)
    })
}

/// All orders of the numbers below this one.
fn orders(count: u8) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for next in 0..count {
        let longer = |order: Vec<u8>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, next);
                order
            })
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

fn greedy<G: Memorable>(view: &G::View, seat: Seat, legal: &[G::Action], rng: &mut impl Rng) -> usize {
    Strategy::<G>::choose(&Greedy, view, seat, legal, rng).expect("there is something to choose")
}

/// Plays the round to its end.
fn play_out<G: Memorable>(world: &mut G, scores: &mut Scores<G>, rng: &mut impl Rng) {
    let mut legal = Vec::new();
    while let Some(seat) = world.to_act().first().filter(|_| !scores.round_is_over) {
        world.legal_actions(seat, &mut legal);
        let index = greedy::<G>(&world.view(Viewer::Seat(seat)), seat, &legal, rng);
        world.apply(seat, legal[index], scores).expect("a listed action is legal");
    }
}

/// The points that are made in a round.
struct Scores<G> {
    points: [i32; MAX_SEATS],
    round_is_over: bool,
    game: std::marker::PhantomData<G>,
}

impl<G> Scores<G> {
    fn new() -> Scores<G> {
        Scores { points: [0; MAX_SEATS], round_is_over: false, game: std::marker::PhantomData }
    }

    /// What a seat has more than the others on average.
    fn lead(&self, seat: Seat, players: u8) -> f64 {
        let own = self.points[seat.index()];
        let others = self.points[..usize::from(players)].iter().sum::<i32>() - own;
        f64::from(own) - f64::from(others) / f64::from(players - 1)
    }
}

impl<G: Memorable> Events<G::Event> for Scores<G> {
    fn tell(&mut self, _: Audience, event: G::Event) {
        if let Some(points) = G::points(&event) {
            for (seat, points) in points.iter() {
                self.points[seat.index()] += points;
            }
        }
        self.round_is_over |= G::ends_round(&event);
    }
}
