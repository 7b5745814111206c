//! The games in which deals are remembered. In both, everything that is done is seen by everyone, and when a round is over
//! everyone has seen every hand.

use parlor_bots::Rated;
use parlor_engine::flush::{self, Flush};
use parlor_engine::gap::{self, Gap, Length};
use parlor_engine::{AnyOptions, Card, GameId};

/// What was seen of the deal of one round, by the codes of the cards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    /// The hands, by seat.
    pub(crate) hands: Vec<Vec<u8>>,
    /// What was turned up at the beginning.
    pub(crate) open: Vec<u8>,
    /// What came from the stack, as far as it came.
    pub(crate) drawn: Vec<u8>,
}

impl Round {
    /// The cards in the order in which they are dealt, as far as they were seen.
    pub(crate) fn order(&self) -> Vec<u8> {
        self.hands.iter().flatten().chain(&self.open).chain(&self.drawn).copied().collect()
    }
}

/// A game whose deals can be remembered.
pub(crate) trait Memorable: Rated {
    const ID: GameId;

    fn options() -> Self::Options;

    fn any_options() -> AnyOptions;

    /// Notes an event that everyone is told of. Each round begins with an event of its own.
    fn note(rounds: &mut Vec<Round>, players: u8, event: &Self::Event);

    /// The cards that somebody sees at the beginning of a game: its hand, and what is turned up.
    fn shown(view: &Self::View) -> Vec<u8>;
}

fn codes<C: Card>(cards: impl IntoIterator<Item = C>) -> Vec<u8> {
    cards.into_iter().map(C::code).collect()
}

fn begin(rounds: &mut Vec<Round>, players: u8, open: Vec<u8>) {
    rounds.push(Round { hands: vec![Vec::new(); usize::from(players)], open, drawn: Vec::new() });
}

/// A game in which colours are all alike, and changed about when a deal comes again.
impl Memorable for Gap {
    const ID: GameId = GameId::Gap;

    fn options() -> gap::Options {
        gap::Options { length: Length::Rounds(1) }
    }

    fn any_options() -> AnyOptions {
        AnyOptions::Gap(Self::options())
    }

    fn note(rounds: &mut Vec<Round>, players: u8, event: &gap::Event) {
        match event {
            gap::Event::RoundBegan { middle, .. } => begin(rounds, players, codes(*middle)),
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

    fn shown(view: &gap::View) -> Vec<u8> {
        codes(view.hand | view.middle)
    }
}

/// A game without colours: a deal that comes again looks as it did.
impl Memorable for Flush {
    const ID: GameId = GameId::Flush;

    fn options() -> flush::Options {
        flush::Options { beginner: true }
    }

    fn any_options() -> AnyOptions {
        AnyOptions::Flush(Self::options())
    }

    fn note(rounds: &mut Vec<Round>, players: u8, event: &flush::Event) {
        match event {
            flush::Event::HandBegan { .. } => begin(rounds, players, Vec::new()),
            flush::Event::Laid { seat, cards, .. } => {
                if let Some(round) = rounds.last_mut() {
                    round.hands[seat.index()].extend(codes(cards.iter()));
                }
            }
            flush::Event::HandScored { left, .. } => {
                if let Some(round) = rounds.last_mut() {
                    for (hand, left) in round.hands.iter_mut().zip(left) {
                        hand.extend(codes(left.iter()));
                    }
                }
            }
            _ => {}
        }
    }

    fn shown(view: &flush::View) -> Vec<u8> {
        codes(view.hand.iter())
    }
}
