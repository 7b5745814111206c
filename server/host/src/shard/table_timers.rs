//! What a table does by itself: what clocks demand, what house bots decide, and rest.

use std::time::Duration;

use parlor_engine::Seats;

use crate::HostError;
use crate::clock::Moment;
use crate::shard::clocks::{Clocks, Due};
use crate::shard::commit::{Work, append, commit};
use crate::shard::house_bots::BotMove;
use crate::shard::load::LoadedTable;
use crate::shard::table_actor::Live;
use crate::table::{Entry, Holder, State};
use parlor_store::{Millis, NewPlace, OwnerId};

/// How long a table waits after the log has failed, before it tries again by itself.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);
/// How long a table waits when the queue of the house bots is full.
const BOT_PAUSE: Duration = Duration::from_millis(10);

/// A house bot has decided.
pub(crate) fn bot_moved(live: &mut Live, work: &mut Work, moved: BotMove) {
    let BotMove { seat, decision, chosen, .. } = moved;
    live.thinking = live.thinking.without(seat);
    let is_open = live.table.seats()[seat.index()].open == Some(decision);
    let is_house = matches!(live.table.seats()[seat.index()].holder, Holder::House { .. });
    if !is_open || !is_house {
        return;
    }
    let entry = match chosen {
        Ok(index) => Entry::Acted { seat, index: index as u32, used: 0, reported: None },
        Err(error) => {
            tracing::error!(table = %live.id(), %seat, %error, "a house bot failed");
            Entry::Faulted { what: "a bot of the house failed".to_owned() }
        }
    };
    commit(live, work, &[entry], None);
}

/// Lets house bots think about what they are asked. Says whether some have to wait.
pub(crate) fn let_bots_think(live: &mut Live, work: &Work) -> bool {
    if live.paused.is_some_and(|paused| work.now < paused) {
        return false;
    }
    for job in live.bot_jobs() {
        let seat = job.seat;
        if !work.shared.bots.submit(job) {
            return true;
        }
        live.thinking = live.thinking.with(seat);
    }
    false
}

/// When the clocks, or the time in which the table must fill, demand something.
pub(crate) fn must_wake(live: &Live, work: &Work) -> Option<Moment> {
    let expires = (live.table.state() == State::Open).then(|| {
        let left = live.table.setup().expires().saturating_sub(work.now_ms);
        work.now + Duration::from_millis(left)
    });
    live.clocks.next().into_iter().chain(expires).min()
}

/// When the table has to be looked at again.
pub(crate) fn next_look(live: &Live, work: &Work, bots_wait: bool) -> Option<Moment> {
    if let Some(paused) = live.paused.filter(|paused| work.now < *paused) {
        return Some(paused);
    }
    let retry = bots_wait.then(|| work.now + BOT_PAUSE);
    // A table that could not rest when it was time has something else to wait for.
    let idle = Some(live.touched + work.shared.idle).filter(|idle| live.subs.is_empty() && *idle > work.now);
    must_wake(live, work).into_iter().chain(retry).chain(idle).min()
}

/// Does what clocks demand. Says whether the table leaves memory at once.
pub(crate) fn look_at(live: &mut Live, work: &mut Work) -> bool {
    if live.paused.is_some_and(|paused| work.now < paused) {
        return false;
    }
    let has_expired = live.table.setup().expires() <= work.now_ms;
    if let Some(entry) = live.table.expire().filter(|_| has_expired) {
        commit(live, work, &[entry], None);
        return false;
    }
    let entry = match live.clocks.due(&live.table, work.now) {
        Some(Due::Seat { seat, decision, used, away }) => {
            let holder = &live.table.seats()[seat.index()].holder;
            if let Holder::Agent { name, .. } = holder
                && !away
                && !live.table.is_secret(seat)
            {
                work.shared.agents.clock_ran_out(name);
            }
            live.table.time_out(seat, decision, used, away)
        }
        Some(Due::Window) => Some(Entry::WindowClosed),
        None => None,
    };
    if let Some(entry) = entry {
        commit(live, work, &[entry], None);
        return false;
    }
    rests(live, work)
}

/// Lets a table rest that nobody uses. Says whether it leaves memory at once.
fn rests(live: &mut Live, work: &mut Work) -> bool {
    let idle = work.shared.idle;
    let is_used = !live.subs.is_empty() || live.thinking != Seats::NONE || work.now < live.touched + idle;
    let wakes = must_wake(live, work);
    if is_used || wakes.is_some_and(|moment| moment.since(work.now) <= idle) {
        return false;
    }
    if live.at_rest {
        return true;
    }
    let wakes_at = wakes.map(|moment| {
        let ahead = u64::try_from(moment.since(work.now).as_millis()).unwrap_or(u64::MAX);
        Millis(work.now_ms.saturating_add(ahead).min(parlor_store::limits::MAX_TIME_MS))
    });
    let entries = live.clocks.away_entries(&live.table, work.now);
    let length = live.table.length();
    if let Err(error) = live.take_in(work.now_ms, &entries, work.now) {
        tracing::error!(table = %live.id(), %error, "an entry does not fit its table");
        return false;
    }
    let mut append = append(live, work, length, &entries, Vec::new());
    append.place = Some(NewPlace::AtRest { wakes_at });
    live.set_pending(&append.entries, None);
    live.goes_to_rest = true;
    work.appends.push(append);
    false
}

/// A table comes into memory.
pub(crate) fn bring_in(loaded: LoadedTable, clocks: Option<Clocks>, work: &Work) -> Result<Live, HostError> {
    let LoadedTable { table, journal, at_rest } = loaded;
    let owner = OwnerId::new(&table.setup().owner)?;
    let clocks = clocks.unwrap_or_else(|| Clocks::new(table.players(), work.shared.away_from));
    let mut live = Live::new(work.shared.codecs, table, owner, journal, clocks, work.now);
    live.agents = work.shared.agents.at(&live.table);
    live.at_rest = at_rest;
    Ok(live)
}
