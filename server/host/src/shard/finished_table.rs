//! PendingCommand a table that is over: everything is answered from its record.

use parlor_engine::Viewer;

use crate::TableId;
use crate::authorization::AccessCheck;
use crate::identity::VerifiedSeatToken;
use crate::shard::table_actor::Subscription;
use crate::shard::table_commands::{catch_up, decided_before};
use crate::shard::table_message::{Attach, Change, TableMessage};
use crate::table::{CommandError, DecisionAnswer, Record, SeatFinish, State, TableEvent, Update};
use crate::{
    AnswerOutcome, AnswerRefused, Answered, Deals, HostError, Snapshot, StreamItem, ViewerCredential,
    ViewerUpdate,
};

/// Answers from the record. Gives whoever wants to hear of a rematch.
pub(crate) fn carry_out(record: &Record, deals: &Deals, ask: TableMessage) -> Option<Subscription> {
    let look = &record.look;
    match ask {
        TableMessage::Summary(to) => drop(to.send(Ok(look.clone()))),
        TableMessage::Admit { who, to } => {
            let viewer = AccessCheck::from(look).admit(&who);
            drop(to.send(viewer.map(|viewer| (look.clone(), viewer))));
        }
        TableMessage::Join { to, .. } => drop(to.send(Err(CommandError::Over.into()))),
        TableMessage::Change { behalf, change, to } => {
            let seat = if let Change::Resign { seat } = change { Some(seat) } else { None };
            let allowed = AccessCheck::from(look).may_change(&behalf, seat);
            drop(to.send(allowed.and_then(|()| changed(record, &change)).map(|()| look.clone())));
        }
        TableMessage::Act { pass, answering, to } => {
            let admitted = AccessCheck::from(look).admit(&ViewerCredential::Seat(pass));
            let outcome =
                admitted.map(|_| decided_before(Some(record), pass.seat(), answering, CommandError::Over));
            drop(to.send(outcome.map(|outcome| Answered { decision: answering.decision, outcome })));
        }
        TableMessage::Attach(attach) => return attach_to(record, deals, &attach),
        TableMessage::Answer { queue, channel, pass, answering, .. } => {
            let outcome = answer_late(record, pass, answering);
            let outcome = outcome.unwrap_or_else(|error| AnswerOutcome::Refused(AnswerRefused::Host(error)));
            let answered = Answered { decision: answering.decision, outcome };
            // The channel may have been closed with the table, and the answer is owed all the same.
            queue.tell(channel, &StreamItem::Answered(&answered));
        }
        TableMessage::Detach(_) | TableMessage::Wake => {}
    }
    None
}

/// What has been done already is done; nothing else can be.
fn changed(record: &Record, change: &Change) -> Result<(), HostError> {
    let is_done = match change {
        Change::Resign { seat } => {
            let state = record.look.seats.get(seat.index());
            state.is_some_and(|state| state.finish == SeatFinish::Resigned)
        }
        Change::Cancel { .. } => record.look.state == State::Cancelled,
        Change::Replace { .. }
        | Change::SetAside { .. }
        | Change::Reissue { .. }
        | Change::RevokeSpectators => false,
    };
    if is_done { Ok(()) } else { Err(CommandError::Over.into()) }
}

/// An answer over a stream that came when the table was over.
fn answer_late(
    record: &Record,
    pass: Option<VerifiedSeatToken>,
    answering: DecisionAnswer,
) -> Result<AnswerOutcome, HostError> {
    let pass = pass.ok_or(CommandError::Over)?;
    AccessCheck::from(&record.look).admit(&ViewerCredential::Seat(pass))?;
    Ok(decided_before(Some(record), pass.seat(), answering, CommandError::Over))
}

fn attach_to(record: &Record, deals: &Deals, attach: &Attach) -> Option<Subscription> {
    match try_attach(record, deals, attach) {
        Ok(lingering) => lingering,
        Err(error) => {
            attach.refuse(error);
            None
        }
    }
}

fn try_attach(record: &Record, deals: &Deals, attach: &Attach) -> Result<Option<Subscription>, HostError> {
    let look = &record.look;
    let viewer = AccessCheck::from(look).admit(&attach.who)?;
    if viewer == Viewer::Spectator {
        deals.check(look.setup.chance.deal())?;
    }
    let last = look.numbers.of(viewer);
    let end = last + u64::from(look.rematch.is_some());
    if let Some(after) = attach.after.filter(|after| *after > end) {
        return Err(HostError::CursorAhead { after, last: end });
    }
    let mut sub = Subscription {
        queue: attach.queue.clone(),
        channel: attach.channel,
        stream: attach.queue.kind(),
        attachment: attach.attachment,
        viewer,
        generation: None,
        wants: attach.wants,
        agent: None,
        number: attach.after.unwrap_or(last),
    };
    match attach.after {
        None => sub.send(&StreamItem::Snapshot(&Snapshot {
            number: last,
            viewer,
            look: look.clone(),
            view: record.last_view(viewer),
            presence: Vec::new(),
            time_left: None,
        })),
        Some(after) => catch_up(record, &mut sub, after),
    }
    match look.rematch {
        None if attach.wants.rematch => return Ok(Some(sub)),
        Some(table) if attach.wants.rematch && sub.number == last => tell_rematch(&sub, table),
        _ => sub.close(None),
    }
    Ok(None)
}

/// Tells of a rematch, which is the last thing there is to tell.
pub(crate) fn tell_rematch(sub: &Subscription, table: TableId) {
    let number = sub.number + 1;
    let update = Update {
        number,
        table_events: vec![TableEvent::Rematch { table }],
        decided: None,
        events: Vec::new(),
    };
    sub.send(&StreamItem::Update(&ViewerUpdate { update, view: None, seed_given: false, timed: false }));
    sub.queue.close(sub.attachment, sub.channel, crate::stream::queue::closed(None, number));
}
