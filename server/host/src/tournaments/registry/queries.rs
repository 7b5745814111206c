//! Queries: tournaments, standings, followers and tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use parlor_tournament::Entrant;
use parlor_tournament::plan::TableKey;

use super::{Access, Found, Tournaments};
use crate::HostError;
use crate::tournaments::follower::TournamentFollower;
use crate::tournaments::log_id::{log_id, tournament_of_log};
use crate::tournaments::standings::standings;
use crate::tournaments::{
    FinishedTournament, FoldedTournament, LiveOrStored, PlayedTable, StandingsSnapshot, TournamentError,
    TournamentSnapshot,
};
use crate::{TableId, TournamentId};
use parlor_store::{LogFilter, LogKind, OwnerId, PageRequest};

/// A table of a tournament, as it is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TournamentTableRow {
    /// Group and rotation.
    pub place: TableKey,
    /// Id of the table.
    pub table: TableId,
    /// The entrants, in the order of the seats.
    pub entrants: Vec<Entrant>,
    /// The round.
    pub round: u32,
    /// The result; `None` while it runs.
    pub played: Option<PlayedTable>,
    /// Reason why its group is void. Empty if it counts.
    pub void_reason: String,
    /// Set once its deal is over, so that all of it may be shown.
    pub is_deal_over: bool,
    /// Set once its group counts.
    pub counts: bool,
}

impl Tournaments {
    /// The current state of a tournament, and whether the caller is its organiser.
    pub async fn get(
        &self,
        tournament: TournamentId,
        access: &Access,
    ) -> Result<(LiveOrStored<TournamentSnapshot>, bool), TournamentError> {
        Ok(match self.find(tournament, access).await? {
            Found::Live(live) => {
                let view = live.view();
                (LiveOrStored::Live(view.tournament()), access.owns(&view.folded.setup.owner))
            }
            Found::Idle(setup) => {
                let owned = access.owns(&setup.owner);
                (LiveOrStored::Live(TournamentSnapshot::created(Arc::from(setup))), owned)
            }
            Found::Finished { finished, owned } => (LiveOrStored::Stored(finished.tournament), owned),
        })
    }

    /// The standings, with the rating history on request.
    pub async fn standings(
        &self,
        tournament: TournamentId,
        access: &Access,
        history: bool,
    ) -> Result<LiveOrStored<Arc<StandingsSnapshot>>, TournamentError> {
        Ok(match self.find(tournament, access).await? {
            Found::Live(live) => LiveOrStored::Live(live.standings(history).await),
            // No group counts yet, so there is no history.
            Found::Idle(_) => LiveOrStored::Live(self.idle_standings(tournament).await?),
            Found::Finished { finished, .. } => LiveOrStored::Stored(finished.standings),
        })
    }

    /// The standings of a tournament that has not started, which is folded once for all callers.
    async fn idle_standings(
        &self,
        tournament: TournamentId,
    ) -> Result<Arc<StandingsSnapshot>, TournamentError> {
        let registry = self.clone();
        let compute = async move {
            let folded = registry.load(tournament).await?;
            let computed = tokio::task::spawn_blocking(move || standings(&folded)).await;
            let fault = |_| HostError::Fault { reason: "standings cannot be made".to_owned() };
            Ok(computed.map_err(fault)?)
        };
        self.0.idle_standings.get(tournament, compute).await
    }

    /// The folded log of a finished tournament, which is folded once for all callers.
    pub(super) async fn finished_fold(
        &self,
        tournament: TournamentId,
    ) -> Result<Arc<FoldedTournament>, TournamentError> {
        let registry = self.clone();
        self.0.finished_folds.get(tournament, async move { registry.load(tournament).await }).await
    }

    /// Follows a tournament. A finished one has no follower: its record is returned as the inner error.
    pub async fn follow(
        &self,
        tournament: TournamentId,
        access: &Access,
    ) -> Result<Result<TournamentFollower, FinishedTournament>, TournamentError> {
        // From before the search, so that a start right after it is seen.
        let loaded = self.0.loaded.subscribe();
        match self.find(tournament, access).await? {
            Found::Live(live) => Ok(Ok(TournamentFollower::of_live(live))),
            Found::Idle(setup) => {
                let standings = self.idle_standings(tournament).await?;
                let created = TournamentSnapshot::created(Arc::from(setup));
                Ok(Ok(TournamentFollower::of_idle(self.0.clone(), loaded, created, standings)))
            }
            Found::Finished { finished, .. } => Ok(Err(finished)),
        }
    }

    /// Lists tournaments that the caller may see, newest first: reads up to `size` after `after`. The second
    /// value is the cursor of the next page, if there is one.
    pub async fn list(
        &self,
        access: &Access,
        owned: bool,
        after: Option<TournamentId>,
        size: usize,
    ) -> Result<(Vec<(LiveOrStored<TournamentSnapshot>, bool)>, Option<TournamentId>), TournamentError> {
        let owner = access.caller.as_ref().filter(|_| owned);
        let filter = LogFilter {
            kind: LogKind::Tournament,
            owner: owner.map(|owner| OwnerId::new(owner.as_str())).transpose()?,
            ..LogFilter::default()
        };
        let (mut found, mut last) = (Vec::new(), after);
        let page = PageRequest { after: after.map(log_id), size: u32::try_from(size).unwrap_or(u32::MAX) };
        let rows = self.0.log.list_tables(filter, page).await?;
        for row in rows.tables {
            let tournament = tournament_of_log(row.id);
            last = Some(tournament);
            match self.get(tournament, access).await {
                Ok(tournament) => found.push(tournament),
                // Hidden from the caller, just deleted, or damaged, which a request for it reports.
                Err(TournamentError::NotFound { .. } | TournamentError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok((found, last.filter(|_| rows.next.is_some())))
    }

    /// Lists up to `size` tables of a tournament after `after`, by deal and rotation, with the cursor of the
    /// next page. Only its organiser sees those of deals that are not over: an entrant could tell which
    /// tables play the same deal.
    pub async fn tables(
        &self,
        tournament: TournamentId,
        access: &Access,
        after: Option<TableKey>,
        size: usize,
    ) -> Result<(Vec<TournamentTableRow>, Option<TableKey>), TournamentError> {
        let none_running = BTreeMap::new();
        match self.find(tournament, access).await? {
            Found::Live(live) => {
                let view = live.view();
                Ok(self.rows(&view.folded, &view.running, access, after, size))
            }
            Found::Idle(_) => Ok((Vec::new(), None)),
            Found::Finished { .. } => {
                Ok(self.rows(&*self.finished_fold(tournament).await?, &none_running, access, after, size))
            }
        }
    }

    fn rows(
        &self,
        folded: &FoldedTournament,
        running: &BTreeMap<TableKey, TableId>,
        access: &Access,
        after: Option<TableKey>,
        size: usize,
    ) -> (Vec<TournamentTableRow>, Option<TableKey>) {
        use std::ops::Bound;
        let from = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let is_deal_over =
            |place: &TableKey| self.0.host.deals().is_over(folded.setup.tournament, place.group);
        let sees_all = access.admin || access.owns(&folded.setup.owner);
        let played = folded.tables.range(from).map(|(place, played)| (*place, played.table));
        let running = running.range(from).map(|(place, table)| (*place, *table));
        let is_visible = |(place, _): &(TableKey, TableId)| sees_all || is_deal_over(place);
        let mut places: Vec<_> = played.filter(is_visible).take(size + 1).collect();
        places.extend(running.filter(is_visible).take(size + 1));
        places.sort_unstable();
        places.dedup_by_key(|(place, _)| *place);
        let has_more = places.len() > size;
        places.truncate(size);
        let row = |(place, table): (TableKey, TableId)| {
            let planned = folded.plan.table(place)?;
            let group = folded.plan.group(place.group)?;
            Some(TournamentTableRow {
                place,
                table,
                entrants: planned.seats,
                round: planned.round,
                played: folded.tables.get(&place).cloned(),
                void_reason: group.void_reason.unwrap_or_default().to_owned(),
                is_deal_over: is_deal_over(&place),
                counts: folded.plan.is_counted(place.group),
            })
        };
        let next = places.last().map(|(place, _)| *place).filter(|_| has_more);
        (places.into_iter().filter_map(row).collect(), next)
    }
}
