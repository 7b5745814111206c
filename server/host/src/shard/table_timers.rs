//! Timers of a table: clocks, house bot moves, and unloading when idle.

use std::time::Duration;

use parlor_engine::Seats;

use crate::HostError;
use crate::clock::Moment;
use crate::shard::clocks::{Clocks, DueTimer};
use crate::shard::commit::{TurnContext, append, commit};
use crate::shard::house_bots::BotMove;
use crate::shard::load::LoadedTable;
use crate::shard::table_actor::TableActor;
use crate::table::{Entry, Holder, State};
use parlor_store::{Millis, NewPlace, OwnerId};

/// Delay after a failed append before the table acts by itself again.
pub(crate) const LOG_RETRY_DELAY: Duration = Duration::from_secs(1);
/// Delay before a retry when the queue of the house bots is full.
const BOT_QUEUE_RETRY_DELAY: Duration = Duration::from_millis(10);

/// Commits the move of a house bot.
pub(crate) fn apply_bot_move(actor: &mut TableActor, turn: &mut TurnContext, moved: BotMove) {
    let BotMove { seat, decision, chosen, .. } = moved;
    actor.thinking_bots = actor.thinking_bots.without(seat);
    let is_open = actor.table.seats()[seat.index()].open == Some(decision);
    let Holder::House { bot } = &actor.table.seats()[seat.index()].holder else { return };
    if !is_open {
        return;
    }
    let entry = match chosen {
        Ok(index) => Entry::Acted { seat, index: index as u32, used: 0, reported: None },
        Err(error) => {
            tracing::error!(table = %actor.id(), %seat, bot, %error, "house bot failed");
            Entry::Faulted { reason: format!("the house bot {bot} failed") }
        }
    };
    commit(actor, turn, &[entry], None);
}

/// Submits the open decisions of house bots. Returns whether some must wait because the queue is full.
pub(crate) fn submit_bot_jobs(actor: &mut TableActor, turn: &TurnContext) -> bool {
    if actor.paused_until.is_some_and(|until| turn.now < until) {
        return false;
    }
    for job in actor.bot_jobs() {
        let seat = job.seat;
        if !turn.shared.bots.submit(job) {
            return true;
        }
        actor.thinking_bots = actor.thinking_bots.with(seat);
    }
    false
}

/// The next deadline of a clock, or of the time in which the table must fill or entropy be revealed.
pub(crate) fn next_deadline(actor: &TableActor, turn: &TurnContext) -> Option<Moment> {
    let expires = (actor.table.state() == State::Open).then(|| actor.table.setup().expires());
    let awaited = expires.or(actor.table.reveal_before());
    let awaited = awaited.map(|at| turn.now + Duration::from_millis(at.saturating_sub(turn.now_ms)));
    actor.clocks.next_due().into_iter().chain(awaited).min()
}

/// The next moment at which [`run_timers`] has work to do.
pub(crate) fn next_wake(actor: &TableActor, turn: &TurnContext, bots_wait: bool) -> Option<Moment> {
    if let Some(until) = actor.paused_until.filter(|until| turn.now < *until) {
        return Some(until);
    }
    let retry = bots_wait.then(|| turn.now + BOT_QUEUE_RETRY_DELAY);
    // A table that could not go to rest when idle waits for another event.
    let idle_at = Some(actor.last_used + turn.shared.idle_timeout)
        .filter(|idle_at| actor.subscriptions.is_empty() && *idle_at > turn.now);
    next_deadline(actor, turn).into_iter().chain(retry).chain(idle_at).min()
}

/// Commits the effect of a passed deadline, or moves an idle table to rest. Returns whether the table leaves
/// memory at once.
pub(crate) fn run_timers(actor: &mut TableActor, turn: &mut TurnContext) -> bool {
    if actor.paused_until.is_some_and(|until| turn.now < until) {
        return false;
    }
    let has_expired = actor.table.setup().expires() <= turn.now_ms;
    if let Some(entry) = actor.table.expire().filter(|_| has_expired) {
        commit(actor, turn, &[entry], None);
        return false;
    }
    let are_reveals_over = actor.table.reveal_before().is_some_and(|at| at <= turn.now_ms);
    if let Some(entry) = actor.table.end_reveals().filter(|_| are_reveals_over) {
        commit(actor, turn, &[entry], None);
        return false;
    }
    let entry = match actor.clocks.take_due(&actor.table, turn.now) {
        Some(DueTimer::Seat { seat, decision, used, away }) => {
            let holder = &actor.table.seats()[seat.index()].holder;
            if let Holder::Agent { name, .. } = holder
                && !away
                && !actor.table.is_secret(seat)
            {
                turn.shared.agents.record_timeout(name, actor.table.setup());
            }
            actor.table.time_out(seat, decision, used, away)
        }
        Some(DueTimer::SecretWindow) => Some(Entry::WindowClosed),
        None => None,
    };
    if let Some(entry) = entry {
        commit(actor, turn, &[entry], None);
        return false;
    }
    move_to_rest(actor, turn)
}

/// Moves an idle table to rest. Returns whether it leaves memory at once; otherwise its append comes first.
fn move_to_rest(actor: &mut TableActor, turn: &mut TurnContext) -> bool {
    let idle_timeout = turn.shared.idle_timeout;
    let is_used = !actor.subscriptions.is_empty()
        || actor.thinking_bots != Seats::NONE
        // The time to reveal is not stored, and would begin again.
        || actor.table.state() == State::Starting
        || turn.now < actor.last_used + idle_timeout;
    let deadline = next_deadline(actor, turn);
    if is_used || deadline.is_some_and(|moment| moment.since(turn.now) <= idle_timeout) {
        return false;
    }
    if actor.at_rest {
        return true;
    }
    let wakes_at = deadline.map(|moment| {
        let ahead = u64::try_from(moment.since(turn.now).as_millis()).unwrap_or(u64::MAX);
        Millis(turn.now_ms.saturating_add(ahead).min(parlor_store::limits::MAX_TIME_MS))
    });
    let entries = actor.clocks.away_entries(&actor.table, turn.now);
    let length = actor.table.length();
    if let Err(error) = actor.apply_entries(turn.now_ms, &entries, turn.now) {
        tracing::error!(table = %actor.id(), %error, "entry does not fit the state of the table");
        return false;
    }
    let mut append = append(actor, turn, length, &entries, Vec::new());
    append.place = Some(NewPlace::AtRest { wakes_at });
    actor.set_pending(&append.entries, None);
    actor.is_going_to_rest = true;
    turn.appends.push(append);
    false
}

/// Builds the actor of a loaded table.
pub(crate) fn activate(
    loaded: LoadedTable,
    clocks: Option<Clocks>,
    turn: &TurnContext,
) -> Result<TableActor, HostError> {
    let LoadedTable { table, journal, at_rest } = loaded;
    let owner = OwnerId::new(&table.setup().owner)?;
    let clocks = clocks.unwrap_or_else(|| Clocks::new(table.players(), turn.shared.reconnect_deadline));
    let mut actor = TableActor::new(turn.shared.codecs, table, owner, journal, clocks, turn.now);
    actor.agents = turn.shared.agents.track_table(&actor.table);
    actor.at_rest = at_rest;
    Ok(actor)
}
