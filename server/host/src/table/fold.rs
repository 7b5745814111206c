//! Folding of log entries into a table.

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, Audience, Chance, EventSink, MAX_SEATS, Seat, Seats, Viewer,
};

use super::shuffle::AddedEntropy;
use super::state::{DecisionId, Holder, InvalidEntry, SeatState, Stage, Table};
use super::update::{AudienceEvents, Decided, DecidedBy, RecordedEvent, RecordedShuffle, Step, TableEvent};
use super::{ChanceSetup, Ending, Entry, Finished, SeatFinish};
use parlor_fair::Entropy;

/// Maker and timing of a decision.
#[derive(Clone, Copy)]
struct DecisionSource {
    by: DecidedBy,
    used: u32,
    reported: Option<u32>,
}

impl DecisionSource {
    /// A source that reports no think time.
    const fn new(by: DecidedBy, used: u32) -> DecisionSource {
        DecisionSource { by, used, reported: None }
    }
}

/// Effects of an entry, collected while it is applied.
#[derive(Default)]
struct StepBuilder {
    events: AudienceEvents,
    decided: [Option<Decided>; MAX_SEATS],
    shuffled: Vec<RecordedShuffle>,
}

impl EventSink<AnyEvent> for StepBuilder {
    fn emit(&mut self, to: Audience, event: AnyEvent) {
        self.events.push((to, RecordedEvent::Game(event)));
    }

    fn record_shuffle(&mut self, name: parlor_engine::ShuffleId, codes: impl Iterator<Item = u8>) {
        self.shuffled.push(RecordedShuffle { name, codes: codes.collect() });
    }
}

impl StepBuilder {
    fn emit_to_all(&mut self, event: TableEvent) {
        self.events.push((Audience::Everyone, RecordedEvent::Table(event)));
    }
}

impl Table {
    /// Applies the next entry, whose time is `at` in milliseconds since 1970. Returns one step for the entry, and one
    /// for each default action that a forfeited seat plays as a consequence.
    ///
    /// # Errors
    /// The entry does not fit. The table is then half updated and must be discarded.
    pub fn fold(&mut self, at: u64, entry: &Entry) -> Result<Vec<Step>, InvalidEntry> {
        let mut steps = Vec::with_capacity(1);
        self.fold_each_step(at, entry, |_, step| steps.push(step))?;
        Ok(steps)
    }

    /// Like [`Table::fold`], but calls `on_step` with the table after each step.
    ///
    /// The default action of a forfeited seat is always a separate step: otherwise update numbers would reveal a
    /// secret decision before it.
    pub fn fold_each_step(
        &mut self,
        at: u64,
        entry: &Entry,
        mut on_step: impl FnMut(&Table, Step),
    ) -> Result<(), InvalidEntry> {
        let index = self.length;
        let invalid = |why: String| InvalidEntry { index, why };
        let mut builder = StepBuilder::default();
        self.apply_entry(at, entry, &mut builder).map_err(invalid)?;
        self.length += 1;
        let step = self.complete_step(at, builder);
        on_step(self, step);
        while let Some(seat) = self.forfeited_seat_to_act() {
            let mut builder = StepBuilder::default();
            let source = DecisionSource::new(DecidedBy::Forfeit, 0);
            self.play_default(seat, source, &mut builder).map_err(invalid)?;
            let step = self.complete_step(at, builder);
            on_step(self, step);
        }
        Ok(())
    }

    /// Opens and closes decisions, ends the table if the game is over, and numbers the updates.
    fn complete_step(&mut self, at: u64, mut builder: StepBuilder) -> Step {
        let asked = self.update_open_decisions();
        self.record_ending(at, &mut builder);
        let StepBuilder { events, decided, shuffled } = builder;
        let mut step = Step { at, events, decided, asked, shuffled };
        for viewer in Viewer::all(self.players()).filter(|viewer| step.is_visible_to(*viewer)) {
            self.numbers.increment(viewer);
        }
        self.number_decisions(&mut step);
        step
    }

    fn seat_mut(&mut self, seat: Seat) -> Result<&mut SeatState, String> {
        self.seats.get_mut(seat.index()).ok_or_else(|| format!("there is no seat {seat}"))
    }

    fn seat_before_start(&mut self, seat: Seat) -> Result<&mut SeatState, String> {
        if self.stage != Stage::Filling {
            return Err("the game had begun".to_owned());
        }
        self.seat_mut(seat)
    }

    fn apply_entry(&mut self, at: u64, entry: &Entry, builder: &mut StepBuilder) -> Result<(), String> {
        if matches!(self.stage, Stage::Over { .. }) {
            return Err("the table was over".to_owned());
        }
        match entry {
            Entry::Created(_) => return Err("the table was there already".to_owned()),
            Entry::Joined { seat, user, name, entropy, commitment, request, invite } => {
                if let Some(number) = invite {
                    self.invite_mut(*number)?.used += 1;
                }
                let state = self.seat_before_start(*seat)?;
                if state.holder != Holder::Vacant {
                    return Err(format!("seat {seat} was taken"));
                }
                state.holder = Holder::Player { user: user.clone(), name: name.clone() };
                state.entropy = AddedEntropy { commitment: *commitment, entropy: *entropy };
                state.request.clone_from(request);
                builder.emit_to_all(TableEvent::Joined { seat: *seat, name: name.clone() });
            }
            Entry::Reissued { seat, request } => {
                let state = self.seat_mut(*seat)?;
                state.generation += 1;
                state.request.clone_from(request);
            }
            Entry::InviteCreated(new) if self.stage == Stage::Filling => self.add_invite(at, new),
            Entry::InviteCreated(_) => return Err("the game had begun".to_owned()),
            Entry::InviteRevoked { number } => self.invite_mut(*number)?.revoked = true,
            Entry::SpectatorsRevoked => self.spectators += 1,
            Entry::Filled => {
                self.check_filled()?;
                (self.stage, self.filled) = (Stage::Starting, true);
                builder.emit_to_all(TableEvent::Starting { shuffle: Box::new(self.shuffle()) });
            }
            Entry::Revealed { seat, entropy } => self.reveal_entropy(*seat, *entropy)?,
            Entry::Started => self.start(at, builder)?,
            Entry::Acted { seat, index, used, reported } => {
                let action = self.game().and_then(|game| game.legal_action(*seat, *index as usize));
                let action = action.ok_or_else(|| format!("seat {seat} has no action {index}"))?;
                let by = match self.seat(*seat).holder {
                    Holder::House { .. } => DecidedBy::HouseBot,
                    Holder::Vacant | Holder::Player { .. } | Holder::Agent { .. } => DecidedBy::Player,
                };
                self.charge_time(*seat, *used)?;
                let source = DecisionSource { by, used: *used, reported: *reported };
                self.play(*seat, *index, action, source, builder)?;
            }
            Entry::TimedOut { seat, used, away } => self.apply_timeout(*seat, *used, *away, builder)?,
            Entry::WindowClosed => self.close_window(builder)?,
            Entry::WasAway { seat, used } => {
                let state = self.seat_mut(*seat)?;
                state.grace = state.grace.saturating_sub(*used);
                state.away_time = state.away_time.saturating_add(*used);
            }
            Entry::Resigned { seat } => self.forfeit(*seat, SeatFinish::Resigned, builder)?,
            Entry::SetAside { seat } => self.forfeit(*seat, SeatFinish::SetAside, builder)?,
            Entry::Replaced { seat, bot, request } => {
                let is_filling = self.stage == Stage::Filling;
                let state = self.seat_mut(*seat)?;
                state.holder = Holder::House { bot: bot.clone() };
                // Later on the commitment has been shown, and stays.
                state.entropy.commitment = state.entropy.commitment.filter(|_| !is_filling);
                state.generation += 1;
                state.request.clone_from(request);
                builder.emit_to_all(TableEvent::Replaced { seat: *seat, bot: bot.clone() });
            }
            Entry::Cancelled { note } => self.end(Ending::Cancelled { note: note.clone() }),
            Entry::Expired => self.end(Ending::Expired),
            Entry::Faulted { reason: what } => self.end(Ending::Faulted { reason: what.clone() }),
        }
        Ok(())
    }

    /// Checks that the table has just been filled.
    fn check_filled(&self) -> Result<(), String> {
        if self.stage != Stage::Filling || self.seats.iter().any(|seat| seat.holder == Holder::Vacant) {
            return Err("it cannot begin now".to_owned());
        }
        Ok(())
    }

    fn reveal_entropy(&mut self, seat: Seat, entropy: Entropy) -> Result<(), String> {
        let is_starting = self.stage == Stage::Starting;
        let commitment = entropy.commitment(self.setup.table);
        let state = self.seat_mut(seat)?;
        if !is_starting || !state.entropy.is_unrevealed() || state.entropy.commitment != Some(commitment) {
            return Err(format!("seat {seat} had nothing of this kind to reveal"));
        }
        state.entropy.entropy = entropy;
        Ok(())
    }

    fn start(&mut self, at: u64, builder: &mut StepBuilder) -> Result<(), String> {
        if self.stage != Stage::Starting {
            self.check_filled()?;
        }
        (self.filled, self.started) = (true, Some(at));
        let mut dealt = StepBuilder::default();
        let new = if self.setup.time.constant_secret { AnyGame::new_with_held_windows } else { AnyGame::new };
        let chance = match &self.setup.chance {
            ChanceSetup::Scripted { seed, orders } => Chance::scripted(*seed, orders.clone()),
            ChanceSetup::Deal(deal) => deal.chance(self.setup.options.game(), self.players()),
            ChanceSetup::Fresh { .. } | ChanceSetup::Given { .. } => Chance::seeded(self.game_seed()),
        };
        let game = new(self.setup.rules_version, self.setup.options, self.players(), chance, &mut dealt)
            .map_err(|error| error.to_string())?;
        self.stage = Stage::Playing(game);
        self.invites = Vec::new();
        builder.emit_to_all(TableEvent::Started { shuffle: Box::new(self.shuffle()) });
        builder.events.append(&mut dealt.events);
        builder.shuffled.append(&mut dealt.shuffled);
        Ok(())
    }

    /// Plays an action for a seat and closes its decision.
    fn play(
        &mut self,
        seat: Seat,
        index: u32,
        action: AnyAction,
        source: DecisionSource,
        builder: &mut StepBuilder,
    ) -> Result<(), String> {
        let Stage::Playing(game) = &mut self.stage else {
            return Err("the game was not on".to_owned());
        };
        game.apply(seat, action, builder).map_err(|refusal| format!("seat {seat}: {refusal}"))?;
        let state = &mut self.seats[seat.index()];
        let id = state.open.take().unwrap_or(DecisionId::UNASKED);
        let DecisionSource { by, used, reported } = source;
        let decided = Decided { id, index, action, by, used, reported, bank: state.bank, number: 0 };
        builder.decided[seat.index()] = Some(decided);
        Ok(())
    }

    /// Plays the default action of a seat.
    fn play_default(
        &mut self,
        seat: Seat,
        source: DecisionSource,
        builder: &mut StepBuilder,
    ) -> Result<(), String> {
        let default = self.game().and_then(|game| game.default_action(seat));
        let default = default.ok_or_else(|| format!("seat {seat} was not asked"))?;
        let index = self.game().and_then(|game| game.legal_index(seat, default));
        let index = index.ok_or_else(|| format!("the default of seat {seat} is not offered"))? as u32;
        self.play(seat, index, default, source, builder)
    }

    /// Charges the time overtime the decision time to the bank of a seat. A secret decision is free.
    fn charge_time(&mut self, seat: Seat, used: u32) -> Result<(), String> {
        let is_secret = self.is_secret(seat);
        let overtime = used.saturating_sub(self.setup.time.decision);
        let state = self.seat_mut(seat)?;
        state.think_time = state.think_time.saturating_add(used);
        if !is_secret {
            state.bank = state.bank.saturating_sub(overtime);
        }
        Ok(())
    }

    fn apply_timeout(
        &mut self,
        seat: Seat,
        used: u32,
        away: bool,
        builder: &mut StepBuilder,
    ) -> Result<(), String> {
        self.charge_time(seat, used)?;
        let source = DecisionSource::new(DecidedBy::Clock, used);
        if self.is_secret(seat) {
            return self.play_default(seat, source, builder);
        }
        let limit = self.setup.time.forfeit_after;
        let state = self.seat_mut(seat)?;
        if state.open.is_none() {
            return Err(format!("seat {seat} was not asked"));
        }
        state.time_outs = state.time_outs.saturating_add(1);
        let times = state.time_outs;
        builder.emit_to_all(TableEvent::TimedOut { seat, times });
        if limit > 0 && times >= limit && !self.seats[seat.index()].finish.is_forfeit() {
            let finish = if away { SeatFinish::Disconnected } else { SeatFinish::TimedOut };
            self.forfeit(seat, finish, builder)?;
        }
        self.play_default(seat, source, builder)
    }

    /// Ends a window of constant length: seats that have not answered decline.
    fn close_window(&mut self, builder: &mut StepBuilder) -> Result<(), String> {
        let declining: Vec<Seat> = match self.game() {
            Some(game) if game.window_is_held() => game.to_act().iter().collect(),
            _ => return Err("no window was held open".to_owned()),
        };
        for seat in declining {
            let used = self.setup.time.secret;
            self.charge_time(seat, used)?;
            self.play_default(seat, DecisionSource::new(DecidedBy::Clock, used), builder)?;
        }
        if let Stage::Playing(game) = &mut self.stage {
            game.close_window(builder);
        }
        Ok(())
    }

    fn forfeit(&mut self, seat: Seat, finish: SeatFinish, builder: &mut StepBuilder) -> Result<(), String> {
        let is_playing = matches!(self.stage, Stage::Playing(_));
        let position = self.length;
        let state = self.seat_mut(seat)?;
        // The seat of an agent is filled from the beginning, so it may forfeit before the start.
        if !is_playing && !matches!(state.holder, Holder::Agent { .. }) {
            return Err("the game was not on".to_owned());
        }
        if state.finish.is_forfeit() && matches!(state.holder, Holder::House { .. }) {
            // In logs of earlier versions a seat that a bot had taken over could forfeit once more.
            return Ok(());
        }
        if state.finish.is_forfeit() {
            return Err(format!("seat {seat} had forfeited"));
        }
        state.finish = finish;
        state.forfeited_at = if is_playing { position } else { 0 };
        builder.emit_to_all(TableEvent::Forfeited { seat, finish });
        Ok(())
    }

    /// A forfeited seat that is to play: it plays its default action at once.
    fn forfeited_seat_to_act(&self) -> Option<Seat> {
        let asked = self.game().map(AnyGame::to_act).unwrap_or_default();
        asked.iter().find(|seat| self.seat(*seat).plays_defaults())
    }

    /// Opens new decisions and closes those that the game no longer waits for. Returns the seats whose decision was
    /// opened. Seats that play defaults get no decisions.
    fn update_open_decisions(&mut self) -> Seats {
        let asked = self.game().map(AnyGame::to_act).unwrap_or_default();
        let mut opened = Seats::NONE;
        for seat in Seat::all(self.players()) {
            let state = &mut self.seats[seat.index()];
            match (asked.contains(seat), state.open) {
                (true, None) if !state.plays_defaults() => {
                    state.asked += 1;
                    state.open = Some(DecisionId(state.asked));
                    opened = opened.with(seat);
                }
                (false, Some(_)) => state.open = None,
                (true, Some(_) | None) | (false, None) => {}
            }
        }
        opened
    }

    /// Sets the update numbers of the made decisions, which are known only after the updates are numbered.
    fn number_decisions(&mut self, step: &mut Step) {
        for seat in Seat::all(self.players()) {
            if let Some(decided) = step.decided[seat.index()].as_mut().filter(|decided| decided.was_asked()) {
                decided.number = self.numbers.get(Viewer::Seat(seat));
                self.seats[seat.index()].decided = Some(*decided);
            }
        }
    }

    /// Ends the table if the game is over, and emits the ending.
    fn record_ending(&mut self, at: u64, builder: &mut StepBuilder) {
        if let Some(outcome) = self.game().and_then(AnyGame::outcome) {
            self.end(Ending::Finished(Finished::new(&outcome, &self.seats)));
        }
        if let Stage::Over { ending, .. } = &self.stage {
            self.ended = Some(at);
            builder
                .emit_to_all(TableEvent::Ended { ending: ending.clone(), shuffle: Box::new(self.shuffle()) });
        }
    }

    fn end(&mut self, ending: Ending) {
        let game = match std::mem::replace(&mut self.stage, Stage::Filling) {
            Stage::Playing(game) | Stage::Over { game: Some(game), .. } => Some(game),
            Stage::Filling | Stage::Starting | Stage::Over { game: None, .. } => None,
        };
        self.stage = Stage::Over { ending, game };
        self.invites = Vec::new();
    }
}
