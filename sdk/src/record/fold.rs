//! Independent fold of a table: the expected step of a record for each cause, from the engine's rules and the
//! table's own.
//!
//! Written from the documentation of the wire, sharing no code with the server, so that the two check each
//! other.

use parlor_engine::{AnyAction, AnyGame, Outcome, Refusal, Seat, Seats};
use parlor_proto::convert::{self, seat_number, seat_numbers};

use super::causes::Cause;
use super::game_setup::GameSetup;
use super::ranking::{Forfeit, RankedSeat, rank};
use super::step_builder::{StepBuilder, house_bot, table_seat};
use crate::wire;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// Reason why a cause is impossible.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum CauseError {
    /// The rules of the game refuse it.
    Rules { action: AnyAction, refusal: Refusal },
    /// The state of the table does not allow it.
    Table(&'static str),
}

/// Decision id of the default of a forfeited seat, which was not asked.
const UNASKED: u32 = 0;

/// State of a seat.
#[derive(Clone, Debug)]
struct SeatState {
    occupant: Option<Occupant>,
    open: Option<u32>,
    asked: u32,
    bank: u32,
    time_outs: u32,
    forfeit: Option<Forfeit>,
    think_ms_total: u32,
    /// True if a think time was wrong or is missing, so that the total is unknown.
    think_time_unknown: bool,
}

impl SeatState {
    /// True if the seat has forfeited and no house bot has taken over.
    fn plays_defaults(&self) -> bool {
        self.forfeit.is_some_and(|forfeit| !forfeit.is_replaced)
    }
}

/// A table, folded from the steps so far.
#[derive(Clone)]
pub(super) struct TableFold<'a> {
    setup: &'a GameSetup,
    seats: Vec<SeatState>,
    /// All seats are taken, and entropy is revealed.
    starting: bool,
    pub(super) game: Option<AnyGame>,
    pub(super) result: Option<wire::TableResult>,
    /// Number of steps so far, and the time of the last one.
    steps: u32,
    after_ms: u32,
    /// All shuffles so far.
    pub(super) shuffles: Vec<wire::RecordShuffle>,
}

impl<'a> TableFold<'a> {
    /// A new table with its initial occupants.
    pub(super) fn new(setup: &'a GameSetup, occupants: Vec<Option<Occupant>>) -> TableFold<'a> {
        let seat = |occupant| SeatState {
            occupant,
            open: None,
            asked: 0,
            bank: setup.clock.bank_ms(),
            time_outs: 0,
            forfeit: None,
            think_ms_total: 0,
            think_time_unknown: false,
        };
        TableFold {
            setup,
            seats: occupants.into_iter().map(seat).collect(),
            starting: false,
            game: None,
            result: None,
            steps: 0,
            after_ms: 0,
            shuffles: Vec::new(),
        }
    }

    fn players(&self) -> u8 {
        self.setup.players
    }

    /// Current occupants.
    pub(super) fn occupants(&self) -> impl Iterator<Item = Option<&Occupant>> {
        self.seats.iter().map(|seat| seat.occupant.as_ref())
    }

    /// Marks all total think times as unknown, after a missing step.
    pub(super) fn mark_think_times_unknown(&mut self) {
        self.seats.iter_mut().for_each(|seat| seat.think_time_unknown = true);
    }

    /// True if the table has this seat.
    pub(super) fn has(&self, seat: Seat) -> bool {
        seat.index() < self.seats.len()
    }

    pub(super) fn to_act(&self) -> Seats {
        self.game.as_ref().map(AnyGame::to_act).unwrap_or_default()
    }

    pub(super) fn legal_actions(&self, seat: Seat) -> Vec<AnyAction> {
        self.game.as_ref().map(|game| game.legal_actions(seat)).unwrap_or_default()
    }

    pub(super) fn window_is_held(&self) -> bool {
        self.game.as_ref().is_some_and(AnyGame::window_is_held)
    }

    pub(super) fn is_over(&self) -> bool {
        self.result.is_some()
    }

    /// A forfeited seat with an open decision: it plays its default before anything else happens.
    pub(super) fn next_forfeited(&self) -> Option<Seat> {
        self.to_act().iter().find(|seat| self.seats[seat.index()].plays_defaults())
    }

    /// Applies a cause and returns the step that a record must have for it. After an error the fold is
    /// invalid.
    pub(super) fn apply(&mut self, cause: &Cause, after_ms: u32) -> Result<wire::RecordStep, CauseError> {
        if self.is_over() {
            return Err(CauseError::Table("the table was over"));
        }
        let mut step = StepBuilder::default();
        let is_default = matches!(cause, Cause::Default { .. });
        if !is_default && self.next_forfeited().is_some() {
            return Err(CauseError::Table("a seat that has forfeited must play its default first"));
        }
        self.apply_cause(cause, &mut step)?;
        // A forfeited seat's default has the time of the step before it.
        self.after_ms = if is_default { self.after_ms } else { after_ms };
        let asked = self.open_decisions();
        if let Some(outcome) = self.game.as_ref().and_then(AnyGame::outcome) {
            self.result = Some(self.rank(&outcome));
        }
        if let Some(result) = &self.result {
            let shuffle = Some(self.setup.shuffle_at_end());
            step.add_table_event(Event::Over(wire::TableOver { result: Some(result.clone()), shuffle }));
        }
        let game = self.setup.options.game();
        for (name, codes) in step.shuffles {
            self.shuffles.push(wire::RecordShuffle {
                round: name.round.into(),
                purpose: purpose(name.purpose).into(),
                count: name.count.into(),
                step: self.steps,
                cards: codes.into_iter().filter_map(|code| convert::card(game, code)).collect(),
            });
        }
        self.steps += 1;
        Ok(wire::RecordStep {
            after_ms: self.after_ms,
            told: step.events,
            decided: step.decided.into_iter().flatten().collect(),
            asked: seat_numbers(asked),
        })
    }

    fn apply_cause(&mut self, cause: &Cause, step: &mut StepBuilder) -> Result<(), CauseError> {
        match cause {
            Cause::Joined { seat, occupant } => {
                let state = &mut self.seats[seat.index()];
                if self.game.is_some() || self.starting || state.occupant.is_some() {
                    return Err(CauseError::Table("the seat was taken"));
                }
                state.occupant = Some(occupant.clone());
                step.add_table_event(Event::SeatJoined(wire::SeatJoined {
                    seat: table_seat(*seat, occupant),
                }));
            }
            Cause::Starting => {
                let is_filled = self.seats.iter().all(|seat| seat.occupant.is_some());
                if self.game.is_some() || self.starting || !is_filled || !self.setup.has_commitments() {
                    return Err(CauseError::Table("entropy is revealed once, when all seats are taken"));
                }
                self.starting = true;
                let shuffle = Some(self.setup.shuffle_at_filling());
                step.add_table_event(Event::Starting(wire::TableStarting { shuffle }));
            }
            Cause::Started => {
                if self.game.is_some() || self.seats.iter().any(|seat| seat.occupant.is_none()) {
                    return Err(CauseError::Table("a game starts once, when all seats are taken"));
                }
                if self.starting != self.setup.has_commitments() {
                    return Err(CauseError::Table(
                        "a game starts after the seats with commitments were asked",
                    ));
                }
                let shuffle = Some(self.setup.shuffle_at_start());
                step.add_table_event(Event::Started(wire::TableStarted { shuffle }));
                let game = self.setup.deal(step);
                self.game = Some(game.ok_or(CauseError::Table("the options are invalid"))?);
            }
            Cause::Acted { seat, index, think_ms, reported_ms } => {
                let action = self.legal_actions(*seat).get(*index).copied();
                let action = action.ok_or(CauseError::Table("the seat had no such legal action"))?;
                let by = match self.seats[seat.index()].occupant {
                    Some(Occupant::HouseBot(_)) => wire::DecidedBy::HouseBot,
                    _ => wire::DecidedBy::Player,
                };
                self.charge_time(*seat, *think_ms);
                self.act(*seat, *index, action, (by, *think_ms, *reported_ms), step)?;
            }
            Cause::ClockRanOut { seat, think_ms, why } => {
                self.clock_runs_out(*seat, *think_ms, *why, step)?;
            }
            Cause::WindowClosed => self.close_window(step)?,
            Cause::Forfeited { seat, why } => self.forfeit(*seat, *why, step)?,
            Cause::Replaced { seat, bot } => {
                let state = &mut self.seats[seat.index()];
                if matches!(state.occupant, Some(Occupant::HouseBot(_))) {
                    return Err(CauseError::Table("a house bot had the seat"));
                }
                state.occupant = Some(house_bot(bot));
                state.forfeit = state.forfeit.map(|forfeit| Forfeit { is_replaced: true, ..forfeit });
                let seat = table_seat(*seat, &house_bot(bot));
                step.add_table_event(Event::SeatReplaced(wire::SeatReplaced { seat }));
            }
            Cause::Default { seat } => {
                self.act_by_default(*seat, (wire::DecidedBy::Forfeit, 0, None), step)?;
            }
            Cause::Ended { reason, note } => {
                let (reason, note) = ((*reason).into(), note.clone());
                self.result = Some(wire::TableResult { reason, seats: Vec::new(), note });
            }
            Cause::NoEffect => {}
        }
        Ok(())
    }

    /// Plays an action for a seat, with its decider, think time and reported think time.
    fn act(
        &mut self,
        seat: Seat,
        index: usize,
        action: AnyAction,
        (by, think_ms, reported_ms): (wire::DecidedBy, u32, Option<u32>),
        step: &mut StepBuilder,
    ) -> Result<(), CauseError> {
        let game = self.game.as_mut().ok_or(CauseError::Table("the game had not started"))?;
        game.apply(seat, action, step).map_err(|refusal| CauseError::Rules { action, refusal })?;
        let has_limit = self.setup.has_limit();
        let state = &mut self.seats[seat.index()];
        let asked = state.open.take();
        if asked.is_some() || self.setup.records_defaults() {
            step.decided[seat.index()] = Some(wire::RecordDecision {
                seat: seat_number(seat),
                decision_id: asked.unwrap_or(UNASKED),
                index: index as u32,
                action: Some(action.into()),
                by: by.into(),
                think_ms,
                reported_ms,
                bank_left_ms: has_limit.then_some(state.bank),
                text: None,
            });
        }
        Ok(())
    }

    fn act_by_default(
        &mut self,
        seat: Seat,
        how: (wire::DecidedBy, u32, Option<u32>),
        step: &mut StepBuilder,
    ) -> Result<(), CauseError> {
        let default = self.game.as_ref().and_then(|game| game.default_action(seat));
        let default = default.ok_or(CauseError::Table("the seat was not asked"))?;
        let index = self.legal_actions(seat).iter().position(|action| *action == default);
        self.act(seat, index.unwrap_or_default(), default, how, step)
    }

    fn is_secret(&self, seat: Seat) -> bool {
        self.game.as_ref().is_some_and(|game| game.has_secret_decision(seat))
    }

    /// Charges think time to a seat's bank. A hidden decision is free.
    fn charge_time(&mut self, seat: Seat, think_ms: u32) {
        let is_secret = self.is_secret(seat);
        let beyond = think_ms.saturating_sub(self.setup.clock.decision_ms());
        let state = &mut self.seats[seat.index()];
        state.think_ms_total = state.think_ms_total.saturating_add(think_ms);
        if !is_secret {
            state.bank = state.bank.saturating_sub(beyond);
        }
    }

    fn clock_runs_out(
        &mut self,
        seat: Seat,
        think_ms: u32,
        why: wire::SeatFinish,
        step: &mut StepBuilder,
    ) -> Result<(), CauseError> {
        let clock = self.setup.clock;
        let is_secret = self.is_secret(seat);
        // The shortest time after which the clock can run out.
        let state = &self.seats[seat.index()];
        let min_think_ms = match is_secret {
            true => clock.hidden_window_ms(),
            false if self.setup.has_limit() => clock.decision_ms().saturating_add(state.bank),
            false => return Err(CauseError::Table("the table had no clock")),
        };
        let is_too_short = think_ms < min_think_ms;
        let think_ms = think_ms.max(min_think_ms);
        if state.open.is_none() {
            return Err(CauseError::Table("the seat was not asked"));
        }
        self.charge_time(seat, think_ms);
        self.seats[seat.index()].think_time_unknown |= is_too_short;
        if !is_secret {
            let state = &mut self.seats[seat.index()];
            state.time_outs += 1;
            let times = state.time_outs;
            step.add_table_event(Event::ClockRanOut(wire::ClockRanOut { seat: seat_number(seat), times }));
            if clock.forfeit_after() > 0 && times >= clock.forfeit_after() && state.forfeit.is_none() {
                let why = match why {
                    wire::SeatFinish::Disconnected => why,
                    _ => wire::SeatFinish::TimedOut,
                };
                self.forfeit(seat, why, step)?;
            }
        }
        self.act_by_default(seat, (wire::DecidedBy::Clock, think_ms, None), step)
    }

    fn close_window(&mut self, step: &mut StepBuilder) -> Result<(), CauseError> {
        if !self.window_is_held() {
            return Err(CauseError::Table("no window was open"));
        }
        let think_ms = self.setup.clock.hidden_window_ms();
        for seat in self.to_act().iter() {
            self.charge_time(seat, think_ms);
            self.act_by_default(seat, (wire::DecidedBy::Clock, think_ms, None), step)?;
        }
        if let Some(game) = &mut self.game {
            game.close_window(step);
        }
        Ok(())
    }

    fn forfeit(
        &mut self,
        seat: Seat,
        why: wire::SeatFinish,
        step: &mut StepBuilder,
    ) -> Result<(), CauseError> {
        let state = &mut self.seats[seat.index()];
        if self.game.is_none() || state.forfeit.is_some() {
            return Err(CauseError::Table("the seat could not forfeit then"));
        }
        // A house bot plays on.
        let is_replaced = matches!(state.occupant, Some(Occupant::HouseBot(_)));
        state.forfeit = Some(Forfeit { finish: why, order: self.steps, is_replaced });
        let (seat, why) = (seat_number(seat), why.into());
        step.add_table_event(Event::SeatForfeited(wire::SeatForfeited { seat, why }));
        Ok(())
    }

    /// Opens a decision for every seat newly asked, and closes those the game no longer waits for.
    fn open_decisions(&mut self) -> Seats {
        let to_act = self.to_act();
        let mut opened = Seats::NONE;
        for seat in Seat::all(self.players()) {
            let state = &mut self.seats[seat.index()];
            if !to_act.contains(seat) {
                state.open = None;
            } else if state.open.is_none() && !state.plays_defaults() {
                state.asked += 1;
                state.open = Some(state.asked);
                opened = opened.with(seat);
            }
        }
        opened
    }

    /// Ranks the seats by the outcome of the game and by their forfeits.
    fn rank(&self, outcome: &Outcome) -> wire::TableResult {
        let standings: Vec<_> = outcome.standings().collect();
        let ranked = standings.iter().map(|standing| RankedSeat {
            place: standing.place.into(),
            forfeit: self.seats[standing.seat.index()].forfeit,
        });
        let ranks = rank(&ranked.collect::<Vec<_>>(), self.setup.recorded_ranks());
        let seats = standings.iter().zip(ranks).map(|(standing, (place, finish))| {
            let state = &self.seats[standing.seat.index()];
            wire::SeatResult {
                seat: seat_number(standing.seat),
                place,
                points: standing.points,
                finish: finish.into(),
                clocks_run_out: state.time_outs,
                think_ms: match self.setup.recorded_think_time(standing.seat) {
                    Some(recorded) if state.think_time_unknown => recorded,
                    _ => state.think_ms_total,
                },
                // Steps do not show it.
                away_ms: self.setup.recorded_away_time(standing.seat),
            }
        });
        wire::TableResult {
            reason: wire::EndReason::PlayedOut.into(),
            seats: seats.collect(),
            note: String::new(),
        }
    }
}

fn purpose(purpose: parlor_engine::ShufflePurpose) -> wire::ShufflePurpose {
    match purpose {
        parlor_engine::ShufflePurpose::Deal => wire::ShufflePurpose::Deal,
        parlor_engine::ShufflePurpose::Rebuild => wire::ShufflePurpose::Rebuild,
    }
}
