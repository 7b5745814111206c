//! The stream of an agent: a client stream whose channels the host opens, one for each assigned seat.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use parlor_engine::Seat;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::agents::agent::Pending;
use crate::agents::registry::AgentConnection;
use crate::agents::seats::seat_assignments;
use crate::agents::{
    Agent, AgentError, AgentIdentity, AgentProfile, EntropyAnswer, SeatAssignment, Suspension,
    SuspensionReason,
};
use crate::limits::{LimitExceeded, StreamAllowance};
use crate::table::{Holder, State};
use crate::{
    Channel, ChannelCommand, ClientCommand, Host, HostError, StreamHandle, StreamItem, StreamKind,
    StreamReceiver, TableId, TournamentId, Wants, agent_tag,
};
use parlor_store::{LogError, LogFilter, PageRequest, TableRow};

/// Number of seats that are assigned, or tables that are looked up, at once.
const SEAT_BATCH: usize = 256;
/// Channel of items that are about no seat.
const ENTROPY_CHANNEL: Channel = Channel(0);
/// Delay before a seat is assigned again after its table failed to open.
const REASSIGN_DELAY: Duration = Duration::from_millis(100);

/// Request of an agent to connect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentArrival {
    /// The identity that it claims.
    pub identity: AgentIdentity,
    /// Its profile.
    pub profile: AgentProfile,
    /// Options of its channels.
    pub wants: Wants,
    /// True if it adds entropy to the shuffles of tournaments.
    pub adds_entropy: bool,
    /// Cursor of each seat that it has: the number of the last update that it received.
    pub bookmarks: HashMap<(TableId, Seat), u64>,
}

/// The places at the newest of their tables, at most `max_tables`: an agent cannot have had seats at more.
fn newest_tables(places: impl Iterator<Item = (TableId, Seat)>, max_tables: usize) -> Vec<(TableId, Seat)> {
    let mut places: Vec<_> = places.collect();
    places.sort_unstable_by(|one, other| other.cmp(one));
    let mut tables = 0;
    let mut last = None;
    places.retain(|(table, _)| {
        tables += usize::from(last.replace(*table) != Some(*table));
        tables <= max_tables
    });
    places
}

/// Command end of an agent's stream. Dropping it detaches all channels and disconnects the agent.
pub struct AgentStream {
    handle: StreamHandle,
    agent: Arc<Agent>,
    number: u64,
    replaced: CancellationToken,
    assigned: Arc<Notify>,
    /// Seats from before the connection, which are assigned first.
    resumed: Vec<SeatAssignment>,
    wants: Wants,
    bookmarks: HashMap<(TableId, Seat), u64>,
    /// Maximum number of tables at once: the profile's, or the host's limit if that is lower.
    pub max_tables: u32,
    /// The suspension at the time of connecting.
    pub suspension: Option<Suspension>,
}

impl std::fmt::Debug for AgentStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentStream").field("agent", &self.agent.identity.name).finish_non_exhaustive()
    }
}

impl Host {
    /// Connects an agent, which resumes all its seats. A previous connection of the same name is replaced.
    pub async fn connect(
        &self,
        arrival: AgentArrival,
        allowance: StreamAllowance,
    ) -> Result<(AgentStream, StreamReceiver), HostError> {
        let (handle, outbox) = self.open_stream_of(StreamKind::Agent, allowance)?;
        let AgentArrival { identity, profile, mut wants, adds_entropy, bookmarks } = arrival;
        // An agent cannot close its channels, so one that waited for a rematch would stay open for ever.
        wants.rematch = false;
        let version = profile.version.clone();
        let connection = self.shared.agents.connect(identity, profile, adds_entropy).await?;
        let AgentConnection { agent, number, assigned, replaced, max_tables, suspension } = connection;
        let mut stream = AgentStream {
            handle: handle.with_agent(agent.clone()),
            agent,
            number,
            replaced,
            assigned,
            resumed: Vec::new(),
            wants,
            bookmarks,
            max_tables,
            suspension,
        };
        // New seats are queued from here on, so none is lost between them and the resumed ones.
        stream.resumed = self.seats_in_play(&stream.agent, &version).await?;
        let resumed: HashSet<_> = stream.resumed.iter().map(|seat| (seat.table, seat.seat)).collect();
        let missing = stream.bookmarks.keys().copied().filter(|place| !resumed.contains(place));
        let missing = newest_tables(missing, max_tables as usize);
        stream.resumed.extend(self.finished_seats(&stream.agent, &version, missing).await?);
        Ok((stream, outbox))
    }

    /// Those of the given seats that the agent held at tables that have ended. Only tables of the agent are loaded.
    async fn finished_seats(
        &self,
        agent: &Agent,
        version: &str,
        places: Vec<(TableId, Seat)>,
    ) -> Result<Vec<SeatAssignment>, HostError> {
        let tag = agent_tag(&agent.identity.name);
        let mut finished = Vec::new();
        for batch in places.chunks(SEAT_BATCH) {
            let rows = join_all(batch.iter().map(|(table, _)| self.shared.log.find(*table))).await;
            let is_of_agent = |found: &Result<TableRow, _>| match found {
                Ok(row) => row.listing.tags.contains(&tag),
                // Loading the table reports the error.
                Err(error) => !matches!(error, LogError::NoSuchTable { .. }),
            };
            let batch = batch.iter().zip(&rows).filter(|(_, row)| is_of_agent(row));
            let batch: Vec<_> = batch.map(|(place, _)| *place).collect();
            let summaries = join_all(batch.iter().map(|(table, _)| self.summary(*table))).await;
            for ((_, place), summary) in batch.iter().zip(summaries) {
                let summary = match summary {
                    Ok(summary) if summary.state.is_over() => summary,
                    Err(error) if error.is_transient() => return Err(error),
                    // The agent has no seat there any more, or the table cannot be read.
                    Ok(_) | Err(_) => continue,
                };
                let holders = summary.seats.iter().map(|seat| &seat.holder);
                let is_held = |assignment: &SeatAssignment| {
                    let holder = &summary.seats[assignment.seat.index()].holder;
                    matches!(holder, Holder::Agent { name, version: held }
                        if *name == agent.identity.name && held == version)
                };
                let mut assignments = seat_assignments(&summary.setup, holders);
                finished.extend(assignments.find(|assignment| assignment.seat == *place).filter(is_held));
            }
        }
        Ok(finished)
    }

    /// The seats of an agent at tables that are not over and that this version can play.
    async fn seats_in_play(&self, agent: &Agent, version: &str) -> Result<Vec<SeatAssignment>, HostError> {
        let name = &agent.identity.name;
        let filter = LogFilter { tag: Some(agent_tag(name)), finished: Some(false), ..LogFilter::default() };
        let (mut after, mut seats) = (None, Vec::new());
        loop {
            let page = PageRequest { after, size: parlor_store::limits::MAX_PAGE_SIZE };
            let tables = self.shared.log.list_tables(filter.clone(), page).await?;
            for row in &tables.tables {
                let summary = match self.summary(row.id).await {
                    Ok(summary) if !summary.state.is_over() => summary,
                    // The table has just ended, or is damaged, which a request for it reports.
                    Ok(_) | Err(HostError::NotFound { .. } | HostError::Damaged { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let holders = summary.seats.iter().map(|seat| &seat.holder);
                for assignment in seat_assignments(&summary.setup, holders) {
                    let seat = &summary.seats[assignment.seat.index()];
                    let Holder::Agent { name: holder, version: held } = &seat.holder else { continue };
                    if holder == name && !seat.finish.is_forfeit() {
                        agent.add_table(&summary.setup, summary.state != State::Open);
                    }
                    if holder == name && held == version && !seat.finish.is_forfeit() {
                        seats.push(assignment);
                    }
                }
            }
            after = tables.next;
            if after.is_none() {
                return Ok(seats);
            }
        }
    }
}

impl AgentStream {
    /// The handle that takes the commands of the agent.
    #[must_use]
    pub const fn handle(&self) -> &StreamHandle {
        &self.handle
    }

    /// Takes the answer of the agent to a request for entropy.
    pub fn answer_entropy(&self, tournament: TournamentId, answer: EntropyAnswer) {
        self.handle.host().shared.agents.record_entropy_answer(&self.agent, tournament, answer);
    }

    /// Number of seats that the agent resumes.
    #[must_use]
    pub fn resumed_seats(&self) -> usize {
        self.resumed.len()
    }

    /// Assigns seats to the agent: the resumed ones, then each new one. Ends when another connection has
    /// replaced this one.
    pub async fn assign_seats(&self) {
        tokio::select! {
            biased;
            () = self.replaced.cancelled() => self.handle.queue().end(AgentError::Replaced.into()),
            () = self.assign_until_replaced() => {}
        }
    }

    async fn assign_until_replaced(&self) {
        let mut channel = 0_u32;
        let mut resumed: HashSet<(TableId, Seat)> =
            self.resumed.iter().map(|seat| (seat.table, seat.seat)).collect();
        for batch in self.resumed.chunks(SEAT_BATCH) {
            // New seats come at the rate at which tables are created; these come with every connection.
            self.handle.wait_for_attach_rate(batch.len() as u32).await;
            self.open_channels(batch, &self.bookmarks, &mut channel).await;
        }
        let no_bookmarks = HashMap::new();
        loop {
            tokio::select! {
                again = self.handle.queue().next_reassignments() => {
                    let clock = &self.handle.host().shared.clock;
                    clock.sleep_until(clock.now() + REASSIGN_DELAY).await;
                    self.open_channels(&again, &no_bookmarks, &mut channel).await;
                }
                () = self.assigned.notified() => {
                    let Some(pending) = self.agent.take_pending(self.number) else { return };
                    let Pending { seats: mut new, entropy_requests, suspension } = pending;
                    for request in &entropy_requests {
                        let item = StreamItem::EntropyRequested(request);
                        self.handle.queue().push_unattached(ENTROPY_CHANNEL, &item);
                    }
                    if let Some(suspension) = suspension {
                        self.handle.queue().announce_suspension(suspension);
                    }
                    // A table that was created while the agent connected may be among the resumed ones.
                    new.retain(|seat| !resumed.remove(&(seat.table, seat.seat)));
                    self.open_channels(&new, &no_bookmarks, &mut channel).await;
                }
            }
        }
    }

    /// Opens a channel for each seat: it continues after the bookmark, or begins with a snapshot.
    async fn open_channels(
        &self,
        seats: &[SeatAssignment],
        bookmarks: &HashMap<(TableId, Seat), u64>,
        channel: &mut u32,
    ) {
        for seat in seats {
            *channel = channel.wrapping_add(1);
            let (given, after) = (*seat, bookmarks.get(&(seat.table, seat.seat)).copied());
            let command = ClientCommand::TakeSeat { assignment: given, after, wants: self.wants };
            self.handle.send(ChannelCommand { channel: Channel(*channel), command }).await;
        }
    }
}

impl Drop for AgentStream {
    fn drop(&mut self) {
        let shared = &self.handle.host().shared;
        let incident = match self.handle.queue().end_reason() {
            Some(HostError::TooSlow | HostError::Exhausted(LimitExceeded::UnreadBytes { .. })) => {
                Some(SuspensionReason::TooSlow)
            }
            Some(HostError::Stopping) => None,
            _ if shared.stopping.load(Ordering::Relaxed) => None,
            _ => Some(SuspensionReason::BrokeOff),
        };
        shared.agents.disconnect(&self.agent, self.number, incident);
    }
}
