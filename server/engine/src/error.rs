//! Why something was refused.

use std::fmt;

use crate::text::{Lang, Say, Text, display_in_english};

/// Why an action was refused: a stable code, and the rule in words for a player.
///
/// The words are fixed texts, so that a refusal can say nothing about what the player may not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// A stable name for programs, such as `gap.must_take_all`.
    pub code: &'static str,
    /// The rule, for a person.
    pub text: Text,
}

impl Refusal {
    pub(crate) const fn new(code: &'static str, en: &'static str, de: &'static str) -> Refusal {
        Refusal { code, text: Text { en, de } }
    }

    /// The seat is not one of this table's.
    pub const NO_SUCH_SEAT: Refusal = Refusal::new(
        "no_such_seat",
        "This table has no such seat.",
        "Diesen Sitz gibt es an diesem Tisch nicht.",
    );
    /// The game has ended.
    pub const GAME_OVER: Refusal = Refusal::new("game_over", "The game is over.", "Das Spiel ist zu Ende.");
    /// The game waits for others.
    pub const NOT_ASKED: Refusal = Refusal::new(
        "not_asked",
        "It is not your turn: the game waits for somebody else.",
        "Du bist nicht an der Reihe: Das Spiel wartet auf andere.",
    );
    /// The action is one of another game.
    pub const OTHER_GAME: Refusal = Refusal::new(
        "other_game",
        "That is an action of another game.",
        "Das ist ein Zug aus einem anderen Spiel.",
    );
    /// The card named is not in the player's hand.
    pub const NOT_IN_HAND: Refusal = Refusal::new(
        "not_in_hand",
        "That card is not in your hand.",
        "Diese Karte ist nicht auf deiner Hand.",
    );
}

impl Say for Refusal {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.get(lang))
    }
}

display_in_english!(Refusal);

impl std::error::Error for Refusal {}

/// Why a game cannot be set up as asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The game is not played by so many.
    #[error("{game} is for {min} to {max} players, not {got}")]
    Players {
        /// The id of the game.
        game: &'static str,
        /// What was asked for.
        got: u8,
        /// The fewest players.
        min: u8,
        /// The most players.
        max: u8,
    },
    /// These rules are not known.
    #[error("{game} is played by rules version {known}, not {got}")]
    RulesVersion {
        /// The id of the game.
        game: &'static str,
        /// What was asked for.
        got: u32,
        /// The version that is known.
        known: u32,
    },
    /// An option is out of its range.
    #[error("{game}: option {option} must be {allowed}, not {got}")]
    Option {
        /// The id of the game.
        game: &'static str,
        /// The name of the option.
        option: &'static str,
        /// What was asked for.
        got: i64,
        /// What is allowed, in words.
        allowed: &'static str,
    },
}

/// A view that no game can give: it contradicts itself or the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("impossible view: {0}")]
pub struct ImpossibleView(pub(crate) &'static str);

/// `Err(ImpossibleView(why))` unless the condition holds.
pub(crate) fn possible(condition: bool, why: &'static str) -> Result<(), ImpossibleView> {
    if condition { Ok(()) } else { Err(ImpossibleView(why)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_its_rule() {
        assert_eq!(Refusal::GAME_OVER.to_string(), "The game is over.");
        assert_eq!(Refusal::GAME_OVER.in_lang(Lang::De).to_string(), "Das Spiel ist zu Ende.");
    }
}
