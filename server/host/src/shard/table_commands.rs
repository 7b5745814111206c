//! Requests to a table in memory.

use std::sync::Arc;

use parlor_engine::{Seat, Viewer};

use crate::agents::Agent;
use crate::authorization::AccessCheck;
use crate::clock::Moment;
use crate::identity::VerifiedSeatToken;
use crate::shard::commit::{TurnContext, commit};
use crate::shard::reply::{Answerer, Reply, Revealer};
use crate::shard::subscription::Subscription;
use crate::shard::table_actor::TableActor;
use crate::shard::table_message::{AttachRequest, Change, ReplyTo, TableMessage};
use crate::stream::channels::Attachment;
use crate::stream::queue::{StreamQueue, channel_closed};
use crate::table::{
    Answer, AnswerEffect, CommandError, Decided, DecisionAnswer, Entry, Record, RecordedUpdate, Table,
    TableSummary, Visibility,
};
use crate::{
    AnswerOutcome, AnswerRefused, Answered, Channel, HostError, JoinRequest, StreamItem, ViewerCredential,
    ViewerUpdate,
};

/// Replies to a request with an error.
pub(crate) fn refuse(message: TableMessage, error: HostError) {
    match message {
        TableMessage::Summary(to) => drop(to.send(Err(error))),
        TableMessage::Admit { to, .. } => drop(to.send(Err(error))),
        TableMessage::Join { to, .. } => drop(to.send(Err(error))),
        TableMessage::Change { to, .. } => drop(to.send(Err(error))),
        TableMessage::Act { to, .. } => drop(to.send(Err(error))),
        TableMessage::Reveal { to, .. } => to.send(Err(error)),
        TableMessage::Attach(attach) => attach.refuse(error),
        TableMessage::Answer { queue, channel, attachment, answer, .. } => {
            let outcome = AnswerOutcome::Refused(AnswerRefused::Host(error));
            let answered = Answered { decision: answer.decision, outcome };
            queue.push(attachment, channel, &StreamItem::Answered(&answered));
        }
        TableMessage::Detach(_) | TableMessage::Wake => {}
    }
}

impl AttachRequest {
    pub(crate) fn refuse(&self, error: HostError) {
        let closed = channel_closed(Some(error), self.after.unwrap_or_default());
        self.queue.close(self.attachment, self.channel, closed);
    }
}

/// Executes a request.
pub(crate) fn execute(actor: &mut TableActor, turn: &mut TurnContext, message: TableMessage) {
    actor.last_used = turn.now;
    match message {
        TableMessage::Summary(to) => drop(to.send(durable_summary(actor))),
        TableMessage::Admit { credential, to } => {
            let admitted = durable_summary(actor).and_then(|summary| {
                let viewer = AccessCheck::from(&summary).admit(&credential)?;
                Ok((summary, viewer))
            });
            drop(to.send(admitted));
        }
        TableMessage::Join { join, to } => join_table(actor, turn, *join, to),
        TableMessage::Change { by, change, to } => {
            match AccessCheck::from(&actor.table).authorise(&by, &change) {
                Ok(()) => change_table(actor, turn, change, to),
                Err(error) => drop(to.send(Err(error))),
            }
        }
        TableMessage::Act { token, answer, arrived, to } => {
            match AccessCheck::from(&actor.table).admit(&ViewerCredential::Seat(token)) {
                Ok(_) => {
                    let answerer = Answerer::Call(to);
                    answer_decision(actor, turn, (token.seat(), None), (answer, arrived), answerer);
                }
                Err(error) => drop(to.send(Err(error))),
            }
        }
        TableMessage::Reveal { token, entropy, to } => {
            match AccessCheck::from(&actor.table).admit(&ViewerCredential::Seat(token)) {
                Ok(_) => {
                    let entries = actor.table.reveal(token.seat(), *entropy);
                    commit_reveal(actor, turn, entries, to);
                }
                Err(error) => to.send(Err(error)),
            }
        }
        TableMessage::Attach(attach) => attach_channel(actor, turn, attach),
        TableMessage::Answer { queue, channel, attachment, token, answer, arrived } => {
            let subscription = actor.subscriptions.get(attachment);
            match subscription.map(|subscription| (subscription.viewer, subscription.agent.clone())) {
                Some((Viewer::Seat(seat), agent)) => {
                    let by = (seat, agent.map(|agent| (agent, queue)));
                    answer_decision(actor, turn, by, (answer, arrived), Answerer::Stream(attachment));
                }
                // The channel has not caught up yet.
                None if token.is_some() && queue.is_attached(attachment, channel) => {
                    answer_before_catch_up(
                        actor,
                        turn,
                        (queue, channel, attachment),
                        token,
                        (answer, arrived),
                    );
                }
                Some((Viewer::Spectator, _)) | None => {
                    let error = HostError::NoChannel { channel: channel.0 };
                    refuse(
                        TableMessage::Answer { queue, channel, attachment, token, answer, arrived },
                        error,
                    );
                }
            }
        }
        TableMessage::Detach(_) | TableMessage::Wake => {}
    }
}

/// Submits an answer on a channel that is attached and waits for its turn to catch up.
fn answer_before_catch_up(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    (queue, channel, attachment): (Arc<StreamQueue>, Channel, Attachment),
    token: Option<VerifiedSeatToken>,
    (answer, arrived): (DecisionAnswer, Moment),
) {
    let Some(token) = token else { return };
    let answerer = Answerer::Channel { queue, channel, attachment };
    match AccessCheck::from(&actor.table).admit(&ViewerCredential::Seat(token)) {
        Ok(_) => answer_decision(actor, turn, (token.seat(), None), (answer, arrived), answerer),
        Err(error) => {
            let outcome = AnswerOutcome::Refused(AnswerRefused::Host(error));
            actor.send_answer_outcome(answerer.send(Answered { decision: answer.decision, outcome }));
        }
    }
}

fn durable_summary(actor: &mut TableActor) -> Result<TableSummary, HostError> {
    actor.durable_summary().map_err(|error| HostError::Fault { reason: error.to_string() })
}

fn join_table(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    mut join: JoinRequest,
    to: ReplyTo<(Seat, TableSummary)>,
) {
    let setup = actor.table.setup();
    let is_hidden = setup.visibility == Visibility::Private
        && !join.by_owner
        && join.previous.is_none()
        && join.invite.is_none();
    let joined = if is_hidden {
        Err(HostError::NotFound { table: setup.table })
    } else {
        let repeated = actor.table.find_repeated_join(&join.seat_request).map_err(HostError::from);
        // Only the owner of the table names a user, so it may have the token of that user's seat.
        repeated.map(|seat| seat.or_else(|| actor.table.find_held_seat(&join.seat_request)))
    };
    match joined {
        Err(error) => drop(to.send(Err(error))),
        Ok(Some(seat)) => drop(to.send(Ok((seat, actor.table.summary())))),
        Ok(None) => match accept_invite(&actor.table, &mut join, turn.now_ms)
            .and_then(|()| actor.table.join(join.seat_request))
        {
            Err(error) => drop(to.send(Err(error.into()))),
            Ok((seat, entries)) => {
                if let Err(error) = begin_if_full(actor, turn, &entries) {
                    return drop(to.send(Err(error)));
                }
                commit(actor, turn, &entries, Some(Reply::Joined { seat, to }));
            }
        },
    }
}

/// Checks the invite of a request for a seat, if it has one.
fn accept_invite(table: &Table, join: &mut JoinRequest, now_ms: u64) -> Result<(), CommandError> {
    let Some(invite) = join.invite else { return Ok(()) };
    table.check_invite(invite.number(), now_ms)?;
    join.seat_request.invite = Some(invite.number());
    Ok(())
}

fn change_table(actor: &mut TableActor, turn: &mut TurnContext, change: Change, to: ReplyTo<TableSummary>) {
    let table = &actor.table;
    let entries = match &change {
        // The seats of a tournament table are assigned by the tournament.
        Change::Replace { seat, .. } if table.setup().chance.deal().is_some() => {
            Err(CommandError::SeatTaken { seat: *seat })
        }
        Change::Replace { seat, bot, request } => table.replace(*seat, bot, request.clone()),
        Change::Resign { seat } => match table.resign(*seat) {
            Err(CommandError::Forfeited { .. }) => Ok(Vec::new()),
            entries => entries,
        },
        Change::SuspendAgent { seat } => table.set_aside(*seat),
        Change::Cancel { note } => table.cancel(note),
        Change::Reissue { seat, request } => table.reissue(*seat, request.clone()),
        Change::RevokeSpectators => table.revoke_spectators(),
        Change::CreateInvite(new) => table.create_invite(new.clone()),
        Change::RevokeInvite { number } => table.revoke_invite(*number),
    };
    commit_change(actor, turn, entries, to);
}

/// Commits the entries of a change, and replies with the summary.
fn commit_change(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    entries: Result<Vec<Entry>, CommandError>,
    to: ReplyTo<TableSummary>,
) {
    match entries {
        Err(error) => drop(to.send(Err(error.into()))),
        Ok(entries) if entries.is_empty() => drop(to.send(Ok(actor.table.summary()))),
        Ok(entries) => match begin_if_full(actor, turn, &entries) {
            Ok(()) => commit(actor, turn, &entries, Some(Reply::Summary(to))),
            Err(error) => drop(to.send(Err(error))),
        },
    }
}

/// Commits the entries of a reveal, and replies with its outcome.
fn commit_reveal(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    entries: Result<Vec<Entry>, CommandError>,
    to: Revealer,
) {
    match entries {
        Err(error) => to.send(Err(error.into())),
        Ok(entries) if entries.is_empty() => to.send(Ok(())),
        Ok(entries) => match begin_if_full(actor, turn, &entries) {
            Ok(()) => commit(actor, turn, &entries, Some(Reply::Revealed(to))),
            Err(error) => to.send(Err(error)),
        },
    }
}

/// Counts the table as played for its agents, if these entries begin the game.
///
/// # Errors
/// An agent plays at as many tables as it takes. Then the last seat stays open.
fn begin_if_full(actor: &TableActor, turn: &TurnContext, entries: &[Entry]) -> Result<(), HostError> {
    if !entries.contains(&Entry::Started) {
        return Ok(());
    }
    Ok(turn.shared.agents.begin_table(actor.table.setup().table, &actor.agents)?)
}

/// An agent and its stream.
type AgentOnStream = (Arc<Agent>, Arc<StreamQueue>);

/// Submits the answer of a seat, with the moment at which it arrived. Its outcome is sent at once, or when the answer is
/// durable.
fn answer_decision(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    (seat, agent): (Seat, Option<AgentOnStream>),
    (answer, arrived): (DecisionAnswer, Moment),
    to: Answerer,
) {
    let DecisionAnswer { decision, answer: choice, reported } = answer;
    let used = actor.clocks.used_ms(seat, arrived);
    // The public statistics of an agent must not reveal secret decisions.
    let agent = agent.filter(|_| !actor.table.is_secret(seat));
    let outcome = match actor.table.answer(seat, decision, choice, used, reported) {
        Ok(AnswerEffect::Play(entry)) => {
            if !actor.table.is_secret(seat) {
                turn.moves.increment(1);
            }
            if let Some((agent, _)) = agent {
                let took = actor.clocks.used_time(seat, arrived);
                turn.shared.agents.record_answer(&agent, actor.table.setup(), took, reported);
            }
            return commit(actor, turn, &[entry], Some(Reply::Decided { seat, decision, to }));
        }
        Ok(AnswerEffect::AlreadyPlayed(decided)) => AnswerOutcome::Repeated(decided),
        Err(error @ CommandError::AlreadyDecided { .. }) => {
            let newest = actor.table.seats()[seat.index()].decided.filter(|made| made.id == decision);
            match newest {
                Some(made) => AnswerOutcome::Conflict(made),
                // Only the record knows older decisions, and building it takes the whole log.
                None => resolve_past_decision(actor.record().ok().as_deref(), seat, answer, error),
            }
        }
        Err(error) => {
            if let Some((agent, queue)) = agent
                && let Some(suspension) = turn.shared.agents.record_refusal(&agent, actor.table.setup())
            {
                queue.end(suspension.into());
            }
            match error {
                CommandError::Illegal(refusal) => AnswerOutcome::Refused(AnswerRefused::Illegal(refusal)),
                error => AnswerOutcome::Refused(AnswerRefused::Command(error)),
            }
        }
    };
    actor.send_answer_outcome(to.send(Answered { decision, outcome }));
}

/// Outcome of an answer to a decision that was made before, looked up in the record of the table.
pub(crate) fn resolve_past_decision(
    record: Option<&Record>,
    seat: Seat,
    answer: DecisionAnswer,
    error: CommandError,
) -> AnswerOutcome {
    let decided = record.and_then(|record| {
        let mut of_seat = record.steps.iter().filter_map(|step| step.decided[seat.index()]);
        of_seat.find(|decided| decided.was_asked() && decided.id == answer.decision)
    });
    let is_same = |decided: &Decided| match answer.answer {
        Answer::Action(action) => decided.action == action,
        Answer::Index(index) => decided.index == index,
    };
    match decided {
        Some(decided) if is_same(&decided) => AnswerOutcome::Repeated(decided),
        Some(decided) => AnswerOutcome::Conflict(decided),
        None => AnswerOutcome::Refused(AnswerRefused::Command(error)),
    }
}

/// Subscribes a stream channel to the table.
fn attach_channel(actor: &mut TableActor, turn: &mut TurnContext, mut attach: Box<AttachRequest>) {
    match try_attach(actor, turn, &attach) {
        Ok(CatchUp::Complete) => {}
        Ok(CatchUp::Paused { after }) => {
            attach.after = Some(after);
            turn.paused_catch_ups.push(*attach);
        }
        Err(error) => attach.refuse(error),
    }
}

fn try_attach(
    actor: &mut TableActor,
    turn: &mut TurnContext,
    attach: &AttachRequest,
) -> Result<CatchUp, HostError> {
    let viewer = AccessCheck::from(&actor.table).admit(&attach.credential)?;
    if viewer == Viewer::Spectator {
        turn.shared.deals.check(actor.table.setup().chance.deal())?;
    }
    let last = actor.table.numbers().get(viewer);
    if let Some(after) = attach.after.filter(|after| *after > last) {
        return Err(HostError::CursorAhead { after, last });
    }
    actor.subscriptions.check_room(viewer, attach.caller, turn.shared.spectator_limits)?;
    let mut subscription = Subscription {
        queue: attach.queue.clone(),
        channel: attach.channel,
        stream: attach.queue.kind(),
        attachment: attach.attachment,
        viewer,
        generation: match attach.credential {
            ViewerCredential::Seat(token) => Some(actor.table.seats()[token.seat().index()].generation),
            ViewerCredential::Spectator(_) => Some(actor.table.spectators()),
            ViewerCredential::NoToken { .. } => None,
        },
        wants: attach.wants,
        agent: attach.agent.clone(),
        resumed_after: attach.after,
        number: attach.after.unwrap_or(last),
    };
    match attach.after {
        None => {
            let snapshot = actor.snapshot(viewer, attach.wants, turn.now);
            subscription.send_requested(&StreamItem::Snapshot(&snapshot));
        }
        Some(after) if after < last => {
            let record = actor.record().map_err(|error| HostError::Fault { reason: error.to_string() })?;
            let caught_up = catch_up(&record, &mut subscription, after);
            if caught_up != CatchUp::Complete {
                return Ok(caught_up);
            }
        }
        Some(_) => {}
    }
    if let Viewer::Seat(seat) = viewer
        && let Some(prompt) = actor.decision_prompt(seat, &subscription, turn.now)
    {
        subscription.send_requested(&StreamItem::Decision(&prompt));
    }
    actor.subscriptions.reserve_for(actor.table.players());
    actor.subscriptions.admit(subscription, attach.caller, turn.shared.spectator_limits)?;
    if let Viewer::Seat(seat) = viewer {
        actor.update_presence(turn, seat, attach.arrived.min(turn.now));
    }
    Ok(CatchUp::Complete)
}

/// Progress of a channel that catches up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CatchUp {
    /// It has everything.
    Complete,
    /// The client must read before it is sent what follows this number.
    Paused { after: u64 },
}

/// Updates sent to a channel in one step of catching up: other requests to the shard wait that long.
const MAX_UPDATES_PER_STEP: usize = 8;

/// Sends the updates after this number, as far as the client has room for them.
pub(crate) fn catch_up(record: &Record, subscription: &mut Subscription, after: u64) -> CatchUp {
    let (seed_given, timed) = (record.summary.shuffle.given, record.summary.setup.time.decision > 0);
    let Subscription { viewer, wants, .. } = *subscription;
    let mut has_room = true;
    for (sent, RecordedUpdate { update, view }) in record.updates(viewer, after).enumerate() {
        if !has_room || sent == MAX_UPDATES_PER_STEP {
            return CatchUp::Paused { after: subscription.number };
        }
        subscription.number = update.number;
        let view = view.filter(|_| wants.needs_update_view());
        let update = ViewerUpdate { update, viewer, view, wants, seed_given, timed };
        has_room = subscription.send_requested(&StreamItem::Update(&update));
    }
    CatchUp::Complete
}
