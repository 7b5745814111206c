//! All tournaments: those that are not over in memory, when somebody has to do with them, and the others in the log.

mod queries;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use parlor_tournament::TournamentState;
use tokio::sync::oneshot;
use tracing::{Instrument, info_span};

pub use queries::TableRow;

use super::live_tournament::{LiveTournament, PendingCommand};
use super::runner::Runner;
use super::{
    Command, Entry, FinishedTournament, FoldedTournament, LiveOrStored, NewTournament, Setup,
    TournamentError, TournamentSnapshot,
};
use crate::clock::Clock;
use crate::identity::Owner;
use crate::persistence::{
    PayloadCodec, decode_tournament_entry, decode_tournament_record, encode_tournament_entry,
};
use crate::shard::commit::visibility_code;
use crate::table::Visibility;
use crate::{Host, HostError, client_request_key};
use crate::{TableId, random_bytes};
use parlor_store::{
    Append, Listing, Log, LogError, LogFilter, LogKind, Millis, NewPlace, OwnerId, PageRequest, Place as Kept,
};

/// How many tournaments that are not over an organiser may have.
const MOST: u32 = 100;

/// ViewerCredential asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// ViewerCredential, if that is known.
    pub caller: Option<Owner>,
    /// Whether everything is theirs to see and to change.
    pub admin: bool,
}

impl Access {
    /// Whether it is the caller's own.
    fn owns(&self, owner: &str) -> bool {
        self.caller.as_ref().is_some_and(|caller| caller.as_str() == owner)
    }

    fn may_see(&self, owner: &str, is_public: bool) -> bool {
        is_public || self.admin || self.owns(owner)
    }
}

/// A tournament that was found, to somebody who may see it.
enum Found {
    /// It is in memory.
    Live(Arc<LiveTournament>),
    /// It waits to be started: nothing happens to it until somebody asks for it.
    Idle(Box<Setup>),
    /// It is over.
    Over {
        /// Its record.
        finished: FinishedTournament,
        /// Whether it is the caller's own.
        owned: bool,
    },
}

pub(super) struct Inner {
    pub(super) host: Host,
    pub(super) log: Arc<dyn Log>,
    pub(super) clock: Arc<dyn Clock>,
    /// How many tables all tournaments of one organiser may have at once.
    most_tables: usize,
    live: RwLock<HashMap<TableId, Arc<LiveTournament>>>,
    /// Held by whoever brings one into memory.
    bringing_in: tokio::sync::Mutex<()>,
}

impl Inner {
    pub(super) fn codec(&self) -> &'static dyn PayloadCodec {
        self.host.payload_codec()
    }

    /// A tournament is over, and its record is stored.
    pub(super) fn forget(&self, tournament: TableId) {
        self.live.write().unwrap_or_else(PoisonError::into_inner).remove(&tournament);
    }

    /// How many tables a tournament of an organiser may have at once, beside those of the organiser's others.
    pub(super) fn room_beside(&self, owner: &str, tournament: TableId) -> usize {
        let others: Vec<Arc<LiveTournament>> = {
            let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
            live.iter().filter(|(other, _)| **other != tournament).map(|(_, live)| live.clone()).collect()
        };
        let running = others.iter().map(|live| {
            let shown = live.shown();
            if shown.course.setup.owner == owner { shown.running.len() } else { 0 }
        });
        self.most_tables.saturating_sub(running.sum())
    }

    fn find(&self, tournament: TableId) -> Option<Arc<LiveTournament>> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).get(&tournament).cloned()
    }
}

/// All tournaments. Clones are the same.
#[derive(Clone)]
pub struct Tournaments(Arc<Inner>);

impl std::fmt::Debug for Tournaments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tournaments")
    }
}

impl Tournaments {
    /// Goes on with the tournaments that are being played. Those of one organiser have at most so many tables at once.
    pub async fn start(
        host: Host,
        log: Arc<dyn Log>,
        clock: Arc<dyn Clock>,
        most_tables: u32,
    ) -> Tournaments {
        let open = host.deals().tournaments();
        let tournaments = Tournaments(Arc::new(Inner {
            host,
            log,
            clock,
            most_tables: most_tables as usize,
            live: RwLock::default(),
            bringing_in: tokio::sync::Mutex::default(),
        }));
        for tournament in open {
            if let Err(error) = tournaments.bring_in(tournament).await {
                tracing::error!(%tournament, %error, "a tournament cannot be gone on with");
            }
        }
        tournaments
    }

    /// Brings a tournament that is not over into memory, and lets it run.
    async fn bring_in(&self, tournament: TableId) -> Result<Arc<LiveTournament>, TournamentError> {
        let _bringing_in = self.0.bringing_in.lock().await;
        if let Some(live) = self.0.find(tournament) {
            return Ok(live);
        }
        let course = self.load(tournament).await?;
        let owner: Owner = course.setup.owner.parse().map_err(|_| TournamentError::Damaged {
            tournament,
            what: "its organiser has no name".to_owned(),
        })?;
        let (live, commands) = LiveTournament::new(course, self.0.clock.clone());
        let runner = Runner::new(self.0.clone(), live.clone(), owner, commands);
        self.0.live.write().unwrap_or_else(PoisonError::into_inner).insert(tournament, live.clone());
        tokio::spawn(runner.run().instrument(info_span!("tournament", %tournament)));
        Ok(live)
    }

    /// Folds the log of a tournament.
    async fn load(&self, tournament: TableId) -> Result<FoldedTournament, TournamentError> {
        let entries = self.0.log.read(tournament, 0).await?;
        let damaged = |what: String| TournamentError::Damaged { tournament, what };
        let codec = self.0.codec();
        // A long one takes a while, and holds nobody up.
        let folding = tokio::task::spawn_blocking(move || {
            let mut created = 0;
            let mut course: Option<FoldedTournament> = None;
            for entry in entries {
                let read = decode_tournament_entry(created, &entry.payload, codec);
                let (at, entry) = read.map_err(|bad| bad.to_string())?;
                match &mut course {
                    Some(course) => course.fold(at, &entry).map_err(|bad| bad.to_string())?,
                    None => {
                        let opened = FoldedTournament::open(&entry).map_err(|bad| bad.to_string())?;
                        created = opened.setup.created;
                        course = Some(opened);
                    }
                }
            }
            course.ok_or_else(|| "its log is empty".to_owned())
        });
        let folded = folding.await.map_err(|_| damaged("it cannot be folded".to_owned()))?;
        folded.map_err(damaged)
    }

    /// Makes a tournament. A request that made one before gets that one.
    pub async fn create(
        &self,
        owner: &Owner,
        new: NewTournament,
    ) -> Result<LiveOrStored<TournamentSnapshot>, TournamentError> {
        let log = &self.0.log;
        let owner_id = OwnerId::new(owner.as_str())?;
        let request = new.request.as_ref().map(client_request_key);
        if let Some(name) = &request
            && let Some(made) = log.find_by_request(&owner_id, name).await?
        {
            return self.made_before(owner, made, &new).await;
        }
        self.check_count(&owner_id).await?;
        let now = self.0.clock.now_ms();
        let random = random_bytes().map_err(HostError::from)?;
        let setup = Setup {
            tournament: TableId::new(now, random),
            owner: owner.as_str().to_owned(),
            terms: new.terms.clone(),
            seed: match new.given_seed {
                Some(seed) => seed,
                None => random_bytes().map_err(HostError::from)?,
            },
            given: new.given_seed.is_some(),
            entropy: new.entropy,
            created: now,
            request: new.request.clone(),
        };
        let first = Entry::Created(Box::new(setup.clone()));
        let stored = vec![encode_tournament_entry(now, now, &first, self.0.codec())];
        let mut append = Append::new(setup.tournament, 0, Millis(now), stored);
        append.listing = Some(listing(&setup, TournamentState::Created)?);
        append.place = Some(NewPlace::AtRest { wakes_at: None });
        append.request = request;
        match log.append(append).await {
            Ok(_) => {}
            Err(LogError::DuplicateRequest { table }) => return self.made_before(owner, table, &new).await,
            Err(error) => return Err(error.into()),
        }
        tracing::info!(tournament = %setup.tournament, "a tournament was made");
        Ok(LiveOrStored::Live(TournamentSnapshot::created(Arc::new(setup))))
    }

    /// The tournament that the request made before, if it was the same request.
    async fn made_before(
        &self,
        owner: &Owner,
        made: TableId,
        new: &NewTournament,
    ) -> Result<LiveOrStored<TournamentSnapshot>, TournamentError> {
        let row = self.0.log.find(made).await?;
        if row.listing.kind != LogKind::Tournament {
            return Err(HostError::RequestReused.into());
        }
        match self.setup(made).await {
            Ok(setup) if setup.request == new.request => {
                let access = Access { caller: Some(owner.clone()), admin: false };
                self.get(made, &access).await.map(|(tournament, _)| tournament)
            }
            Ok(_) | Err(TournamentError::Damaged { .. }) => Err(HostError::RequestReused.into()),
            Err(error) => Err(error),
        }
    }

    /// How a tournament was set up, by its log.
    async fn setup(&self, tournament: TableId) -> Result<Box<Setup>, TournamentError> {
        let first = self.0.log.read(tournament, 0).await?.into_iter().next();
        match first.and_then(|entry| decode_tournament_entry(0, &entry.payload, self.0.codec()).ok()) {
            Some((_, Entry::Created(setup))) => Ok(setup),
            _ => {
                let what = "its log does not begin with a tournament".to_owned();
                Err(TournamentError::Damaged { tournament, what })
            }
        }
    }

    async fn check_count(&self, owner: &OwnerId) -> Result<(), TournamentError> {
        let filter = LogFilter {
            kind: LogKind::Tournament,
            owner: Some(owner.clone()),
            finished: Some(false),
            ..LogFilter::default()
        };
        let (mut after, mut count) = (None, 0);
        loop {
            let page = self.0.log.list_tables(filter.clone(), PageRequest { after, size: MOST }).await?;
            count += page.tables.len();
            if count >= MOST as usize {
                return Err(TournamentError::TooMany { most: MOST });
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Finds a tournament that the caller may see.
    async fn find(&self, tournament: TableId, access: &Access) -> Result<Found, TournamentError> {
        let hidden = TournamentError::NotFound { tournament };
        if let Some(live) = self.0.find(tournament) {
            let is_seen = {
                let setup = &live.shown().course.setup;
                access.may_see(&setup.owner, setup.terms.visibility == Visibility::Public)
            };
            return if is_seen { Ok(Found::Live(live)) } else { Err(hidden) };
        }
        let row = self.0.log.find(tournament).await?;
        let is_public = row.listing.visibility == visibility_code(Visibility::Public);
        let is_seen = access.may_see(row.listing.owner.as_str(), is_public);
        if row.listing.kind != LogKind::Tournament || !is_seen {
            return Err(hidden);
        }
        match row.place {
            Kept::Finished => {}
            Kept::AtRest { .. } => return Ok(Found::Idle(self.setup(tournament).await?)),
            Kept::InPlay => return Ok(Found::Live(self.bring_in(tournament).await?)),
        }
        let damaged = |what: String| TournamentError::Damaged { tournament, what };
        let bytes = self.0.log.record(tournament).await?;
        let bytes = bytes.ok_or_else(|| damaged("its record is missing".to_owned()))?;
        let finished = decode_tournament_record(&bytes).map_err(|bad| damaged(bad.to_string()))?;
        Ok(Found::Over { finished, owned: access.owns(row.listing.owner.as_str()) })
    }

    /// Does something to a tournament of the caller's own. Doing it again is harmless.
    pub async fn command(
        &self,
        tournament: TableId,
        access: &Access,
        command: Command,
    ) -> Result<(), TournamentError> {
        loop {
            // A tournament may be over, and leave memory, before it has heard the command: then it is looked for again.
            if let Some(done) = self.try_command(tournament, access, command.clone()).await? {
                return done;
            }
            if self.0.host.stopped().is_cancelled() {
                return Err(HostError::Stopping.into());
            }
            tokio::task::yield_now().await;
        }
    }

    /// Does it, or says that the tournament has left memory meanwhile.
    async fn try_command(
        &self,
        tournament: TableId,
        access: &Access,
        command: Command,
    ) -> Result<Option<Result<(), TournamentError>>, TournamentError> {
        let found = self.find(tournament, access).await?;
        let owner = match &found {
            Found::Live(live) => access.owns(&live.shown().course.setup.owner),
            Found::Idle(setup) => access.owns(&setup.owner),
            Found::Over { owned, .. } => *owned,
        };
        if !owner && !access.admin {
            return Err(TournamentError::NotOwner { tournament });
        }
        let live = match found {
            Found::Live(live) => live,
            Found::Idle(_) => self.bring_in(tournament).await?,
            Found::Over { .. } => return Ok(Some(self.ask_over(tournament, command).await)),
        };
        let (to, answer) = oneshot::channel();
        let is_sent = live.commands.send(PendingCommand { command, to }).await.is_ok();
        Ok(if is_sent { answer.await.ok() } else { None })
    }

    /// What becomes of a command for a tournament that is over: it was done before, or it cannot be done.
    async fn ask_over(&self, tournament: TableId, command: Command) -> Result<(), TournamentError> {
        let course = self.load(tournament).await?;
        course.plan.propose(command.planned()).map(|_| ()).map_err(TournamentError::from)
    }
}

/// The code of a state in listings. It is on disk, and never changes.
const fn state_code(state: TournamentState) -> u8 {
    match state {
        TournamentState::Created => 1,
        TournamentState::Running => 2,
        TournamentState::Paused => 3,
        TournamentState::Finished => 4,
        TournamentState::Cancelled => 5,
    }
}

/// The listing of a tournament.
pub(super) fn listing(setup: &Setup, state: TournamentState) -> Result<Listing, LogError> {
    Ok(Listing {
        kind: LogKind::Tournament,
        owner: OwnerId::new(&setup.owner)?,
        game: setup.terms.options.game().info().id.to_owned(),
        state: state_code(state),
        visibility: visibility_code(setup.terms.visibility),
        tags: Vec::new(),
    })
}
