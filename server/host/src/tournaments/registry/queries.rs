//! Looking at tournaments: as they are now, how things stand in them, and which tables they have.

use std::collections::BTreeMap;
use std::sync::Arc;

use parlor_tournament::Entrant;
use parlor_tournament::plan::TableKey;

use super::{Access, Found, Tournaments};
use crate::HostError;
use crate::TableId;
use crate::tournaments::live_tournament::TournamentFollower;
use crate::tournaments::standings::standings;
use crate::tournaments::{
    FinishedTournament, FoldedTournament, LiveOrStored, PlayedTable, StandingsSnapshot, TournamentError,
    TournamentSnapshot,
};
use parlor_store::{LogFilter, LogKind, OwnerId, PageRequest};

/// A table of a tournament, as it is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRow {
    /// Which table it is.
    pub place: TableKey,
    /// Its id.
    pub table: TableId,
    /// ViewerCredential sits, in the order of the seats.
    pub entrants: Vec<Entrant>,
    /// The round.
    pub round: u32,
    /// How it ended; none while it runs.
    pub played: Option<PlayedTable>,
    /// Why its group does not count. Empty if it does.
    pub void_reason: String,
    /// Whether everything of its deal may be shown.
    pub is_shown: bool,
}

impl Tournaments {
    /// A tournament as it is now, and whether it is the caller's own.
    pub async fn get(
        &self,
        tournament: TableId,
        access: &Access,
    ) -> Result<(LiveOrStored<TournamentSnapshot>, bool), TournamentError> {
        Ok(match self.find(tournament, access).await? {
            Found::Live(live) => {
                let shown = live.shown();
                (LiveOrStored::Live(shown.tournament()), access.owns(&shown.course.setup.owner))
            }
            Found::Idle(setup) => {
                let owned = access.owns(&setup.owner);
                (LiveOrStored::Live(TournamentSnapshot::created(Arc::from(setup))), owned)
            }
            Found::Over { finished, owned } => (LiveOrStored::Stored(finished.tournament), owned),
        })
    }

    /// How things stand.
    pub async fn standings(
        &self,
        tournament: TableId,
        access: &Access,
        history: bool,
    ) -> Result<LiveOrStored<Arc<StandingsSnapshot>>, TournamentError> {
        Ok(match self.find(tournament, access).await? {
            Found::Live(live) => LiveOrStored::Live(live.standings(history).await),
            Found::Idle(_) => {
                let course = self.load(tournament).await?;
                let made = tokio::task::spawn_blocking(move || standings(&course, history)).await;
                let fault = |_| HostError::Fault { reason: "standings cannot be made".to_owned() };
                LiveOrStored::Live(Arc::new(made.map_err(fault)?))
            }
            Found::Over { finished, .. } => LiveOrStored::Stored(finished.standings),
        })
    }

    /// Follows a tournament. One that is over has one thing to tell, which is given instead.
    pub async fn follow(
        &self,
        tournament: TableId,
        access: &Access,
    ) -> Result<Result<TournamentFollower, FinishedTournament>, TournamentError> {
        match self.find(tournament, access).await? {
            Found::Live(live) => Ok(Ok(TournamentFollower::new(live))),
            Found::Idle(_) => Ok(Ok(TournamentFollower::new(self.bring_in(tournament).await?))),
            Found::Over { finished, .. } => Ok(Err(finished)),
        }
    }

    /// Up to `size` tournaments that the caller may see, the newest first, from those after the given one on; and where to
    /// go on, if there is more to look at.
    pub async fn list(
        &self,
        access: &Access,
        owned: bool,
        mut after: Option<TableId>,
        size: usize,
    ) -> Result<(Vec<(LiveOrStored<TournamentSnapshot>, bool)>, Option<TableId>), TournamentError> {
        let owner = access.caller.as_ref().filter(|_| owned);
        let filter = LogFilter {
            kind: LogKind::Tournament,
            owner: owner.map(|owner| OwnerId::new(owner.as_str())).transpose()?,
            ..LogFilter::default()
        };
        let mut found = Vec::new();
        let page = PageRequest { after, size: u32::try_from(size).unwrap_or(u32::MAX) };
        let rows = self.0.log.list_tables(filter, page).await?;
        for row in rows.tables {
            after = Some(row.id);
            match self.get(row.id, access).await {
                Ok(tournament) => found.push(tournament),
                // Not the caller's to see; deleted a moment ago; or damaged, and says so to whoever asks for it.
                Err(TournamentError::NotFound { .. } | TournamentError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok((found, after.filter(|_| rows.next.is_some())))
    }

    /// Up to `size` tables of a tournament, in the order of the deals and rotations, after the given one. Only its organiser
    /// sees those of deals that are not over: an entrant could tell which tables play the same deal.
    pub async fn tables(
        &self,
        tournament: TableId,
        access: &Access,
        after: Option<TableKey>,
        size: usize,
    ) -> Result<(Vec<TableRow>, Option<TableKey>), TournamentError> {
        let none = BTreeMap::new();
        match self.find(tournament, access).await? {
            Found::Live(live) => {
                let shown = live.shown();
                Ok(self.rows(&shown.course, &shown.running, access, after, size))
            }
            Found::Idle(_) => Ok((Vec::new(), None)),
            Found::Over { .. } => Ok(self.rows(&self.load(tournament).await?, &none, access, after, size)),
        }
    }

    fn rows(
        &self,
        course: &FoldedTournament,
        running: &BTreeMap<TableKey, TableId>,
        access: &Access,
        after: Option<TableKey>,
        size: usize,
    ) -> (Vec<TableRow>, Option<TableKey>) {
        use std::ops::Bound;
        let from = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let is_shown = |place: &TableKey| self.0.host.deals().is_over(course.setup.tournament, place.group);
        let sees_all = access.admin || access.owns(&course.setup.owner);
        let played = course.tables.range(from).map(|(place, played)| (*place, played.table));
        let running = running.range(from).map(|(place, table)| (*place, *table));
        let sees = |(place, _): &(TableKey, TableId)| sees_all || is_shown(place);
        let mut places: Vec<_> = played.filter(sees).take(size + 1).collect();
        places.extend(running.filter(sees).take(size + 1));
        places.sort_unstable();
        places.dedup_by_key(|(place, _)| *place);
        let is_more = places.len() > size;
        places.truncate(size);
        let row = |(place, table): (TableKey, TableId)| {
            let to_make = course.plan.table(place)?;
            let group = course.plan.group(place.group)?;
            Some(TableRow {
                place,
                table,
                entrants: to_make.seats,
                round: to_make.round,
                played: course.tables.get(&place).cloned(),
                void_reason: group.void_reason.unwrap_or_default().to_owned(),
                is_shown: is_shown(&place),
            })
        };
        let next = places.last().map(|(place, _)| *place).filter(|_| is_more);
        (places.into_iter().filter_map(row).collect(), next)
    }
}
