//! A strategy of the house behind the SDK's trait.

use parlor_bots::HouseBot;
use parlor_sdk::{Bot, BotError, Choice, Question};
use sha2::{Digest, Sha256};

/// A strategy on one seat.
pub(super) struct Strategy {
    bot: HouseBot,
    secret: String,
}

impl Strategy {
    /// The strategy with a secret of the seat, such as its token.
    pub(super) fn new(bot: HouseBot, secret: impl Into<String>) -> Strategy {
        Strategy { bot, secret: secret.into() }
    }

    /// The randomness of one decision. The secret is known to nobody, so that nobody can foresee it; and the same decision
    /// gets the same, so that a bot that is started again gives the answer it gave before.
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
    fn a_decision_has_its_own_randomness_and_keeps_it() {
        let greedy = HouseBot::by_name("greedy").unwrap();
        let one = Strategy::new(greedy, "pls_one");
        let other = Strategy::new(greedy, "pls_other");
        assert_eq!(one.seed(1), one.seed(1));
        assert_ne!(one.seed(1), one.seed(2));
        assert_ne!(one.seed(1), other.seed(1));
    }
}
