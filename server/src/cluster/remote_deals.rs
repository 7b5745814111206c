//! Deals of tournaments that other nodes play. What is not known to be over is hidden.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_host::placement::Placement;
use parlor_host::{RemoteDeals, TournamentId};

use super::Cluster;
use super::link::{IS_DEAL_OVER, call};
use super::wire::{IsDealOverRequest, IsDealOverResponse};

/// Deals that are remembered as over. It stays so, and forgetting one costs a question.
const MAX_KNOWN: usize = 65_536;
/// Questions that may be under way.
const MAX_QUESTIONS: usize = 64;

/// A deal: its tournament, and its number there.
type Deal = (TournamentId, u32);

/// Knowledge of the deals of other nodes. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct DealKnowledge {
    cluster: Arc<Cluster>,
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    over: HashSet<Deal>,
    asked: HashSet<Deal>,
}

impl DealKnowledge {
    pub(crate) fn new(cluster: Arc<Cluster>) -> DealKnowledge {
        DealKnowledge { cluster, known: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // A panic cannot leave the sets half updated.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the node of the tournament. It is not reached: the deal stays hidden.
    async fn ask(self, deal: Deal) {
        let over = self.is_over_there(deal).await.unwrap_or(false);
        let mut known = self.lock();
        known.asked.remove(&deal);
        if over {
            if known.over.len() >= MAX_KNOWN {
                known.over.clear();
            }
            known.over.insert(deal);
        }
    }

    async fn is_over_there(&self, (tournament, number): Deal) -> Option<bool> {
        let Placement::Remote(node) = self.cluster.placement(tournament.partition()) else { return None };
        let mut link = self.cluster.link(&node)?;
        let request = IsDealOverRequest { tournament_id: tournament.to_string(), number };
        let answer =
            call::<IsDealOverResponse>(&mut link, IS_DEAL_OVER, &self.cluster.headers(&node), &request).await;
        answer.ok().map(|answer| answer.over)
    }
}

impl RemoteDeals for DealKnowledge {
    fn is_over(&self, tournament: TournamentId, number: u32) -> Option<bool> {
        if self.cluster.is_local(tournament.partition()) {
            return None;
        }
        let deal = (tournament, number);
        let mut known = self.lock();
        let is_over = known.over.contains(&deal);
        if !is_over && known.asked.len() < MAX_QUESTIONS && known.asked.insert(deal) {
            tokio::spawn(self.clone().ask(deal));
        }
        Some(is_over)
    }
}
