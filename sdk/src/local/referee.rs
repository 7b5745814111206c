//! The referee of a game in this process: opens decisions, applies answers, and delivers numbered updates to
//! each seat.

use std::sync::Arc;

use parlor_engine::{AnyAction, AnyEvent, AnyGame, Audience, MAX_SEATS, Outcome, Seat, Seats, Viewer};

use super::LocalResult;
use crate::error::Reason;
use crate::question::{DefaultAction, QuestionData, WireOrEngine};
use crate::update::{LocalDecision, LocalStep, StepPhase};
use crate::{Choice, Error, Question, Update, wire};

pub(super) struct Referee {
    game: AnyGame,
    table_id: Arc<str>,
    /// Number of each seat's last update.
    last_updates: [u32; MAX_SEATS],
    /// Id of each seat's last decision.
    last_decisions: [u32; MAX_SEATS],
    /// Seats with an open decision.
    open: Seats,
    /// Questions of those seats, built when the decision was opened: seats that choose simultaneously see the
    /// same state, whichever answers first.
    questions: [Option<Question>; MAX_SEATS],
    /// Undelivered effects, and the seats concerned besides those that see one of its events.
    step: LocalStep,
    decided: Option<(Seat, LocalDecision)>,
    newly_opened: Seats,
    decisions: u64,
}

impl Referee {
    pub(super) fn new(game: AnyGame, table_id: Arc<str>, deal_events: Vec<(Audience, AnyEvent)>) -> Referee {
        let mut referee = Referee {
            game,
            table_id,
            last_updates: [0; MAX_SEATS],
            last_decisions: [0; MAX_SEATS],
            open: Seats::NONE,
            questions: [const { None }; MAX_SEATS],
            step: LocalStep { events: deal_events, phase: StepPhase::Start },
            decided: None,
            newly_opened: Seats::NONE,
            decisions: 0,
        };
        referee.open_decisions();
        referee
    }

    pub(super) fn players(&self) -> u32 {
        self.game.players().into()
    }

    /// Opens a decision for each seat that the game newly waits for.
    fn open_decisions(&mut self) {
        let to_act = self.game.to_act();
        self.newly_opened = to_act.iter().filter(|seat| !self.open.contains(*seat)).collect();
        for seat in self.newly_opened.iter() {
            self.last_decisions[seat.index()] += 1;
        }
        self.open = to_act;
    }

    /// Delivers pending effects to every seat concerned.
    pub(super) fn deliver(&mut self, mut deliver: impl FnMut(Seat, &Update)) {
        let step = Arc::new(std::mem::take(&mut self.step));
        let decided = self.decided.take();
        for seat in Seat::all(self.game.players()) {
            let viewer = Viewer::Seat(seat);
            let decided = decided.filter(|(by, _)| *by == seat).map(|(_, decided)| decided);
            let concerns = decided.is_some()
                || self.newly_opened.contains(seat)
                || step.phase.concerns_every_seat()
                || step.events.iter().any(|(to, _)| to.includes(viewer));
            if concerns {
                self.last_updates[seat.index()] += 1;
                deliver(
                    seat,
                    &Update::local(self.last_updates[seat.index()], viewer, Arc::clone(&step), decided),
                );
            }
        }
        for seat in self.newly_opened.iter() {
            self.questions[seat.index()] = self.question(seat);
        }
    }

    /// The next seat to ask, and its question; `None` once the game is over.
    pub(super) fn next_question(&mut self) -> Option<(Seat, Question)> {
        let seat = self.game.to_act().first()?;
        Some((seat, self.questions[seat.index()].take()?))
    }

    fn question(&self, seat: Seat) -> Option<Question> {
        let legal = self.game.legal_actions(seat);
        let default = self.game.default_action(seat)?;
        Some(Question::new(QuestionData {
            table_id: Arc::clone(&self.table_id),
            seat: seat.index() as u32,
            id: self.last_decisions[seat.index()],
            after: self.last_updates[seat.index()],
            legal_count: legal.len() as u32,
            default: DefaultAction::Engine(default),
            time_left_ms: None,
            bank_left_ms: None,
            hidden: self.game.has_secret_decision(seat),
            view: WireOrEngine::from_engine(Ok(self.game.view(Viewer::Seat(seat)))),
            legal: WireOrEngine::from_engine(Ok(legal)),
            texts: None,
            board: None,
        }))
    }

    /// Applies a seat's choice.
    pub(super) fn decide(&mut self, seat: Seat, question: &Question, choice: Choice) -> Result<(), Error> {
        let legal = question.engine_actions()?;
        let (action, index) = match choice {
            Choice::Index(index) => (legal.get(index).copied(), index),
            Choice::Action(action) => {
                let action = AnyAction::try_from(*action).map_err(|wrong| {
                    refusal_error(seat, question, wire::AnswerRefusal::from(wrong.within("action")))
                })?;
                let place = legal.iter().position(|legal| *legal == action);
                (Some(action), place.unwrap_or(usize::MAX))
            }
        };
        let action = action.ok_or_else(|| {
            let text = format!("there are {} legal actions, and none at {index}", legal.len());
            Error::new(Reason::IllegalAction, text).with_context(format_args!("seat {seat}"))
        })?;
        self.game
            .apply(seat, action, &mut self.step.events)
            .map_err(|refusal| refusal_error(seat, question, refusal.into()))?;
        self.decisions += 1;
        self.decided =
            Some((seat, LocalDecision { decision_id: question.id(), action, index: index as u32 }));
        self.open = self.open.without(seat);
        self.open_decisions();
        if let Some(outcome) = self.game.outcome() {
            self.step.phase = StepPhase::Over(Arc::new(result_message(&outcome)));
        }
        Ok(())
    }

    /// The outcome.
    ///
    /// # Errors
    ///
    /// The game is not over.
    pub(super) fn result(&self) -> Result<LocalResult, Error> {
        // A game with no seat to act is over.
        let outcome = self.game.outcome().ok_or_else(|| Error::missing_field("outcome"))?;
        Ok(LocalResult { outcome, result: result_message(&outcome), decisions: self.decisions })
    }
}

/// Converts an outcome to the server's result message.
fn result_message(outcome: &Outcome) -> wire::TableResult {
    let seats = outcome.standings().map(|standing| wire::SeatResult {
        seat: standing.seat.index() as u32,
        place: standing.place.into(),
        points: standing.points,
        finish: wire::SeatFinish::PlayedOut.into(),
        clocks_run_out: 0,
        think_ms: 0,
        away_ms: 0,
    });
    wire::TableResult {
        reason: wire::EndReason::PlayedOut.into(),
        seats: seats.collect(),
        note: String::new(),
    }
}

fn refusal_error(seat: Seat, question: &Question, refusal: wire::AnswerRefusal) -> Error {
    let answered = wire::Answered {
        decision_id: question.id(),
        status: wire::AnswerStatus::Refused.into(),
        action: None,
        number: 0,
        refusal: Some(refusal),
    };
    Error::from_refused_answer(answered).with_context(format_args!("seat {seat}"))
}
