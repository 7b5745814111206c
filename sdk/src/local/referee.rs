//! The referee of a game in this process: whom to ask, what an answer does, and who is told what under which number.

use std::sync::Arc;

use parlor_engine::{AnyAction, AnyEvent, AnyGame, Audience, MAX_SEATS, Outcome, Seat, Seats, Viewer};

use super::LocalOver;
use crate::error::Reason;
use crate::question::{Both, Default, Inner};
use crate::update::{LocalDecided, LocalStep, Moment};
use crate::{Choice, Error, Question, Update, wire};

pub(super) struct Referee {
    game: AnyGame,
    table_id: Arc<str>,
    /// What each seat was told last: the number of the update.
    numbers: [u32; MAX_SEATS],
    /// What each seat was asked last: the id of the decision.
    asked: [u32; MAX_SEATS],
    /// The seats that have a decision open.
    open: Seats,
    /// What those seats are asked, as of the moment when it was opened: those who choose at the same time see the same
    /// moment, whoever of them answers first.
    questions: [Option<Question>; MAX_SEATS],
    /// What happened and was not yet told, and whom it concerns beside those who see an event of it.
    step: LocalStep,
    decided: Option<(Seat, LocalDecided)>,
    newly_asked: Seats,
    decisions: u64,
}

impl Referee {
    pub(super) fn new(game: AnyGame, table_id: Arc<str>, dealt: Vec<(Audience, AnyEvent)>) -> Referee {
        let mut referee = Referee {
            game,
            table_id,
            numbers: [0; MAX_SEATS],
            asked: [0; MAX_SEATS],
            open: Seats::NONE,
            questions: [const { None }; MAX_SEATS],
            step: LocalStep { events: dealt, moment: Moment::Start },
            decided: None,
            newly_asked: Seats::NONE,
            decisions: 0,
        };
        referee.open_decisions();
        referee
    }

    pub(super) fn players(&self) -> u32 {
        self.game.players().into()
    }

    /// The seats that the game now waits for and that were not asked yet get a decision each.
    fn open_decisions(&mut self) {
        let to_act = self.game.to_act();
        self.newly_asked = to_act.iter().filter(|seat| !self.open.contains(*seat)).collect();
        for seat in self.newly_asked.iter() {
            self.asked[seat.index()] += 1;
        }
        self.open = to_act;
    }

    /// Tells every seat that it concerns what happened.
    pub(super) fn tell(&mut self, mut tell: impl FnMut(Seat, &Update)) {
        let step = Arc::new(std::mem::take(&mut self.step));
        let decided = self.decided.take();
        for seat in Seat::all(self.game.players()) {
            let viewer = Viewer::Seat(seat);
            let decided = decided.filter(|(by, _)| *by == seat).map(|(_, decided)| decided);
            let concerns = decided.is_some()
                || self.newly_asked.contains(seat)
                || step.moment.is_for_all()
                || step.events.iter().any(|(to, _)| to.includes(viewer));
            if concerns {
                self.numbers[seat.index()] += 1;
                tell(seat, &Update::local(self.numbers[seat.index()], viewer, Arc::clone(&step), decided));
            }
        }
        for seat in self.newly_asked.iter() {
            self.questions[seat.index()] = self.question(seat);
        }
    }

    /// Whom to ask next, and what; nobody once the game is over.
    pub(super) fn ask(&mut self) -> Option<(Seat, Question)> {
        let seat = self.game.to_act().first()?;
        Some((seat, self.questions[seat.index()].take()?))
    }

    fn question(&self, seat: Seat) -> Option<Question> {
        let legal = self.game.legal_actions(seat);
        let default = self.game.default_action(seat)?;
        Some(Question::new(Inner {
            table_id: Arc::clone(&self.table_id),
            seat: seat.index() as u32,
            id: self.asked[seat.index()],
            after: self.numbers[seat.index()],
            legal_count: legal.len() as u32,
            default: Default::Action(default),
            time_left_ms: None,
            bank_left_ms: None,
            hidden: self.game.is_secret(seat),
            view: Both::of_engine(Ok(self.game.view(Viewer::Seat(seat)))),
            legal: Both::of_engine(Ok(legal)),
        }))
    }

    /// Does what a seat chose.
    pub(super) fn decide(&mut self, seat: Seat, question: &Question, choice: Choice) -> Result<(), Error> {
        let legal = question.engine_actions()?;
        let (action, index) = match choice {
            Choice::Index(index) => (legal.get(index).copied(), index),
            Choice::Action(action) => {
                let action = AnyAction::try_from(*action).map_err(|wrong| {
                    refused(seat, question, wire::AnswerRefusal::from(wrong.within("action")))
                })?;
                let place = legal.iter().position(|legal| *legal == action);
                (Some(action), place.unwrap_or(usize::MAX))
            }
        };
        let action = action.ok_or_else(|| {
            let text = format!("there are {} legal actions, and none at {index}", legal.len());
            Error::new(Reason::IllegalAction, text).at(format_args!("seat {seat}"))
        })?;
        self.game
            .apply(seat, action, &mut self.step.events)
            .map_err(|refusal| refused(seat, question, refusal.into()))?;
        self.decisions += 1;
        self.decided = Some((seat, LocalDecided { decision_id: question.id(), action, index: index as u32 }));
        self.open = self.open.without(seat);
        self.open_decisions();
        if let Some(outcome) = self.game.outcome() {
            self.step.moment = Moment::Over(Arc::new(result(&outcome)));
        }
        Ok(())
    }

    /// How it ended.
    pub(super) fn over(&self) -> Result<LocalOver, Error> {
        // A game that waits for nobody is over.
        let outcome = self.game.outcome().ok_or_else(|| Error::lacks("outcome"))?;
        Ok(LocalOver { outcome, result: result(&outcome), decisions: self.decisions })
    }
}

/// The result as a server would say it.
fn result(outcome: &Outcome) -> wire::TableResult {
    let seats = outcome.standings().map(|standing| wire::SeatResult {
        seat: standing.seat.index() as u32,
        place: standing.place.into(),
        points: standing.points,
        finish: wire::SeatFinish::PlayedOut.into(),
        clocks_run_out: 0,
        think_ms: 0,
    });
    wire::TableResult {
        reason: wire::EndReason::PlayedOut.into(),
        seats: seats.collect(),
        note: String::new(),
    }
}

fn refused(seat: Seat, question: &Question, refusal: wire::AnswerRefusal) -> Error {
    let refused = wire::Answered {
        decision_id: question.id(),
        status: wire::AnswerStatus::Refused.into(),
        action: None,
        number: 0,
        refusal: Some(refusal),
    };
    Error::refused(refused).at(format_args!("seat {seat}"))
}
