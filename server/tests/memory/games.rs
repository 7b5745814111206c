//! The games in which deals can be remembered: all actions are public, and every hand is public when a round
//! is over.

use parlor_bots::Heuristic;
use parlor_engine::five_three_five::{self, FiveThreeFive};
use parlor_engine::gap::{self, Gap, Length};
use parlor_engine::{AnyOptions, CardCode};

/// The observed part of the deal of one round, as card codes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObservedRound {
    /// The hands, by seat.
    pub(crate) hands: Vec<Vec<u8>>,
    /// Cards turned up at the start.
    pub(crate) open: Vec<u8>,
    /// Cards drawn from the stack, as far as observed.
    pub(crate) drawn: Vec<u8>,
}

impl ObservedRound {
    /// The observed cards in the order of the deal.
    pub(crate) fn order(&self) -> Vec<u8> {
        self.hands.iter().flatten().chain(&self.open).chain(&self.drawn).copied().collect()
    }
}

/// A game whose deals can be remembered.
pub(crate) trait PublicDeals: Heuristic<Options: Into<AnyOptions>> {
    fn options() -> Self::Options;

    fn any_options() -> AnyOptions {
        Self::options().into()
    }

    /// Records a public event. Each round starts with an event of its own.
    fn observe(rounds: &mut Vec<ObservedRound>, players: u8, event: &Self::Event);

    /// The cards that a seat sees at the start of a game: its hand, and the cards turned up.
    fn visible_cards(view: &Self::View) -> Vec<u8>;
}

fn codes<C: CardCode>(cards: impl IntoIterator<Item = C>) -> Vec<u8> {
    cards.into_iter().map(C::code).collect()
}

fn start_round(rounds: &mut Vec<ObservedRound>, players: u8, open: Vec<u8>) {
    rounds.push(ObservedRound { hands: vec![Vec::new(); usize::from(players)], open, drawn: Vec::new() });
}

/// A game with symmetric colours, which are permuted when a deal is played again.
impl PublicDeals for Gap {
    fn options() -> gap::Options {
        gap::Options { length: Length::Rounds(1) }
    }

    fn observe(rounds: &mut Vec<ObservedRound>, players: u8, event: &gap::Event) {
        match event {
            gap::Event::RoundBegan { middle, .. } => start_round(rounds, players, codes(*middle)),
            gap::Event::Played { seat, card, .. } => {
                if let Some(round) = rounds.last_mut() {
                    round.hands[seat.index()].push(card.code());
                }
            }
            gap::Event::Filled { cards } => {
                if let Some(round) = rounds.last_mut() {
                    round.drawn.extend(codes(*cards));
                }
            }
            _ => {}
        }
    }

    fn visible_cards(view: &gap::View) -> Vec<u8> {
        codes(view.hand | view.middle)
    }
}

/// A game without colours: a deal that is played again has the same cards.
impl PublicDeals for FiveThreeFive {
    fn options() -> five_three_five::Options {
        five_three_five::Options { beginner: true }
    }

    fn observe(rounds: &mut Vec<ObservedRound>, players: u8, event: &five_three_five::Event) {
        match event {
            five_three_five::Event::HandBegan { .. } => start_round(rounds, players, Vec::new()),
            five_three_five::Event::Laid { seat, cards, .. } => {
                if let Some(round) = rounds.last_mut() {
                    round.hands[seat.index()].extend(codes(cards.iter()));
                }
            }
            five_three_five::Event::HandScored { left, .. } => {
                if let Some(round) = rounds.last_mut() {
                    for (hand, left) in round.hands.iter_mut().zip(left) {
                        hand.extend(codes(left.iter()));
                    }
                }
            }
            _ => {}
        }
    }

    fn visible_cards(view: &five_three_five::View) -> Vec<u8> {
        codes(view.hand.iter())
    }
}
