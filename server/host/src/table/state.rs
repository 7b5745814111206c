//! A table as the fold of its log.

use std::sync::Arc;

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, Audience, Chance, EventSink, MAX_SEATS, Seat, Seats, Viewer,
};

use parlor_fair::{Entropy, ServerSeed};

use super::update::{
    AudienceEvents, Decided, DecidedBy, Numbers, RecordedEvent, RecordedShuffle, Step, TableEvent,
};
use super::{ChanceSetup, Ending, Entry, Finished, IdempotencyKey, SeatFinish, SeatSetup, Setup, Shuffle};

/// An entry that does not fit the entries before it: the log is damaged, or was written by something else.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("entry {index} does not fit the table: {why}")]
pub struct InvalidEntry {
    /// Which entry, the first being 0.
    pub index: u64,
    /// What is wrong with it.
    pub why: String,
}

/// ViewerCredential sits on a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Nobody yet.
    Vacant,
    /// A player who joined.
    Player {
        /// The owner's own name for them, if there is one.
        user: Option<String>,
        /// The name that others see; may be empty.
        name: String,
    },
    /// A bot of the house.
    House {
        /// Its name.
        bot: String,
    },
    /// An agent, which plays over a stream of its own.
    Agent {
        /// Its name.
        name: String,
        /// The version that plays.
        version: String,
    },
}

/// A decision that a seat is asked for, numbered for that seat from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DecisionId(pub u64);

/// What a table knows of one seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatState {
    /// ViewerCredential sits there.
    pub holder: Holder,
    /// Which generation of its token is good.
    pub generation: u32,
    /// The decision it is asked for.
    pub open: Option<DecisionId>,
    /// How many decisions it was asked for so far.
    pub asked: u64,
    /// The newest decision that was made.
    pub decided: Option<Decided>,
    /// What is left of its bank, in milliseconds.
    pub bank: u32,
    /// What is left of its grace, in milliseconds.
    pub grace: u32,
    /// How many of its decisions ran out of time.
    pub time_outs: u32,
    /// How it plays.
    pub finish: SeatFinish,
    /// How long it has thought, in milliseconds.
    pub thought: u64,
    /// What it added to the shuffle. Secret until the game begins.
    pub entropy: Entropy,
    /// The request that last changed who may play it.
    pub request: Option<IdempotencyKey>,
}

/// Where a table is in its life.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Filling,
    Playing(AnyGame),
    Over { ending: Ending, game: Option<AnyGame> },
}

/// A table: what its log says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    pub(super) setup: Arc<Setup>,
    pub(super) seats: Vec<SeatState>,
    pub(super) stage: Stage,
    pub(super) length: u64,
    pub(super) numbers: Numbers,
    pub(super) spectators: u32,
    pub(super) started: Option<u64>,
    pub(super) ended: Option<u64>,
}

impl SeatState {
    fn new(seat: &SeatSetup, setup: &Setup) -> SeatState {
        SeatState {
            holder: match seat {
                SeatSetup::House { bot } => Holder::House { bot: bot.clone() },
                SeatSetup::Agent { name, version } => {
                    Holder::Agent { name: name.clone(), version: version.clone() }
                }
                SeatSetup::Open | SeatSetup::Reserved { .. } => Holder::Vacant,
            },
            generation: 0,
            open: None,
            asked: 0,
            decided: None,
            bank: setup.time.bank,
            grace: setup.time.grace,
            time_outs: 0,
            finish: SeatFinish::PlayedOut,
            thought: 0,
            entropy: Entropy::NONE,
            request: None,
        }
    }
}

/// How a decision came to be made.
#[derive(Clone, Copy)]
struct Maker {
    by: DecidedBy,
    used: u32,
    reported: Option<u32>,
}

impl Maker {
    /// Somebody who is not asked what they thought.
    const fn new(by: DecidedBy, used: u32) -> Maker {
        Maker { by, used, reported: None }
    }
}

/// What an entry comes to, while it is taken in.
#[derive(Default)]
struct Doing {
    told: AudienceEvents,
    decided: [Option<Decided>; MAX_SEATS],
    shuffled: Vec<RecordedShuffle>,
}

impl EventSink<AnyEvent> for Doing {
    fn emit(&mut self, to: Audience, event: AnyEvent) {
        self.told.push((to, RecordedEvent::Game(event)));
    }

    fn record_shuffle(&mut self, name: parlor_engine::ShuffleId, codes: impl Iterator<Item = u8>) {
        self.shuffled.push(RecordedShuffle { name, codes: codes.collect() });
    }
}

impl Doing {
    fn tell_all(&mut self, event: TableEvent) {
        self.told.push((Audience::Everyone, RecordedEvent::Table(event)));
    }
}

impl Table {
    /// The table that this first entry makes.
    pub fn open(first: &Entry) -> Result<Table, InvalidEntry> {
        let Entry::Created(setup) = first else {
            return Err(InvalidEntry {
                index: 0,
                why: "a log begins with the creation of its table".to_owned(),
            });
        };
        Ok(Table::set_up(Arc::new(Setup::clone(setup))))
    }

    /// A table that is so set up, and nothing else has happened to it.
    #[must_use]
    pub fn set_up(setup: Arc<Setup>) -> Table {
        Table {
            seats: setup.seats.iter().map(|seat| SeatState::new(seat, &setup)).collect(),
            setup,
            stage: Stage::Filling,
            length: 1,
            numbers: Numbers::default(),
            spectators: 0,
            started: None,
            ended: None,
        }
    }

    /// Takes in the next entry, which happened at this time (in milliseconds since 1970), and gives back what it came
    /// to: one step for the entry, and one more each time that a seat which has forfeited plays its default.
    ///
    /// After a misfit the table is worth nothing: it must be thrown away.
    pub fn fold(&mut self, at: u64, entry: &Entry) -> Result<Vec<Step>, InvalidEntry> {
        let mut steps = Vec::with_capacity(1);
        self.fold_with(at, entry, |_, step| steps.push(step))?;
        Ok(steps)
    }

    /// The same, showing the table after each step.
    ///
    /// A default of a forfeited seat is a step of its own, whatever made it due: others cannot tell by their numbers
    /// whether somebody was asked in secret before.
    pub fn fold_with(
        &mut self,
        at: u64,
        entry: &Entry,
        mut each: impl FnMut(&Table, Step),
    ) -> Result<(), InvalidEntry> {
        let index = self.length;
        let misfit = |why: String| InvalidEntry { index, why };
        let mut doing = Doing::default();
        self.take_in(at, entry, &mut doing).map_err(misfit)?;
        self.length += 1;
        let step = self.finish(at, doing);
        each(self, step);
        while let Some(seat) = self.next_forfeited() {
            let mut doing = Doing::default();
            let maker = Maker::new(DecidedBy::Forfeit, 0);
            self.act_by_default(seat, maker, &mut doing).map_err(misfit)?;
            let step = self.finish(at, doing);
            each(self, step);
        }
        Ok(())
    }

    /// Opens and closes decisions, ends the table if the game is over, and numbers what was told.
    fn finish(&mut self, at: u64, mut doing: Doing) -> Step {
        let asked = self.note_open_decisions();
        self.note_end(at, &mut doing);
        let Doing { told, decided, shuffled } = doing;
        let mut step = Step { at, told, decided, asked, shuffled };
        for viewer in Viewer::all(self.players()).filter(|viewer| step.concerns(*viewer)) {
            self.numbers.count(viewer);
        }
        self.note_decided(&mut step);
        step
    }

    pub(super) fn seat(&self, seat: Seat) -> &SeatState {
        &self.seats[seat.index()]
    }

    fn seat_mut(&mut self, seat: Seat) -> Result<&mut SeatState, String> {
        self.seats.get_mut(seat.index()).ok_or_else(|| format!("there is no seat {seat}"))
    }

    fn filling(&mut self, seat: Seat) -> Result<&mut SeatState, String> {
        if self.stage != Stage::Filling {
            return Err("the game had begun".to_owned());
        }
        self.seat_mut(seat)
    }

    fn take_in(&mut self, at: u64, entry: &Entry, doing: &mut Doing) -> Result<(), String> {
        if matches!(self.stage, Stage::Over { .. }) {
            return Err("the table was over".to_owned());
        }
        match entry {
            Entry::Created(_) => return Err("the table was there already".to_owned()),
            Entry::Joined { seat, user, name, entropy, request } => {
                let state = self.filling(*seat)?;
                if state.holder != Holder::Vacant {
                    return Err(format!("seat {seat} was taken"));
                }
                state.holder = Holder::Player { user: user.clone(), name: name.clone() };
                state.entropy = *entropy;
                state.request.clone_from(request);
                doing.tell_all(TableEvent::Joined { seat: *seat, name: name.clone() });
            }
            Entry::Reissued { seat, request } => {
                let state = self.seat_mut(*seat)?;
                state.generation += 1;
                state.request.clone_from(request);
            }
            Entry::SpectatorsRevoked => self.spectators += 1,
            Entry::Started => self.start(at, doing)?,
            Entry::Acted { seat, index, used, reported } => {
                let action = self.game().and_then(|game| game.legal_action(*seat, *index as usize));
                let action = action.ok_or_else(|| format!("seat {seat} has no action {index}"))?;
                let by = match self.seat(*seat).holder {
                    Holder::House { .. } => DecidedBy::HouseBot,
                    Holder::Vacant | Holder::Player { .. } | Holder::Agent { .. } => DecidedBy::Player,
                };
                self.use_time(*seat, *used)?;
                let maker = Maker { by, used: *used, reported: *reported };
                self.act(*seat, *index, action, maker, doing)?;
            }
            Entry::TimedOut { seat, used, away } => self.time_runs_out(*seat, *used, *away, doing)?,
            Entry::WindowClosed => self.close_window(doing)?,
            Entry::WasAway { seat, used } => {
                let state = self.seat_mut(*seat)?;
                state.grace = state.grace.saturating_sub(*used);
            }
            Entry::Resigned { seat } => self.forfeit(*seat, SeatFinish::Resigned, doing)?,
            Entry::SetAside { seat } => self.forfeit(*seat, SeatFinish::SetAside, doing)?,
            Entry::Replaced { seat, bot, request } => {
                let state = self.seat_mut(*seat)?;
                state.holder = Holder::House { bot: bot.clone() };
                state.generation += 1;
                state.finish = SeatFinish::PlayedOut;
                state.request.clone_from(request);
                doing.tell_all(TableEvent::Replaced { seat: *seat, bot: bot.clone() });
            }
            Entry::Cancelled { note } => self.end(Ending::Cancelled { note: note.clone() }),
            Entry::Expired => self.end(Ending::Expired),
            Entry::Faulted { what } => self.end(Ending::Faulted { what: what.clone() }),
        }
        Ok(())
    }

    fn start(&mut self, at: u64, doing: &mut Doing) -> Result<(), String> {
        if self.stage != Stage::Filling || self.seats.iter().any(|seat| seat.holder == Holder::Vacant) {
            return Err("it cannot begin now".to_owned());
        }
        let mut dealt = Doing::default();
        let new = if self.setup.time.constant_secret { AnyGame::new_with_held_windows } else { AnyGame::new };
        let chance = match &self.setup.chance {
            ChanceSetup::Scripted { seed, orders } => Chance::scripted(*seed, orders.clone()),
            ChanceSetup::Deal(deal) => deal.chance(self.setup.options.game(), self.players()),
            ChanceSetup::Fresh { .. } | ChanceSetup::Given { .. } => Chance::seeded(self.game_seed()),
        };
        let game = new(self.setup.rules_version, self.setup.options, self.players(), chance, &mut dealt)
            .map_err(|error| error.to_string())?;
        self.stage = Stage::Playing(game);
        self.started = Some(at);
        doing.tell_all(TableEvent::Started { shuffle: Box::new(self.shuffle()) });
        doing.told.append(&mut dealt.told);
        doing.shuffled.append(&mut dealt.shuffled);
        Ok(())
    }

    /// What there is to see of the shuffle now.
    #[must_use]
    pub fn shuffle(&self) -> Shuffle {
        let has_begun = self.started.is_some();
        let is_over = matches!(self.stage, Stage::Over { .. });
        let server_seed = match &self.setup.chance {
            // A table does not know whether its deal is over.
            ChanceSetup::Deal(deal) => return deal.shuffle(false),
            ChanceSetup::Fresh { server_seed } => Some(*server_seed),
            ChanceSetup::Given { .. } | ChanceSetup::Scripted { .. } => None,
        };
        let is_fresh = server_seed.is_some();
        let entropy = self.seats.iter().filter(|_| has_begun && is_fresh).map(|seat| seat.entropy).collect();
        Shuffle {
            commitment: self.setup.commitment(),
            entropy,
            server_seed: server_seed.filter(|_| is_over),
            game_seed: (has_begun && is_over).then(|| self.game_seed()),
            given: !is_fresh,
            deal: None,
        }
    }

    /// The seed of the game, from the server's seed and everybody's entropy.
    fn game_seed(&self) -> [u8; 32] {
        match &self.setup.chance {
            ChanceSetup::Given { seed } | ChanceSetup::Scripted { seed, .. } => *seed,
            ChanceSetup::Deal(deal) => *deal.seed().game_seed(&deal.entropy).reveal(),
            ChanceSetup::Fresh { server_seed } => {
                let entropies: Vec<Entropy> = self.seats.iter().map(|seat| seat.entropy).collect();
                *ServerSeed::from_bytes(*server_seed).game_seed(self.setup.table, &entropies).reveal()
            }
        }
    }

    /// Plays an action for a seat, and closes its decision.
    fn act(
        &mut self,
        seat: Seat,
        index: u32,
        action: AnyAction,
        maker: Maker,
        doing: &mut Doing,
    ) -> Result<(), String> {
        let Stage::Playing(game) = &mut self.stage else {
            return Err("the game was not on".to_owned());
        };
        game.apply(seat, action, doing).map_err(|refusal| format!("seat {seat}: {refusal}"))?;
        let state = &mut self.seats[seat.index()];
        if let Some(id) = state.open.take() {
            let Maker { by, used, reported } = maker;
            let decided = Decided { id, index, action, by, used, reported, bank: state.bank, number: 0 };
            doing.decided[seat.index()] = Some(decided);
        }
        Ok(())
    }

    /// Plays what a clock that ran out plays.
    fn act_by_default(&mut self, seat: Seat, maker: Maker, doing: &mut Doing) -> Result<(), String> {
        let default = self.game().and_then(|game| game.default_action(seat));
        let default = default.ok_or_else(|| format!("seat {seat} was not asked"))?;
        let index = self.game().and_then(|game| game.legal_index(seat, default));
        let index = index.ok_or_else(|| format!("the default of seat {seat} is not offered"))? as u32;
        self.act(seat, index, default, maker, doing)
    }

    /// Counts time against the bank of a seat. A secret decision costs nothing.
    fn use_time(&mut self, seat: Seat, used: u32) -> Result<(), String> {
        let is_secret = self.is_secret(seat);
        let beyond = used.saturating_sub(self.setup.time.decision);
        let state = self.seat_mut(seat)?;
        state.thought += u64::from(used);
        if !is_secret {
            state.bank = state.bank.saturating_sub(beyond);
        }
        Ok(())
    }

    fn time_runs_out(&mut self, seat: Seat, used: u32, away: bool, doing: &mut Doing) -> Result<(), String> {
        self.use_time(seat, used)?;
        let maker = Maker::new(DecidedBy::Clock, used);
        if self.is_secret(seat) {
            return self.act_by_default(seat, maker, doing);
        }
        let limit = self.setup.time.forfeit_after;
        let state = self.seat_mut(seat)?;
        if state.open.is_none() {
            return Err(format!("seat {seat} was not asked"));
        }
        state.time_outs = state.time_outs.saturating_add(1);
        let times = state.time_outs;
        doing.tell_all(TableEvent::TimedOut { seat, times });
        if limit > 0 && times >= limit {
            let finish = if away { SeatFinish::Disconnected } else { SeatFinish::TimedOut };
            self.forfeit(seat, finish, doing)?;
        }
        self.act_by_default(seat, maker, doing)
    }

    /// A window of constant length ends: whoever has not answered declines.
    fn close_window(&mut self, doing: &mut Doing) -> Result<(), String> {
        let declining: Vec<Seat> = match self.game() {
            Some(game) if game.window_is_held() => game.to_act().iter().collect(),
            _ => return Err("no window was held open".to_owned()),
        };
        for seat in declining {
            let used = self.setup.time.secret;
            self.use_time(seat, used)?;
            self.act_by_default(seat, Maker::new(DecidedBy::Clock, used), doing)?;
        }
        if let Stage::Playing(game) = &mut self.stage {
            game.close_window(doing);
        }
        Ok(())
    }

    fn forfeit(&mut self, seat: Seat, finish: SeatFinish, doing: &mut Doing) -> Result<(), String> {
        let is_on = matches!(self.stage, Stage::Playing(_));
        let state = self.seat_mut(seat)?;
        // The seat of an agent is taken from the beginning, and may be given up before the others have come.
        if !is_on && !matches!(state.holder, Holder::Agent { .. }) {
            return Err("the game was not on".to_owned());
        }
        if state.finish.is_forfeit() {
            return Err(format!("seat {seat} had forfeited"));
        }
        state.finish = finish;
        doing.tell_all(TableEvent::Forfeited { seat, finish });
        Ok(())
    }

    /// A seat that has forfeited and is asked: it plays its default at once.
    fn next_forfeited(&self) -> Option<Seat> {
        let asked = self.game().map(AnyGame::to_act).unwrap_or_default();
        asked.iter().find(|seat| self.seat(*seat).finish.is_forfeit())
    }

    /// Gives a number to every decision that has just come up, and closes those that the game no longer waits for. Gives
    /// the seats that are newly asked. One that has forfeited is not asked any more.
    fn note_open_decisions(&mut self) -> Seats {
        let asked = self.game().map(AnyGame::to_act).unwrap_or_default();
        let mut newly = Seats::NONE;
        for seat in Seat::all(self.players()) {
            let state = &mut self.seats[seat.index()];
            match (asked.contains(seat), state.open) {
                (true, None) if !state.finish.is_forfeit() => {
                    state.asked += 1;
                    state.open = Some(DecisionId(state.asked));
                    newly = newly.with(seat);
                }
                (false, Some(_)) => state.open = None,
                (true, Some(_) | None) | (false, None) => {}
            }
        }
        newly
    }

    /// Numbers the decisions that were made, now that it is known which update tells of them.
    fn note_decided(&mut self, step: &mut Step) {
        for seat in Seat::all(self.players()) {
            if let Some(decided) = &mut step.decided[seat.index()] {
                decided.number = self.numbers.of(Viewer::Seat(seat));
                self.seats[seat.index()].decided = Some(*decided);
            }
        }
    }

    fn note_end(&mut self, at: u64, doing: &mut Doing) {
        if let Some(outcome) = self.game().and_then(AnyGame::outcome) {
            self.end(Ending::Finished(Finished::new(&outcome, &self.seats)));
        }
        if let Stage::Over { ending, .. } = &self.stage {
            self.ended = Some(at);
            doing.tell_all(TableEvent::Ended { ending: ending.clone(), shuffle: Box::new(self.shuffle()) });
        }
    }

    fn end(&mut self, ending: Ending) {
        let game = match std::mem::replace(&mut self.stage, Stage::Filling) {
            Stage::Playing(game) | Stage::Over { game: Some(game), .. } => Some(game),
            Stage::Filling | Stage::Over { game: None, .. } => None,
        };
        self.stage = Stage::Over { ending, game };
    }
}
