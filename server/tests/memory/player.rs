//! `Player`: greedy as long as it does not know the deal. With a memory it looks for the deal there, and if
//! it finds it, simulates every action in the known game against greedy opponents.

use std::cell::RefCell;
use std::rc::Rc;

use parlor_bots::{Greedy, Strategy};
use parlor_engine::{Audience, Chance, EventSink, MAX_SEATS, Seat, ShuffleId, Viewer};
use rand_core::Rng;

use crate::games::{ObservedRound, PublicDeals};

/// Simulated games per action; the unknown part of a deal is sampled for each.
const SIMULATIONS: u32 = 6;

/// All observed deals, round by round. Players that share a memory know what each other observed.
pub(crate) type DealMemory = Rc<RefCell<Vec<Vec<ObservedRound>>>>;

/// How a player recognises deals.
#[derive(Clone)]
pub(crate) enum Recall {
    /// Not at all.
    Never,
    /// By identical cards.
    ExactCards(DealMemory),
    /// By identical cards up to a permutation of the colours.
    AnyColours(DealMemory),
}

impl Recall {
    pub(crate) fn exact_cards() -> Recall {
        Recall::ExactCards(DealMemory::default())
    }

    pub(crate) fn any_colours() -> Recall {
        Recall::AnyColours(DealMemory::default())
    }

    fn memory(&self) -> Option<&DealMemory> {
        match self {
            Recall::Never => None,
            Recall::ExactCards(memory) | Recall::AnyColours(memory) => Some(memory),
        }
    }
}

/// A player at a table; it gets only what a player of its seat receives.
pub(crate) struct Player<G: PublicDeals> {
    recall: Recall,
    seat: Seat,
    players: u8,
    /// All actions of the game so far.
    actions: Vec<(Seat, G::Action)>,
    /// The observed cards.
    observed: Vec<ObservedRound>,
    /// The shuffles of the deal, if it is recognised.
    known: Option<Vec<(ShuffleId, Vec<u8>)>>,
}

impl<G: PublicDeals> Player<G> {
    /// Takes a seat, with the first view of the game.
    pub(crate) fn new(recall: &Recall, seat: Seat, players: u8, view: &G::View) -> Player<G> {
        let known = recall.memory().and_then(|memory| {
            let any_colours = matches!(recall, Recall::AnyColours(_));
            memory.borrow().iter().find_map(|deal| recognise::<G>(deal, seat, players, view, any_colours))
        });
        Player { recall: recall.clone(), seat, players, actions: Vec::new(), observed: Vec::new(), known }
    }

    /// True if it recognises the deal.
    pub(crate) fn knows_deal(&self) -> bool {
        self.known.is_some()
    }

    /// Receives an event.
    pub(crate) fn event(&mut self, audience: Audience, event: &G::Event) {
        if audience == Audience::Everyone {
            G::observe(&mut self.observed, self.players, event);
        }
    }

    /// Receives an action of any seat.
    pub(crate) fn action(&mut self, seat: Seat, action: G::Action) {
        self.actions.push((seat, action));
    }

    /// The index of the chosen action.
    pub(crate) fn decide(&self, view: &G::View, legal: &[G::Action], rng: &mut impl Rng) -> usize {
        self.simulate(legal, rng).unwrap_or_else(|| greedy::<G>(view, self.seat, legal, rng))
    }

    /// Ends the game, and stores the deal in the memory.
    pub(crate) fn finish(self) {
        // A recognised deal is in the memory already.
        if let (Some(memory), None) = (self.recall.memory(), &self.known) {
            memory.borrow_mut().push(self.observed);
        }
    }

    /// The index of the best action in the recognised deal; `None` if the deal is not recognised.
    fn simulate(&self, legal: &[G::Action], rng: &mut impl Rng) -> Option<usize> {
        let known = self.known.as_ref()?;
        let mut totals = vec![0.0; legal.len()];
        for _ in 0..SIMULATIONS {
            let world = self.position(known, rng)?;
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

    /// The current position of the recognised deal.
    fn position(&self, known: &[(ShuffleId, Vec<u8>)], rng: &mut impl Rng) -> Option<G> {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let mut world = deal::<G>(self.players, Chance::scripted(seed, known.to_vec()))?;
        for (seat, action) in &self.actions {
            world.apply(*seat, *action, &mut parlor_engine::NoEvents).ok()?;
        }
        Some(world)
    }
}

fn deal<G: PublicDeals>(players: u8, chance: Chance) -> Option<G> {
    G::new(G::INFO.rules_version, G::options(), players, chance, &mut parlor_engine::NoEvents).ok()
}

/// The shuffles of a remembered deal under its present colours, if it is the deal of this view.
fn recognise<G: PublicDeals>(
    remembered: &[ObservedRound],
    seat: Seat,
    players: u8,
    view: &G::View,
    any_colours: bool,
) -> Option<Vec<(ShuffleId, Vec<u8>)>> {
    let first = remembered.first()?;
    // Without colours every card has a distinct number.
    let (count, cards) = G::colour_symmetry(players)
        .map_or((1, u8::MAX), |symmetry| (symmetry.colours, symmetry.cards_per_colour));
    let numbers = |mut codes: Vec<u8>| {
        codes.iter_mut().for_each(|code| *code %= cards);
        codes.sort_unstable();
        codes
    };
    let mine = first.hands[seat.index()].iter().chain(&first.open).copied().collect();
    if numbers(G::visible_cards(view)) != numbers(mine) {
        return None;
    }
    let colourings: Vec<Vec<u8>> = if any_colours { permutations(count) } else { vec![(0..count).collect()] };
    colourings.into_iter().find_map(|colours| {
        let recolour = |code: &u8| colours[usize::from(code / cards)] * cards + code % cards;
        let shuffles: Vec<(ShuffleId, Vec<u8>)> = (0..)
            .zip(remembered)
            .map(|(number, round)| (ShuffleId::deal(number), round.order().iter().map(recolour).collect()))
            .collect();
        let world: G = deal(players, Chance::scripted([0; 32], shuffles.clone()))?;
        (world.view(Viewer::Seat(seat)) == *view).then_some(shuffles)
    })
}

/// All permutations of the numbers below `count`.
fn permutations(count: u8) -> Vec<Vec<u8>> {
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

fn greedy<G: PublicDeals>(view: &G::View, seat: Seat, legal: &[G::Action], rng: &mut impl Rng) -> usize {
    Strategy::<G>::choose(&Greedy, view, seat, legal, rng).expect("a legal action")
}

/// Plays the round to its end with greedy players.
fn play_out<G: PublicDeals>(world: &mut G, scores: &mut Scores<G>, rng: &mut impl Rng) {
    let mut legal = Vec::new();
    while let Some(seat) = world.to_act().first().filter(|_| !scores.round_is_over) {
        world.legal_actions(seat, &mut legal);
        let index = greedy::<G>(&world.view(Viewer::Seat(seat)), seat, &legal, rng);
        world.apply(seat, legal[index], scores).expect("a listed action is legal");
    }
}

/// The points scored in a round.
struct Scores<G> {
    points: [i32; MAX_SEATS],
    round_is_over: bool,
    game: std::marker::PhantomData<G>,
}

impl<G> Scores<G> {
    fn new() -> Scores<G> {
        Scores { points: [0; MAX_SEATS], round_is_over: false, game: std::marker::PhantomData }
    }

    /// The points of a seat less the mean of the others'.
    fn lead(&self, seat: Seat, players: u8) -> f64 {
        let own = self.points[seat.index()];
        let others = self.points[..usize::from(players)].iter().sum::<i32>() - own;
        f64::from(own) - f64::from(others) / f64::from(players - 1)
    }
}

impl<G: PublicDeals> EventSink<G::Event> for Scores<G> {
    fn emit(&mut self, _: Audience, event: G::Event) {
        if let Some(points) = G::points(&event) {
            for (seat, points) in points.iter() {
                self.points[seat.index()] += points;
            }
        }
        self.round_is_over |= G::ends_round(&event);
    }
}
