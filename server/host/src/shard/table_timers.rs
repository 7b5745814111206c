//! What a table does by itself: what clocks demand, what house bots decide, and rest.

use std::time::Duration;

use parlor_engine::Seats;

use crate::HostError;
use crate::clock::Moment;
use crate::shard::clocks::{Clocks, Due};
use crate::shard::commit::{TurnContext, append, commit};
use crate::shard::house_bots::BotMove;
use crate::shard::load::LoadedTable;
use crate::shard::table_actor::TableActor;
use crate::table::{Entry, Holder, State};
use parlor_store::{Millis, NewPlace, OwnerId};

/// How long a table waits after the log has failed, before it tries again by itself.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);
/// How long a table waits when the queue of the house bots is full.
const BOT_PAUSE: Duration = Duration::from_millis(10);

/// A house bot has decided.
pub(crate) fn bot_moved(actor: &mut TableActor, turn: &mut TurnContext, moved: BotMove) {
    let BotMove { seat, decision, chosen, .. } = moved;
    actor.thinking = actor.thinking.without(seat);
    let is_open = actor.table.seats()[seat.index()].open == Some(decision);
    let is_house = matches!(actor.table.seats()[seat.index()].holder, Holder::House { .. });
    if !is_open || !is_house {
        return;
    }
    let entry = match chosen {
        Ok(index) => Entry::Acted { seat, index: index as u32, used: 0, reported: None },
        Err(error) => {
            tracing::error!(table = %actor.id(), %seat, %error, "a house bot failed");
            Entry::Faulted { what: "a bot of the house failed".to_owned() }
        }
    };
    commit(actor, turn, &[entry], None);
}

/// Lets house bots think about what they are asked. AgentProfile whether some have to wait.
pub(crate) fn let_bots_think(actor: &mut TableActor, turn: &TurnContext) -> bool {
    if actor.paused.is_some_and(|paused| turn.now < paused) {
        return false;
    }
    for job in actor.bot_jobs() {
        let seat = job.seat;
        if !turn.shared.bots.submit(job) {
            return true;
        }
        actor.thinking = actor.thinking.with(seat);
    }
    false
}

/// When the clocks, or the time in which the table must fill, demand something.
pub(crate) fn must_wake(actor: &TableActor, turn: &TurnContext) -> Option<Moment> {
    let expires = (actor.table.state() == State::Open).then(|| {
        let left = actor.table.setup().expires().saturating_sub(turn.now_ms);
        turn.now + Duration::from_millis(left)
    });
    actor.clocks.next().into_iter().chain(expires).min()
}

/// When the table has to be looked at again.
pub(crate) fn next_look(actor: &TableActor, turn: &TurnContext, bots_wait: bool) -> Option<Moment> {
    if let Some(paused) = actor.paused.filter(|paused| turn.now < *paused) {
        return Some(paused);
    }
    let retry = bots_wait.then(|| turn.now + BOT_PAUSE);
    // A table that could not rest when it was time has something else to wait for.
    let idle =
        Some(actor.touched + turn.shared.idle).filter(|idle| actor.subs.is_empty() && *idle > turn.now);
    must_wake(actor, turn).into_iter().chain(retry).chain(idle).min()
}

/// Does what clocks demand. AgentProfile whether the table leaves memory at once.
pub(crate) fn look_at(actor: &mut TableActor, turn: &mut TurnContext) -> bool {
    if actor.paused.is_some_and(|paused| turn.now < paused) {
        return false;
    }
    let has_expired = actor.table.setup().expires() <= turn.now_ms;
    if let Some(entry) = actor.table.expire().filter(|_| has_expired) {
        commit(actor, turn, &[entry], None);
        return false;
    }
    let entry = match actor.clocks.due(&actor.table, turn.now) {
        Some(Due::Seat { seat, decision, used, away }) => {
            let holder = &actor.table.seats()[seat.index()].holder;
            if let Holder::Agent { name, .. } = holder
                && !away
                && !actor.table.is_secret(seat)
            {
                turn.shared.agents.clock_ran_out(name);
            }
            actor.table.time_out(seat, decision, used, away)
        }
        Some(Due::Window) => Some(Entry::WindowClosed),
        None => None,
    };
    if let Some(entry) = entry {
        commit(actor, turn, &[entry], None);
        return false;
    }
    rests(actor, turn)
}

/// Lets a table rest that nobody uses. AgentProfile whether it leaves memory at once.
fn rests(actor: &mut TableActor, turn: &mut TurnContext) -> bool {
    let idle = turn.shared.idle;
    let is_used = !actor.subs.is_empty() || actor.thinking != Seats::NONE || turn.now < actor.touched + idle;
    let wakes = must_wake(actor, turn);
    if is_used || wakes.is_some_and(|moment| moment.since(turn.now) <= idle) {
        return false;
    }
    if actor.at_rest {
        return true;
    }
    let wakes_at = wakes.map(|moment| {
        let ahead = u64::try_from(moment.since(turn.now).as_millis()).unwrap_or(u64::MAX);
        Millis(turn.now_ms.saturating_add(ahead).min(parlor_store::limits::MAX_TIME_MS))
    });
    let entries = actor.clocks.away_entries(&actor.table, turn.now);
    let length = actor.table.length();
    if let Err(error) = actor.take_in(turn.now_ms, &entries, turn.now) {
        tracing::error!(table = %actor.id(), %error, "an entry does not fit its table");
        return false;
    }
    let mut append = append(actor, turn, length, &entries, Vec::new());
    append.place = Some(NewPlace::AtRest { wakes_at });
    actor.set_pending(&append.entries, None);
    actor.goes_to_rest = true;
    turn.appends.push(append);
    false
}

/// A table comes into memory.
pub(crate) fn bring_in(
    loaded: LoadedTable,
    clocks: Option<Clocks>,
    turn: &TurnContext,
) -> Result<TableActor, HostError> {
    let LoadedTable { table, journal, at_rest } = loaded;
    let owner = OwnerId::new(&table.setup().owner)?;
    let clocks = clocks.unwrap_or_else(|| Clocks::new(table.players(), turn.shared.away_from));
    let mut actor = TableActor::new(turn.shared.codecs, table, owner, journal, clocks, turn.now);
    actor.agents = turn.shared.agents.at(&actor.table);
    actor.at_rest = at_rest;
    Ok(actor)
}
