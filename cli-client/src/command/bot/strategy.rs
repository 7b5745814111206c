//! House strategies as an SDK [`Bot`].

use parlor_bots::HouseBot;
use parlor_sdk::{Bot, BotError, Choice, Question};
use sha2::{Digest, Sha256};

/// A house strategy on one seat.
pub(super) struct Strategy {
    bot: HouseBot,
    secret: String,
}

impl Strategy {
    /// Builds a strategy from a secret of the seat, such as its token.
    pub(super) fn new(bot: HouseBot, secret: impl Into<String>) -> Strategy {
        Strategy { bot, secret: secret.into() }
    }

    /// Random seed of one decision. Unpredictable to others, because it depends on the secret; deterministic,
    /// so that a restarted bot repeats its answer.
    fn seed(&self, decision: u32) -> [u8; 32] {
        Sha256::new()
            .chain_update("parlor bot v1")
            .chain_update(&self.secret)
            .chain_update(decision.to_le_bytes())
            .finalize()
            .into()
    }
}

impl Bot for Strategy {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        let (view, legal) = (question.engine_view()?, question.engine_actions()?);
        Ok(self.bot.decide(view, legal, self.seed(question.id()))?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_seed_is_deterministic_per_seat_and_decision() {
        let greedy = HouseBot::by_name("greedy").unwrap();
        let one = Strategy::new(greedy, "pls_one");
        let other = Strategy::new(greedy, "pls_other");
        assert_eq!(one.seed(1), one.seed(1));
        assert_ne!(one.seed(1), one.seed(2));
        assert_ne!(one.seed(1), other.seed(1));
    }
}
