//! A table without a server, for tests: the engine, players who choose by a seed, and what one viewer is told.

use std::time::Duration;

use parlor_engine::{AnyAction, AnyEvent, AnyGame, Audience, Chance, GameId, Seat, Viewer, below};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::table::{
    Decided, DecidedBy, Decision, Ended, Finish, Happening, Incoming, Occupant, SeatInfo, SeatScore,
    Snapshot, TableInfo, TableResult, TimeLeft, Update,
};

/// A game that one viewer follows, and plays if the viewer has a seat.
pub(crate) struct House {
    pub(crate) game: AnyGame,
    pub(crate) viewer: Viewer,
    rng: ChaCha20Rng,
    number: u32,
    decisions: u32,
    asked: bool,
    /// Whether updates come with views, or have to be followed by their events.
    pub(crate) views: bool,
}

pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

impl House {
    /// A table at its beginning, seen by seat 0.
    pub(crate) fn new(id: GameId, players: u8, seed: u8) -> House {
        House::seen_by(id, players, seed, Viewer::Seat(seat(0)))
    }

    pub(crate) fn seen_by(id: GameId, players: u8, seed: u8, viewer: Viewer) -> House {
        let (version, options) = (id.info().rules_version, id.default_options());
        let chance = Chance::seeded([seed; 32]);
        let game = AnyGame::new(version, options, players, chance, &mut parlor_engine::NoEvents).unwrap();
        let rng = ChaCha20Rng::seed_from_u64(seed.into());
        House { game, viewer, rng, number: 0, decisions: 0, asked: false, views: true }
    }

    /// The table, with a player on the viewer's seat, one whose name is long, and bots.
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
            seed_given: false,
            result: None,
        }
    }

    /// How everything stands, and what the viewer is asked.
    pub(crate) fn begin(&mut self) -> Vec<Incoming> {
        let snapshot = Snapshot {
            viewer: self.viewer,
            table: self.table(),
            view: Some(self.game.view(self.viewer)),
            presence: Seat::all(self.game.players()).map(|seat| (seat, true)).collect(),
            time_left: Vec::new(),
        };
        let mut told = vec![Incoming::Snapshot(Box::new(snapshot))];
        told.extend(self.ask());
        told
    }

    /// The seat that acts next, if it is not the viewer's.
    fn other(&self) -> Option<Seat> {
        self.game.to_act().iter().find(|seat| !self.viewer.is(*seat))
    }

    /// Lets the others play until the viewer is asked, or the game is over.
    pub(crate) fn others_play(&mut self) -> Vec<Incoming> {
        let mut told = Vec::new();
        while !self.asked {
            let Some(seat) = self.other() else { break };
            told.extend(self.one_plays(seat));
        }
        told
    }

    fn one_plays(&mut self, seat: Seat) -> Vec<Incoming> {
        let legal = self.game.legal_actions(seat);
        let action = legal[below(legal.len() as u32, &mut self.rng) as usize];
        self.apply(seat, action, None)
    }

    /// One more action of whoever comes next, for a game that is only watched.
    pub(crate) fn anybody_plays(&mut self) -> Vec<Incoming> {
        self.game.to_act().first().map_or_else(Vec::new, |seat| self.one_plays(seat))
    }

    /// The viewer answers, and the others play.
    pub(crate) fn answer(&mut self, decision: u32, index: u32) -> Vec<Incoming> {
        assert!(self.asked && decision == self.decisions, "an answer to what was asked");
        let seat = self.viewer.seat().expect("a player");
        let action = self.game.legal_actions(seat)[index as usize];
        self.asked = false;
        let decided = Decided { decision, action, by: DecidedBy::Player };
        let mut told = self.apply(seat, action, Some(decided));
        told.extend(self.others_play());
        told
    }

    fn apply(&mut self, seat: Seat, action: AnyAction, decided: Option<Decided>) -> Vec<Incoming> {
        let mut events: Vec<(Audience, AnyEvent)> = Vec::new();
        self.game.apply(seat, action, &mut events).unwrap();
        let viewer = self.viewer;
        let events: Vec<AnyEvent> =
            events.into_iter().filter(|(to, _)| to.includes(viewer)).map(|(_, event)| event).collect();
        let mut told = Vec::new();
        let happenings: Vec<Happening> = self.result().map(Happening::Over).into_iter().collect();
        if decided.is_some() || !events.is_empty() {
            self.number += 1;
            let view = self.views.then(|| self.game.view(viewer));
            let update = Update { number: self.number, happenings, decided, events, view };
            told.push(Incoming::Update(Box::new(update)));
        }
        told.extend(self.ask());
        told
    }

    fn ask(&mut self) -> Option<Incoming> {
        let seat = self.viewer.seat()?;
        if self.asked || !self.game.to_act().contains(seat) {
            return None;
        }
        self.asked = true;
        self.decisions += 1;
        let secret = self.game.is_secret(seat);
        let (decision, bank) = if secret { (5, 0) } else { (30, 120) };
        Some(Incoming::Decision(Box::new(Decision {
            id: self.decisions,
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
            finish: Finish::PlayedOut,
            clocks_run_out: 0,
        };
        let seats = outcome.standings().map(score).collect();
        Some(TableResult { ended: Ended::PlayedOut, seats, note: String::new() })
    }
}
