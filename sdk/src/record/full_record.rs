//! Verifies the steps of a full record: finds the cause of each step, and reports how the step differs from
//! its effect.

use parlor_engine::{AnyAction, Seat};
use parlor_proto::convert;

use super::causes::{Cause, candidate_causes, possible_causes};
use super::diff::{differences, written};
use super::fold::{CauseError, TableFold};
use super::game_setup::GameSetup;
use super::occupants::{final_occupant, initial_occupants, record_seat};
use super::report::{Finding, Problem};
use crate::wire;

/// Checks the steps, and completes the expected header with what they lead to.
pub(super) fn check(record: &wire::Record, setup: &GameSetup, expected: &mut wire::Record) -> Vec<Finding> {
    let mut check = FullRecordCheck {
        record,
        fold: TableFold::new(setup, initial_occupants(record, setup.players)),
        findings: Vec::new(),
        index: 0,
        is_stuck: false,
    };
    while check.index < record.steps.len() && !check.is_stuck {
        check.step();
    }
    check.check_times();
    if !check.is_stuck {
        if check.fold.is_over() {
            expected.result.clone_from(&check.fold.result);
        } else {
            check.findings.push(Finding::new(format!("steps[{}]", check.index), Problem::Unfinished));
        }
        expected.shuffles = std::mem::take(&mut check.fold.shuffles);
        expected.seats =
            (0..).zip(check.fold.occupants()).map(|(seat, occupant)| record_seat(seat, occupant)).collect();
    }
    check.findings
}

/// State of the check.
struct FullRecordCheck<'a> {
    record: &'a wire::Record,
    fold: TableFold<'a>,
    findings: Vec<Finding>,
    index: usize,
    /// True if the following steps can no longer be determined.
    is_stuck: bool,
}

/// An interpretation of a step: the fold after it, and the step's differences from the expected one.
struct Interpretation<'a> {
    fold: TableFold<'a>,
    differences: Vec<Finding>,
}

impl<'a> FullRecordCheck<'a> {
    fn recorded_step(&self, index: usize) -> Option<&'a wire::RecordStep> {
        self.record.steps.get(index)
    }

    /// Checks one step, or two that are swapped.
    fn step(&mut self) {
        let index = self.index;
        let Some(found) = self.recorded_step(index) else { return };
        let (best, why) = self.best_interpretation(&self.fold, index, found);
        if let Some(best) = best.as_ref().filter(|best| best.differences.is_empty()) {
            self.fold = best.fold.clone();
            self.index += 1;
            return;
        }
        // If the next step fits, this step was altered. Otherwise steps were added, removed or moved.
        let next_step_fits = |check: &FullRecordCheck<'a>, fold: &TableFold<'a>, next: usize| match check
            .recorded_step(next)
        {
            Some(step) => check.fold_if_fits(fold, next, step).is_some(),
            None => fold.is_over(),
        };
        if !best.as_ref().is_some_and(|best| next_step_fits(self, &best.fold, index + 1)) {
            if let Some(next) = self.recorded_step(index + 1)
                && let Some(fold) = self.fold_if_fits(&self.fold, index, next)
                && let Some(fold) = self.fold_if_fits(&fold, index + 1, found)
            {
                self.findings.push(Finding::new(format!("steps[{index}]"), Problem::Swapped));
                self.fold = fold;
                self.index += 2;
                return;
            }
            // A reveal tells nobody anything, so it fits everywhere.
            let tells = |step: &wire::RecordStep| {
                !(step.told.is_empty() && step.decided.is_empty() && step.asked.is_empty())
            };
            if self.recorded_step(index + 1).is_none_or(tells) && next_step_fits(self, &self.fold, index + 1)
            {
                self.findings.push(Finding::new(format!("steps[{index}]"), Problem::Extra));
                self.index += 1;
                return;
            }
            if let Some((step, fold)) = self.missing_before(index, found) {
                let step = written(&step);
                self.findings.push(Finding::new(format!("steps[{index}]"), Problem::Missing { step }));
                self.fold = fold;
                self.index += 1;
                return;
            }
        }
        match best {
            Some(best) => {
                self.findings.extend(best.differences);
                self.fold = best.fold;
                self.index += 1;
            }
            None => {
                self.findings.push(Finding::new(format!("steps[{index}]"), why));
                self.is_stuck = true;
            }
        }
    }

    /// The fold after the step, if the step fits unaltered.
    fn fold_if_fits(
        &self,
        fold: &TableFold<'a>,
        index: usize,
        found: &wire::RecordStep,
    ) -> Option<TableFold<'a>> {
        candidate_causes(fold, found).iter().find_map(|cause| {
            let mut fold = fold.clone();
            let expected = fold.apply(cause, found.after_ms).ok()?;
            differences(&format!("steps[{index}]"), found, &expected).is_empty().then_some(fold)
        })
    }

    /// The interpretation with the fewest differences; if there is none, the problem.
    fn best_interpretation(
        &self,
        fold: &TableFold<'a>,
        index: usize,
        found: &wire::RecordStep,
    ) -> (Option<Interpretation<'a>>, Problem) {
        let path = format!("steps[{index}]");
        let (mut best, mut why): (Option<Interpretation<'a>>, Option<Problem>) = (None, None);
        let mut consider = |causes: Vec<Cause>| {
            for cause in causes {
                let mut fold = fold.clone();
                match fold.apply(&cause, found.after_ms) {
                    Ok(expected) => {
                        let diffs = differences(&path, found, &expected);
                        if best.as_ref().is_none_or(|best| diffs.len() < best.differences.len()) {
                            best = Some(Interpretation { fold, differences: diffs });
                        }
                    }
                    Err(error) => {
                        why.get_or_insert(problem(&error));
                    }
                }
            }
            best.as_ref().is_some_and(|best| best.differences.is_empty())
        };
        if !consider(candidate_causes(fold, found)) {
            consider(possible_causes(fold, found.decided.first()));
        }
        // The action is illegal, whatever else is wrong.
        if let (Some(best), Some(illegal)) = (&mut best, illegal_action(fold, found, &path))
            && best.differences.iter().any(|difference| difference.path.starts_with(&illegal.path))
        {
            best.differences.insert(0, illegal);
        }
        let nothing = || Problem::Impossible { why: "no event was possible".to_owned() };
        (best, why.unwrap_or_else(nothing))
    }

    /// A step that must have come before this one, and the fold after both.
    fn missing_before(
        &self,
        index: usize,
        found: &wire::RecordStep,
    ) -> Option<(wire::RecordStep, TableFold<'a>)> {
        let after_ms = index
            .checked_sub(1)
            .and_then(|before| self.recorded_step(before))
            .map_or(0, |step| step.after_ms);
        let mut causes = possible_causes(&self.fold, None);
        for seat in Seat::all(self.record.seats.len().min(6) as u8) {
            causes.push(Cause::Forfeited { seat, why: wire::SeatFinish::Resigned });
            causes.extend(
                final_occupant(self.record, seat.index() as u32)
                    .map(|occupant| Cause::Joined { seat, occupant }),
            );
            causes.push(Cause::ClockRanOut { seat, think_ms: 0, why: wire::SeatFinish::TimedOut });
        }
        let candidates = causes.iter().filter_map(|cause| {
            let mut fold = self.fold.clone();
            let missing = fold.apply(cause, after_ms).ok()?;
            fold.mark_think_times_unknown();
            let fold = self.fold_if_fits(&fold, index, found)?;
            Some((missing, fold))
        });
        // Of several candidates, the one after which most steps fit.
        candidates.max_by_key(|(_, fold)| {
            let mut fold = fold.clone();
            let rest = self.record.steps.iter().enumerate().skip(index + 1);
            let fitting = rest.take_while(|(index, step)| match self.fold_if_fits(&fold, *index, step) {
                Some(next) => {
                    fold = next;
                    true
                }
                None => false,
            });
            fitting.count()
        })
    }

    /// Times never decrease. A server's clock can be set back, but then its times are wrong too.
    fn check_times(&mut self) {
        let mut before = 0;
        for (index, step) in self.record.steps.iter().enumerate() {
            if step.after_ms < before {
                let path = format!("steps[{index}].after_ms");
                self.findings.push(Finding::new(path, Problem::TimeReversed { previous_ms: before }));
            }
            before = step.after_ms;
        }
    }
}

fn problem(error: &CauseError) -> Problem {
    match error {
        CauseError::Rules { action, refusal } => {
            Problem::Illegal { action: written(&wire::GameAction::from(*action)), refusal: *refusal }
        }
        CauseError::Table(why) => Problem::Impossible { why: (*why).to_owned() },
    }
}

/// A finding if the rules refuse a decision of the step.
fn illegal_action(fold: &TableFold<'_>, found: &wire::RecordStep, path: &str) -> Option<Finding> {
    found.decided.iter().enumerate().find_map(|(index, decision)| {
        let seat = convert::seat(decision.seat, "seat").ok()?;
        let action = AnyAction::try_from(decision.action.clone()?).ok()?;
        let refusal = fold.game.clone()?.apply(seat, action, &mut parlor_engine::NoEvents).err()?;
        let action = written(&wire::GameAction::from(action));
        Some(Finding::new(format!("{path}.decided[{index}].action"), Problem::Illegal { action, refusal }))
    })
}
