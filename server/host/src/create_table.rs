//! Making tables: new ones, and rematches of those that are over.

use std::collections::BTreeMap;

use parlor_engine::{AnyOptions, Seat, Seats};
use tokio::sync::oneshot;

use crate::agents::AgentRequirement;
use crate::authorization::AccessCheck;
use crate::identity::Owner;
use crate::shard::{NewTableLog, ShardMessage};
use crate::table::{
    ChanceSetup, Deal, Entry, Holder, SeatSetup, Setup, TableSummary, TimeControl, Visibility,
};
use crate::{Actor, Host, HostError, NewChance, NewTable, client_request_key, rematch_request_key};
use crate::{TableId, random_bytes};
use parlor_store::{LogError, OwnerId};

/// For how many milliseconds a table of a deal would wait for its seats, all of which are taken.
const FILL: u64 = 60_000;

impl Host {
    /// Makes a table for an owner, who may have so many open at once. A request that made one before gets that one.
    pub async fn create(&self, owner: &Owner, tables: u32, new: NewTable) -> Result<TableSummary, HostError> {
        let owner = OwnerId::new(owner.as_str())?;
        let request = new.request.as_ref().map(client_request_key);
        if let Some(name) = &request
            && let Some(made) = self.shared.log.find_by_request(&owner, name).await?
        {
            return self.made_before(made, &new).await;
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
        match self.make(&owner, tables, setup, new.agents, Seats::NONE, request).await {
            Err(HostError::Log(LogError::DuplicateRequest { table })) => self.made_before(table, &new).await,
            made => made,
        }
    }

    /// The table that the request made before, if it was the same request.
    async fn made_before(&self, table: TableId, new: &NewTable) -> Result<TableSummary, HostError> {
        match self.summary(table).await {
            Ok(look) if look.setup.request == new.request => Ok(look),
            // Another table, or a tournament.
            Ok(_) | Err(HostError::NotFound { .. }) => Err(HostError::RequestReused),
            Err(error) => Err(error),
        }
    }

    /// Makes a new table with the settings and players of one that is over. A table has one rematch: whoever asks again
    /// gets it.
    pub async fn rematch(
        &self,
        table: TableId,
        behalf: Actor,
        tables: u32,
        rotate: bool,
    ) -> Result<TableSummary, HostError> {
        let before = self.summary(table).await?;
        AccessCheck::from(&before).may_change(&behalf, None)?;
        if !before.state.is_over() {
            return Err(HostError::NotOver { table });
        }
        if let Some(made) = before.rematch {
            return self.summary(made).await;
        }
        let setup = Setup {
            table: self.new_id()?,
            seats: seats_again(&before, rotate),
            chance: fresh_chance()?,
            created: self.shared.clock.now_ms(),
            rematch_of: Some(table),
            request: None,
            ..Setup::clone(&before.setup)
        };
        let owner = OwnerId::new(&setup.owner)?;
        let request = Some(rematch_request_key(table));
        match self.make(&owner, tables, setup, AgentRequirement::Here, Seats::NONE, request).await {
            Err(HostError::Log(LogError::DuplicateRequest { table })) => self.summary(table).await,
            Err(error) => Err(error),
            Ok(look) => {
                self.shards.send(table, ShardMessage::Rematch { of: table, table: look.setup.table }).await?;
                Ok(look)
            }
        }
    }

    /// Makes a table of a tournament's deal for its organiser, or finds the one that was made before: there is one for each
    /// rotation of a deal. It is not one of the tables that the organiser may have: how many there are at once is for
    /// whoever runs the tournament to bound.
    pub async fn create_dealt(&self, owner: &Owner, new: DealtTable) -> Result<TableSummary, HostError> {
        let owner = OwnerId::new(owner.as_str())?;
        let request = deal_request(&new.deal);
        if let Some(made) = self.shared.log.find_by_request(&owner, &request).await? {
            return self.summary(made).await;
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
            fill: FILL,
            rematch_of: None,
            request: None,
        };
        match self.make(&owner, 0, setup, AgentRequirement::Registered, new.set_aside, Some(request)).await {
            Err(HostError::Log(LogError::DuplicateRequest { table })) => self.summary(table).await,
            made => made,
        }
    }

    async fn make(
        &self,
        owner: &OwnerId,
        tables: u32,
        mut setup: Setup,
        agents: AgentRequirement,
        set_aside: Seats,
        request: Option<String>,
    ) -> Result<TableSummary, HostError> {
        let (table, game) = (setup.table, setup.options.game());
        self.shared.agents.reserve(table, game, &mut setup.seats, agents)?;
        let seats = setup.seats.clone();
        let made = self.try_make(owner, tables, setup, set_aside, request).await;
        if made.is_err() {
            self.shared.agents.release(table, &seats);
        }
        made
    }

    async fn try_make(
        &self,
        owner: &OwnerId,
        tables: u32,
        setup: Setup,
        set_aside: Seats,
        request: Option<String>,
    ) -> Result<TableSummary, HostError> {
        self.ensure_running()?;
        let is_counted = setup.chance.deal().is_none();
        if is_counted {
            self.shared.quota.add(self.shared.log.as_ref(), owner, tables).await?;
        }
        let table = setup.table;
        let is_full = setup.seats.iter().all(SeatSetup::is_filled);
        let mut entries = vec![Entry::Created(Box::new(setup))];
        entries.extend(set_aside.iter().map(|seat| Entry::SetAside { seat }));
        entries.extend(is_full.then_some(Entry::Started));
        let (to, answer) = oneshot::channel();
        let create = ShardMessage::Create { new_table: Box::new(NewTableLog { entries, request }), to };
        let made = match self.shards.send(table, create).await {
            Ok(()) => answer.await.unwrap_or(Err(HostError::Stopping)),
            Err(error) => Err(error),
        };
        if made.is_err() && is_counted {
            self.shared.quota.over(owner);
        }
        made
    }

    fn new_id(&self) -> Result<TableId, HostError> {
        Ok(TableId::new(self.shared.clock.now_ms(), random_bytes()?))
    }
}

/// A table of a tournament's deal, to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DealtTable {
    /// The game, with its options.
    pub options: AnyOptions,
    /// One for each player, in the order of the seats: all of them are taken.
    pub seats: Vec<SeatSetup>,
    /// How much time the players have.
    pub time: TimeControl,
    /// ViewerCredential may look on, once the deal is over.
    pub visibility: Visibility,
    /// Where the cards come from.
    pub deal: Deal,
    /// The seats of agents that are not there: defaults are played for them.
    pub set_aside: Seats,
}

/// What the log knows a table of a deal by. No client can choose it.
fn deal_request(deal: &Deal) -> String {
    format!("t:{}:{}:{}", deal.tournament, deal.number, deal.rotation)
}

fn fresh_chance() -> Result<ChanceSetup, HostError> {
    Ok(ChanceSetup::Fresh { server_seed: random_bytes()? })
}

/// The seats of a rematch: players are waited for, bots sit, and what nobody had taken is as it was.
fn seats_again(before: &TableSummary, rotate: bool) -> Vec<SeatSetup> {
    let again = |(seat, look): (Seat, &crate::table::SeatSummary)| match &look.holder {
        Holder::Vacant => before.setup.seats[seat.index()].clone(),
        Holder::House { bot } => SeatSetup::House { bot: bot.clone() },
        Holder::Agent { name, version } => SeatSetup::Agent { name: name.clone(), version: version.clone() },
        Holder::Player { user, name } => {
            SeatSetup::Reserved { user: user.clone(), name: name.clone(), previous: Some(seat) }
        }
    };
    let players = before.seats.len() as u8;
    let mut seats: Vec<SeatSetup> = Seat::all(players).zip(&before.seats).map(again).collect();
    if rotate {
        seats.rotate_right(1);
    }
    seats
}
