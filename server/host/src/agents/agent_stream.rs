//! The stream of an agent: like everybody's, but the host opens its channels.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use parlor_engine::{MAX_SEATS, Seat};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::TableId;
use crate::agents::{
    self, Agent, AgentError, AgentIdentity, AgentProfile, Here, SeatAssignment, Suspension, SuspensionReason,
};
use crate::table::Holder;
use crate::{
    Channel, ChannelCommand, ClientCommand, Host, HostError, StreamHandle, StreamKind, StreamReceiver, Wants,
    agent_tag,
};
use parlor_fair::Entropy;
use parlor_store::{LogFilter, PageRequest};

/// How many seats are given at once.
const BATCH: usize = 256;
/// How long a seat waits before it is given again, when its table could not go on.
const AGAIN: Duration = Duration::from_millis(100);

/// An agent that wants to connect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentArrival {
    /// Whose name it claims.
    pub who: AgentIdentity,
    /// What it says of itself.
    pub says: AgentProfile,
    /// What it wants to be sent.
    pub wants: Wants,
    /// What it adds to the shuffles of tournaments.
    pub entropy: Entropy,
    /// What it has of the tables that it plays at: the number of the last update.
    pub bookmarks: HashMap<(TableId, Seat), u64>,
}

/// The command end of an agent's stream. Dropping it detaches everything, and the agent is gone.
pub struct AgentStream {
    handle: StreamHandle,
    known: Arc<Agent>,
    number: u64,
    replaced: CancellationToken,
    gives: Arc<Notify>,
    /// The seats that it has had before, which are given first.
    seats: Vec<SeatAssignment>,
    wants: Wants,
    bookmarks: HashMap<(TableId, Seat), u64>,
    /// At how many tables it plays at once: what it said, or less.
    pub max_tables: u32,
    /// Whether it is set aside.
    pub aside: Option<Suspension>,
}

impl std::fmt::Debug for AgentStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentStream").field("agent", &self.known.who.name).finish_non_exhaustive()
    }
}

impl Host {
    /// Connects an agent, which goes on with all its seats. Whoever was connected under its name is sent away.
    pub async fn connect(&self, arrival: AgentArrival) -> Result<(AgentStream, StreamReceiver), HostError> {
        let (handle, outbox) = self.open_stream_of(StreamKind::Agent)?;
        let AgentArrival { who, says, mut wants, entropy, bookmarks } = arrival;
        // A channel that stays open after the end would stay so for good.
        wants.rematch = false;
        let version = says.version.clone();
        let here = self.shared.agents.connect(who, says, entropy).await?;
        let Here { known, number, gives, replaced, max_tables, aside } = here;
        let mut stream = AgentStream {
            handle: handle.with_agent(known.clone()),
            known,
            number,
            replaced,
            gives,
            seats: Vec::new(),
            wants,
            bookmarks,
            max_tables,
            aside,
        };
        // From here on it is given what is new, so that nothing falls between that and what it had.
        stream.seats = self.seats_of(&stream.known, &version).await?;
        let most = max_tables as usize * MAX_SEATS;
        let had: HashSet<_> = stream.seats.iter().map(|given| (given.table, given.seat)).collect();
        let left = stream.bookmarks.keys().copied().filter(|place| !had.contains(place));
        let left: Vec<_> = left.take(most).collect();
        stream.seats.extend(self.ended(&stream.known, &version, left).await?);
        Ok((stream, outbox))
    }

    /// Those of these seats which the agent had at tables that have ended.
    async fn ended(
        &self,
        known: &Agent,
        version: &str,
        left: Vec<(TableId, Seat)>,
    ) -> Result<Vec<SeatAssignment>, HostError> {
        let mut ended = Vec::new();
        for some in left.chunks(BATCH) {
            let looks = join_all(some.iter().map(|(table, _)| self.summary(*table))).await;
            for ((_, place), look) in some.iter().zip(looks) {
                let look = match look {
                    Ok(look) if look.state.is_over() => look,
                    Err(error) if error.is_transient() => return Err(error),
                    // It has no seat there: it gave up, or there is nothing to be had of the table.
                    Ok(_) | Err(_) => continue,
                };
                let holders = look.seats.iter().map(|seat| &seat.holder);
                let is_its_own = |given: &SeatAssignment| {
                    let holder = &look.seats[given.seat.index()].holder;
                    matches!(holder, Holder::Agent { name, version: plays }
                        if *name == known.who.name && plays == version)
                };
                let mut seats = agents::seats(&look.setup, holders);
                ended.extend(seats.find(|given| given.seat == *place).filter(is_its_own));
            }
        }
        Ok(ended)
    }

    /// The seats of an agent, at tables that are not over, which this version can play.
    async fn seats_of(&self, known: &Agent, version: &str) -> Result<Vec<SeatAssignment>, HostError> {
        let name = &known.who.name;
        let filter = LogFilter { tag: Some(agent_tag(name)), finished: Some(false), ..LogFilter::default() };
        let (mut after, mut seats) = (None, Vec::new());
        loop {
            let page = PageRequest { after, size: parlor_store::limits::MAX_PAGE_SIZE };
            let tables = self.shared.log.list_tables(filter.clone(), page).await?;
            for row in &tables.tables {
                let look = match self.summary(row.id).await {
                    Ok(look) if !look.state.is_over() => look,
                    // It ended a moment ago, or it is damaged and says so to whoever asks for it.
                    Ok(_) | Err(HostError::NotFound { .. } | HostError::Damaged { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let holders = look.seats.iter().map(|seat| &seat.holder);
                for given in agents::seats(&look.setup, holders) {
                    let seat = &look.seats[given.seat.index()];
                    let Holder::Agent { name: sitting, version: plays } = &seat.holder else { continue };
                    if sitting == name {
                        known.sits_at(row.id);
                    }
                    if sitting == name && plays == version && !seat.finish.is_forfeit() {
                        seats.push(given);
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
    /// What the agent says goes this way.
    #[must_use]
    pub const fn handle(&self) -> &StreamHandle {
        &self.handle
    }

    /// How many seats it has had before, which are given first.
    #[must_use]
    pub fn seats(&self) -> usize {
        self.seats.len()
    }

    /// Gives the agent its seats: those that it had, and then each new one. It ends when another connection has taken the
    /// place of this one.
    pub async fn give(&self) {
        tokio::select! {
            biased;
            () = self.replaced.cancelled() => self.handle.queue().end(AgentError::Replaced.into()),
            () = self.give_all() => {}
        }
    }

    async fn give_all(&self) {
        let mut channel = 0_u32;
        let mut had: HashSet<(TableId, Seat)> = HashSet::new();
        for given in &self.seats {
            had.insert((given.table, given.seat));
        }
        for some in self.seats.chunks(BATCH) {
            self.take(some, &self.bookmarks, &mut channel).await;
        }
        let nothing = HashMap::new();
        loop {
            tokio::select! {
                again = self.handle.queue().next_reassignments() => {
                    let clock = &self.handle.host().shared.clock;
                    clock.sleep_until(clock.now() + AGAIN).await;
                    self.take(&again, &nothing, &mut channel).await;
                }
                () = self.gives.notified() => {
                    let Some((mut new, aside)) = self.known.waiting(self.number) else { return };
                    if let Some(aside) = aside {
                        self.handle.queue().announce_suspension(aside);
                    }
                    // A table that was made just now may have been among those that it had.
                    new.retain(|given| !had.remove(&(given.table, given.seat)));
                    self.take(&new, &nothing, &mut channel).await;
                }
            }
        }
    }

    /// Opens a channel for each of these seats: after what the agent has of it, or with a snapshot.
    async fn take(&self, seats: &[SeatAssignment], has: &HashMap<(TableId, Seat), u64>, channel: &mut u32) {
        for given in seats {
            *channel = channel.wrapping_add(1);
            let (given, after) = (*given, has.get(&(given.table, given.seat)).copied());
            let what = ClientCommand::TakeSeat { assignment: given, after, wants: self.wants };
            self.handle.send(ChannelCommand { channel: Channel(*channel), command: what }).await;
        }
    }
}

impl Drop for AgentStream {
    fn drop(&mut self) {
        let shared = &self.handle.host().shared;
        let trouble = match self.handle.queue().end_reason() {
            Some(HostError::TooSlow) => Some(SuspensionReason::TooSlow),
            Some(HostError::Stopping) => None,
            _ if shared.stopping.load(Ordering::Relaxed) => None,
            _ => Some(SuspensionReason::BrokeOff),
        };
        shared.agents.leave(&self.known, self.number, trouble);
    }
}
