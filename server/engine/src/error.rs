//! Errors: refused actions, invalid set-ups and impossible views.

use crate::text::{Localise, Text, TextBuilder, display_in_english};

/// The reason an action is refused: a stable code, and the broken rule in words for a player.
///
/// The texts are constants, so a refusal cannot leak hidden information.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Stable machine-readable code, such as `gap.must_take_all`.
    pub code: &'static str,
    /// The rule, for display.
    pub text: Text,
}

impl Refusal {
    pub(crate) const fn new(code: &'static str, en: &'static str, de: &'static str) -> Refusal {
        Refusal { code, text: Text { en, de } }
    }

    /// The seat is not at this table.
    pub const NO_SUCH_SEAT: Refusal = Refusal::new(
        "no_such_seat",
        "This table has no such seat.",
        "Diesen Sitz gibt es an diesem Tisch nicht.",
    );
    /// The game has ended.
    pub const GAME_OVER: Refusal = Refusal::new("game_over", "The game is over.", "Das Spiel ist zu Ende.");
    /// The seat has no decision to make.
    pub const NOT_ASKED: Refusal = Refusal::new(
        "not_asked",
        "It is not your turn: the game waits for somebody else.",
        "Du bist nicht an der Reihe: Das Spiel wartet auf andere.",
    );
    /// The action belongs to another game.
    pub const OTHER_GAME: Refusal = Refusal::new(
        "other_game",
        "That is an action of another game.",
        "Das ist ein Zug aus einem anderen Spiel.",
    );
    /// The card is not in the player's hand.
    pub const NOT_IN_HAND: Refusal = Refusal::new(
        "not_in_hand",
        "That card is not in your hand.",
        "Diese Karte ist nicht auf deiner Hand.",
    );
}

impl Localise for Refusal {
    fn write_text(&self, out: &mut TextBuilder) {
        self.text.write_text(out);
    }
}

display_in_english!(Refusal);

impl std::error::Error for Refusal {}

/// The reason a game cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The number of players is out of range.
    #[error("{game} is for {min} to {max} players, not {got}")]
    Players {
        /// The id of the game.
        game: &'static str,
        /// The requested number.
        got: u8,
        /// The minimum number of players.
        min: u8,
        /// The maximum number of players.
        max: u8,
    },
    /// The rules version is unknown.
    #[error("{game} is played by rules version {known}, not {got}")]
    RulesVersion {
        /// The id of the game.
        game: &'static str,
        /// The requested version.
        got: u32,
        /// The supported version.
        known: u32,
    },
    /// An option is out of its range.
    #[error("{game}: option {option} must be {allowed}, not {got}")]
    Option {
        /// The id of the game.
        game: &'static str,
        /// The name of the option.
        option: &'static str,
        /// The requested value.
        got: i64,
        /// The allowed range, in words.
        allowed: &'static str,
    },
}

/// A view that no game can produce: it contradicts itself or the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("impossible view: {0}")]
pub struct ImpossibleView(pub(crate) &'static str);

/// Fails with [`ImpossibleView`] and this reason if the condition is false.
pub(crate) fn ensure(condition: bool, reason: &'static str) -> Result<(), ImpossibleView> {
    if condition { Ok(()) } else { Err(ImpossibleView(reason)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lang;

    #[test]
    fn refusal_displays_its_rule_in_both_languages() {
        assert_eq!(Refusal::GAME_OVER.to_string(), "The game is over.");
        assert_eq!(Refusal::GAME_OVER.in_lang(Lang::De).to_string(), "Das Spiel ist zu Ende.");
    }
}
