//! Table without a server, for tests: the engine, seeded random opponents, and the messages to one viewer.

use std::time::Duration;

use parlor_engine::{AnyAction, AnyEvent, AnyGame, Audience, Chance, GameId, Seat, Viewer, below};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::table::{
    Decided, DecidedBy, Decision, EndReason, Occupant, SeatFinish, SeatInfo, SeatScore, Snapshot, TableEvent,
    TableInfo, TableMessage, TableResult, TimeLeft, Update,
};

/// A game with the messages to one viewer, who may hold a seat.
pub(crate) struct TestTable {
    pub(crate) game: AnyGame,
    pub(crate) viewer: Viewer,
    rng: ChaCha20Rng,
    last_update: u32,
    last_decision_id: u32,
    decision_open: bool,
    /// Send views with updates; otherwise only events.
    pub(crate) send_views: bool,
}

pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a valid seat number")
}

impl TestTable {
    /// A new table, seen by seat 0.
    pub(crate) fn new(id: GameId, players: u8, seed: u8) -> TestTable {
        TestTable::with_viewer(id, players, seed, Viewer::Seat(seat(0)))
    }

    pub(crate) fn with_viewer(id: GameId, players: u8, seed: u8, viewer: Viewer) -> TestTable {
        let (version, options) = (id.info().rules_version, id.default_options());
        let chance = Chance::seeded([seed; 32]);
        let game = AnyGame::new(version, options, players, chance, &mut parlor_engine::NoEvents).unwrap();
        let rng = ChaCha20Rng::seed_from_u64(seed.into());
        TestTable {
            game,
            viewer,
            rng,
            last_update: 0,
            last_decision_id: 0,
            decision_open: false,
            send_views: true,
        }
    }

    /// Table data: a player on the viewer's seat, one with a long name, and bots.
    pub(crate) fn table(&self) -> TableInfo {
        let seats = Seat::all(self.game.players()).map(|seat| {
            let occupant = match seat.index() {
                _ if self.viewer.is(seat) => Occupant::Player("Anna".to_owned()),
                2 => Occupant::Player("Maximilian Mustermann".to_owned()),
                _ => Occupant::Bot("greedy".to_owned()),
            };
            SeatInfo { occupant, forfeited: None }
        });
        TableInfo {
            id: "k7q2m".to_owned(),
            game: self.game.id(),
            options: self.game.id().default_options(),
            seats: seats.collect(),
            has_clock: true,
            seed_given: false,
            result: None,
        }
    }

    /// The initial snapshot, and the first decision if there is one.
    pub(crate) fn start(&mut self) -> Vec<TableMessage> {
        let snapshot = Snapshot {
            viewer: self.viewer,
            table: self.table(),
            view: Some(self.game.view(self.viewer)),
            presence: Seat::all(self.game.players()).map(|seat| (seat, true)).collect(),
            time_left: Vec::new(),
        };
        let mut messages = vec![TableMessage::Snapshot(Box::new(snapshot))];
        messages.extend(self.open_decision());
        messages
    }

    /// An acting seat other than the viewer's.
    fn acting_opponent(&self) -> Option<Seat> {
        self.game.to_act().iter().find(|seat| !self.viewer.is(*seat))
    }

    /// Plays the opponents until the viewer must decide or the game is over.
    pub(crate) fn play_opponents(&mut self) -> Vec<TableMessage> {
        let mut messages = Vec::new();
        while !self.decision_open {
            let Some(seat) = self.acting_opponent() else { break };
            messages.extend(self.play_random_action(seat));
        }
        messages
    }

    fn play_random_action(&mut self, seat: Seat) -> Vec<TableMessage> {
        let legal = self.game.legal_actions(seat);
        let action = legal[below(legal.len() as u32, &mut self.rng) as usize];
        self.apply(seat, action, None)
    }

    /// Plays one action of the next acting seat, for a game that is only watched.
    pub(crate) fn play_next(&mut self) -> Vec<TableMessage> {
        self.game.to_act().first().map_or_else(Vec::new, |seat| self.play_random_action(seat))
    }

    /// Answers for the viewer, and plays the opponents.
    pub(crate) fn answer(&mut self, decision: u32, index: u32) -> Vec<TableMessage> {
        assert!(
            self.decision_open && decision == self.last_decision_id,
            "the answer must be for the open decision"
        );
        let seat = self.viewer.seat().expect("the viewer has a seat");
        let action = self.game.legal_actions(seat)[index as usize];
        self.decision_open = false;
        let decided = Decided { decision, action, by: DecidedBy::Player };
        let mut messages = self.apply(seat, action, Some(decided));
        messages.extend(self.play_opponents());
        messages
    }

    fn apply(&mut self, seat: Seat, action: AnyAction, decided: Option<Decided>) -> Vec<TableMessage> {
        let mut events: Vec<(Audience, AnyEvent)> = Vec::new();
        self.game.apply(seat, action, &mut events).unwrap();
        let viewer = self.viewer;
        let events: Vec<AnyEvent> =
            events.into_iter().filter(|(to, _)| to.includes(viewer)).map(|(_, event)| event).collect();
        let mut messages = Vec::new();
        let table_events: Vec<TableEvent> = self.result().map(TableEvent::Over).into_iter().collect();
        if decided.is_some() || !events.is_empty() {
            self.last_update += 1;
            let view = self.send_views.then(|| self.game.view(viewer));
            let update = Update { number: self.last_update, table_events, decided, events, view };
            messages.push(TableMessage::Update(Box::new(update)));
        }
        messages.extend(self.open_decision());
        messages
    }

    fn open_decision(&mut self) -> Option<TableMessage> {
        let seat = self.viewer.seat()?;
        if self.decision_open || !self.game.to_act().contains(seat) {
            return None;
        }
        self.decision_open = true;
        self.last_decision_id += 1;
        let secret = self.game.has_secret_decision(seat);
        let (decision, bank) = if secret { (5, 0) } else { (30, 120) };
        Some(TableMessage::Decision(Box::new(Decision {
            id: self.last_decision_id,
            view: Some(self.game.view(self.viewer)),
            legal: self.game.legal_actions(seat),
            time_left: Some(TimeLeft {
                decision: Duration::from_secs(decision),
                bank: Duration::from_secs(bank),
            }),
            secret,
        })))
    }

    /// The result, once the game is over.
    pub(crate) fn result(&self) -> Option<TableResult> {
        let outcome = self.game.outcome()?;
        let score = |standing: parlor_engine::Standing| SeatScore {
            seat: standing.seat,
            place: standing.place.into(),
            points: standing.points,
            finish: SeatFinish::PlayedOut,
            clocks_run_out: 0,
            away_ms: 0,
        };
        let seats = outcome.standings().map(score).collect();
        Some(TableResult { reason: EndReason::PlayedOut, seats, note: String::new() })
    }
}
