//! Checking a record: everything that must follow from the seed and from what was decided is worked out again, and compared.

use parlor_engine::{AnyAction, Seat, Viewer};
use parlor_proto::convert;

use super::diff::{differences, written};
use super::fair;
use super::finding::{Finding, Problem, Report, Unproven};
use super::fold::{Cause, Fold, Wrong};
use super::start::{Start, game_id};
use super::viewer;
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// Checks a record, without a server: the commitment, the seeds (that of a deal from that of its tournament, if the record
/// has it), every card dealt, every action and its place among the legal
/// ones, all that was told and to whom, the clocks, the points, the places and the reasons.
///
/// What is wrong is named by its path, with what stands there and what should. What house bots chose is checked like the
/// choices of everyone: that it was legal, not that they would choose it again.
#[must_use]
pub fn verify(record: &wire::Record) -> Report {
    let mut report = Report::default();
    let began = events(record).any(|event| matches!(event, Event::Started(_))) || !record.views.is_empty();
    let Some(start) = Start::of(record, began, &mut report.wrong) else { return report };
    report.wrong.extend(fair::wrong_deal(&start.shuffle));
    note_unproven(record, &start, &mut report.unproven);
    let viewer = match record.viewer.map(Viewer::try_from).transpose() {
        Ok(viewer) => viewer,
        Err(wrong) => {
            report.wrong.push(Finding::unreadable("viewer", wrong));
            return report;
        }
    };
    let mut right = head(record, &start);
    let steps = match viewer {
        None => full(record, &start, &mut right),
        Some(viewer) => viewer::check(record, &start, viewer, &mut right),
    };
    let found = wire::Record { steps: Vec::new(), ..record.clone() };
    report.wrong.extend(differences("", &found, &right));
    report.wrong.extend(steps);
    report
}

/// Everything that happened at the table, in order.
pub(super) fn events(record: &wire::Record) -> impl Iterator<Item = &Event> {
    record.steps.iter().flat_map(|step| &step.told).filter_map(|telling| match &telling.told {
        Some(Told::Table(table)) => table.event.as_ref(),
        _ => None,
    })
}

fn note_unproven(record: &wire::Record, start: &Start, unproven: &mut Vec<Unproven>) {
    if let Some(Ok(viewer)) = record.viewer.map(Viewer::try_from) {
        unproven.push(Unproven::Viewer(viewer));
    }
    if !start.began() {
        unproven.push(Unproven::NeverBegan);
    } else if record.result.as_ref().is_some_and(|result| result.reason() != wire::EndReason::PlayedOut) {
        unproven.push(Unproven::BrokenOff);
    }
    if start.shuffle.seed_given {
        unproven.push(Unproven::SeedGiven);
    } else if start.shuffle.deal_group.as_ref().is_some_and(|group| group.tournament_seed.is_empty()) {
        unproven.push(Unproven::Deal);
    }
}

/// The record as it must be, without its steps and without what only they tell.
fn head(record: &wire::Record, start: &Start) -> wire::Record {
    let mut right = wire::Record { steps: Vec::new(), ..record.clone() };
    right.game = game_id(start.options).to_owned();
    right.options = Some(start.options.into());
    right.shuffle = Some(start.shuffle.clone());
    right.views = if start.began() { start.views(record.viewer.as_ref()) } else { Vec::new() };
    right_times(record, &mut right);
    right
}

/// The moments at the head, by the times of the steps: of the three, most must agree on when the table was made.
fn right_times(record: &wire::Record, right: &mut wire::Record) {
    let started = record.steps.iter().find(|step| {
        step.told.iter().any(|telling| {
            matches!(&telling.told, Some(Told::Table(table)) if matches!(table.event, Some(Event::Started(_))))
        })
    });
    let (started, ended) = (started.map(|step| step.after_ms), record.steps.last().map(|step| step.after_ms));
    let made =
        |moment: Option<prost_types::Timestamp>, after: Option<i64>| Some(ms(moment?) - i128::from(after?));
    let votes =
        [made(record.create_time, Some(0)), made(record.start_time, started), made(record.end_time, ended)];
    let count = |vote: &Option<i128>| votes.iter().filter(|other| *other == vote).count();
    // Of those with as many votes, the first.
    let base = votes.iter().filter(|vote| vote.is_some()).rev().max_by_key(|vote| count(vote));
    let Some(Some(base)) = base else { return };
    let moment = |after: Option<i64>| after.map(|after| timestamp(base + i128::from(after)));
    right.create_time = moment(Some(0));
    right.start_time = moment(started);
    right.end_time = moment(ended);
}

fn ms(moment: prost_types::Timestamp) -> i128 {
    i128::from(moment.seconds) * 1000 + i128::from(moment.nanos / 1_000_000)
}

fn timestamp(ms: i128) -> prost_types::Timestamp {
    let seconds = i64::try_from(ms.div_euclid(1000)).unwrap_or(i64::MAX);
    // Below a thousand million.
    prost_types::Timestamp { seconds, nanos: (ms.rem_euclid(1000) * 1_000_000) as i32 }
}

/// Checks the steps of a full record, and adds to the head what they lead to.
fn full(record: &wire::Record, start: &Start, right: &mut wire::Record) -> Vec<Finding> {
    let mut walk = Walk {
        record,
        fold: Fold::new(start, first_holders(record, start.players)),
        findings: Vec::new(),
        place: 0,
        is_lost: false,
    };
    while walk.place < record.steps.len() && !walk.is_lost {
        walk.step();
    }
    walk.check_times();
    if !walk.is_lost {
        if walk.fold.is_over() {
            right.result.clone_from(&walk.fold.result);
        } else {
            walk.findings.push(Finding::new(format!("steps[{}]", walk.place), Problem::Unfinished));
        }
        right.shuffles = std::mem::take(&mut walk.fold.shuffles);
        right.seats =
            (0..).zip(walk.fold.holders()).map(|(seat, holder)| record_seat(seat, holder)).collect();
    }
    walk.findings
}

/// Who sat where when the table was made: those at the end who never came.
fn first_holders(record: &wire::Record, players: u8) -> Vec<Option<Occupant>> {
    // Players join.
    let was_there = |holder: &Occupant| !matches!(holder, Occupant::Player(_));
    let mut holders: Vec<Option<Occupant>> =
        (0..u32::from(players)).map(|seat| holder(record, seat).filter(was_there)).collect();
    let (mut came, mut began) = (vec![false; holders.len()], false);
    for event in events(record) {
        let (seat, by_bot) = match event {
            Event::Started(_) => {
                began = true;
                continue;
            }
            Event::SeatJoined(joined) => (joined.seat.as_ref(), false),
            Event::SeatReplaced(replaced) => (replaced.seat.as_ref(), true),
            _ => continue,
        };
        let place = seat.map_or(usize::MAX, |seat| seat.seat as usize);
        if let (Some(holder), Some(came)) = (holders.get_mut(place), came.get_mut(place)) {
            // Whom a bot replaced during the game, and who never came, was there: an agent.
            let was_there = by_bot && began && !*came;
            if !std::mem::replace(came, true) {
                *holder = was_there.then(|| Occupant::Agent(wire::AgentSeat::default()));
            }
        }
    }
    holders
}

fn holder(record: &wire::Record, seat: u32) -> Option<Occupant> {
    use wire::record_seat::Occupant as Sat;
    let entry = record.seats.iter().find(|entry| entry.seat == seat)?;
    Some(match entry.occupant.clone()? {
        Sat::Player(player) => Occupant::Player(player_seat(player.display_name)),
        Sat::HouseBot(bot) => Occupant::HouseBot(bot),
        Sat::Agent(agent) => Occupant::Agent(agent),
    })
}

fn player_seat(display_name: String) -> wire::PlayerSeat {
    wire::PlayerSeat { user_id: String::new(), display_name }
}

fn record_seat(seat: u32, holder: Option<&Occupant>) -> wire::RecordSeat {
    use wire::record_seat::Occupant as Sat;
    let occupant = holder.and_then(|holder| match holder {
        Occupant::Player(player) => {
            Some(Sat::Player(wire::RecordPlayer { display_name: player.display_name.clone() }))
        }
        Occupant::HouseBot(bot) => Some(Sat::HouseBot(bot.clone())),
        Occupant::Agent(agent) => Some(Sat::Agent(agent.clone())),
        Occupant::Open(_) | Occupant::Reserved(_) => None,
    });
    wire::RecordSeat { seat, occupant }
}

/// The way through the steps of a record.
struct Walk<'a> {
    record: &'a wire::Record,
    fold: Fold<'a>,
    findings: Vec<Finding>,
    place: usize,
    /// Whether what comes next can no longer be told.
    is_lost: bool,
}

/// One way to read a step: the fold after it, and what is then wrong with the step.
struct Reading<'a> {
    fold: Fold<'a>,
    wrong: Vec<Finding>,
}

impl<'a> Walk<'a> {
    fn found(&self, place: usize) -> Option<&'a wire::RecordStep> {
        self.record.steps.get(place)
    }

    /// Checks one step, or two that changed places.
    fn step(&mut self) {
        let place = self.place;
        let Some(found) = self.found(place) else { return };
        let (best, why) = self.best(&self.fold, place, found);
        if let Some(best) = best.as_ref().filter(|best| best.wrong.is_empty()) {
            self.fold = best.fold.clone();
            self.place += 1;
            return;
        }
        // If the record goes on after it, it is this step that was changed. Otherwise steps came, went or moved.
        let goes_on = |walk: &Walk<'a>, fold: &Fold<'a>, next: usize| match walk.found(next) {
            Some(step) => walk.fits(fold, next, step).is_some(),
            None => fold.is_over(),
        };
        if !best.as_ref().is_some_and(|best| goes_on(self, &best.fold, place + 1)) {
            if let Some(next) = self.found(place + 1)
                && let Some(fold) = self.fits(&self.fold, place, next)
                && let Some(fold) = self.fits(&fold, place + 1, found)
            {
                self.findings.push(Finding::new(format!("steps[{place}]"), Problem::Swapped));
                self.fold = fold;
                self.place += 2;
                return;
            }
            if goes_on(self, &self.fold, place + 1) {
                self.findings.push(Finding::new(format!("steps[{place}]"), Problem::Extra));
                self.place += 1;
                return;
            }
            if let Some((step, fold)) = self.missing_before(place, found) {
                let step = written(&step);
                self.findings.push(Finding::new(format!("steps[{place}]"), Problem::Missing { step }));
                self.fold = fold;
                self.place += 1;
                return;
            }
        }
        match best {
            Some(best) => {
                self.findings.extend(best.wrong);
                self.fold = best.fold;
                self.place += 1;
            }
            None => {
                self.findings.push(Finding::new(format!("steps[{place}]"), why));
                self.is_lost = true;
            }
        }
    }

    /// The table after the step, if it fits as it stands.
    fn fits(&self, fold: &Fold<'a>, place: usize, found: &wire::RecordStep) -> Option<Fold<'a>> {
        causes(fold, found).iter().find_map(|cause| {
            let mut fold = fold.clone();
            let right = fold.take_in(cause, found.after_ms).ok()?;
            differences(&format!("steps[{place}]"), found, &right).is_empty().then_some(fold)
        })
    }

    /// The reading of a step that most of it agrees with; and, if there is none, why.
    fn best(
        &self,
        fold: &Fold<'a>,
        place: usize,
        found: &wire::RecordStep,
    ) -> (Option<Reading<'a>>, Problem) {
        let path = format!("steps[{place}]");
        let (mut best, mut why): (Option<Reading<'a>>, Option<Problem>) = (None, None);
        let mut consider = |causes: Vec<Cause>| {
            for cause in causes {
                let mut fold = fold.clone();
                match fold.take_in(&cause, found.after_ms) {
                    Ok(right) => {
                        let wrong = differences(&path, found, &right);
                        if best.as_ref().is_none_or(|best| wrong.len() < best.wrong.len()) {
                            best = Some(Reading { fold, wrong });
                        }
                    }
                    Err(wrong) => {
                        why.get_or_insert(problem(&wrong));
                    }
                }
            }
            best.as_ref().is_some_and(|best| best.wrong.is_empty())
        };
        if !consider(causes(fold, found)) {
            consider(all_causes(fold, found.decided.first()));
        }
        // What was done is against the rules, whatever else it may have been.
        if let (Some(best), Some(illegal)) = (&mut best, illegal(fold, found, &path))
            && best.wrong.iter().any(|wrong| wrong.path.starts_with(&illegal.path))
        {
            best.wrong.insert(0, illegal);
        }
        let nothing = || Problem::Impossible { why: "nothing could happen then".to_owned() };
        (best, why.unwrap_or_else(nothing))
    }

    /// A step that must have been there before this one, and the table after both.
    fn missing_before(&self, place: usize, found: &wire::RecordStep) -> Option<(wire::RecordStep, Fold<'a>)> {
        let after_ms =
            place.checked_sub(1).and_then(|before| self.found(before)).map_or(0, |step| step.after_ms);
        let mut causes = all_causes(&self.fold, None);
        for seat in Seat::all(self.record.seats.len().min(6) as u8) {
            causes.push(Cause::Forfeited { seat, why: wire::SeatFinish::Resigned });
            causes.extend(
                holder(self.record, seat.index() as u32).map(|occupant| Cause::Joined { seat, occupant }),
            );
            causes.push(Cause::ClockRanOut { seat, think_ms: 0, why: wire::SeatFinish::TimedOut });
        }
        let candidates = causes.iter().filter_map(|cause| {
            let mut fold = self.fold.clone();
            let missing = fold.take_in(cause, after_ms).ok()?;
            fold.forget_times();
            let fold = self.fits(&fold, place, found)?;
            Some((missing, fold))
        });
        // Of several, the one after which the record goes on for longest.
        candidates.max_by_key(|(_, fold)| {
            let mut fold = fold.clone();
            let rest = self.record.steps.iter().enumerate().skip(place + 1);
            let fitting = rest.take_while(|(place, step)| match self.fits(&fold, *place, step) {
                Some(next) => {
                    fold = next;
                    true
                }
                None => false,
            });
            fitting.count()
        })
    }

    /// Time goes on. The clock of a server can be set back, but then its times are not right either.
    fn check_times(&mut self) {
        let mut before = i64::MIN;
        for (place, step) in self.record.steps.iter().enumerate() {
            if step.after_ms < before {
                let path = format!("steps[{place}].after_ms");
                self.findings.push(Finding::new(path, Problem::Backwards { before }));
            }
            before = step.after_ms;
        }
    }
}

fn problem(wrong: &Wrong) -> Problem {
    match wrong {
        Wrong::Rules { action, refusal } => {
            Problem::Illegal { action: written(&wire::GameAction::from(*action)), refusal: *refusal }
        }
        Wrong::Table(why) => Problem::Impossible { why: (*why).to_owned() },
    }
}

/// What the rules say against a decision of the step, if they say anything.
fn illegal(fold: &Fold<'_>, found: &wire::RecordStep, path: &str) -> Option<Finding> {
    found.decided.iter().enumerate().find_map(|(place, decision)| {
        let seat = convert::seat(decision.seat, "seat").ok()?;
        let action = AnyAction::try_from(decision.action.clone()?).ok()?;
        let refusal = fold.game.clone()?.apply(seat, action, &mut parlor_engine::NoEvents).err()?;
        let action = written(&wire::GameAction::from(action));
        Some(Finding::new(format!("{path}.decided[{place}].action"), Problem::Illegal { action, refusal }))
    })
}

/// What can have happened, by what the step says.
fn causes(fold: &Fold<'_>, found: &wire::RecordStep) -> Vec<Cause> {
    if let Some(seat) = fold.next_forfeited() {
        return vec![Cause::Default { seat }];
    }
    let mut causes = Vec::new();
    let first = found.decided.first();
    let think_ms = first.map_or(0, |decision| decision.think_ms);
    let told = found.told.iter().filter_map(|telling| match &telling.told {
        Some(Told::Table(table)) => table.event.as_ref(),
        _ => None,
    });
    let seat = |number: u32| convert::seat(number, "seat").ok().filter(|seat| fold.has(*seat));
    let table_seat = |entry: &Option<wire::TableSeat>| {
        let entry = entry.as_ref()?;
        Some((seat(entry.seat)?, entry.occupant.clone()?))
    };
    let mut forfeited = None;
    for event in told {
        match event {
            Event::SeatJoined(joined) => {
                causes.extend(table_seat(&joined.seat).map(|(seat, occupant)| {
                    let occupant = match occupant {
                        Occupant::Player(player) => Occupant::Player(player_seat(player.display_name)),
                        other => other,
                    };
                    Cause::Joined { seat, occupant }
                }));
            }
            Event::Started(_) => causes.push(Cause::Started),
            Event::ClockRanOut(clock) => {
                causes.extend(seat(clock.seat).map(|seat| Cause::ClockRanOut {
                    seat,
                    think_ms,
                    why: wire::SeatFinish::TimedOut,
                }));
            }
            Event::SeatForfeited(forfeit) => {
                forfeited = Some(forfeit.why());
                causes.extend(seat(forfeit.seat).map(|seat| Cause::Forfeited { seat, why: forfeit.why() }));
            }
            Event::SeatReplaced(replaced) => {
                if let Some((seat, Occupant::HouseBot(bot))) = table_seat(&replaced.seat) {
                    causes.push(Cause::Replaced { seat, bot: bot.name });
                }
            }
            Event::Over(over) => {
                let result = over.result.clone().unwrap_or_default();
                if result.reason() != wire::EndReason::PlayedOut {
                    causes.push(Cause::Ended { reason: result.reason(), note: result.note });
                }
            }
            Event::Rematch(_) => {}
        }
    }
    for cause in &mut causes {
        if let (Cause::ClockRanOut { why, .. }, Some(forfeited)) = (cause, forfeited) {
            *why = forfeited;
        }
    }
    for decision in &found.decided {
        causes.extend(seat(decision.seat).map(|seat| decided(fold, seat, decision)).into_iter().flatten());
    }
    if fold.window_is_held() {
        causes.push(Cause::WindowClosed);
    }
    if found.told.is_empty() && found.decided.is_empty() && found.asked.is_empty() {
        causes.push(Cause::Nothing);
    }
    causes
}

/// What a decision can have come from: the action it names, or the index.
fn decided(fold: &Fold<'_>, seat: Seat, decision: &wire::RecordDecision) -> Vec<Cause> {
    let (think_ms, reported_ms) = (decision.think_ms, decision.reported_ms);
    if decision.by() == wire::DecidedBy::Clock {
        let by_clock = Cause::ClockRanOut { seat, think_ms, why: wire::SeatFinish::TimedOut };
        return vec![by_clock];
    }
    let action = decision.action.clone().and_then(|action| AnyAction::try_from(action).ok());
    let legal = fold.legal_actions(seat);
    let named = legal.iter().position(|offered| Some(*offered) == action);
    let acted = |index| Cause::Acted { seat, index, think_ms, reported_ms };
    named.into_iter().chain([decision.index as usize]).map(acted).collect()
}

/// Whatever can happen in the game now, as far as it is known how.
fn all_causes(fold: &Fold<'_>, like: Option<&wire::RecordDecision>) -> Vec<Cause> {
    if let Some(seat) = fold.next_forfeited() {
        return vec![Cause::Default { seat }];
    }
    let think_ms = like.map_or(0, |decision| decision.think_ms);
    let reported_ms = like.and_then(|decision| decision.reported_ms);
    let mut causes = vec![Cause::Started, Cause::WindowClosed];
    for seat in fold.to_act().iter() {
        let actions = 0..fold.legal_actions(seat).len();
        causes.extend(actions.map(|index| Cause::Acted { seat, index, think_ms, reported_ms }));
        causes.push(Cause::ClockRanOut { seat, think_ms, why: wire::SeatFinish::TimedOut });
    }
    causes
}
