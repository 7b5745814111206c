//! The way through the steps of a full record: what each can have come from, and what is then wrong with it.

use parlor_engine::{AnyAction, Seat};
use parlor_proto::convert;

use super::causes::{Cause, all_causes, causes};
use super::diff::{differences, written};
use super::finding::{Finding, Problem};
use super::fold::{Fold, Wrong};
use super::holders::{first_holders, holder, record_seat};
use super::start::Start;
use crate::wire;

/// Checks the steps of a full record, and adds to the head what they lead to.
pub(super) fn check(record: &wire::Record, start: &Start, right: &mut wire::Record) -> Vec<Finding> {
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
