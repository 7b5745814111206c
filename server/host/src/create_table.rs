//! Creation of tables: new ones, rematches, and tables of tournament deals.

use std::collections::BTreeMap;
use std::time::Duration;

use parlor_engine::{AnyOptions, Seat, Seats};
use tokio::sync::oneshot;

use crate::agents::AgentRequirement;
use crate::authorization::AccessCheck;
use crate::identity::Owner;
use crate::limits::LimitExceeded;
use crate::reservation::Reservation;
use crate::shard::{NewTableLog, ShardMessage};
use crate::table::{
    ChanceSetup, Deal, Entry, Holder, SeatSetup, Setup, TableSummary, TimeControl, Visibility,
};
use crate::{
    Actor, Host, HostError, NewChance, NewTable, client_request_key, rematch_request_key, run_to_end,
};
use crate::{TableId, random_bytes};
use parlor_store::{LogError, OwnerId};

/// Time to fill a deal table, in milliseconds. It never runs out, as all seats are filled from the beginning.
const DEAL_FILL_MS: u64 = 60_000;
/// Minimum age of a rematch, in milliseconds, before its players get the next one. Its tables count against the owner,
/// who has not asked for them.
const MIN_REMATCH_AGE_MS: u64 = 1_000;

impl Host {
    /// Creates a table for an owner with at most `max_tables` open tables. A repeated request returns the table that it
    /// created before.
    ///
    /// # Errors
    /// The quota is exhausted, the request id was used for a different request, or an agent is not available.
    pub async fn create(
        &self,
        owner: &Owner,
        max_tables: u32,
        new: NewTable,
    ) -> Result<TableSummary, HostError> {
        let owner = OwnerId::new(owner.as_str())?;
        let request = new.request.as_ref().map(client_request_key);
        if let Some(name) = &request
            && let Some(existing) = self.shared.log.find_by_request(&owner, name).await?
        {
            return self.find_repeated_creation(existing, &new).await;
        }
        let options = new.options;
        let setup = Setup {
            table: self.new_id()?,
            owner: owner.as_str().to_owned(),
            rules_version: options.game().info().rules_version,
            options,
            seats: new.seats.clone(),
            time: new.time,
            visibility: new.visibility,
            chance: match new.chance {
                NewChance::Fresh => fresh_chance()?,
                NewChance::Given(seed) => ChanceSetup::Given { seed },
            },
            metadata: new.metadata.clone(),
            created: self.shared.clock.now_ms(),
            fill: new.fill,
            rematch_of: None,
            request: new.request.clone(),
        };
        match self.reserve_and_create(&owner, max_tables, setup, new.agents, Seats::NONE, request).await {
            Err(HostError::Log(LogError::DuplicateRequest { table })) => {
                self.find_repeated_creation(table, &new).await
            }
            created => created,
        }
    }

    /// The table that the same request created before.
    ///
    /// # Errors
    /// The request id was used for a different request.
    async fn find_repeated_creation(
        &self,
        table: TableId,
        new: &NewTable,
    ) -> Result<TableSummary, HostError> {
        match self.summary(table).await {
            Ok(summary) if summary.setup.request == new.request => Ok(summary),
            // The id was used for another table or for a tournament.
            Ok(_) | Err(HostError::NotFound { .. }) => Err(HostError::RequestReused),
            Err(error) => Err(error),
        }
    }

    /// Creates a table with the settings and players of a finished one. A table has one rematch: further calls return
    /// it.
    pub async fn rematch(
        &self,
        table: TableId,
        actor: Actor,
        max_tables: u32,
        rotate: bool,
    ) -> Result<TableSummary, HostError> {
        let previous = self.summary(table).await?;
        AccessCheck::from(&previous).authorise_change(&actor, None)?;
        if !previous.state.is_over() {
            return Err(HostError::NotOver { table });
        }
        if let Some(existing) = previous.rematch {
            return self.summary(existing).await;
        }
        if matches!(actor, Actor::Seat(_)) {
            check_rematch_rate(&previous.setup, self.shared.clock.now_ms())?;
        }
        let setup = Setup {
            table: self.new_id()?,
            seats: rematch_seats(&previous, rotate),
            chance: fresh_chance()?,
            created: self.shared.clock.now_ms(),
            rematch_of: Some(table),
            request: None,
            ..Setup::clone(&previous.setup)
        };
        // To the end: viewers who wait for a rematch must hear of it even if the requester has gone away.
        let host = self.clone();
        run_to_end(async move { host.create_rematch(table, max_tables, setup).await }).await
    }

    /// Creates the rematch of a table and announces it.
    async fn create_rematch(
        &self,
        of: TableId,
        max_tables: u32,
        setup: Setup,
    ) -> Result<TableSummary, HostError> {
        let (owner, agents) = (OwnerId::new(&setup.owner)?, AgentRequirement::Connected);
        let request = Some(rematch_request_key(of));
        match self.reserve_and_create(&owner, max_tables, setup, agents, Seats::NONE, request).await {
            Err(HostError::Log(LogError::DuplicateRequest { table })) => self.summary(table).await,
            Err(error) => Err(error),
            Ok(summary) => {
                let rematch = ShardMessage::Rematch { of, table: summary.setup.table };
                self.shards.send(of, rematch).await?;
                Ok(summary)
            }
        }
    }

    /// Creates a table of a tournament deal for its organiser, or returns the existing one: there is one for each
    /// rotation of a deal. It does not count against the organiser's quota; the tournament runner bounds the number of
    /// concurrent tables.
    pub async fn create_deal_table(&self, owner: &Owner, new: DealtTable) -> Result<TableSummary, HostError> {
        let owner = OwnerId::new(owner.as_str())?;
        let request = deal_request_key(&new.deal);
        if let Some(existing) = self.shared.log.find_by_request(&owner, &request).await? {
            return self.summary(existing).await;
        }
        let setup = Setup {
            table: self.new_id()?,
            owner: owner.as_str().to_owned(),
            rules_version: new.options.game().info().rules_version,
            options: new.options,
            seats: new.seats,
            time: new.time,
            visibility: new.visibility,
            chance: ChanceSetup::Deal(Box::new(new.deal)),
            metadata: BTreeMap::new(),
            created: self.shared.clock.now_ms(),
            fill: DEAL_FILL_MS,
            rematch_of: None,
            request: None,
        };
        match self
            .reserve_and_create(&owner, 0, setup, AgentRequirement::Registered, new.set_aside, Some(request))
            .await
        {
            Err(HostError::Log(LogError::DuplicateRequest { table })) => self.summary(table).await,
            created => created,
        }
    }

    /// Reserves the agents, counts the table against the quota and appends its first entries. The reservation goes with
    /// the request, and is released wherever that ends without a table.
    async fn reserve_and_create(
        &self,
        owner: &OwnerId,
        max_tables: u32,
        mut setup: Setup,
        agents: AgentRequirement,
        set_aside: Seats,
        request: Option<String>,
    ) -> Result<TableSummary, HostError> {
        let table = setup.table;
        let mut reservation = Reservation::of_agents(&self.shared, &mut setup, agents, set_aside)?;
        self.ensure_running()?;
        if setup.chance.deal().is_none() {
            reservation.count_table(owner, max_tables).await?;
        }
        let is_filled = setup.seats.iter().all(SeatSetup::is_filled);
        let mut entries = vec![Entry::Created(Box::new(setup))];
        entries.extend(set_aside.iter().map(|seat| Entry::SetAside { seat }));
        entries.extend(is_filled.then_some(Entry::Started));
        let (to, answer) = oneshot::channel();
        let new_table = Box::new(NewTableLog { entries, request, reservation });
        self.shards.send(table, ShardMessage::Create { new_table, to }).await?;
        answer.await.unwrap_or(Err(HostError::Stopping))
    }

    fn new_id(&self) -> Result<TableId, HostError> {
        Ok(TableId::new(self.shared.clock.now_ms(), random_bytes()?))
    }
}

/// A table of a tournament deal to create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DealtTable {
    /// Game and its options.
    pub options: AnyOptions,
    /// Occupants in seat order, one per player. All seats are filled.
    pub seats: Vec<SeatSetup>,
    /// Time control.
    pub time: TimeControl,
    /// Visibility to spectators, once the deal is over.
    pub visibility: Visibility,
    /// The deal, which the shuffles come from.
    pub deal: Deal,
    /// Seats of suspended agents, which play default actions.
    pub set_aside: Seats,
}

/// Request name of a deal table in the log. No client can choose it.
fn deal_request_key(deal: &Deal) -> String {
    format!("t:{}:{}:{}", deal.tournament, deal.number, deal.rotation)
}

/// Refuses a player's rematch of a rematch that was created a moment ago: every table has one rematch, so this bounds the
/// tables that grow from one.
fn check_rematch_rate(previous: &Setup, now_ms: u64) -> Result<(), LimitExceeded> {
    let age = now_ms.saturating_sub(previous.created);
    if previous.rematch_of.is_none() || age >= MIN_REMATCH_AGE_MS {
        return Ok(());
    }
    Err(LimitExceeded::Rematches { retry_after: Duration::from_millis(MIN_REMATCH_AGE_MS - age) })
}

fn fresh_chance() -> Result<ChanceSetup, HostError> {
    Ok(ChanceSetup::Fresh { server_seed: random_bytes()? })
}

/// Seats of a rematch: reserved for the previous players; bots and agents stay, and vacant seats keep their setup.
fn rematch_seats(previous: &TableSummary, rotate: bool) -> Vec<SeatSetup> {
    let seat_setup = |(seat, summary): (Seat, &crate::table::SeatSummary)| match &summary.holder {
        Holder::Vacant => previous.setup.seats[seat.index()].clone(),
        Holder::House { bot } => SeatSetup::House { bot: bot.clone() },
        Holder::Agent { name, version } => SeatSetup::Agent { name: name.clone(), version: version.clone() },
        Holder::Player { user, name } => {
            SeatSetup::Reserved { user: user.clone(), name: name.clone(), previous: Some(seat) }
        }
    };
    let players = previous.seats.len() as u8;
    let mut seats: Vec<SeatSetup> = Seat::all(players).zip(&previous.seats).map(seat_setup).collect();
    if rotate {
        seats.rotate_right(1);
    }
    seats
}
