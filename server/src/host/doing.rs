//! Doing things to a table in memory: what is asked, what clocks demand, what house bots decide.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parlor_engine::{Seat, Seats, Viewer};

use super::admit::Door;
use super::ask_table::{Answering, Ask, Attach, Change, To};
use super::bots::BotMove;
use super::clocks::{Clocks, Due};
use super::journal::Journal;
use super::live::{Live, Reply, Settled, Sub, table_events};
use super::load::LoadedTable;
use super::outbox::closed;
use super::shard::Creation;
use super::{
    AnswerOutcome, AnswerRefused, Answered, HostError, Item, Join, News, Shared, Told, Wants, What, Who,
};
use crate::clock::Moment;
use crate::log::{Append, Listing, Millis, NewPlace, OwnerId, Post};
use crate::stored;
use crate::table::{
    Answer, Answered as Answers, CommandError, Decided, Entry, Holder, Look, Record, State, Step, Table,
    TableEvent, Telling, Visibility,
};

/// How long a table waits after the log has failed, before it tries again by itself.
pub(super) const PAUSE: Duration = Duration::from_secs(1);
/// How long a table waits when the queue of the house bots is full.
const BOT_PAUSE: Duration = Duration::from_millis(10);

/// What a shard does in one turn.
pub(super) struct Work {
    pub(super) shared: Arc<Shared>,
    pub(super) now: Moment,
    pub(super) now_ms: u64,
    /// What is to be appended.
    pub(super) appends: Vec<Append>,
}

impl Work {
    pub(super) fn new(shared: Arc<Shared>) -> Work {
        Work { shared, now: Moment::START, now_ms: 0, appends: Vec::new() }
    }
}

/// Tells whoever asked that it cannot be.
pub(super) fn refuse(ask: Ask, error: HostError) {
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
            out.push(attachment, Item { channel, what: What::Answered(Box::new(answered)) });
        }
        Ask::Detach(_) | Ask::Wake => {}
    }
}

impl Attach {
    pub(super) fn refuse(&self, error: HostError) {
        self.out.push(self.attachment, closed(self.channel, Some(error), self.after.unwrap_or_default()));
    }
}

/// Does what a table is asked.
pub(super) fn carry_out(live: &mut Live, work: &mut Work, ask: Ask) {
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
            Ok(_) => answer(live, work, pass.seat(), answering, move |answered| drop(to.send(Ok(answered)))),
            Err(error) => drop(to.send(Err(error))),
        },
        Ask::Attach(attach) => attach_to(live, work, &attach),
        Ask::Answer { out, channel, attachment, pass, answering } => {
            let viewer = live.subs.iter().find(|sub| sub.attachment == attachment).map(|sub| sub.viewer);
            match viewer {
                Some(Viewer::Seat(seat)) => answer(live, work, seat, answering, move |answered| {
                    out.push(attachment, Item { channel, what: What::Answered(Box::new(answered)) });
                }),
                Some(Viewer::Spectator) | None => {
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
                let reply = move |done: Result<&Table, HostError>| {
                    drop(to.send(done.map(|table| (seat, table.look()))));
                };
                commit(live, work, entries, Some(Box::new(reply)));
            }
        },
    }
}

fn change_table(live: &mut Live, work: &mut Work, change: Change, to: To<Look>) {
    let table = &live.table;
    let entries = match &change {
        Change::Replace { seat, bot, request } => table.replace(*seat, bot, request.clone()),
        Change::Resign { seat } => match table.resign(*seat) {
            Err(CommandError::Forfeited { .. }) => Ok(Vec::new()),
            entries => entries,
        },
        Change::Cancel { note } => table.cancel(note),
        Change::Reissue { seat, request } => table.reissue(*seat, request.clone()),
        Change::RevokeSpectators => table.revoke_spectators(),
    };
    match entries {
        Err(error) => drop(to.send(Err(error.into()))),
        Ok(entries) if entries.is_empty() => drop(to.send(Ok(live.table.look()))),
        Ok(entries) => {
            let reply = move |done: Result<&Table, HostError>| drop(to.send(done.map(Table::look)));
            commit(live, work, entries, Some(Box::new(reply)));
        }
    }
}

/// Takes the answer of a seat, and says what became of it: at once, or when it is durable.
fn answer(
    live: &mut Live,
    work: &mut Work,
    seat: Seat,
    answering: Answering,
    reply: impl FnOnce(Answered) + Send + 'static,
) {
    let Answering { decision, answer, reported } = answering;
    let used = live.clocks.used(seat, work.now);
    let outcome = match live.table.answer(seat, decision, answer, used, reported) {
        Ok(Answers::Play(entry)) => {
            if !live.table.is_secret(seat) {
                metrics::counter!("parlor_moves_total").increment(1);
            }
            let reply = move |done: Result<&Table, HostError>| {
                let decided = done.and_then(|table| {
                    let newest = table.seats()[seat.index()].decided;
                    newest.ok_or_else(|| HostError::Fault { what: "an answer decided nothing".to_owned() })
                });
                let outcome = match decided {
                    Ok(decided) => AnswerOutcome::Accepted(decided),
                    Err(error) => AnswerOutcome::Refused(AnswerRefused::Host(error)),
                };
                reply(Answered { decision, outcome });
            };
            return commit(live, work, vec![entry], Some(Box::new(reply)));
        }
        Ok(Answers::Again(decided)) => AnswerOutcome::Repeated(decided),
        Err(error @ CommandError::AlreadyDecided { .. }) => {
            let record = live.record().ok();
            decided_before(record.as_deref(), seat, answering, error)
        }
        Err(CommandError::Illegal(refusal)) => AnswerOutcome::Refused(AnswerRefused::Illegal(refusal)),
        Err(error) => AnswerOutcome::Refused(AnswerRefused::Command(error)),
    };
    reply(Answered { decision, outcome });
}

/// What becomes of an answer to a decision that was decided before, by the record of the table.
pub(super) fn decided_before(
    record: Option<&Record>,
    seat: Seat,
    answering: Answering,
    error: CommandError,
) -> AnswerOutcome {
    let decided = record.and_then(|record| {
        let of_seat = record.steps.iter().filter_map(|step| step.decided[seat.index()]);
        of_seat.filter(|decided| decided.id == answering.decision).next()
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
    let last = live.table.numbers().of(viewer);
    if let Some(after) = attach.after.filter(|after| *after > last) {
        return Err(HostError::CursorAhead { after, last });
    }
    let mut sub = Sub {
        out: attach.out.clone(),
        channel: attach.channel,
        attachment: attach.attachment,
        viewer,
        generation: match attach.who {
            Who::Seat(pass) => Some(live.table.seats()[pass.seat().index()].generation),
            Who::Spectator(_) => Some(live.table.spectators()),
            Who::Rail { .. } => None,
        },
        wants: attach.wants,
        number: attach.after.unwrap_or(last),
    };
    match attach.after {
        None => sub.send(What::Snapshot(Box::new(live.snapshot(viewer, work.now)))),
        Some(after) if after < last => {
            let record = live.record().map_err(|bad| HostError::Fault { what: bad.to_string() })?;
            catch_up(&record, &mut sub, after);
        }
        Some(_) => {}
    }
    if let Viewer::Seat(seat) = viewer
        && let Some(asked) = live.asked(seat, &sub.wants, work.now)
    {
        sub.send(What::Decision(Box::new(asked)));
    }
    live.subs.push(sub);
    live.note_presence(work.now);
    Ok(())
}

/// Sends what a viewer has missed.
pub(super) fn catch_up(record: &Record, sub: &mut Sub, after: u64) {
    let (seed_given, timed) = (record.look.shuffle.given, record.look.setup.time.decision > 0);
    let wants: Wants = sub.wants;
    for Telling { mut update, view } in record.tellings(sub.viewer, after) {
        if !wants.events {
            update.events = Vec::new();
        }
        sub.number = update.number;
        let view = view.filter(|_| wants.update_views);
        sub.send(What::Update(Box::new(Told { update, view, seed_given, timed })));
    }
}

/// Makes a table. Nothing: it cannot be made, and whoever asked was told.
pub(super) fn create(work: &mut Work, creation: Creation, to: To<Look>) -> Option<Live> {
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
    let away_from = work.shared.away_from;
    let mut live = Live::new(table, owner, Journal::default(), Clocks::new(away_from), work.now);
    let look = Arc::new(live.table.look());
    let steps = match live.take_in(work.now_ms, &entries[1..], work.now) {
        Ok(steps) => steps,
        Err(error) => {
            drop(to.send(Err(error)));
            return None;
        }
    };
    let mut news = vec![News::Created(look)];
    news.extend(all_news(&live.table, &steps));
    let reply: Reply = Box::new(move |done| drop(to.send(done.map(Table::look))));
    let mut append = append(&live, work, 0, &entries, news);
    append.request = request;
    (append.listing, append.place) = (Some(listing(&live)), Some(place(&live, &append.entries)));
    live.set_pending(append.entries.clone(), Some(reply));
    work.appends.push(append);
    Some(live)
}

/// Folds entries in, and hands them to the log. Whoever waits for it is answered when they are durable.
fn commit(live: &mut Live, work: &mut Work, entries: Vec<Entry>, reply: Option<Reply>) {
    let mut all = live.clocks.away_entries(&live.table, work.now);
    all.extend(entries);
    let (state, length) = (live.table.state(), live.table.length());
    let steps = match live.take_in(work.now_ms, &all, work.now) {
        Ok(steps) => steps,
        Err(error) => {
            tracing::error!(table = %live.id(), %error, "an entry does not fit its table");
            if let Some(reply) = reply {
                reply(Err(error));
            }
            if let Settled::Lost(bad) = live.roll_back(work.now) {
                tracing::error!(table = %live.id(), error = %bad, "a table cannot be folded anew");
            }
            return;
        }
    };
    let news = all_news(&live.table, &steps);
    let mut append = append(live, work, length, &all, news);
    if live.table.state() != state {
        append.listing = Some(listing(live));
    }
    if live.table.state().is_over() || live.at_rest {
        append.place = Some(place(live, &append.entries));
        live.at_rest = false;
    }
    live.set_pending(append.entries.clone(), reply);
    work.appends.push(append);
}

fn append(live: &Live, work: &Work, expected: u64, entries: &[Entry], news: Vec<News>) -> Append {
    let setup = live.table.setup();
    let stored =
        entries.iter().map(|entry| stored::encode_entry(setup.created, work.now_ms, entry)).collect();
    let mut append = Append::new(setup.table, expected, Millis(work.now_ms), stored);
    let post = |news| Post { owner: live.owner.clone(), payload: stored::encode_news(setup.table, news) };
    append.feed = news.iter().map(post).collect();
    append
}

fn listing(live: &Live) -> Listing {
    let table = &live.table;
    let setup = table.setup();
    Listing {
        owner: live.owner.clone(),
        game: setup.options.game().info().id.to_owned(),
        state: state_code(table.state()),
        visibility: visibility_code(setup.visibility),
    }
}

/// The number that the log lists a state by. They never change.
pub(super) fn state_code(state: State) -> u8 {
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
pub(super) fn visibility_code(visibility: Visibility) -> u8 {
    match visibility {
        Visibility::Public => 1,
        Visibility::Private => 2,
    }
}

/// Where the log keeps the table from now on.
fn place(live: &Live, new: &[Bytes]) -> NewPlace {
    if !live.table.state().is_over() {
        return NewPlace::InPlay;
    }
    let mut journal = live.journal.clone();
    new.iter().for_each(|entry| journal.push(entry));
    match journal.record() {
        Ok(record) => NewPlace::Finished { record: stored::encode_record(&record) },
        Err(bad) => {
            tracing::error!(table = %live.id(), error = %bad, "a table has no record");
            NewPlace::InPlay
        }
    }
}

/// What the owner is told of some steps.
fn all_news(table: &Table, steps: &[Step]) -> Vec<News> {
    let of_event = |event: &TableEvent| match event {
        TableEvent::Joined { seat, name } => {
            let user = match &table.seats()[seat.index()].holder {
                Holder::Player { user, .. } => user.clone(),
                Holder::Vacant | Holder::House { .. } => None,
            };
            Some(News::Joined { seat: *seat, user, name: name.clone() })
        }
        TableEvent::Started { .. } => Some(News::Started),
        TableEvent::Forfeited { seat, conduct } => Some(News::Forfeited { seat: *seat, conduct: *conduct }),
        TableEvent::Replaced { seat, bot } => Some(News::Replaced { seat: *seat, bot: bot.clone() }),
        TableEvent::Ended { .. } => Some(News::Over(Arc::new(table.look()))),
        TableEvent::TimedOut { .. } | TableEvent::Rematch { .. } => None,
    };
    steps.iter().flat_map(table_events).filter_map(of_event).collect()
}

/// A house bot has decided.
pub(super) fn bot_moved(live: &mut Live, work: &mut Work, moved: BotMove) {
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
    commit(live, work, vec![entry], None);
}

/// Lets house bots think about what they are asked. Says whether some have to wait.
pub(super) fn let_bots_think(live: &mut Live, work: &Work) -> bool {
    if live.paused.is_some_and(|paused| work.now < paused) {
        return false;
    }
    for job in live.bot_jobs() {
        let seat = job.seat;
        if work.shared.bots.submit(job).is_err() {
            return true;
        }
        live.thinking = live.thinking.with(seat);
    }
    false
}

/// When the clocks, or the time in which the table must fill, demand something.
pub(super) fn must_wake(live: &Live, work: &Work) -> Option<Moment> {
    let expires = (live.table.state() == State::Open).then(|| {
        let left = live.table.setup().expires().saturating_sub(work.now_ms);
        work.now + Duration::from_millis(left)
    });
    live.clocks.next(&live.table).into_iter().chain(expires).min()
}

/// When the table has to be looked at again.
pub(super) fn next_look(live: &Live, work: &Work, bots_wait: bool) -> Option<Moment> {
    if let Some(paused) = live.paused.filter(|paused| work.now < *paused) {
        return Some(paused);
    }
    let retry = bots_wait.then(|| work.now + BOT_PAUSE);
    // A table that could not rest when it was time has something else to wait for.
    let idle = Some(live.touched + work.shared.idle).filter(|idle| live.subs.is_empty() && *idle > work.now);
    must_wake(live, work).into_iter().chain(retry).chain(idle).min()
}

/// Does what clocks demand. Says whether the table leaves memory at once.
pub(super) fn look_at(live: &mut Live, work: &mut Work) -> bool {
    if live.paused.is_some_and(|paused| work.now < paused) {
        return false;
    }
    let has_expired = live.table.setup().expires() <= work.now_ms;
    if let Some(entry) = live.table.expire().filter(|_| has_expired) {
        commit(live, work, vec![entry], None);
        return false;
    }
    let entry = match live.clocks.due(&live.table, work.now) {
        Some(Due::Seat { seat, decision, used, away }) => live.table.time_out(seat, decision, used, away),
        Some(Due::Window) => Some(Entry::WindowClosed),
        None => None,
    };
    if let Some(entry) = entry {
        commit(live, work, vec![entry], None);
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
        Millis(work.now_ms.saturating_add(ahead).min(crate::log::limits::TIME))
    });
    let entries = live.clocks.away_entries(&live.table, work.now);
    let length = live.table.length();
    if let Err(error) = live.take_in(work.now_ms, &entries, work.now) {
        tracing::error!(table = %live.id(), %error, "an entry does not fit its table");
        return false;
    }
    let mut append = append(live, work, length, &entries, Vec::new());
    append.place = Some(NewPlace::AtRest { wakes_at });
    live.set_pending(append.entries.clone(), None);
    live.goes_to_rest = true;
    work.appends.push(append);
    false
}

/// A table comes into memory.
pub(super) fn bring_in(loaded: LoadedTable, clocks: Option<Clocks>, work: &Work) -> Result<Live, HostError> {
    let LoadedTable { table, journal, at_rest } = loaded;
    let owner = OwnerId::new(&table.setup().owner)?;
    let clocks = clocks.unwrap_or_else(|| Clocks::new(work.shared.away_from));
    let mut live = Live::new(table, owner, journal, clocks, work.now);
    live.at_rest = at_rest;
    Ok(live)
}
