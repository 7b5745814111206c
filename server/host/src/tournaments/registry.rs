//! Registry of all tournaments: those in use are in memory, the others are in the log.

mod queries;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use parlor_fair::Entropy;
use parlor_tournament::TournamentState;
use parlor_tournament::plan::PlanVersion;
use tokio::sync::{oneshot, watch};
use tracing::{Instrument, info_span};

pub use queries::TournamentTableRow;

use super::fold_cache::FoldCache;
use super::live_tournament::{LiveTournament, PendingCommand};
use super::log_id::{log_id, tournament_of_log};
use super::runner::Runner;
use super::{
    FinishedTournament, FoldedTournament, LiveOrStored, NewTournament, StandingsSnapshot, TournamentCommand,
    TournamentEntry, TournamentError, TournamentSetup, TournamentSnapshot,
};
use crate::clock::Clock;
use crate::identity::Owner;
use crate::persistence::{
    PayloadCodec, decode_tournament_entry, decode_tournament_record, encode_tournament_entry,
};
use crate::shard::commit::visibility_code;
use crate::table::Visibility;
use crate::{Host, HostError, client_request_key};
use crate::{TableId, TournamentId, random_bytes};
use parlor_store::{
    Append, Listing, Log, LogError, LogFilter, LogKind, Millis, NewPlace, OwnerId, PageRequest, Place,
};

/// Maximum number of tournaments per organiser that are not over.
const MAX_OPEN_TOURNAMENTS: u32 = 100;
/// Number of unstarted tournaments whose standings are kept.
const MAX_CACHED_STANDINGS: usize = 64;
/// Number of finished tournaments whose folded logs are kept, for lists of their tables. Each can take many megabytes.
const MAX_CACHED_FOLDS: usize = 4;

/// Access rights of a caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The caller; `None` if anonymous.
    pub caller: Option<Owner>,
    /// Administrator: may see and change every tournament.
    pub admin: bool,
}

impl Access {
    /// Returns whether the caller is this owner.
    fn owns(&self, owner: &str) -> bool {
        self.caller.as_ref().is_some_and(|caller| caller.as_str() == owner)
    }

    fn may_see(&self, owner: &str, is_public: bool) -> bool {
        is_public || self.admin || self.owns(owner)
    }
}

/// A tournament that the caller may see.
enum Found {
    /// In memory, with a runner.
    Live(Arc<LiveTournament>),
    /// Not started: only in the log until it is requested.
    Idle(Box<TournamentSetup>),
    /// Over.
    Finished {
        /// The record.
        finished: FinishedTournament,
        /// Set if the caller is the organiser.
        owned: bool,
    },
}

pub(super) struct Inner {
    pub(super) host: Host,
    pub(super) log: Arc<dyn Log>,
    pub(super) clock: Arc<dyn Clock>,
    /// Maximum number of running tables of all tournaments of one organiser.
    max_tables: usize,
    live: RwLock<HashMap<TournamentId, Arc<LiveTournament>>>,
    /// Serialises loading tournaments into memory.
    loading: tokio::sync::Mutex<()>,
    /// Incremented with each tournament that is loaded into memory.
    pub(super) loaded: watch::Sender<u64>,
    /// Standings of tournaments that have not started.
    idle_standings: FoldCache<StandingsSnapshot>,
    /// Folded logs of finished tournaments.
    finished_folds: FoldCache<FoldedTournament>,
}

impl Inner {
    pub(super) fn codec(&self) -> &'static dyn PayloadCodec {
        self.host.payload_codec()
    }

    /// Removes a tournament from memory.
    pub(super) fn remove(&self, tournament: TournamentId) {
        self.live.write().unwrap_or_else(PoisonError::into_inner).remove(&tournament);
    }

    /// Maximum number of running tables of a tournament, given those of the organiser's other tournaments.
    pub(super) fn max_tables(&self, owner: &str, tournament: TournamentId) -> usize {
        let others: Vec<Arc<LiveTournament>> = {
            let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
            live.iter().filter(|(other, _)| **other != tournament).map(|(_, live)| live.clone()).collect()
        };
        let running = others.iter().map(|live| {
            let view = live.view();
            if view.folded.setup.owner == owner { view.running.len() } else { 0 }
        });
        self.max_tables.saturating_sub(running.sum())
    }

    pub(super) fn find_live(&self, tournament: TournamentId) -> Option<Arc<LiveTournament>> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).get(&tournament).cloned()
    }
}

/// Registry of all tournaments. Clones share it.
#[derive(Clone)]
pub struct Tournaments(Arc<Inner>);

impl std::fmt::Debug for Tournaments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tournaments")
    }
}

impl Tournaments {
    /// Resumes the tournaments that have started. `max_tables` limits the running tables of one organiser.
    pub async fn start(host: Host, log: Arc<dyn Log>, clock: Arc<dyn Clock>, max_tables: u32) -> Tournaments {
        let open = host.deals().tournaments();
        let tournaments = Tournaments(Arc::new(Inner {
            host,
            log,
            clock,
            max_tables: max_tables as usize,
            live: RwLock::default(),
            loading: tokio::sync::Mutex::default(),
            loaded: watch::Sender::new(0),
            idle_standings: FoldCache::new(MAX_CACHED_STANDINGS),
            finished_folds: FoldCache::new(MAX_CACHED_FOLDS),
        }));
        for tournament in open {
            if let Err(error) = tournaments.ensure_running(tournament).await {
                tracing::error!(%tournament, %error, "tournament cannot be resumed");
            }
        }
        tournaments
    }

    /// Loads a tournament that is not over into memory and spawns its runner, unless it is there already.
    async fn ensure_running(&self, tournament: TournamentId) -> Result<Arc<LiveTournament>, TournamentError> {
        let _loading = self.0.loading.lock().await;
        if let Some(live) = self.0.find_live(tournament) {
            return Ok(live);
        }
        let folded = self.load(tournament).await?;
        let owner: Owner = folded.setup.owner.parse().map_err(|_| TournamentError::Damaged {
            tournament,
            what: "its organiser has no name".to_owned(),
        })?;
        let (live, commands) = LiveTournament::new(folded, self.0.clock.clone());
        let runner = Runner::new(self.0.clone(), live.clone(), owner, commands);
        self.0.live.write().unwrap_or_else(PoisonError::into_inner).insert(tournament, live.clone());
        self.0.idle_standings.forget(tournament);
        self.0.loaded.send_modify(|number| *number += 1);
        tokio::spawn(runner.run().instrument(info_span!("tournament", %tournament)));
        Ok(live)
    }

    /// Loads the log of a tournament and folds it.
    async fn load(&self, tournament: TournamentId) -> Result<FoldedTournament, TournamentError> {
        let entries = self.0.log.read(log_id(tournament), 0).await?;
        let damaged = |what: String| TournamentError::Damaged { tournament, what };
        let codec = self.0.codec();
        // Folding a long log would block the executor.
        let folding = tokio::task::spawn_blocking(move || {
            let mut created = 0;
            let mut folded: Option<FoldedTournament> = None;
            for entry in entries {
                let decoded = decode_tournament_entry(created, &entry.payload, codec);
                let (at, entry) = decoded.map_err(|bad| bad.to_string())?;
                match &mut folded {
                    Some(folded) => folded.fold(at, &entry).map_err(|bad| bad.to_string())?,
                    None => {
                        let first =
                            FoldedTournament::from_first_entry(&entry).map_err(|bad| bad.to_string())?;
                        created = first.setup.created;
                        folded = Some(first);
                    }
                }
            }
            folded.ok_or_else(|| "its log is empty".to_owned())
        });
        let folded = folding.await.map_err(|_| damaged("it cannot be folded".to_owned()))?;
        folded.map_err(damaged)
    }

    /// Creates a tournament. A repeated request gets the tournament that it created before.
    pub async fn create(
        &self,
        owner: &Owner,
        new: NewTournament,
    ) -> Result<LiveOrStored<TournamentSnapshot>, TournamentError> {
        let log = &self.0.log;
        let owner_id = OwnerId::new(owner.as_str())?;
        let request = new.request.as_ref().map(client_request_key);
        if let Some(name) = &request
            && let Some(existing) = log.find_by_request(&owner_id, name).await?
        {
            return self.existing(owner, existing, &new).await;
        }
        self.check_limit(&owner_id).await?;
        let now = self.0.clock.now_ms();
        let random = random_bytes().map_err(HostError::from)?;
        let setup = TournamentSetup {
            tournament: TournamentId::new(now, random),
            owner: owner.as_str().to_owned(),
            terms: new.terms.clone(),
            plan_version: PlanVersion::LATEST,
            seed: match new.given_seed {
                Some(seed) => seed,
                None => random_bytes().map_err(HostError::from)?,
            },
            given: new.given_seed.is_some(),
            entropy: Entropy::NONE,
            created: now,
            request: new.request.clone(),
        };
        let first = TournamentEntry::Created(Box::new(setup.clone()));
        let stored = vec![encode_tournament_entry(now, now, &first, self.0.codec())];
        let mut append = Append::new(log_id(setup.tournament), 0, Millis(now), stored);
        append.listing = Some(listing(&setup, TournamentState::Created)?);
        append.place = Some(NewPlace::AtRest { wakes_at: None });
        append.request = request;
        match log.append(append).await {
            Ok(_) => {}
            Err(LogError::DuplicateRequest { table }) => return self.existing(owner, table, &new).await,
            Err(error) => return Err(error.into()),
        }
        tracing::info!(tournament = %setup.tournament, "tournament created");
        Ok(LiveOrStored::Live(TournamentSnapshot::created(Arc::new(setup))))
    }

    /// The tournament that the request created before.
    ///
    /// # Errors
    ///
    /// [`HostError::RequestReused`] if that was a different request.
    async fn existing(
        &self,
        owner: &Owner,
        existing: TableId,
        new: &NewTournament,
    ) -> Result<LiveOrStored<TournamentSnapshot>, TournamentError> {
        let row = self.0.log.find(existing).await?;
        if row.listing.kind != LogKind::Tournament {
            return Err(HostError::RequestReused.into());
        }
        let tournament = tournament_of_log(existing);
        match self.load_setup(tournament).await {
            Ok(setup) if setup.request == new.request => {
                let access = Access { caller: Some(owner.clone()), admin: false };
                self.get(tournament, &access).await.map(|(tournament, _)| tournament)
            }
            Ok(_) | Err(TournamentError::Damaged { .. }) => Err(HostError::RequestReused.into()),
            Err(error) => Err(error),
        }
    }

    /// Loads the setup of a tournament: the first entry of its log.
    async fn load_setup(&self, tournament: TournamentId) -> Result<Box<TournamentSetup>, TournamentError> {
        let first = self.0.log.read(log_id(tournament), 0).await?.into_iter().next();
        match first.and_then(|entry| decode_tournament_entry(0, &entry.payload, self.0.codec()).ok()) {
            Some((_, TournamentEntry::Created(setup))) => Ok(setup),
            _ => {
                let what = "its log does not begin with a tournament".to_owned();
                Err(TournamentError::Damaged { tournament, what })
            }
        }
    }

    /// Checks that the organiser may have one more tournament that is not over.
    async fn check_limit(&self, owner: &OwnerId) -> Result<(), TournamentError> {
        let filter = LogFilter {
            kind: LogKind::Tournament,
            owner: Some(owner.clone()),
            finished: Some(false),
            ..LogFilter::default()
        };
        let (mut after, mut count) = (None, 0);
        loop {
            let page = self
                .0
                .log
                .list_tables(filter.clone(), PageRequest { after, size: MAX_OPEN_TOURNAMENTS })
                .await?;
            count += page.tables.len();
            if count >= MAX_OPEN_TOURNAMENTS as usize {
                return Err(TournamentError::TooMany { most: MAX_OPEN_TOURNAMENTS });
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Finds a tournament that the caller may see, loading it into memory if it has started.
    async fn find(&self, tournament: TournamentId, access: &Access) -> Result<Found, TournamentError> {
        let hidden = TournamentError::NotFound { tournament };
        if let Some(live) = self.0.find_live(tournament) {
            let is_seen = {
                let setup = &live.view().folded.setup;
                access.may_see(&setup.owner, setup.terms.visibility == Visibility::Public)
            };
            return if is_seen { Ok(Found::Live(live)) } else { Err(hidden) };
        }
        let row = self.0.log.find(log_id(tournament)).await?;
        let is_public = row.listing.visibility == visibility_code(Visibility::Public);
        let is_seen = access.may_see(row.listing.owner.as_str(), is_public);
        if row.listing.kind != LogKind::Tournament || !is_seen {
            return Err(hidden);
        }
        match row.place {
            Place::Finished => {}
            Place::AtRest { .. } => return Ok(Found::Idle(self.load_setup(tournament).await?)),
            Place::InPlay => return Ok(Found::Live(self.ensure_running(tournament).await?)),
        }
        let damaged = |what: String| TournamentError::Damaged { tournament, what };
        let bytes = self.0.log.record(log_id(tournament)).await?;
        let bytes = bytes.ok_or_else(|| damaged("its record is missing".to_owned()))?;
        let finished = decode_tournament_record(&bytes).map_err(|bad| damaged(bad.to_string()))?;
        Ok(Found::Finished { finished, owned: access.owns(row.listing.owner.as_str()) })
    }

    /// Executes a command on a tournament of the caller. Commands are idempotent.
    pub async fn command(
        &self,
        tournament: TournamentId,
        access: &Access,
        command: TournamentCommand,
    ) -> Result<(), TournamentError> {
        loop {
            // A tournament that ends may leave memory before it receives the command: then it is searched
            // again.
            if let Some(done) = self.try_command(tournament, access, command.clone()).await? {
                return done;
            }
            if self.0.host.stopped().is_cancelled() {
                return Err(HostError::Stopping.into());
            }
            tokio::task::yield_now().await;
        }
    }

    /// Executes a command; `None` if the tournament has left memory in the meantime.
    async fn try_command(
        &self,
        tournament: TournamentId,
        access: &Access,
        command: TournamentCommand,
    ) -> Result<Option<Result<(), TournamentError>>, TournamentError> {
        let found = self.find(tournament, access).await?;
        let is_owner = match &found {
            Found::Live(live) => access.owns(&live.view().folded.setup.owner),
            Found::Idle(setup) => access.owns(&setup.owner),
            Found::Finished { owned, .. } => *owned,
        };
        if !is_owner && !access.admin {
            return Err(TournamentError::NotOwner { tournament });
        }
        let live = match found {
            Found::Live(live) => live,
            Found::Idle(_) => self.ensure_running(tournament).await?,
            Found::Finished { .. } => return Ok(Some(self.check_finished(tournament, command).await)),
        };
        let (reply, answer) = oneshot::channel();
        let is_sent = live.commands.send(PendingCommand { command, reply }).await.is_ok();
        Ok(if is_sent { answer.await.ok() } else { None })
    }

    /// Outcome of a command on a finished tournament: it has no further effect, or is an error.
    async fn check_finished(
        &self,
        tournament: TournamentId,
        command: TournamentCommand,
    ) -> Result<(), TournamentError> {
        let folded = self.finished_fold(tournament).await?;
        if let TournamentCommand::Reveal { entropy } = command {
            return folded.propose_reveal(entropy).map(|_| ());
        }
        command.plan_entry().map_or(Ok(()), |entry| Ok(folded.plan.propose(entry).map(|_| ())?))
    }
}

/// Code of a state in listings. It is on disk and never changes.
const fn state_code(state: TournamentState) -> u8 {
    match state {
        TournamentState::Created => 1,
        TournamentState::Running => 2,
        TournamentState::Paused => 3,
        TournamentState::Finished => 4,
        TournamentState::Cancelled => 5,
        TournamentState::Starting => 6,
    }
}

/// The listing of a tournament.
pub(super) fn listing(setup: &TournamentSetup, state: TournamentState) -> Result<Listing, LogError> {
    Ok(Listing {
        kind: LogKind::Tournament,
        owner: OwnerId::new(&setup.owner)?,
        game: setup.terms.options.game().info().id.to_owned(),
        state: state_code(state),
        visibility: visibility_code(setup.terms.visibility),
        tags: Vec::new(),
    })
}
