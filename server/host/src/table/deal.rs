//! Tournament deals: the shuffle source of their tables, and its public part.

use parlor_engine::{Chance, GameId, Relabelling};

use super::shuffle::{AddedEntropy, Shuffle, revealed};
use crate::TournamentId;
use parlor_fair::{DealSeed, GIVEN_SEED_ID, GameSeed};

/// One table of a tournament deal. All tables of the deal have the same cards.
#[derive(Clone, PartialEq, Eq)]
pub struct Deal {
    /// The tournament.
    pub tournament: TournamentId,
    /// The number of the deal, the first being 0.
    pub number: u32,
    /// Rotation: the table's index within the deal, from 0.
    pub rotation: u8,
    /// Server seed of the deal; secret until its last table is over.
    pub server_seed: [u8; 32],
    /// Entropy of the organiser, then of each entrant.
    pub entropy: Vec<AddedEntropy>,
    /// True if colours are permuted. Without effect, in tables of earlier versions, where the rules do not treat all colours
    /// alike.
    pub recolour: bool,
    /// True if the organiser gave the seed of the tournament.
    pub given: bool,
}

/// Omits the seed, and the place of the table in the tournament: a log line with them would link the tables of a deal.
impl std::fmt::Debug for Deal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deal({})", self.tournament)
    }
}

impl Deal {
    /// The deal seed, from which the game and bot seeds are derived.
    #[must_use]
    pub fn seed(&self) -> DealSeed {
        let tournament = if self.given { GIVEN_SEED_ID } else { self.tournament };
        DealSeed::from_bytes(tournament, self.number, self.server_seed)
    }

    /// The game seed of all tables of the deal.
    pub(super) fn game_seed(&self) -> GameSeed {
        self.seed().game_seed(&revealed(&self.entropy))
    }

    /// Source of the shuffles of the table.
    #[must_use]
    pub fn chance(&self, game: GameId, players: u8) -> Chance {
        let chance = Chance::seeded(*self.game_seed().reveal());
        match game.colour_symmetry(players).filter(|_| self.recolour) {
            Some(colours) => {
                let key = *self.seed().recolour_seed(self.rotation).reveal();
                chance.relabelled(Relabelling::draw(colours, key))
            }
            None => chance,
        }
    }

    /// The public part of the shuffle. The seeds and the number of the deal are included only if the deal is over,
    /// which a table cannot know: a player able to tell that two tables play the same deal could remember its cards.
    #[must_use]
    pub fn shuffle(&self, is_over: bool) -> Shuffle {
        let commitment = (is_over && !self.given).then(|| self.seed().commitment());
        Shuffle {
            commitment,
            entropy: Vec::new(),
            server_seed: is_over.then_some(self.server_seed),
            game_seed: is_over.then(|| *self.game_seed().reveal()),
            given: self.given,
            deal: Some(PublicDeal {
                tournament: self.tournament,
                place: is_over.then_some((self.number, self.rotation)),
                entropy: if is_over { self.entropy.clone() } else { Vec::new() },
                recoloured: self.recolour,
            }),
        }
    }
}

/// Public part of a deal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicDeal {
    /// The tournament.
    pub tournament: TournamentId,
    /// The number of the deal, and which of its tables this is, the first being 0 each; nothing before the deal is over.
    pub place: Option<(u32, u8)>,
    /// What the organiser and then each entrant added; empty until the deal is over.
    pub entropy: Vec<AddedEntropy>,
    /// True if colours are permuted, where the rules treat all colours alike.
    pub recoloured: bool,
}
