//! Checking the record of one viewer, as far as it can be: its deal, its own decisions, and what it adds up to.
//!
//! What the others did is not in it. Whether the viewer's own choice was legal depends on nothing that the viewer did not
//! know, and so any whole game that agrees with the view can tell.

use parlor_engine::{AnyAction, AnyEvent, AnyGame, AnyView, Audience, NoEvents, Viewer};
use parlor_proto::convert::seat_number;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::diff::{differences, written};
use super::finding::{Finding, Problem};
use super::start::{Start, outcome};
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;

/// What is known of the others, and of the viewer's own seat.
struct Walk<'a> {
    start: &'a Start,
    viewer: Viewer,
    /// The first view as it must be, which the viewer has once the game begins.
    first: Option<AnyView>,
    view: Option<AnyView>,
    /// The id of the decision that is open for the viewer, and how many were asked so far.
    open: bool,
    asked: u32,
    bank: u32,
    thought: u64,
    forfeits: Vec<Option<wire::SeatFinish>>,
    clocks: Vec<u32>,
    findings: Vec<Finding>,
}

/// Checks the steps, and adds to the head what they lead to.
pub(super) fn check(
    record: &wire::Record,
    start: &Start,
    viewer: Viewer,
    right: &mut wire::Record,
) -> Vec<Finding> {
    let players = usize::from(start.players);
    let mut walk = Walk {
        start,
        viewer,
        first: right.views.first().and_then(|view| AnyView::try_from(view.clone()).ok()),
        view: None,
        open: false,
        asked: 0,
        bank: start.clock.bank_ms(),
        thought: 0,
        forfeits: vec![None; players],
        clocks: vec![0; players],
        findings: Vec::new(),
    };
    if viewer.seat().is_some_and(|seat| seat.index() >= players) {
        return vec![Finding::unreadable("viewer", "the table has no such seat")];
    }
    right.shuffles.clear();
    let mut is_over = false;
    for (place, found) in record.steps.iter().enumerate() {
        let path = format!("steps[{place}]");
        if is_over {
            walk.findings.push(Finding::new(path, Problem::Extra));
            continue;
        }
        let step = walk.step(&path, found, &mut is_over);
        walk.findings.extend(differences(&path, found, &step));
    }
    if !is_over {
        walk.findings.push(Finding::new(format!("steps[{}]", record.steps.len()), Problem::Unfinished));
    }
    if let Some(result) = &mut right.result {
        walk.put_result(result);
    }
    walk.findings
}

impl Walk<'_> {
    /// The step as it must be.
    fn step(&mut self, path: &str, found: &wire::RecordStep, is_over: &mut bool) -> wire::RecordStep {
        let mut right = found.clone();
        for (place, decision) in right.decided.iter_mut().enumerate() {
            self.decide(&format!("{path}.decided[{place}]"), decision);
        }
        if self.viewer.seat().is_none() {
            right.decided.clear();
            right.asked.clear();
        }
        self.tell(&mut right.told, is_over);
        self.ask(&mut right.asked);
        right
    }

    /// Makes a decision of the viewer what it must be.
    fn decide(&mut self, path: &str, decision: &mut wire::RecordDecision) {
        let Some(seat) = self.viewer.seat() else { return };
        decision.seat = seat_number(seat);
        decision.decision_id = self.asked;
        if !self.open {
            let why = "the viewer was not asked".to_owned();
            self.findings.push(Finding::new(path, Problem::Impossible { why }));
            return;
        }
        self.open = false;
        let Some(world) = self.world(path) else { return };
        let clock = self.start.clock;
        self.thought += u64::from(decision.think_ms);
        if !world.is_secret(seat) {
            self.bank = self.bank.saturating_sub(decision.think_ms.saturating_sub(clock.decision_ms()));
        }
        decision.bank_left_ms = self.start.has_limit().then_some(self.bank);
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

    /// A whole game that agrees with what the viewer knows.
    fn world(&mut self, path: &str) -> Option<AnyGame> {
        // Any will do, so it need not be drawn by chance.
        let mut rng = ChaCha8Rng::from_seed([0; 32]);
        match AnyGame::sample(self.view.as_ref()?, &mut rng) {
            Ok(world) => Some(world),
            Err(impossible) => {
                let why = format!("what the viewer is said to know is impossible: {impossible}");
                self.findings.push(Finding::new(path, Problem::Impossible { why }));
                None
            }
        }
    }

    /// Makes what was told what it must be, and follows it.
    fn tell(&mut self, told: &mut Vec<wire::RecordTelling>, is_over: &mut bool) {
        let mut starts = false;
        for telling in told.iter_mut() {
            telling.audience = None;
            match &mut telling.told {
                Some(Told::Table(wire::TableEvent { event: Some(event) })) => {
                    starts |= matches!(event, Event::Started(_));
                    self.table_event(event, is_over);
                }
                Some(Told::Game(event)) => {
                    if let (Some(view), Ok(event)) = (&mut self.view, AnyEvent::try_from(event.clone())) {
                        view.follow(&event);
                    }
                }
                _ => {}
            }
        }
        if starts {
            self.view.clone_from(&self.first);
            let mut events: Vec<(Audience, AnyEvent)> = Vec::new();
            // It was dealt before.
            let _ = self.start.deal(&mut events);
            told.retain(|telling| matches!(telling.told, Some(Told::Table(_))));
            let mine = events.into_iter().filter(|(to, _)| to.includes(self.viewer));
            let telling = |event: AnyEvent| Some(Told::Game(event.into()));
            let mine = mine.map(|(_, event)| wire::RecordTelling { audience: None, told: telling(event) });
            told.splice(1.min(told.len()).., mine).for_each(drop);
        }
    }

    fn table_event(&mut self, event: &mut Event, is_over: &mut bool) {
        match event {
            Event::Started(started) => started.shuffle = Some(self.start.shuffle_at_start()),
            Event::ClockRanOut(clock) => {
                if let Some(count) = self.clocks.get_mut(clock.seat as usize) {
                    *count += 1;
                    clock.times = *count;
                }
            }
            Event::SeatForfeited(forfeited) => {
                if let Some(forfeit) = self.forfeits.get_mut(forfeited.seat as usize) {
                    *forfeit = Some(forfeited.why());
                }
            }
            Event::SeatReplaced(replaced) => {
                let seat = replaced.seat.as_ref().map_or(usize::MAX, |seat| seat.seat as usize);
                if let Some(forfeit) = self.forfeits.get_mut(seat) {
                    *forfeit = None;
                }
            }
            Event::Over(over) => {
                *is_over = true;
                over.shuffle = Some(self.start.shuffle_at_end());
                if let Some(result) = &mut over.result {
                    self.put_result(result);
                }
            }
            Event::SeatJoined(_) | Event::Rematch(_) => {}
        }
    }

    fn ask(&mut self, asked: &mut Vec<u32>) {
        let Some(seat) = self.viewer.seat() else { return };
        if !asked.is_empty() {
            *asked = vec![seat_number(seat)];
            self.open = true;
            self.asked += 1;
        }
    }

    /// Puts into a result what must be there by the rules and by what everyone was told: the points, the places, the
    /// reasons. How long others thought is for them to know.
    fn put_result(&self, result: &mut wire::TableResult) {
        let outcome = self.view.clone().and_then(|view| outcome(&view.into()));
        let Some(outcome) = outcome.filter(|_| result.reason() == wire::EndReason::PlayedOut) else { return };
        let forfeit = |seat: u32| self.forfeits.get(seat as usize).copied().flatten();
        for entry in &mut result.seats {
            let Some(standing) = outcome.standings.iter().find(|standing| standing.seat == entry.seat) else {
                continue;
            };
            let is_above = |place: u32| forfeit(entry.seat).is_some() || place < standing.place;
            let above = outcome
                .standings
                .iter()
                .filter(|other| forfeit(other.seat).is_none() && is_above(other.place));
            entry.points = standing.points;
            entry.place = 1 + above.count() as u32;
            entry.finish = forfeit(entry.seat).unwrap_or(wire::SeatFinish::PlayedOut).into();
            entry.clocks_run_out = self.clocks.get(entry.seat as usize).copied().unwrap_or_default();
            if self.viewer.seat().map(seat_number) == Some(entry.seat) {
                entry.think_ms = self.thought;
            }
        }
    }
}
