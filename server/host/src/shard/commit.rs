//! Commits of table changes: apply the entries, and append them to the log with listing, place and owner
//! feed.

use std::sync::Arc;

use crate::clock::Moment;
use crate::persistence;
use crate::shard::NewTableLog;
use crate::shard::clocks::Clocks;
use crate::shard::journal::Journal;
use crate::shard::reply::Reply;
use crate::shard::table_actor::{CommitOutcome, TableActor};
use crate::shard::table_message::{AttachRequest, ReplyTo};
use crate::table::{Entry, Holder, State, Table, TableEvent, TableSummary, Visibility};
use crate::tags::table_tags;
use crate::{HostError, OwnerEvent, Shared, TableId};
use parlor_store::{Append, Listing, LogKind, Millis, NewFeedItem, NewPlace, OwnerId};

/// Context of one turn of a shard: its time, and the appends it collects.
pub(crate) struct TurnContext {
    pub(crate) shared: Arc<Shared>,
    pub(crate) now: Moment,
    pub(crate) now_ms: u64,
    /// Appends of this turn, submitted together at its end.
    pub(crate) appends: Vec<Append>,
    /// Tables at which players came or went in this turn, to be announced at its end.
    pub(crate) presence_changed: Vec<TableId>,
    /// Catch-ups paused in this turn until their clients have read.
    pub(crate) paused_catch_ups: Vec<AttachRequest>,
    /// Counter of accepted player answers.
    pub(crate) moves: metrics::Counter,
}

impl TurnContext {
    pub(crate) fn new(shared: Arc<Shared>) -> TurnContext {
        TurnContext {
            shared,
            now: Moment::START,
            now_ms: 0,
            appends: Vec::new(),
            presence_changed: Vec::new(),
            paused_catch_ups: Vec::new(),
            moves: metrics::Counter::noop(),
        }
    }
}

/// Creates a table. Returns `None` after an error, which has been sent to the requester.
pub(crate) fn create(
    turn: &mut TurnContext,
    creation: NewTableLog,
    to: ReplyTo<TableSummary>,
) -> Option<TableActor> {
    let NewTableLog { entries, request, reservation } = creation;
    let opened = entries.first().map(Table::from_first_entry);
    let table = match opened {
        Some(Ok(table)) => table,
        Some(Err(invalid)) => {
            drop(to.send(Err(HostError::Fault { reason: invalid.to_string() })));
            return None;
        }
        None => return None,
    };
    let owner = match OwnerId::new(&table.setup().owner) {
        Ok(owner) => owner,
        Err(error) => {
            drop(to.send(Err(error.into())));
            return None;
        }
    };
    let clocks = Clocks::new(table.players(), turn.shared.reconnect_deadline);
    let mut actor = TableActor::new(turn.shared.codecs, table, owner, Journal::default(), clocks, turn.now);
    let summary = Arc::new(actor.table.summary());
    let events = match actor.apply_entries(turn.now_ms, &entries[1..], turn.now) {
        Ok(events) => events,
        Err(error) => {
            drop(to.send(Err(error)));
            return None;
        }
    };
    actor.start_reveal_time(turn);
    let mut feed_events = vec![OwnerEvent::Created(summary)];
    feed_events.extend(owner_events(&actor.table, &events));
    actor.agents = turn.shared.agents.track_table(&actor.table);
    let (shared, agents) = (turn.shared.clone(), actor.agents.clone());
    let created = Reply::Created { shared, agents, reservation, to };
    let mut append = append(&actor, turn, 0, &entries, feed_events);
    append.request = request;
    actor.set_pending(&append.entries, Some(created));
    (append.listing, append.place) = (Some(listing(&actor)), Some(place(&actor, turn)));
    turn.appends.push(append);
    Some(actor)
}

/// Applies entries and adds their append to the turn. `reply` is sent once the append is durable or has
/// failed.
pub(crate) fn commit(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    entries: &[Entry],
    reply: Option<Reply>,
) {
    let mut away = actor.clocks.away_entries(&actor.table, turn.now);
    let all = if away.is_empty() {
        entries
    } else {
        away.extend_from_slice(entries);
        &away
    };
    let (state, length) = (actor.table.state(), actor.table.length());
    let events = match actor.apply_entries(turn.now_ms, all, turn.now) {
        Ok(events) => events,
        Err(error) => {
            tracing::error!(table = %actor.id(), %error, "entry does not fit the state of the table");
            actor.send_answer_outcome(reply.and_then(|reply| reply.send(Err(error))));
            if let CommitOutcome::Unrecoverable(error) = actor.roll_back(turn.now) {
                tracing::error!(table = %actor.id(), %error, "table cannot be replayed after a rollback");
            }
            return;
        }
    };
    actor.start_reveal_time(turn);
    let feed_events = owner_events(&actor.table, &events);
    let mut append = append(actor, turn, length, all, feed_events);
    if actor.table.state() != state {
        append.listing = Some(listing(actor));
    }
    actor.set_pending(&append.entries, reply);
    if actor.table.state().is_over() || actor.at_rest {
        append.place = Some(place(actor, turn));
        actor.at_rest = false;
    }
    turn.appends.push(append);
}

pub(crate) fn append(
    actor: &TableActor,
    turn: &TurnContext,
    expected: u64,
    entries: &[Entry],
    feed_events: Vec<OwnerEvent>,
) -> Append {
    let setup = actor.table.setup();
    let codec = turn.shared.codecs.payloads;
    let stored = entries
        .iter()
        .map(|entry| persistence::encode_entry(setup.created, turn.now_ms, entry, codec))
        .collect();
    let mut append = Append::new(setup.table, expected, Millis(turn.now_ms), stored);
    let feed_item = |event| NewFeedItem {
        owner: actor.owner.clone(),
        payload: persistence::encode_feed_item(setup.table, event, codec),
    };
    append.feed = feed_events.iter().map(feed_item).collect();
    append
}

fn listing(actor: &TableActor) -> Listing {
    let table = &actor.table;
    let setup = table.setup();
    Listing {
        kind: LogKind::Table,
        owner: actor.owner.clone(),
        game: setup.options.game().info().id.to_owned(),
        state: state_code(table.state()),
        visibility: visibility_code(setup.visibility),
        tags: table_tags(setup),
    }
}

/// Code of a state in the log's listing. The codes never change.
pub(crate) fn state_code(state: State) -> u8 {
    match state {
        State::Open => 1,
        State::Playing => 2,
        State::Finished => 3,
        State::Cancelled => 4,
        State::Expired => 5,
        State::Faulted => 6,
        State::Starting => 7,
    }
}

/// Code of a visibility in the log's listing. The codes never change.
pub(crate) fn visibility_code(visibility: Visibility) -> u8 {
    match visibility {
        Visibility::Public => 1,
        Visibility::Private => 2,
    }
}

/// The log's new place for the table.
fn place(actor: &TableActor, turn: &TurnContext) -> NewPlace {
    let codec = turn.shared.codecs.payloads;
    if !actor.table.state().is_over() {
        return NewPlace::InPlay;
    }
    match actor.journal.record_with_pending(actor.table.setup(), codec) {
        Ok(record) => NewPlace::Finished { record: persistence::encode_record(&record, codec) },
        Err(error) => {
            tracing::error!(table = %actor.id(), %error, "record of a finished table cannot be built");
            NewPlace::InPlay
        }
    }
}

/// Owner feed events for these table events.
fn owner_events(table: &Table, events: &[TableEvent]) -> Vec<OwnerEvent> {
    let of_event = |event: &TableEvent| match event {
        TableEvent::Joined { seat, name } => {
            let user = match &table.seats()[seat.index()].holder {
                Holder::Player { user, .. } => user.clone(),
                Holder::Vacant | Holder::House { .. } | Holder::Agent { .. } => None,
            };
            Some(OwnerEvent::Joined { seat: *seat, user, name: name.clone() })
        }
        TableEvent::Started { .. } => Some(OwnerEvent::Started),
        TableEvent::Forfeited { seat, finish } => {
            Some(OwnerEvent::Forfeited { seat: *seat, finish: *finish })
        }
        TableEvent::Replaced { seat, bot } => Some(OwnerEvent::Replaced { seat: *seat, bot: bot.clone() }),
        TableEvent::Ended { .. } => Some(OwnerEvent::Over(Arc::new(table.summary()))),
        TableEvent::Starting { .. } | TableEvent::TimedOut { .. } | TableEvent::Rematch { .. } => None,
    };
    events.iter().filter_map(of_event).collect()
}
