//! The whole history of a seat, as the server tells it afterwards, held against its accounts.

use std::collections::BTreeMap;

use parlor_proto::v1 as wire;

use super::{Book, Fact, fingerprint};
use crate::tally::Tally;

impl Book {
    /// Holds the whole history of the seat, as the server tells it now, against the accounts.
    pub(crate) fn audit(&self, history: &[wire::Update], tally: &mut Tally) {
        let name = &self.name;
        for (place, update) in history.iter().enumerate() {
            if update.number as usize != place + 1 {
                tally.double(format!("{name}: update {} stands at place {}", update.number, place + 1));
            }
        }
        let mut decided: BTreeMap<u32, Fact> = BTreeMap::new();
        for update in history {
            if let Some(now) = &update.decided {
                let fact = Fact { number: update.number, action: now.action.clone() };
                if decided.insert(now.decision_id, fact).is_some() {
                    tally.double(format!("{name}: decision {} is decided twice", now.decision_id));
                }
            }
        }
        for (id, fact) in &self.acknowledged {
            if decided.get(id) != Some(fact) {
                tally.lose(1, format!("{name}: decision {id} is not decided as acknowledged"));
            }
        }
        let shown_otherwise = self
            .shown
            .iter()
            .enumerate()
            .find(|(place, shown)| history.get(*place).map(fingerprint).as_ref() != Some(*shown));
        if let Some((place, _)) = shown_otherwise {
            tally.lose(1, format!("{name}: update {} is not what was shown", place + 1));
        }
    }
}
