//! Committing what happens to a table: folding it in, and handing it to the log with all that belongs to it.

use std::sync::Arc;

use crate::clock::Moment;
use crate::persistence;
use crate::shard::NewTableLog;
use crate::shard::clocks::Clocks;
use crate::shard::journal::Journal;
use crate::shard::reply::Reply;
use crate::shard::table_actor::{CommitOutcome, TableActor};
use crate::shard::table_message::ReplyTo;
use crate::table::{Entry, Holder, State, Table, TableEvent, TableSummary, Visibility};
use crate::tags::tags;
use crate::{HostError, OwnerEvent, Shared};
use parlor_store::{Append, Listing, LogKind, Millis, NewFeedItem, NewPlace, OwnerId};

/// What a shard does in one turn.
pub(crate) struct TurnContext {
    pub(crate) shared: Arc<Shared>,
    pub(crate) now: Moment,
    pub(crate) now_ms: u64,
    /// What is to be appended.
    pub(crate) appends: Vec<Append>,
    /// Counts the answers of players.
    pub(crate) moves: metrics::Counter,
}

impl TurnContext {
    pub(crate) fn new(shared: Arc<Shared>) -> TurnContext {
        TurnContext {
            shared,
            now: Moment::START,
            now_ms: 0,
            appends: Vec::new(),
            moves: metrics::Counter::noop(),
        }
    }
}

/// Makes a table. Nothing: it cannot be made, and whoever asked was told.
pub(crate) fn create(
    turn: &mut TurnContext,
    creation: NewTableLog,
    to: ReplyTo<TableSummary>,
) -> Option<TableActor> {
    let NewTableLog { entries, request } = creation;
    let opened = entries.first().map(Table::open);
    let table = match opened {
        Some(Ok(table)) => table,
        Some(Err(misfit)) => {
            drop(to.send(Err(HostError::Fault { what: misfit.to_string() })));
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
    let clocks = Clocks::new(table.players(), turn.shared.away_from);
    let mut actor = TableActor::new(turn.shared.codecs, table, owner, Journal::default(), clocks, turn.now);
    let look = Arc::new(actor.table.look());
    let events = match actor.take_in(turn.now_ms, &entries[1..], turn.now) {
        Ok(events) => events,
        Err(error) => {
            drop(to.send(Err(error)));
            return None;
        }
    };
    let mut news = vec![OwnerEvent::Created(look)];
    news.extend(all_news(&actor.table, &events));
    actor.agents = turn.shared.agents.at(&actor.table);
    let (shared, agents) = (turn.shared.clone(), actor.agents.clone());
    let mut append = append(&actor, turn, 0, &entries, news);
    append.request = request;
    actor.set_pending(&append.entries, Some(Reply::Created { shared, agents, to }));
    (append.listing, append.place) = (Some(listing(&actor)), Some(place(&actor, turn)));
    turn.appends.push(append);
    Some(actor)
}

/// Folds entries in, and hands them to the log. Whoever waits for it is answered when they are durable.
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
    let events = match actor.take_in(turn.now_ms, all, turn.now) {
        Ok(events) => events,
        Err(error) => {
            tracing::error!(table = %actor.id(), %error, "an entry does not fit its table");
            actor.answer(reply.and_then(|reply| reply.send(Err(error))));
            if let CommitOutcome::Lost(bad) = actor.roll_back(turn.now) {
                tracing::error!(table = %actor.id(), error = %bad, "a table cannot be folded anew");
            }
            return;
        }
    };
    let news = all_news(&actor.table, &events);
    let mut append = append(actor, turn, length, all, news);
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
    news: Vec<OwnerEvent>,
) -> Append {
    let setup = actor.table.setup();
    let codec = turn.shared.codecs.payloads;
    let stored = entries
        .iter()
        .map(|entry| persistence::encode_entry(setup.created, turn.now_ms, entry, codec))
        .collect();
    let mut append = Append::new(setup.table, expected, Millis(turn.now_ms), stored);
    let post = |news| NewFeedItem {
        owner: actor.owner.clone(),
        payload: persistence::encode_news(setup.table, news, codec),
    };
    append.feed = news.iter().map(post).collect();
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
        tags: tags(setup),
    }
}

/// The number that the log lists a state by. They never change.
pub(crate) fn state_code(state: State) -> u8 {
    match state {
        State::Open => 1,
        State::Playing => 2,
        State::Finished => 3,
        State::Cancelled => 4,
        State::Expired => 5,
        State::Faulted => 6,
    }
}

/// The number that the log lists a visibility by. They never change.
pub(crate) fn visibility_code(visibility: Visibility) -> u8 {
    match visibility {
        Visibility::Public => 1,
        Visibility::Private => 2,
    }
}

/// Where the log keeps the table from now on.
fn place(actor: &TableActor, turn: &TurnContext) -> NewPlace {
    let codec = turn.shared.codecs.payloads;
    if !actor.table.state().is_over() {
        return NewPlace::InPlay;
    }
    match actor.journal.record_to_be(actor.table.setup(), codec) {
        Ok(record) => NewPlace::Finished { record: persistence::encode_record(&record, codec) },
        Err(bad) => {
            tracing::error!(table = %actor.id(), error = %bad, "a table has no record");
            NewPlace::InPlay
        }
    }
}

/// What the owner is told of what happened.
fn all_news(table: &Table, events: &[TableEvent]) -> Vec<OwnerEvent> {
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
        TableEvent::Ended { .. } => Some(OwnerEvent::Over(Arc::new(table.look()))),
        TableEvent::TimedOut { .. } | TableEvent::Rematch { .. } => None,
    };
    events.iter().filter_map(of_event).collect()
}
