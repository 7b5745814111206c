//! Doing what a table in memory is asked.

use std::sync::Arc;

use parlor_engine::{Seat, Viewer};

use crate::agents::Agent;
use crate::authorization::AccessCheck;
use crate::shard::commit::{TurnContext, commit};
use crate::shard::reply::{Answerer, Reply};
use crate::shard::table_actor::{Subscription, TableActor};
use crate::shard::table_message::{Attach, Change, ReplyTo, TableMessage};
use crate::stream::queue::{StreamQueue, closed};
use crate::table::{
    Answer, Answered as Answers, CommandError, Decided, DecisionAnswer, Record, RecordedUpdate, TableSummary,
    Visibility,
};
use crate::{
    AnswerOutcome, AnswerRefused, Answered, HostError, JoinRequest, StreamItem, ViewerCredential,
    ViewerUpdate, Wants,
};

/// Tells whoever asked that it cannot be.
pub(crate) fn refuse(ask: TableMessage, error: HostError) {
    match ask {
        TableMessage::Summary(to) => drop(to.send(Err(error))),
        TableMessage::Admit { to, .. } => drop(to.send(Err(error))),
        TableMessage::Join { to, .. } => drop(to.send(Err(error))),
        TableMessage::Change { to, .. } => drop(to.send(Err(error))),
        TableMessage::Act { to, .. } => drop(to.send(Err(error))),
        TableMessage::Attach(attach) => attach.refuse(error),
        TableMessage::Answer { queue, channel, attachment, answering, .. } => {
            let outcome = AnswerOutcome::Refused(AnswerRefused::Host(error));
            let answered = Answered { decision: answering.decision, outcome };
            queue.push(attachment, channel, &StreamItem::Answered(&answered));
        }
        TableMessage::Detach(_) | TableMessage::Wake => {}
    }
}

impl Attach {
    pub(crate) fn refuse(&self, error: HostError) {
        let closed = closed(Some(error), self.after.unwrap_or_default());
        self.queue.close(self.attachment, self.channel, closed);
    }
}

/// Does what a table is asked.
pub(crate) fn carry_out(actor: &mut TableActor, turn: &mut TurnContext, ask: TableMessage) {
    actor.touched = turn.now;
    match ask {
        TableMessage::Summary(to) => drop(to.send(Ok(actor.table.look()))),
        TableMessage::Admit { who, to } => {
            let viewer = AccessCheck::from(&actor.table).admit(&who);
            drop(to.send(viewer.map(|viewer| (actor.table.look(), viewer))));
        }
        TableMessage::Join { join, to } => join_table(actor, turn, *join, to),
        TableMessage::Change { behalf, change, to } => {
            match AccessCheck::from(&actor.table).may_change(&behalf, change.seat()) {
                Ok(()) => change_table(actor, turn, change, to),
                Err(error) => drop(to.send(Err(error))),
            }
        }
        TableMessage::Act { pass, answering, to } => {
            match AccessCheck::from(&actor.table).admit(&ViewerCredential::Seat(pass)) {
                Ok(_) => answer(actor, turn, (pass.seat(), None), answering, Answerer::Call(to)),
                Err(error) => drop(to.send(Err(error))),
            }
        }
        TableMessage::Attach(attach) => attach_to(actor, turn, &attach),
        TableMessage::Answer { queue, channel, attachment, pass, answering } => {
            let sub = actor.subs.iter().find(|sub| sub.attachment == attachment);
            match sub.map(|sub| (sub.viewer, sub.agent.clone())) {
                Some((Viewer::Seat(seat), agent)) => {
                    let by = (seat, agent.map(|agent| (agent, queue)));
                    answer(actor, turn, by, answering, Answerer::Stream(attachment));
                }
                Some((Viewer::Spectator, _)) | None => {
                    let error = HostError::NoChannel { channel: channel.0 };
                    refuse(TableMessage::Answer { queue, channel, attachment, pass, answering }, error);
                }
            }
        }
        TableMessage::Detach(_) | TableMessage::Wake => {}
    }
}

impl Change {
    fn seat(&self) -> Option<Seat> {
        match self {
            Change::Resign { seat } => Some(*seat),
            // These are for whoever runs the table: the holder of a seat's token may resign it, and nothing else.
            _ => None,
        }
    }
}

fn join_table(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    join: JoinRequest,
    to: ReplyTo<(Seat, TableSummary)>,
) {
    let setup = actor.table.setup();
    let is_hidden = setup.visibility == Visibility::Private && !join.by_owner && join.previous.is_none();
    let joined = if is_hidden {
        Err(HostError::NotFound { table: setup.table })
    } else {
        actor.table.joined_before(&join.joining).map_err(HostError::from)
    };
    match joined {
        Err(error) => drop(to.send(Err(error))),
        Ok(Some(seat)) => drop(to.send(Ok((seat, actor.table.look())))),
        Ok(None) => match actor.table.join(join.joining) {
            Err(error) => drop(to.send(Err(error.into()))),
            Ok((seat, entries)) => {
                commit(actor, turn, &entries, Some(Reply::Joined { seat, to }));
            }
        },
    }
}

fn change_table(actor: &mut TableActor, turn: &mut TurnContext, change: Change, to: ReplyTo<TableSummary>) {
    let table = &actor.table;
    let entries = match &change {
        // ViewerCredential plays in a tournament is for the tournament to say.
        Change::Replace { seat, .. } if table.setup().chance.deal().is_some() => {
            Err(CommandError::SeatTaken { seat: *seat })
        }
        Change::Replace { seat, bot, request } => table.replace(*seat, bot, request.clone()),
        Change::Resign { seat } => match table.resign(*seat) {
            Err(CommandError::Forfeited { .. }) => Ok(Vec::new()),
            entries => entries,
        },
        Change::SetAside { seat } => table.set_aside(*seat),
        Change::Cancel { note } => table.cancel(note),
        Change::Reissue { seat, request } => table.reissue(*seat, request.clone()),
        Change::RevokeSpectators => table.revoke_spectators(),
    };
    match entries {
        Err(error) => drop(to.send(Err(error.into()))),
        Ok(entries) if entries.is_empty() => drop(to.send(Ok(actor.table.look()))),
        Ok(entries) => commit(actor, turn, &entries, Some(Reply::Summary(to))),
    }
}

/// An agent, and its stream.
type AgentOnStream = (Arc<Agent>, Arc<StreamQueue>);

/// Takes the answer of a seat, and says what became of it: at once, or when it is durable.
fn answer(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    (seat, agent): (Seat, Option<AgentOnStream>),
    answering: DecisionAnswer,
    to: Answerer,
) {
    let DecisionAnswer { decision, answer, reported } = answering;
    let used = actor.clocks.used(seat, turn.now);
    // What is listed of an agent must not tell of decisions that are a secret.
    let agent = agent.filter(|_| !actor.table.is_secret(seat));
    let outcome = match actor.table.answer(seat, decision, answer, used, reported) {
        Ok(Answers::Play(entry)) => {
            if !actor.table.is_secret(seat) {
                turn.moves.increment(1);
            }
            if let Some((agent, _)) = agent {
                turn.shared.agents.answered(&agent, actor.clocks.used_time(seat, turn.now), reported);
            }
            return commit(actor, turn, &[entry], Some(Reply::Decided { seat, decision, to }));
        }
        Ok(Answers::Again(decided)) => AnswerOutcome::Repeated(decided),
        Err(error @ CommandError::AlreadyDecided { .. }) => {
            let newest = actor.table.seats()[seat.index()].decided.filter(|made| made.id == decision);
            match newest {
                Some(made) => AnswerOutcome::Conflict(made),
                // Only the record knows of older ones, and it takes the whole log to make it.
                None => decided_before(actor.record().ok().as_deref(), seat, answering, error),
            }
        }
        Err(error) => {
            if let Some((agent, queue)) = agent
                && let Some(enough) = turn.shared.agents.refused(&agent)
            {
                queue.end(enough.into());
            }
            match error {
                CommandError::Illegal(refusal) => AnswerOutcome::Refused(AnswerRefused::Illegal(refusal)),
                error => AnswerOutcome::Refused(AnswerRefused::Command(error)),
            }
        }
    };
    actor.answer(to.send(Answered { decision, outcome }));
}

/// What becomes of an answer to a decision that was decided before, by the record of the table.
pub(crate) fn decided_before(
    record: Option<&Record>,
    seat: Seat,
    answering: DecisionAnswer,
    error: CommandError,
) -> AnswerOutcome {
    let decided = record.and_then(|record| {
        let mut of_seat = record.steps.iter().filter_map(|step| step.decided[seat.index()]);
        of_seat.find(|decided| decided.id == answering.decision)
    });
    let is_same = |decided: &Decided| match answering.answer {
        Answer::Action(action) => decided.action == action,
        Answer::Index(index) => decided.index == index,
    };
    match decided {
        Some(decided) if is_same(&decided) => AnswerOutcome::Repeated(decided),
        Some(decided) => AnswerOutcome::Conflict(decided),
        None => AnswerOutcome::Refused(AnswerRefused::Command(error)),
    }
}

/// Lets somebody watch or play over a stream.
fn attach_to(actor: &mut TableActor, turn: &TurnContext, attach: &Attach) {
    if let Err(error) = try_attach(actor, turn, attach) {
        attach.refuse(error);
    }
}

fn try_attach(actor: &mut TableActor, turn: &TurnContext, attach: &Attach) -> Result<(), HostError> {
    let viewer = AccessCheck::from(&actor.table).admit(&attach.who)?;
    if viewer == Viewer::Spectator {
        turn.shared.deals.check(actor.table.setup().chance.deal())?;
    }
    let last = actor.table.numbers().of(viewer);
    if let Some(after) = attach.after.filter(|after| *after > last) {
        return Err(HostError::CursorAhead { after, last });
    }
    let mut sub = Subscription {
        queue: attach.queue.clone(),
        channel: attach.channel,
        stream: attach.queue.kind(),
        attachment: attach.attachment,
        viewer,
        generation: match attach.who {
            ViewerCredential::Seat(pass) => Some(actor.table.seats()[pass.seat().index()].generation),
            ViewerCredential::Spectator(_) => Some(actor.table.spectators()),
            ViewerCredential::Rail { .. } => None,
        },
        wants: attach.wants,
        agent: attach.agent.clone(),
        number: attach.after.unwrap_or(last),
    };
    match attach.after {
        None => sub.send(&StreamItem::Snapshot(&actor.snapshot(viewer, turn.now))),
        Some(after) if after < last => {
            let record = actor.record().map_err(|bad| HostError::Fault { what: bad.to_string() })?;
            catch_up(&record, &mut sub, after);
        }
        Some(_) => {}
    }
    if let Viewer::Seat(seat) = viewer
        && let Some(asked) = actor.asked(seat, &sub.wants, turn.now)
    {
        sub.send(&StreamItem::Decision(&asked));
    }
    actor.add(sub);
    actor.note_presence(turn.now);
    Ok(())
}

/// Sends what a viewer has missed.
pub(crate) fn catch_up(record: &Record, sub: &mut Subscription, after: u64) {
    let (seed_given, timed) = (record.look.shuffle.given, record.look.setup.time.decision > 0);
    let wants: Wants = sub.wants;
    for RecordedUpdate { mut update, view } in record.updates(sub.viewer, after) {
        if !wants.events {
            update.events = Vec::new();
        }
        sub.number = update.number;
        let view = view.filter(|_| wants.update_views);
        sub.send_missed(&StreamItem::Update(&ViewerUpdate { update, view, seed_given, timed }));
    }
}
