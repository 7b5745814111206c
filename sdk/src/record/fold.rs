//! What has to follow from what happened: the rules of the engine, and what a table does around them.
//!
//! This is written anew from the documentation of the wire, and not taken from the server, so that the two check each other.

use parlor_engine::{AnyAction, AnyGame, Outcome, Refusal, Seat, Seats};
use parlor_proto::convert::{self, seat_number, seat_numbers};

use super::causes::Cause;
use super::doing::{Doing, house_bot, table_seat};
use super::start::Start;
use crate::wire;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// Why something cannot have happened.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Wrong {
    /// The rules of the game are against it.
    Rules { action: AnyAction, refusal: Refusal },
    /// The table was not in a state for it.
    Table(&'static str),
}

/// What there is to know of a seat.
#[derive(Clone, Debug)]
struct SeatState {
    holder: Option<Occupant>,
    open: Option<u32>,
    asked: u32,
    bank: u32,
    time_outs: u32,
    forfeit: Option<wire::SeatFinish>,
    thought: u64,
    /// Whether a time was wrong or is missing, so that the sum is not known.
    lost_count: bool,
}

/// A table, as far as the steps so far have brought it.
#[derive(Clone)]
pub(super) struct Fold<'a> {
    start: &'a Start,
    seats: Vec<SeatState>,
    pub(super) game: Option<AnyGame>,
    pub(super) result: Option<wire::TableResult>,
    /// How many steps there were, and when the last one was.
    steps: u32,
    after_ms: i64,
    /// Every shuffle so far.
    pub(super) shuffles: Vec<wire::RecordShuffle>,
}

impl<'a> Fold<'a> {
    /// The table when it was made, with those who sat there from the beginning.
    pub(super) fn new(start: &'a Start, holders: Vec<Option<Occupant>>) -> Fold<'a> {
        let seat = |holder| SeatState {
            holder,
            open: None,
            asked: 0,
            bank: start.clock.bank_ms(),
            time_outs: 0,
            forfeit: None,
            thought: 0,
            lost_count: false,
        };
        Fold {
            start,
            seats: holders.into_iter().map(seat).collect(),
            game: None,
            result: None,
            steps: 0,
            after_ms: 0,
            shuffles: Vec::new(),
        }
    }

    fn players(&self) -> u8 {
        self.start.players
    }

    /// Who sits where now.
    pub(super) fn holders(&self) -> impl Iterator<Item = Option<&Occupant>> {
        self.seats.iter().map(|seat| seat.holder.as_ref())
    }

    /// A step is missing, and how long anybody thought in it is not known.
    pub(super) fn forget_times(&mut self) {
        self.seats.iter_mut().for_each(|seat| seat.lost_count = true);
    }

    /// Whether the table has this seat.
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

    /// A seat that has forfeited and is asked: it plays its default before anything else can happen.
    pub(super) fn next_forfeited(&self) -> Option<Seat> {
        self.to_act().iter().find(|seat| self.seats[seat.index()].forfeit.is_some())
    }

    /// Takes in what happened, and gives the step that a record must have for it. After an error the fold is worth
    /// nothing.
    pub(super) fn take_in(&mut self, cause: &Cause, after_ms: i64) -> Result<wire::RecordStep, Wrong> {
        if self.is_over() {
            return Err(Wrong::Table("the table was over"));
        }
        let mut doing = Doing::default();
        let is_default = matches!(cause, Cause::Default { .. });
        if !is_default && self.next_forfeited().is_some() {
            return Err(Wrong::Table("a seat that has forfeited must play its default first"));
        }
        self.happen(cause, &mut doing)?;
        // A default comes at the very moment that made it due.
        self.after_ms = if is_default { self.after_ms } else { after_ms };
        let asked = self.open_decisions();
        if let Some(outcome) = self.game.as_ref().and_then(AnyGame::outcome) {
            self.result = Some(self.ranking(&outcome));
        }
        if let Some(result) = &self.result {
            let shuffle = Some(self.start.shuffle_at_end());
            doing.tell_table(Event::Over(wire::TableOver { result: Some(result.clone()), shuffle }));
        }
        let game = self.start.options.game();
        for (name, codes) in doing.shuffles {
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
            told: doing.told,
            decided: doing.decided.into_iter().flatten().collect(),
            asked: seat_numbers(asked),
        })
    }

    fn happen(&mut self, cause: &Cause, doing: &mut Doing) -> Result<(), Wrong> {
        match cause {
            Cause::Joined { seat, occupant } => {
                let state = &mut self.seats[seat.index()];
                if self.game.is_some() || state.holder.is_some() {
                    return Err(Wrong::Table("the seat was taken"));
                }
                state.holder = Some(occupant.clone());
                doing.tell_table(Event::SeatJoined(wire::SeatJoined { seat: table_seat(*seat, occupant) }));
            }
            Cause::Started => {
                if self.game.is_some() || self.seats.iter().any(|seat| seat.holder.is_none()) {
                    return Err(Wrong::Table("a game begins once, when all seats are taken"));
                }
                let shuffle = Some(self.start.shuffle_at_start());
                doing.tell_table(Event::Started(wire::TableStarted { shuffle }));
                let game = self.start.deal(doing);
                self.game = Some(game.ok_or(Wrong::Table("the options do not make a game"))?);
            }
            Cause::Acted { seat, index, think_ms, reported_ms } => {
                let action = self.legal_actions(*seat).get(*index).copied();
                let action = action.ok_or(Wrong::Table("the seat had no such choice"))?;
                let by = match self.seats[seat.index()].holder {
                    Some(Occupant::HouseBot(_)) => wire::DecidedBy::HouseBot,
                    _ => wire::DecidedBy::Player,
                };
                self.use_time(*seat, *think_ms);
                self.act(*seat, *index, action, (by, *think_ms, *reported_ms), doing)?;
            }
            Cause::ClockRanOut { seat, think_ms, why } => {
                self.clock_runs_out(*seat, *think_ms, *why, doing)?;
            }
            Cause::WindowClosed => self.close_window(doing)?,
            Cause::Forfeited { seat, why } => self.forfeit(*seat, *why, doing)?,
            Cause::Replaced { seat, bot } => {
                let state = &mut self.seats[seat.index()];
                if matches!(state.holder, Some(Occupant::HouseBot(_))) {
                    return Err(Wrong::Table("a house bot had the seat"));
                }
                state.holder = Some(house_bot(bot));
                state.forfeit = None;
                let seat = table_seat(*seat, &house_bot(bot));
                doing.tell_table(Event::SeatReplaced(wire::SeatReplaced { seat }));
            }
            Cause::Default { seat } => {
                self.act_by_default(*seat, (wire::DecidedBy::Forfeit, 0, None), doing)?;
            }
            Cause::Ended { reason, note } => {
                let (reason, note) = ((*reason).into(), note.clone());
                self.result = Some(wire::TableResult { reason, seats: Vec::new(), note });
            }
            Cause::Nothing => {}
        }
        Ok(())
    }

    /// Plays an action for a seat, by whoever decided, after how long and as long as they say.
    fn act(
        &mut self,
        seat: Seat,
        index: usize,
        action: AnyAction,
        (by, think_ms, reported_ms): (wire::DecidedBy, u32, Option<u32>),
        doing: &mut Doing,
    ) -> Result<(), Wrong> {
        let game = self.game.as_mut().ok_or(Wrong::Table("the game had not begun"))?;
        game.apply(seat, action, doing).map_err(|refusal| Wrong::Rules { action, refusal })?;
        let has_limit = self.start.has_limit();
        let state = &mut self.seats[seat.index()];
        if let Some(id) = state.open.take() {
            doing.decided[seat.index()] = Some(wire::RecordDecision {
                seat: seat_number(seat),
                decision_id: id,
                index: index as u32,
                action: Some(action.into()),
                by: by.into(),
                think_ms,
                reported_ms,
                bank_left_ms: has_limit.then_some(state.bank),
            });
        }
        Ok(())
    }

    fn act_by_default(
        &mut self,
        seat: Seat,
        how: (wire::DecidedBy, u32, Option<u32>),
        doing: &mut Doing,
    ) -> Result<(), Wrong> {
        let default = self.game.as_ref().and_then(|game| game.default_action(seat));
        let default = default.ok_or(Wrong::Table("the seat was not asked"))?;
        let index = self.legal_actions(seat).iter().position(|action| *action == default);
        self.act(seat, index.unwrap_or_default(), default, how, doing)
    }

    fn is_secret(&self, seat: Seat) -> bool {
        self.game.as_ref().is_some_and(|game| game.is_secret(seat))
    }

    /// Counts time against the bank of a seat. A hidden decision costs nothing.
    fn use_time(&mut self, seat: Seat, think_ms: u32) {
        let is_secret = self.is_secret(seat);
        let beyond = think_ms.saturating_sub(self.start.clock.decision_ms());
        let state = &mut self.seats[seat.index()];
        state.thought += u64::from(think_ms);
        if !is_secret {
            state.bank = state.bank.saturating_sub(beyond);
        }
    }

    fn clock_runs_out(
        &mut self,
        seat: Seat,
        think_ms: u32,
        why: wire::SeatFinish,
        doing: &mut Doing,
    ) -> Result<(), Wrong> {
        let clock = self.start.clock;
        let is_secret = self.is_secret(seat);
        // It cannot have run out earlier.
        let state = &self.seats[seat.index()];
        let least = match is_secret {
            true => clock.hidden_window_ms(),
            false if self.start.has_limit() => clock.decision_ms().saturating_add(state.bank),
            false => return Err(Wrong::Table("the table had no clock")),
        };
        let is_too_short = think_ms < least;
        let think_ms = think_ms.max(least);
        if state.open.is_none() {
            return Err(Wrong::Table("the seat was not asked"));
        }
        self.use_time(seat, think_ms);
        self.seats[seat.index()].lost_count |= is_too_short;
        if !is_secret {
            let state = &mut self.seats[seat.index()];
            state.time_outs += 1;
            let times = state.time_outs;
            doing.tell_table(Event::ClockRanOut(wire::ClockRanOut { seat: seat_number(seat), times }));
            if clock.forfeit_after() > 0 && times >= clock.forfeit_after() && state.forfeit.is_none() {
                let why = match why {
                    wire::SeatFinish::Disconnected => why,
                    _ => wire::SeatFinish::TimedOut,
                };
                self.forfeit(seat, why, doing)?;
            }
        }
        self.act_by_default(seat, (wire::DecidedBy::Clock, think_ms, None), doing)
    }

    fn close_window(&mut self, doing: &mut Doing) -> Result<(), Wrong> {
        if !self.window_is_held() {
            return Err(Wrong::Table("no window was open"));
        }
        let think_ms = self.start.clock.hidden_window_ms();
        for seat in self.to_act().iter() {
            self.use_time(seat, think_ms);
            self.act_by_default(seat, (wire::DecidedBy::Clock, think_ms, None), doing)?;
        }
        if let Some(game) = &mut self.game {
            game.close_window(doing);
        }
        Ok(())
    }

    fn forfeit(&mut self, seat: Seat, why: wire::SeatFinish, doing: &mut Doing) -> Result<(), Wrong> {
        let state = &mut self.seats[seat.index()];
        if self.game.is_none() || state.forfeit.is_some() {
            return Err(Wrong::Table("the seat could not forfeit then"));
        }
        state.forfeit = Some(why);
        let (seat, why) = (seat_number(seat), why.into());
        doing.tell_table(Event::SeatForfeited(wire::SeatForfeited { seat, why }));
        Ok(())
    }

    /// Gives an id to every decision that has come up, and closes those that the game no longer waits for.
    fn open_decisions(&mut self) -> Seats {
        let to_act = self.to_act();
        let mut newly = Seats::NONE;
        for seat in Seat::all(self.players()) {
            let state = &mut self.seats[seat.index()];
            if !to_act.contains(seat) {
                state.open = None;
            } else if state.open.is_none() && state.forfeit.is_none() {
                state.asked += 1;
                state.open = Some(state.asked);
                newly = newly.with(seat);
            }
        }
        newly
    }

    /// Those who played to the end in the order of the game; those who forfeited share the place behind them.
    fn ranking(&self, outcome: &Outcome) -> wire::TableResult {
        let standings: Vec<_> = outcome.standings().collect();
        let forfeit = |seat: Seat| self.seats[seat.index()].forfeit;
        let seats = standings.iter().map(|standing| {
            let state = &self.seats[standing.seat.index()];
            let is_above = |place: u8| forfeit(standing.seat).is_some() || place < standing.place;
            let above =
                standings.iter().filter(|other| forfeit(other.seat).is_none() && is_above(other.place));
            wire::SeatResult {
                seat: seat_number(standing.seat),
                place: 1 + above.count() as u32,
                points: standing.points,
                finish: state.forfeit.unwrap_or(wire::SeatFinish::PlayedOut).into(),
                clocks_run_out: state.time_outs,
                think_ms: match self.start.said_to_have_thought(standing.seat) {
                    Some(said) if state.lost_count => said,
                    _ => state.thought,
                },
            }
        });
        wire::TableResult {
            reason: wire::EndReason::PlayedOut.into(),
            seats: seats.collect(),
            note: String::new(),
        }
    }
}

fn purpose(purpose: parlor_engine::Purpose) -> wire::ShufflePurpose {
    match purpose {
        parlor_engine::Purpose::Deal => wire::ShufflePurpose::Deal,
        parlor_engine::Purpose::Rebuild => wire::ShufflePurpose::Rebuild,
    }
}
