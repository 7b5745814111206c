//! A table as the fold of its log.

use parlor_engine::{AnyAction, AnyEvent, AnyGame, Audience, Chance, MAX_SEATS, Seat, Viewer};

use crate::fair::{Entropy, ServerSeed};

use super::told::{Numbers, TableEvent, Tellings, Told};
use super::{ChanceSetup, Conduct, Ending, Entry, Finished, SeatSetup, Setup};

/// An entry that does not fit the entries before it: the log is damaged, or was written by something else.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("entry {index} does not fit the table: {why}")]
pub struct Misfit {
    /// Which entry, the first being 0.
    pub index: u64,
    /// What is wrong with it.
    pub why: String,
}

/// Who sits on a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Nobody yet.
    Vacant,
    /// A player who joined.
    Player {
        /// The owner's own name for them, if there is one.
        user: Option<String>,
    },
    /// A bot of the house.
    House {
        /// Its name.
        bot: String,
    },
}

/// A decision that a seat is asked for, numbered for that seat from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DecisionId(pub u64);

/// A decision that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decided {
    /// Which decision.
    pub id: DecisionId,
    /// Which of the legal actions was played, counted from 0.
    pub index: u32,
    /// The action.
    pub action: AnyAction,
}

/// What a table knows of one seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatState {
    /// Who sits there.
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
    pub time_outs: u8,
    /// How it plays.
    pub conduct: Conduct,
    /// How long it has thought, in milliseconds.
    pub thought: u64,
    entropy: Entropy,
}

/// Where a table is in its life.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Filling,
    Playing(Box<AnyGame>),
    Over { ending: Ending, game: Option<Box<AnyGame>> },
}

/// A table: what its log says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    pub(super) setup: Setup,
    pub(super) seats: Vec<SeatState>,
    pub(super) stage: Stage,
    pub(super) length: u64,
    pub(super) numbers: Numbers,
}

impl SeatState {
    fn new(seat: &SeatSetup, setup: &Setup) -> SeatState {
        SeatState {
            holder: match seat {
                SeatSetup::House { bot } => Holder::House { bot: bot.clone() },
                SeatSetup::Open | SeatSetup::Reserved { .. } => Holder::Vacant,
            },
            generation: 0,
            open: None,
            asked: 0,
            decided: None,
            bank: setup.time.bank,
            grace: setup.time.grace,
            time_outs: 0,
            conduct: Conduct::PlayedOut,
            thought: 0,
            entropy: Entropy::NONE,
        }
    }
}

impl Table {
    /// The table that this first entry makes.
    pub fn open(first: &Entry) -> Result<Table, Misfit> {
        let Entry::Created(setup) = first else {
            return Err(Misfit { index: 0, why: "a log begins with the creation of its table".to_owned() });
        };
        let seats = setup.seats.iter().map(|seat| SeatState::new(seat, setup)).collect();
        let setup = Setup::clone(setup);
        Ok(Table { setup, seats, stage: Stage::Filling, length: 1, numbers: Numbers::default() })
    }

    /// Takes in the next entry, and gives back what it tells.
    ///
    /// After a misfit the table is worth nothing: it must be thrown away.
    pub fn fold(&mut self, entry: &Entry) -> Result<Tellings, Misfit> {
        let index = self.length;
        let misfit = |why: String| Misfit { index, why };
        let asked_before: Vec<_> = self.seats.iter().map(|seat| seat.asked).collect();
        let mut told = Tellings::new();
        self.take_in(entry, &mut told).map_err(misfit)?;
        self.play_forfeited(&mut told).map_err(misfit)?;
        self.note_open_decisions();
        self.note_end(&mut told);
        self.length += 1;
        for viewer in Viewer::all(self.players()) {
            let is_asked =
                viewer.seat().is_some_and(|seat| self.seat(seat).asked > asked_before[seat.index()]);
            if is_asked || told.iter().any(|(to, _)| to.includes(viewer)) {
                self.numbers.count(viewer);
            }
        }
        Ok(told)
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

    fn take_in(&mut self, entry: &Entry, told: &mut Tellings) -> Result<(), String> {
        if matches!(self.stage, Stage::Over { .. }) {
            return Err("the table was over".to_owned());
        }
        match entry {
            Entry::Created(_) => return Err("the table was there already".to_owned()),
            Entry::Joined { seat, user, entropy } => {
                let state = self.filling(*seat)?;
                if state.holder != Holder::Vacant {
                    return Err(format!("seat {seat} was taken"));
                }
                state.holder = Holder::Player { user: user.clone() };
                state.entropy = *entropy;
                tell(told, TableEvent::Joined { seat: *seat });
            }
            Entry::Reissued { seat } => self.seat_mut(*seat)?.generation += 1,
            Entry::Started => self.start(told)?,
            Entry::Acted { seat, index, used, .. } => {
                let action = *self
                    .legal_actions(*seat)
                    .get(*index as usize)
                    .ok_or_else(|| format!("seat {seat} has no action {index}"))?;
                self.use_time(*seat, *used)?;
                self.act(*seat, action, told)?;
            }
            Entry::TimedOut { seat, used, away } => self.play_default(*seat, *used, *away, told)?,
            Entry::WasAway { seat, used } => {
                let state = self.seat_mut(*seat)?;
                state.grace = state.grace.saturating_sub(*used);
            }
            Entry::Resigned { seat } => self.forfeit(*seat, Conduct::Resigned, told)?,
            Entry::Replaced { seat, bot } => {
                let state = self.seat_mut(*seat)?;
                state.holder = Holder::House { bot: bot.clone() };
                state.generation += 1;
                state.conduct = Conduct::PlayedOut;
                let by = SeatSetup::House { bot: bot.clone() };
                tell(told, TableEvent::Replaced { seat: *seat, by });
            }
            Entry::Cancelled => self.end(Ending::Cancelled),
            Entry::Expired => self.end(Ending::Expired),
            Entry::Faulted { what } => self.end(Ending::Faulted { what: what.clone() }),
        }
        Ok(())
    }

    fn start(&mut self, told: &mut Tellings) -> Result<(), String> {
        if self.stage != Stage::Filling || self.seats.iter().any(|seat| seat.holder == Holder::Vacant) {
            return Err("it cannot begin now".to_owned());
        }
        tell(told, TableEvent::Started);
        let mut events = Vec::new();
        let chance = Chance::seeded(self.game_seed());
        let game =
            AnyGame::new(self.setup.rules_version, self.setup.options, self.players(), chance, &mut events)
                .map_err(|error| error.to_string())?;
        tell_game(told, events);
        self.stage = Stage::Playing(Box::new(game));
        Ok(())
    }

    /// The seed of the game, from the server's seed and everybody's entropy.
    fn game_seed(&self) -> [u8; 32] {
        match &self.setup.chance {
            ChanceSetup::Given { seed } => *seed,
            ChanceSetup::Fresh { server_seed } => {
                let entropies: Vec<Entropy> = self.seats.iter().map(|seat| seat.entropy).collect();
                *ServerSeed::from_bytes(*server_seed).game_seed(self.setup.table, &entropies).reveal()
            }
        }
    }

    /// Plays an action for a seat, and closes its decision.
    fn act(&mut self, seat: Seat, action: AnyAction, told: &mut Tellings) -> Result<(), String> {
        let Stage::Playing(game) = &mut self.stage else {
            return Err("the game was not on".to_owned());
        };
        let mut events = Vec::new();
        let index =
            game.legal_actions(seat).iter().position(|offered| *offered == action).unwrap_or_default() as u32;
        game.apply(seat, action, &mut events).map_err(|refusal| format!("seat {seat}: {refusal}"))?;
        tell_game(told, events);
        let state = &mut self.seats[seat.index()];
        if let Some(id) = state.open.take() {
            state.decided = Some(Decided { id, index, action });
        }
        Ok(())
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

    fn play_default(&mut self, seat: Seat, used: u32, away: bool, told: &mut Tellings) -> Result<(), String> {
        let default = self.game().and_then(|game| game.default_action(seat));
        let default = default.ok_or_else(|| format!("seat {seat} was not asked"))?;
        self.use_time(seat, used)?;
        if self.is_secret(seat) {
            told.push((Audience::Only(seat), Told::Table(TableEvent::TimedOut { seat })));
            return self.act(seat, default, told);
        }
        tell(told, TableEvent::TimedOut { seat });
        let limit = self.setup.time.forfeit_after;
        let state = self.seat_mut(seat)?;
        state.time_outs = state.time_outs.saturating_add(1);
        if limit > 0 && state.time_outs >= limit {
            let conduct = if away { Conduct::Disconnected } else { Conduct::TimedOut };
            return self.forfeit(seat, conduct, told);
        }
        self.act(seat, default, told)
    }

    fn forfeit(&mut self, seat: Seat, conduct: Conduct, told: &mut Tellings) -> Result<(), String> {
        if !matches!(self.stage, Stage::Playing(_)) {
            return Err("the game was not on".to_owned());
        }
        let state = self.seat_mut(seat)?;
        if state.conduct.is_forfeit() {
            return Err(format!("seat {seat} had forfeited"));
        }
        state.conduct = conduct;
        tell(told, TableEvent::Forfeited { seat, conduct });
        Ok(())
    }

    /// Seats that have forfeited play their defaults at once.
    fn play_forfeited(&mut self, told: &mut Tellings) -> Result<(), String> {
        loop {
            let asked = self.game().map(AnyGame::to_act).unwrap_or_default();
            let Some(seat) = asked.iter().find(|seat| self.seat(*seat).conduct.is_forfeit()) else {
                return Ok(());
            };
            let default = self.game().and_then(|game| game.default_action(seat));
            self.act(seat, default.ok_or("a seat that is asked has a default")?, told)?;
        }
    }

    /// Gives a number to every decision that has just come up, and closes those that the game no longer waits for.
    fn note_open_decisions(&mut self) {
        let asked = self.game().map(AnyGame::to_act).unwrap_or_default();
        for seat in Seat::all(self.players()) {
            let state = &mut self.seats[seat.index()];
            match (asked.contains(seat), state.open) {
                (true, None) => {
                    state.asked += 1;
                    state.open = Some(DecisionId(state.asked));
                }
                (false, Some(_)) => state.open = None,
                (true, Some(_)) | (false, None) => {}
            }
        }
    }

    fn note_end(&mut self, told: &mut Tellings) {
        if let Some(outcome) = self.game().and_then(AnyGame::outcome) {
            let mut conduct = [Conduct::PlayedOut; MAX_SEATS];
            for (slot, seat) in conduct.iter_mut().zip(&self.seats) {
                *slot = seat.conduct;
            }
            self.end(Ending::Finished(Finished::new(&outcome, &conduct)));
        }
        if let Stage::Over { ending, .. } = &self.stage {
            tell(told, TableEvent::Ended(ending.clone()));
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

fn tell(told: &mut Tellings, event: TableEvent) {
    told.push((Audience::Everyone, Told::Table(event)));
}

fn tell_game(told: &mut Tellings, events: Vec<(Audience, AnyEvent)>) {
    told.extend(events.into_iter().map(|(to, event)| (to, Told::Game(event))));
}
