//! Doing what a table in memory is asked.

use std::sync::Arc;

use parlor_engine::{Seat, Viewer};

use crate::agents::Known;
use crate::authorization::Door;
use crate::shard::commit::{Work, commit};
use crate::shard::reply::{Answerer, Reply};
use crate::shard::table_actor::{Live, Sub};
use crate::shard::table_message::{Ask, Attach, Change, To};
use crate::stream::queue::{Out, closed};
use crate::table::{
    Answer, Answered as Answers, CommandError, Decided, DecisionAnswer, Look, Record, Telling, Visibility,
};
use crate::{AnswerOutcome, AnswerRefused, Answered, HostError, Join, StreamItem, Told, Wants, Who};

/// Tells whoever asked that it cannot be.
pub(crate) fn refuse(ask: Ask, error: HostError) {
    match ask {
        Ask::Look(to) => drop(to.send(Err(error))),
        Ask::Admit { to, .. } => drop(to.send(Err(error))),
        Ask::Join { to, .. } => drop(to.send(Err(error))),
        Ask::Change { to, .. } => drop(to.send(Err(error))),
        Ask::Act { to, .. } => drop(to.send(Err(error))),
        Ask::Attach(attach) => attach.refuse(error),
        Ask::Answer { out, channel, attachment, answering, .. } => {
            let outcome = AnswerOutcome::Refused(AnswerRefused::Host(error));
            let answered = Answered { decision: answering.decision, outcome };
            out.push(attachment, channel, &StreamItem::Answered(&answered));
        }
        Ask::Detach(_) | Ask::Wake => {}
    }
}

impl Attach {
    pub(crate) fn refuse(&self, error: HostError) {
        let closed = closed(Some(error), self.after.unwrap_or_default());
        self.out.close(self.attachment, self.channel, closed);
    }
}

/// Does what a table is asked.
pub(crate) fn carry_out(live: &mut Live, work: &mut Work, ask: Ask) {
    live.touched = work.now;
    match ask {
        Ask::Look(to) => drop(to.send(Ok(live.table.look()))),
        Ask::Admit { who, to } => {
            let viewer = Door::from(&live.table).admit(&who);
            drop(to.send(viewer.map(|viewer| (live.table.look(), viewer))));
        }
        Ask::Join { join, to } => join_table(live, work, *join, to),
        Ask::Change { behalf, change, to } => {
            match Door::from(&live.table).may_change(&behalf, change.seat()) {
                Ok(()) => change_table(live, work, change, to),
                Err(error) => drop(to.send(Err(error))),
            }
        }
        Ask::Act { pass, answering, to } => match Door::from(&live.table).admit(&Who::Seat(pass)) {
            Ok(_) => answer(live, work, (pass.seat(), None), answering, Answerer::Call(to)),
            Err(error) => drop(to.send(Err(error))),
        },
        Ask::Attach(attach) => attach_to(live, work, &attach),
        Ask::Answer { out, channel, attachment, pass, answering } => {
            let sub = live.subs.iter().find(|sub| sub.attachment == attachment);
            match sub.map(|sub| (sub.viewer, sub.agent.clone())) {
                Some((Viewer::Seat(seat), agent)) => {
                    let by = (seat, agent.map(|agent| (agent, out)));
                    answer(live, work, by, answering, Answerer::Stream(attachment));
                }
                Some((Viewer::Spectator, _)) | None => {
                    let error = HostError::NoChannel { channel: channel.0 };
                    refuse(Ask::Answer { out, channel, attachment, pass, answering }, error);
                }
            }
        }
        Ask::Detach(_) | Ask::Wake => {}
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

fn join_table(live: &mut Live, work: &mut Work, join: Join, to: To<(Seat, Look)>) {
    let setup = live.table.setup();
    let is_hidden = setup.visibility == Visibility::Private && !join.by_owner && join.previous.is_none();
    let joined = if is_hidden {
        Err(HostError::NotFound { table: setup.table })
    } else {
        live.table.joined_before(&join.joining).map_err(HostError::from)
    };
    match joined {
        Err(error) => drop(to.send(Err(error))),
        Ok(Some(seat)) => drop(to.send(Ok((seat, live.table.look())))),
        Ok(None) => match live.table.join(join.joining) {
            Err(error) => drop(to.send(Err(error.into()))),
            Ok((seat, entries)) => {
                commit(live, work, &entries, Some(Reply::Joined { seat, to }));
            }
        },
    }
}

fn change_table(live: &mut Live, work: &mut Work, change: Change, to: To<Look>) {
    let table = &live.table;
    let entries = match &change {
        // Who plays in a tournament is for the tournament to say.
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
        Ok(entries) if entries.is_empty() => drop(to.send(Ok(live.table.look()))),
        Ok(entries) => commit(live, work, &entries, Some(Reply::Look(to))),
    }
}

/// An agent, and its stream.
type Agent = (Arc<Known>, Arc<Out>);

/// Takes the answer of a seat, and says what became of it: at once, or when it is durable.
fn answer(
    live: &mut Live,
    work: &mut Work,
    (seat, agent): (Seat, Option<Agent>),
    answering: DecisionAnswer,
    to: Answerer,
) {
    let DecisionAnswer { decision, answer, reported } = answering;
    let used = live.clocks.used(seat, work.now);
    // What is listed of an agent must not tell of decisions that are a secret.
    let agent = agent.filter(|_| !live.table.is_secret(seat));
    let outcome = match live.table.answer(seat, decision, answer, used, reported) {
        Ok(Answers::Play(entry)) => {
            if !live.table.is_secret(seat) {
                work.moves.increment(1);
            }
            if let Some((agent, _)) = agent {
                work.shared.agents.answered(&agent, live.clocks.used_time(seat, work.now), reported);
            }
            return commit(live, work, &[entry], Some(Reply::Decided { seat, decision, to }));
        }
        Ok(Answers::Again(decided)) => AnswerOutcome::Repeated(decided),
        Err(error @ CommandError::AlreadyDecided { .. }) => {
            let newest = live.table.seats()[seat.index()].decided.filter(|made| made.id == decision);
            match newest {
                Some(made) => AnswerOutcome::Conflict(made),
                // Only the record knows of older ones, and it takes the whole log to make it.
                None => decided_before(live.record().ok().as_deref(), seat, answering, error),
            }
        }
        Err(error) => {
            if let Some((agent, out)) = agent
                && let Some(enough) = work.shared.agents.refused(&agent)
            {
                out.end(enough.into());
            }
            match error {
                CommandError::Illegal(refusal) => AnswerOutcome::Refused(AnswerRefused::Illegal(refusal)),
                error => AnswerOutcome::Refused(AnswerRefused::Command(error)),
            }
        }
    };
    live.answer(to.send(Answered { decision, outcome }));
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
fn attach_to(live: &mut Live, work: &Work, attach: &Attach) {
    if let Err(error) = try_attach(live, work, attach) {
        attach.refuse(error);
    }
}

fn try_attach(live: &mut Live, work: &Work, attach: &Attach) -> Result<(), HostError> {
    let viewer = Door::from(&live.table).admit(&attach.who)?;
    if viewer == Viewer::Spectator {
        work.shared.deals.check(live.table.setup().chance.deal())?;
    }
    let last = live.table.numbers().of(viewer);
    if let Some(after) = attach.after.filter(|after| *after > last) {
        return Err(HostError::CursorAhead { after, last });
    }
    let mut sub = Sub {
        out: attach.out.clone(),
        channel: attach.channel,
        stream: attach.out.kind(),
        attachment: attach.attachment,
        viewer,
        generation: match attach.who {
            Who::Seat(pass) => Some(live.table.seats()[pass.seat().index()].generation),
            Who::Spectator(_) => Some(live.table.spectators()),
            Who::Rail { .. } => None,
        },
        wants: attach.wants,
        agent: attach.agent.clone(),
        number: attach.after.unwrap_or(last),
    };
    match attach.after {
        None => sub.send(&StreamItem::Snapshot(&live.snapshot(viewer, work.now))),
        Some(after) if after < last => {
            let record = live.record().map_err(|bad| HostError::Fault { what: bad.to_string() })?;
            catch_up(&record, &mut sub, after);
        }
        Some(_) => {}
    }
    if let Viewer::Seat(seat) = viewer
        && let Some(asked) = live.asked(seat, &sub.wants, work.now)
    {
        sub.send(&StreamItem::Decision(&asked));
    }
    live.add(sub);
    live.note_presence(work.now);
    Ok(())
}

/// Sends what a viewer has missed.
pub(crate) fn catch_up(record: &Record, sub: &mut Sub, after: u64) {
    let (seed_given, timed) = (record.look.shuffle.given, record.look.setup.time.decision > 0);
    let wants: Wants = sub.wants;
    for Telling { mut update, view } in record.tellings(sub.viewer, after) {
        if !wants.events {
            update.events = Vec::new();
        }
        sub.number = update.number;
        let view = view.filter(|_| wants.update_views);
        sub.send_missed(&StreamItem::Update(&Told { update, view, seed_given, timed }));
    }
}
