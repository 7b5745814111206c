//! Requests to a finished table, served from its record.

use parlor_engine::{Seat, Viewer};
use parlor_fair::Entropy;

use crate::TableId;
use crate::authorization::AccessCheck;
use crate::identity::VerifiedSeatToken;
use crate::shard::commit::TurnContext;
use crate::shard::subscription::Subscription;
use crate::shard::subscriptions::Subscriptions;
use crate::shard::table_commands::{CatchUp, catch_up, resolve_past_decision};
use crate::shard::table_message::{AttachRequest, Change, TableMessage};
use crate::stream::queue::channel_closed;
use crate::table::{
    CommandError, DecisionAnswer, Record, SeatFinish, State, TableEvent, TableSummary, Update,
};
use crate::{
    AnswerOutcome, AnswerRefused, Answered, HostError, Snapshot, StreamItem, ViewerCredential, ViewerUpdate,
};

/// Executes a request, other than to attach.
pub(crate) fn execute(record: &Record, message: TableMessage) {
    let summary = &record.summary;
    match message {
        TableMessage::Summary(to) => drop(to.send(Ok(summary.clone()))),
        TableMessage::Admit { credential, to } => {
            let viewer = AccessCheck::from(summary).admit(&credential);
            drop(to.send(viewer.map(|viewer| (summary.clone(), viewer))));
        }
        TableMessage::Join { to, .. } => drop(to.send(Err(CommandError::Over.into()))),
        TableMessage::Change { by, change, to } => {
            let allowed = AccessCheck::from(summary).authorise(&by, &change);
            drop(to.send(
                allowed.and_then(|()| accept_repeated_change(record, &change)).map(|()| summary.clone()),
            ));
        }
        TableMessage::Act { token, answer, to, .. } => {
            let admitted = AccessCheck::from(summary).admit(&ViewerCredential::Seat(token));
            let outcome = admitted
                .map(|_| resolve_past_decision(Some(record), token.seat(), answer, CommandError::Over));
            drop(to.send(outcome.map(|outcome| Answered { decision: answer.decision, outcome })));
        }
        TableMessage::Reveal { token, entropy, to } => {
            let admitted = AccessCheck::from(summary).admit(&ViewerCredential::Seat(token));
            let repeated = admitted.and_then(|_| accept_repeated_reveal(summary, token.seat(), *entropy));
            to.send_late(repeated);
        }
        TableMessage::Answer { queue, channel, token, answer, .. } => {
            let outcome = resolve_late_answer(record, token, answer);
            let outcome = outcome.unwrap_or_else(|error| AnswerOutcome::Refused(AnswerRefused::Host(error)));
            let answered = Answered { decision: answer.decision, outcome };
            // The channel may have been closed with the table; the reply is owed nevertheless.
            queue.push_unattached(channel, &StreamItem::Answered(&answered));
        }
        TableMessage::Attach(_) | TableMessage::Detach(_) | TableMessage::Wake => {}
    }
}

/// Accepts a repeated change that was made before the end; refuses every other change.
fn accept_repeated_change(record: &Record, change: &Change) -> Result<(), HostError> {
    let is_done = match change {
        Change::Resign { seat } => {
            let state = record.summary.seats.get(seat.index());
            state.is_some_and(|state| state.finish == SeatFinish::Resigned)
        }
        Change::Cancel { .. } => record.summary.state == State::Cancelled,
        Change::Replace { .. }
        | Change::SuspendAgent { .. }
        | Change::Reissue { .. }
        | Change::RevokeSpectators
        | Change::CreateInvite(_)
        | Change::RevokeInvite { .. } => false,
    };
    if is_done { Ok(()) } else { Err(CommandError::Over.into()) }
}

/// Accepts a reveal that was made before the end; refuses every other one.
fn accept_repeated_reveal(summary: &TableSummary, seat: Seat, entropy: Entropy) -> Result<(), HostError> {
    let added = summary.shuffle.entropy.get(seat.index()).copied().unwrap_or_default();
    if added.commitment != Some(entropy.commitment(summary.setup.table)) {
        return Err(CommandError::EntropyMismatch { seat }.into());
    }
    if added.is_unrevealed() { Err(CommandError::Over.into()) } else { Ok(()) }
}

/// Resolves a stream answer that arrived after the end of the table.
fn resolve_late_answer(
    record: &Record,
    token: Option<VerifiedSeatToken>,
    answer: DecisionAnswer,
) -> Result<AnswerOutcome, HostError> {
    let token = token.ok_or(CommandError::Over)?;
    AccessCheck::from(&record.summary).admit(&ViewerCredential::Seat(token))?;
    Ok(resolve_past_decision(Some(record), token.seat(), answer, CommandError::Over))
}

/// Attaches a channel. Returns the subscriptions that wait for a rematch.
pub(crate) fn attach(
    record: &Record,
    turn: &mut TurnContext,
    mut attach: Box<AttachRequest>,
    mut waiters: Subscriptions,
) -> Subscriptions {
    match try_attach(record, turn, &attach, &mut waiters) {
        Ok(CatchUp::Complete) => {}
        Ok(CatchUp::Paused { after }) => {
            attach.after = Some(after);
            turn.paused_catch_ups.push(*attach);
        }
        Err(error) => attach.refuse(error),
    }
    waiters
}

fn try_attach(
    record: &Record,
    turn: &TurnContext,
    attach: &AttachRequest,
    waiters: &mut Subscriptions,
) -> Result<CatchUp, HostError> {
    let summary = &record.summary;
    let viewer = AccessCheck::from(summary).admit(&attach.credential)?;
    if viewer == Viewer::Spectator {
        turn.shared.deals.check(summary.setup.chance.deal())?;
    }
    let last = summary.numbers.get(viewer);
    let end = last + u64::from(summary.rematch.is_some());
    if let Some(after) = attach.after.filter(|after| *after > end) {
        return Err(HostError::CursorAhead { after, last: end });
    }
    let waits_for_rematch = summary.rematch.is_none() && attach.wants.rematch;
    if waits_for_rematch {
        waiters.check_room(viewer, attach.caller, turn.shared.spectator_limits)?;
    }
    let mut subscription = Subscription {
        queue: attach.queue.clone(),
        channel: attach.channel,
        stream: attach.queue.kind(),
        attachment: attach.attachment,
        viewer,
        generation: None,
        wants: attach.wants,
        agent: None,
        resumed_after: attach.after,
        number: attach.after.unwrap_or(last),
    };
    match attach.after {
        None => {
            let snapshot = Snapshot {
                number: last,
                viewer,
                summary: summary.clone(),
                view: record.last_view(viewer),
                presence: Vec::new(),
                time_left: None,
                wants: attach.wants,
            };
            subscription.send_requested(&StreamItem::Snapshot(&snapshot));
        }
        Some(after) => {
            let caught_up = catch_up(record, &mut subscription, after);
            if caught_up != CatchUp::Complete {
                return Ok(caught_up);
            }
        }
    }
    match summary.rematch {
        None if waits_for_rematch => {
            waiters.admit(subscription, attach.caller, turn.shared.spectator_limits)?;
        }
        Some(table) if attach.wants.rematch && subscription.number == last => {
            announce_rematch(&subscription, table);
        }
        _ => subscription.close(None),
    }
    Ok(CatchUp::Complete)
}

/// Announces the rematch as the last update and closes the channel.
pub(crate) fn announce_rematch(subscription: &Subscription, table: TableId) {
    let number = subscription.number + 1;
    let update = Update {
        number,
        table_events: vec![TableEvent::Rematch { table }],
        decided: None,
        events: Vec::new(),
    };
    subscription.send(&StreamItem::Update(&ViewerUpdate {
        update,
        viewer: subscription.viewer,
        view: None,
        wants: subscription.wants,
        seed_given: false,
        timed: false,
    }));
    subscription.queue.close(subscription.attachment, subscription.channel, channel_closed(None, number));
}
