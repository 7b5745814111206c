//! Verifies the record of one viewer, as far as possible: its deal, its own decisions, and the result.
//!
//! The others' actions are not in it. The legality of the viewer's own action depends only on what the viewer
//! knows, so any sampled world consistent with the view can judge it.

use parlor_engine::{AnyAction, AnyEvent, AnyGame, AnyView, Audience, NoEvents, Viewer};
use parlor_proto::convert::seat_number;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::diff::{differences, written};
use super::game_setup::{GameSetup, outcome_of_view};
use super::ranking::{Forfeit, RankedSeat, rank};
use super::report::{Finding, Problem};
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;

/// State of the check: the viewer's own seat, and what everyone knows of the others.
struct ViewerRecordCheck<'a> {
    setup: &'a GameSetup,
    viewer: Viewer,
    /// The expected initial view, which the viewer gets when the game starts.
    first: Option<AnyView>,
    view: Option<AnyView>,
    /// True while the viewer has an open decision, and the number of decisions so far.
    open: bool,
    asked: u32,
    bank: u32,
    think_ms_total: u32,
    forfeits: Vec<Option<Forfeit>>,
    time_outs: Vec<u32>,
    findings: Vec<Finding>,
}

/// Checks the steps, and completes the expected header with what they lead to.
pub(super) fn check(
    record: &wire::Record,
    setup: &GameSetup,
    viewer: Viewer,
    expected: &mut wire::Record,
) -> Vec<Finding> {
    let players = usize::from(setup.players);
    let mut check = ViewerRecordCheck {
        setup,
        viewer,
        first: expected.views.first().and_then(|view| AnyView::try_from(view.clone()).ok()),
        view: None,
        open: false,
        asked: 0,
        bank: setup.clock.bank_ms(),
        think_ms_total: 0,
        forfeits: vec![None; players],
        time_outs: vec![0; players],
        findings: Vec::new(),
    };
    if viewer.seat().is_some_and(|seat| seat.index() >= players) {
        return vec![Finding::unreadable("viewer", "the table has no such seat")];
    }
    expected.shuffles.clear();
    let mut is_over = false;
    for (index, found) in record.steps.iter().enumerate() {
        let path = format!("steps[{index}]");
        if is_over {
            check.findings.push(Finding::new(path, Problem::Extra));
            continue;
        }
        let step = check.expected_step(&path, found, &mut is_over);
        check.findings.extend(differences(&path, found, &step));
    }
    if !is_over {
        check.findings.push(Finding::new(format!("steps[{}]", record.steps.len()), Problem::Unfinished));
    }
    if let Some(result) = &mut expected.result {
        check.correct_result(result);
    }
    check.findings
}

impl ViewerRecordCheck<'_> {
    /// The expected step.
    fn expected_step(
        &mut self,
        path: &str,
        found: &wire::RecordStep,
        is_over: &mut bool,
    ) -> wire::RecordStep {
        let mut expected = found.clone();
        for (index, decision) in expected.decided.iter_mut().enumerate() {
            self.correct_decision(&format!("{path}.decided[{index}]"), decision);
        }
        if self.viewer.seat().is_none() {
            expected.decided.clear();
            expected.asked.clear();
        }
        self.correct_events(&mut expected.told, is_over);
        self.open_decision(&mut expected.asked);
        expected
    }

    /// Corrects a decision of the viewer.
    fn correct_decision(&mut self, path: &str, decision: &mut wire::RecordDecision) {
        let Some(seat) = self.viewer.seat() else { return };
        decision.seat = seat_number(seat);
        decision.decision_id = self.asked;
        if !self.open {
            let why = "the viewer had no open decision".to_owned();
            self.findings.push(Finding::new(path, Problem::Impossible { why }));
            return;
        }
        self.open = false;
        let Some(world) = self.sample_world(path) else { return };
        let clock = self.setup.clock;
        self.think_ms_total = self.think_ms_total.saturating_add(decision.think_ms);
        if !world.has_secret_decision(seat) {
            self.bank = self.bank.saturating_sub(decision.think_ms.saturating_sub(clock.decision_ms()));
        }
        decision.bank_left_ms = self.setup.has_limit().then_some(self.bank);
        let legal = world.legal_actions(seat);
        let action = decision.action.clone().and_then(|action| AnyAction::try_from(action).ok());
        match action.and_then(|action| legal.iter().position(|offered| *offered == action)) {
            Some(index) => decision.index = index as u32,
            None => {
                if let Some(action) = action
                    && let Err(refusal) = world.clone().apply(seat, action, &mut NoEvents)
                {
                    let action = written(&wire::GameAction::from(action));
                    let path = format!("{path}.action");
                    self.findings.push(Finding::new(path, Problem::Illegal { action, refusal }));
                }
                decision.action = legal.get(decision.index as usize).map(|action| (*action).into());
            }
        }
    }

    /// A sampled world consistent with the viewer's view.
    fn sample_world(&mut self, path: &str) -> Option<AnyGame> {
        // Any world will do, so a fixed seed suffices.
        let mut rng = ChaCha8Rng::from_seed([0; 32]);
        match AnyGame::sample(self.view.as_ref()?, &mut rng) {
            Ok(world) => Some(world),
            Err(impossible) => {
                let why = format!("no game is consistent with the viewer's view: {impossible}");
                self.findings.push(Finding::new(path, Problem::Impossible { why }));
                None
            }
        }
    }

    /// Corrects the events of a step, and folds them into the view.
    fn correct_events(&mut self, told: &mut Vec<wire::RecordTelling>, is_over: &mut bool) {
        let mut starts = false;
        for telling in told.iter_mut() {
            telling.audience = None;
            match &mut telling.told {
                Some(Told::Table(wire::TableEvent { event: Some(event) })) => {
                    starts |= matches!(event, Event::Started(_));
                    self.correct_table_event(event, is_over);
                }
                Some(Told::Game(event)) => {
                    if let (Some(view), Ok(event)) = (&mut self.view, AnyEvent::try_from(event.clone())) {
                        view.apply_event(&event);
                    }
                }
                _ => {}
            }
        }
        if starts {
            self.view.clone_from(&self.first);
            let mut events: Vec<(Audience, AnyEvent)> = Vec::new();
            // The same deal succeeded before.
            let _ = self.setup.deal(&mut events);
            told.retain(|telling| matches!(telling.told, Some(Told::Table(_))));
            let visible = events.into_iter().filter(|(to, _)| to.includes(self.viewer));
            let telling = |event: AnyEvent| Some(Told::Game(event.into()));
            let visible = visible.map(|(_, event)| wire::RecordTelling {
                audience: None,
                told: telling(event),
                text: None,
            });
            told.splice(1.min(told.len()).., visible).for_each(drop);
        }
    }

    fn correct_table_event(&mut self, event: &mut Event, is_over: &mut bool) {
        match event {
            Event::Starting(starting) => starting.shuffle = Some(self.setup.shuffle_at_filling()),
            Event::Started(started) => started.shuffle = Some(self.setup.shuffle_at_start()),
            Event::ClockRanOut(clock) => {
                if let Some(count) = self.time_outs.get_mut(clock.seat as usize) {
                    *count += 1;
                    clock.times = *count;
                }
            }
            Event::SeatForfeited(forfeited) => {
                let earlier = self.forfeits.iter().flatten().map(|forfeit| forfeit.order).max();
                let order = if self.view.is_some() { 1 + earlier.unwrap_or_default() } else { 0 };
                if let Some(forfeit) = self.forfeits.get_mut(forfeited.seat as usize) {
                    *forfeit = Some(Forfeit { finish: forfeited.why(), order, is_replaced: false });
                }
            }
            Event::SeatReplaced(replaced) => {
                let seat = replaced.seat.as_ref().map_or(usize::MAX, |seat| seat.seat as usize);
                if let Some(Some(forfeit)) = self.forfeits.get_mut(seat) {
                    forfeit.is_replaced = true;
                }
            }
            Event::Over(over) => {
                *is_over = true;
                over.shuffle = Some(self.setup.shuffle_at_end());
                if let Some(result) = &mut over.result {
                    self.correct_result(result);
                }
            }
            Event::SeatJoined(_) | Event::Rematch(_) => {}
        }
    }

    fn open_decision(&mut self, asked: &mut Vec<u32>) {
        let Some(seat) = self.viewer.seat() else { return };
        if !asked.is_empty() {
            *asked = vec![seat_number(seat)];
            self.open = true;
            self.asked += 1;
        }
    }

    /// Corrects what the rules and public events determine of a result: points, places, reasons. The others'
    /// think times cannot be checked.
    fn correct_result(&self, result: &mut wire::TableResult) {
        let outcome = self.view.clone().and_then(|view| outcome_of_view(&view.into()));
        let Some(outcome) = outcome.filter(|_| result.reason() == wire::EndReason::PlayedOut) else { return };
        let ranked = outcome.standings.iter().map(|standing| RankedSeat {
            place: standing.place,
            forfeit: self.forfeits.get(standing.seat as usize).copied().flatten(),
        });
        let ranks = rank(&ranked.collect::<Vec<_>>(), self.setup.recorded_ranks());
        for entry in &mut result.seats {
            let ranked = outcome.standings.iter().zip(&ranks);
            let own = ranked.into_iter().find(|(standing, _)| standing.seat == entry.seat);
            let Some((standing, (place, finish))) = own else { continue };
            entry.points = standing.points;
            (entry.place, entry.finish) = (*place, (*finish).into());
            entry.clocks_run_out = self.time_outs.get(entry.seat as usize).copied().unwrap_or_default();
            if self.viewer.seat().map(seat_number) == Some(entry.seat) {
                entry.think_ms = self.think_ms_total;
            }
        }
    }
}
