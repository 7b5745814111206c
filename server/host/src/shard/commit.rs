//! Committing what happens to a table: folding it in, and handing it to the log with all that belongs to it.

use std::sync::Arc;

use crate::clock::Moment;
use crate::persistence;
use crate::shard::Creation;
use crate::shard::clocks::Clocks;
use crate::shard::journal::Journal;
use crate::shard::reply::Reply;
use crate::shard::table_actor::{Live, Settled};
use crate::shard::table_message::To;
use crate::table::{Entry, Holder, Look, State, Table, TableEvent, Visibility};
use crate::tags::tags;
use crate::{HostError, News, Shared};
use parlor_store::{Append, Listing, LogKind, Millis, NewFeedItem, NewPlace, OwnerId};

/// What a shard does in one turn.
pub(crate) struct Work {
    pub(crate) shared: Arc<Shared>,
    pub(crate) now: Moment,
    pub(crate) now_ms: u64,
    /// What is to be appended.
    pub(crate) appends: Vec<Append>,
    /// Counts the answers of players.
    pub(crate) moves: metrics::Counter,
}

impl Work {
    pub(crate) fn new(shared: Arc<Shared>) -> Work {
        Work { shared, now: Moment::START, now_ms: 0, appends: Vec::new(), moves: metrics::Counter::noop() }
    }
}

/// Makes a table. Nothing: it cannot be made, and whoever asked was told.
pub(crate) fn create(work: &mut Work, creation: Creation, to: To<Look>) -> Option<Live> {
    let Creation { entries, request } = creation;
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
    let clocks = Clocks::new(table.players(), work.shared.away_from);
    let mut live = Live::new(work.shared.codecs, table, owner, Journal::default(), clocks, work.now);
    let look = Arc::new(live.table.look());
    let events = match live.take_in(work.now_ms, &entries[1..], work.now) {
        Ok(events) => events,
        Err(error) => {
            drop(to.send(Err(error)));
            return None;
        }
    };
    let mut news = vec![News::Created(look)];
    news.extend(all_news(&live.table, &events));
    live.agents = work.shared.agents.at(&live.table);
    let (shared, agents) = (work.shared.clone(), live.agents.clone());
    let mut append = append(&live, work, 0, &entries, news);
    append.request = request;
    live.set_pending(&append.entries, Some(Reply::Created { shared, agents, to }));
    (append.listing, append.place) = (Some(listing(&live)), Some(place(&live, work)));
    work.appends.push(append);
    Some(live)
}

/// Folds entries in, and hands them to the log. Whoever waits for it is answered when they are durable.
pub(crate) fn commit(live: &mut Live, work: &mut Work, entries: &[Entry], reply: Option<Reply>) {
    let mut away = live.clocks.away_entries(&live.table, work.now);
    let all = if away.is_empty() {
        entries
    } else {
        away.extend_from_slice(entries);
        &away
    };
    let (state, length) = (live.table.state(), live.table.length());
    let events = match live.take_in(work.now_ms, all, work.now) {
        Ok(events) => events,
        Err(error) => {
            tracing::error!(table = %live.id(), %error, "an entry does not fit its table");
            live.answer(reply.and_then(|reply| reply.send(Err(error))));
            if let Settled::Lost(bad) = live.roll_back(work.now) {
                tracing::error!(table = %live.id(), error = %bad, "a table cannot be folded anew");
            }
            return;
        }
    };
    let news = all_news(&live.table, &events);
    let mut append = append(live, work, length, all, news);
    if live.table.state() != state {
        append.listing = Some(listing(live));
    }
    live.set_pending(&append.entries, reply);
    if live.table.state().is_over() || live.at_rest {
        append.place = Some(place(live, work));
        live.at_rest = false;
    }
    work.appends.push(append);
}

pub(crate) fn append(live: &Live, work: &Work, expected: u64, entries: &[Entry], news: Vec<News>) -> Append {
    let setup = live.table.setup();
    let codec = work.shared.codecs.payloads;
    let stored = entries
        .iter()
        .map(|entry| persistence::encode_entry(setup.created, work.now_ms, entry, codec))
        .collect();
    let mut append = Append::new(setup.table, expected, Millis(work.now_ms), stored);
    let post = |news| NewFeedItem {
        owner: live.owner.clone(),
        payload: persistence::encode_news(setup.table, news, codec),
    };
    append.feed = news.iter().map(post).collect();
    append
}

fn listing(live: &Live) -> Listing {
    let table = &live.table;
    let setup = table.setup();
    Listing {
        kind: LogKind::Table,
        owner: live.owner.clone(),
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
fn place(live: &Live, work: &Work) -> NewPlace {
    let codec = work.shared.codecs.payloads;
    if !live.table.state().is_over() {
        return NewPlace::InPlay;
    }
    match live.journal.record_to_be(live.table.setup(), codec) {
        Ok(record) => NewPlace::Finished { record: persistence::encode_record(&record, codec) },
        Err(bad) => {
            tracing::error!(table = %live.id(), error = %bad, "a table has no record");
            NewPlace::InPlay
        }
    }
}

/// What the owner is told of what happened.
fn all_news(table: &Table, events: &[TableEvent]) -> Vec<News> {
    let of_event = |event: &TableEvent| match event {
        TableEvent::Joined { seat, name } => {
            let user = match &table.seats()[seat.index()].holder {
                Holder::Player { user, .. } => user.clone(),
                Holder::Vacant | Holder::House { .. } | Holder::Agent { .. } => None,
            };
            Some(News::Joined { seat: *seat, user, name: name.clone() })
        }
        TableEvent::Started { .. } => Some(News::Started),
        TableEvent::Forfeited { seat, conduct } => Some(News::Forfeited { seat: *seat, conduct: *conduct }),
        TableEvent::Replaced { seat, bot } => Some(News::Replaced { seat: *seat, bot: bot.clone() }),
        TableEvent::Ended { .. } => Some(News::Over(Arc::new(table.look()))),
        TableEvent::TimedOut { .. } | TableEvent::Rematch { .. } => None,
    };
    events.iter().filter_map(of_event).collect()
}
