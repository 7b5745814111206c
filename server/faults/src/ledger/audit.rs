//! Audit of a ledger against the full history of its seat, read from the server after the run.

use std::collections::BTreeMap;

use parlor_proto::v1 as wire;

use super::{DecidedAction, SeatLedger, fingerprint};
use crate::counts::Counts;

impl SeatLedger {
    /// Compares the full history of the seat with the ledger.
    pub(crate) fn audit(&self, history: &[wire::Update], counts: &mut Counts) {
        let name = &self.name;
        for (place, update) in history.iter().enumerate() {
            if update.number as usize != place + 1 {
                counts.add_duplicate(format!(
                    "{name}: update {} stands at place {}",
                    update.number,
                    place + 1
                ));
            }
        }
        let mut decided: BTreeMap<u32, DecidedAction> = BTreeMap::new();
        for update in history {
            if let Some(now) = &update.decided {
                let outcome = DecidedAction { number: update.number, action: now.action.clone() };
                if decided.insert(now.decision_id, outcome).is_some() {
                    counts.add_duplicate(format!("{name}: decision {} is decided twice", now.decision_id));
                }
            }
        }
        for (id, outcome) in &self.acknowledged {
            if decided.get(id) != Some(outcome) {
                counts.add_loss(1, format!("{name}: decision {id} is not decided as acknowledged"));
            }
        }
        let mismatch = self
            .received
            .iter()
            .enumerate()
            .find(|(place, received)| history.get(*place).map(fingerprint).as_ref() != Some(*received));
        if let Some((place, _)) = mismatch {
            counts.add_loss(1, format!("{name}: update {} differs from the received one", place + 1));
        }
    }
}
