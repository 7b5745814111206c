//! A table of a tournament's deal: where its cards come from, and what may be seen of that.

use parlor_engine::{Chance, GameId, Relabelling};

use super::Shuffle;
use crate::TableId;
use parlor_fair::{DealSeed, Entropy, GIVEN_SEED_ID};

/// A deal of a tournament, and which of its tables this is. All tables of the deal have the same cards.
#[derive(Clone, PartialEq, Eq)]
pub struct Deal {
    /// The tournament.
    pub tournament: TableId,
    /// The number of the deal, the first being 0.
    pub number: u32,
    /// Which of its tables this is, the first being 0.
    pub rotation: u8,
    /// The server's seed for the deal, a secret until its last table is over.
    pub server_seed: [u8; 32],
    /// What the organiser and then each entrant added.
    pub entropy: Vec<Entropy>,
    /// Whether colours are changed about, where the rules treat all alike.
    pub recolour: bool,
    /// Whether the seed of the tournament was given by the organiser.
    pub given: bool,
}

/// A seed is not printed.
impl std::fmt::Debug for Deal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deal({} {} {})", self.tournament, self.number, self.rotation)
    }
}

impl Deal {
    /// The seed, for what is derived from it.
    #[must_use]
    pub fn seed(&self) -> DealSeed {
        let tournament = if self.given { GIVEN_SEED_ID } else { self.tournament };
        DealSeed::from_bytes(tournament, self.number, self.server_seed)
    }

    /// Where the cards of a table come from.
    #[must_use]
    pub fn chance(&self, game: GameId, players: u8) -> Chance {
        let chance = Chance::seeded(*self.seed().game_seed(&self.entropy).reveal());
        match game.colour_symmetry(players).filter(|_| self.recolour) {
            Some(colours) => {
                let key = *self.seed().recolour_seed(self.rotation).reveal();
                chance.relabelled(Relabelling::draw(colours, key))
            }
            None => chance,
        }
    }

    /// What there is to see of the shuffle: the seeds, and which deal it is, only if the deal is over. Its tables do not know
    /// that. Whoever could tell that two tables play the same deal could remember its cards.
    #[must_use]
    pub fn shuffle(&self, is_over: bool) -> Shuffle {
        let commitment = (is_over && !self.given).then(|| self.seed().commitment());
        Shuffle {
            commitment,
            entropy: Vec::new(),
            server_seed: is_over.then_some(self.server_seed),
            game_seed: is_over.then(|| *self.seed().game_seed(&self.entropy).reveal()),
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

/// What there is to see of the deal that a table's cards come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicDeal {
    /// The tournament.
    pub tournament: TableId,
    /// The number of the deal, and which of its tables this is, the first being 0 each; nothing before the deal is over.
    pub place: Option<(u32, u8)>,
    /// What the organiser and then each entrant added; nothing before the deal is over.
    pub entropy: Vec<Entropy>,
    /// Whether colours are changed about, where the rules treat all alike.
    pub recoloured: bool,
}
