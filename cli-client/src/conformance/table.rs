//! One table, refereed here: the agent has some of its seats, and the others choose at random.

use std::collections::BTreeMap;

use parlor_bots::HouseBot;
use parlor_engine::{AnyAction, AnyEvent, AnyGame, Audience, Chance, GameId, Seat, Viewer};
use parlor_sdk::wire;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use wire::table_event::Event;

/// What is done to the agent at a table, once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Twist {
    /// Its first answer is refused, whatever it is.
    Refuse,
    /// Its first decision is sent twice.
    AskTwice,
    /// Its first decision is decided by the clock before it can answer.
    RunOut,
    /// Its first decision comes with something that no client knows yet.
    Unknown,
    /// The line is cut as soon as it is asked.
    CutWhenAsked,
    /// The line is cut when its answer comes, which is lost.
    CutWhenAnswered,
    /// The line is cut when its answer was accepted, before it learns so.
    CutWhenDecided,
    /// The server ends the stream in good order when its answer comes, which is lost.
    EndWhenAnswered,
}

/// What was decided, and whether by the agent.
#[derive(Clone)]
struct Done {
    action: wire::GameAction,
    index: u32,
    number: u32,
    by_agent: bool,
    /// Whether it was decided on the stream that is open: the agent has learnt of it then.
    told: bool,
}

/// A decision that is open.
pub(super) struct Open {
    pub(super) decision: wire::Decision,
    legal: Vec<AnyAction>,
    /// Since when the agent has it.
    pub(super) since: Option<Instant>,
    /// Whether an answer was refused.
    pub(super) refused: bool,
}

/// A seat of the agent.
#[derive(Default)]
pub(super) struct Place {
    pub(super) updates: Vec<wire::Update>,
    /// The number of the last update that was sent; none if a snapshot is due.
    pub(super) sent: Option<u32>,
    pub(super) open: Option<Open>,
    /// How often the open decision was sent on any stream.
    pub(super) times_sent: BTreeMap<u32, u32>,
    /// Whether the open decision was sent on this stream.
    pub(super) asked: bool,
    pub(super) closed: bool,
    last_id: u32,
    done: BTreeMap<u32, Done>,
}

impl Place {
    /// A new stream: what was not acknowledged on the one before may be said again.
    pub(super) fn start_over(&mut self, after: Option<u32>) {
        self.sent = after;
        self.asked = false;
        self.done.values_mut().for_each(|done| done.told = false);
    }
}

pub(super) struct Table {
    pub(super) id: String,
    pub(super) twist: Option<Twist>,
    pub(super) places: BTreeMap<u32, Place>,
    pub(super) game: AnyGame,
    seed: [u8; 32],
    steps: u64,
}

/// What an answer was like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judged {
    Good,
    Illegal,
    NeverAsked,
    /// The same answer again, to a decision that was sent once and acknowledged.
    Again,
    /// The same answer again, where that is right.
    Repeated,
    /// Another answer than its own before.
    Otherwise,
    /// Too late: the clock had decided.
    Late,
}

impl Table {
    /// A new table of a game, with the agent on these seats.
    pub(super) fn new(number: u64, game: GameId, players: u8, agent: &[u32], twist: Option<Twist>) -> Table {
        let seed: [u8; 32] = Sha256::new()
            .chain_update("parlor conformance v1")
            .chain_update(number.to_le_bytes())
            .finalize()
            .into();
        let mut events: Vec<(Audience, AnyEvent)> = Vec::new();
        let info = game.info();
        let game = AnyGame::new(
            info.rules_version,
            game.default_options(),
            players,
            Chance::seeded(seed),
            &mut events,
        )
        .expect("the players are as many as the game says");
        let places = agent.iter().map(|seat| (*seat, Place::default())).collect();
        let mut table = Table { id: format!("conformance-{number}"), twist, places, game, seed, steps: 0 };
        let started = Event::Started(wire::TableStarted::default());
        table.tell(&events, Some(&started), None);
        table.go_on();
        table
    }

    pub(super) fn game_id(&self) -> &'static str {
        self.game.id().info().id
    }

    pub(super) fn is_over(&self) -> bool {
        self.places.values().all(|place| place.closed)
    }

    /// Plays the other seats, and asks the agent's.
    fn go_on(&mut self) {
        let random = HouseBot::by_name("random").expect("there is such a bot");
        loop {
            let others = |seat: &Seat| !self.places.contains_key(&number(*seat));
            let Some(seat) = self.game.to_act().iter().find(others) else { break };
            self.steps += 1;
            let seed: [u8; 32] = Sha256::new()
                .chain_update(self.seed)
                .chain_update(self.steps.to_le_bytes())
                .finalize()
                .into();
            let legal = self.game.legal_actions(seat);
            let chosen = random.decide(&self.game.view(Viewer::Seat(seat)), &legal, seed);
            let action = legal.get(chosen.unwrap_or(0)).copied().expect("whoever is asked can do something");
            let mut events = Vec::new();
            self.game.apply(seat, action, &mut events).expect("what is offered applies");
            self.tell(&events, None, None);
        }
        for seat in self.game.to_act().iter() {
            self.ask(seat);
        }
        if let Some(outcome) = self.game.outcome() {
            let seats = outcome.standings().map(|standing| wire::SeatResult {
                seat: number(standing.seat),
                place: standing.place.into(),
                points: standing.points,
                finish: wire::SeatFinish::PlayedOut.into(),
                ..Default::default()
            });
            let reason = wire::EndReason::PlayedOut.into();
            self.end(wire::TableResult { reason, seats: seats.collect(), note: String::new() });
        }
    }

    fn ask(&mut self, seat: Seat) {
        let (legal, default) = (self.game.legal_actions(seat), self.game.default_action(seat));
        let view = self.game.view(Viewer::Seat(seat));
        let hidden = self.game.is_secret(seat);
        let Some(place) = self.places.get_mut(&number(seat)).filter(|place| place.open.is_none()) else {
            return;
        };
        place.last_id += 1;
        place.asked = false;
        let default = legal.iter().position(|action| Some(*action) == default).unwrap_or(0);
        let decision = wire::Decision {
            id: place.last_id,
            after: place.updates.len() as u32,
            view: Some(Box::new(view.into())),
            legal_actions: legal.iter().map(|action| (*action).into()).collect(),
            legal_count: legal.len() as u32,
            default_index: default as u32,
            time_left_ms: Some(60_000),
            bank_left_ms: if hidden { None } else { Some(60_000) },
            hidden,
        };
        place.open = Some(Open { decision, legal, since: None, refused: false });
    }

    /// Tells the agent's seats what concerns them.
    fn tell(
        &mut self,
        events: &[(Audience, AnyEvent)],
        of_table: Option<&Event>,
        decided: Option<(u32, wire::Decided)>,
    ) {
        for (seat, place) in &mut self.places {
            let viewer = Viewer::Seat(Seat::new(*seat as u8).expect("a seat of the table"));
            let seen = events.iter().filter(|(to, _)| to.includes(viewer)).map(|(_, event)| (*event).into());
            let events: Vec<wire::GameEvent> = seen.collect();
            let decided = decided.as_ref().filter(|(by, _)| by == seat).map(|(_, decided)| decided.clone());
            if events.is_empty() && of_table.is_none() && decided.is_none() {
                continue;
            }
            let table_events = of_table.map(|event| wire::TableEvent { event: Some(event.clone()) });
            place.updates.push(wire::Update {
                number: place.updates.len() as u32 + 1,
                table_events: table_events.into_iter().collect(),
                decided,
                events,
                view: None,
            });
        }
    }

    fn end(&mut self, result: wire::TableResult) {
        self.tell(&[], Some(&Event::Over(wire::TableOver { result: Some(result), shuffle: None })), None);
        self.places.values_mut().for_each(|place| place.open = None);
    }

    /// Ends the table without a score, in the middle.
    pub(super) fn cancel(&mut self) {
        let reason = wire::EndReason::Cancelled.into();
        self.end(wire::TableResult { reason, seats: Vec::new(), note: "the check is over".into() });
    }

    /// Whether nothing more is to be played.
    pub(super) fn has_ended(&self) -> bool {
        self.places.values().all(|place| place.open.is_none()) && self.places.values().all(has_seen_the_end)
    }

    /// Decides what is open for a seat.
    fn decide(&mut self, seat: u32, index: usize, by: wire::DecidedBy) -> Option<u32> {
        let place = self.places.get_mut(&seat)?;
        let open = place.open.take()?;
        let action = *open.legal.get(index)?;
        let mut events = Vec::new();
        let who = Seat::new(seat as u8)?;
        self.game.apply(who, action, &mut events).expect("what is offered applies");
        let id = open.decision.id;
        let decided = wire::Decided {
            decision_id: id,
            action: Some(action.into()),
            by: by.into(),
            think_ms: 0,
            bank_left_ms: Some(60_000),
            index: index as u32,
        };
        let ran_out = Event::ClockRanOut(wire::ClockRanOut { seat, times: 1 });
        let by_agent = by == wire::DecidedBy::Player;
        self.tell(&events, (!by_agent).then_some(&ran_out), Some((seat, decided)));
        let place = self.places.get_mut(&seat)?;
        let number = place.updates.len() as u32;
        place
            .done
            .insert(id, Done { action: action.into(), index: index as u32, number, by_agent, told: true });
        self.go_on();
        Some(number)
    }

    /// The clock of a seat runs out.
    pub(super) fn run_out(&mut self, seat: u32) {
        let open = self.places.get(&seat).and_then(|place| place.open.as_ref());
        if let Some(default) = open.map(|open| open.decision.default_index) {
            self.decide(seat, default as usize, wire::DecidedBy::Clock);
        }
    }

    /// Takes an answer, and says what is wrong with it.
    pub(super) fn answer(&mut self, seat: u32, answer: &wire::Answer) -> (wire::Answered, Judged) {
        let id = answer.decision_id;
        let Some(place) = self.places.get_mut(&seat) else {
            return (refused(id, NOT_FOUND), Judged::NeverAsked);
        };
        if let Some(done) = place.done.get(&id) {
            let same = match &answer.choice {
                Some(wire::answer::Choice::Index(index)) => *index == done.index,
                Some(wire::answer::Choice::Action(action)) => *action == done.action,
                None => false,
            };
            let once = place.times_sent.get(&id) == Some(&1) && done.told;
            let judged = match (same, done.by_agent, once) {
                (true, true, true) => Judged::Again,
                (true, ..) => Judged::Repeated,
                (false, true, _) => Judged::Otherwise,
                (false, false, _) => Judged::Late,
            };
            let status = if same { wire::AnswerStatus::Repeated } else { wire::AnswerStatus::Conflict };
            let refusal = (!same).then(|| refusal(wire::ErrorReason::DecidedOtherwise));
            let (action, number) = (Some(done.action.clone()), done.number);
            return (
                wire::Answered { decision_id: id, status: status.into(), action, number, refusal },
                judged,
            );
        }
        let Some(open) = place.open.as_mut().filter(|open| open.decision.id == id && open.since.is_some())
        else {
            return (refused(id, NOT_FOUND), Judged::NeverAsked);
        };
        let index = match &answer.choice {
            Some(wire::answer::Choice::Index(index)) => Some(*index as usize),
            Some(wire::answer::Choice::Action(action)) => {
                open.decision.legal_actions.iter().position(|legal| legal == action)
            }
            None => None,
        };
        let Some(index) = index.filter(|index| *index < open.legal.len()) else {
            return (refused(id, wire::ErrorReason::IllegalAction), Judged::Illegal);
        };
        if self.twist == Some(Twist::Refuse) {
            self.twist = None;
            open.refused = true;
            return (refused(id, wire::ErrorReason::IllegalAction), Judged::Good);
        }
        let action = open.decision.legal_actions.get(index).cloned();
        let number = self.decide(seat, index, wire::DecidedBy::Player).unwrap_or_default();
        let status = wire::AnswerStatus::Accepted.into();
        (wire::Answered { decision_id: id, status, action, number, refusal: None }, Judged::Good)
    }

    /// Where everything stands for a seat.
    pub(super) fn snapshot(&self, seat: u32) -> wire::Snapshot {
        let players = u32::from(self.game.players());
        let state = if self.game.outcome().is_some() {
            wire::TableState::Finished
        } else {
            wire::TableState::Playing
        };
        let occupant = |seat| {
            let name = String::from(if self.places.contains_key(&seat) { "agent" } else { "random" });
            wire::table_seat::Occupant::HouseBot(wire::HouseBotSeat { name })
        };
        let seats =
            (0..players).map(|seat| wire::TableSeat { seat, occupant: Some(occupant(seat)), forfeited: 0 });
        let table = wire::Table {
            table_id: self.id.clone(),
            game: self.game_id().to_owned(),
            state: state.into(),
            seats: seats.collect(),
            ..Default::default()
        };
        let viewer = Viewer::Seat(Seat::new(seat as u8).expect("a seat of the table"));
        wire::Snapshot {
            number: self.places.get(&seat).map_or(0, |place| place.updates.len() as u32),
            viewer: Some(viewer.into()),
            table: Some(table),
            view: Some(Box::new(self.game.view(viewer).into())),
            ..Default::default()
        }
    }
}

const NOT_FOUND: wire::ErrorReason = wire::ErrorReason::DecisionNotFound;

fn number(seat: Seat) -> u32 {
    seat.index() as u32
}

/// Whether the last thing that a place was, or will be, told is the end.
pub(super) fn has_seen_the_end(place: &Place) -> bool {
    let over = |event: &wire::TableEvent| matches!(event.event, Some(Event::Over(_)));
    place.updates.last().is_some_and(|update| update.table_events.iter().any(over))
}

fn refusal(reason: wire::ErrorReason) -> wire::AnswerRefusal {
    let text = wire::Text { en: "refused by the check".into(), de: "von der Prüfung abgelehnt".into() };
    wire::AnswerRefusal { reason: reason.into(), text: Some(text), ..Default::default() }
}

fn refused(decision_id: u32, reason: wire::ErrorReason) -> wire::Answered {
    let status = wire::AnswerStatus::Refused.into();
    wire::Answered { decision_id, status, action: None, number: 0, refusal: Some(refusal(reason)) }
}
