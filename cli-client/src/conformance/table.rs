//! One table, refereed with the engine: some seats belong to the agent, the others play at random.

use std::collections::BTreeMap;

use parlor_bots::HouseBot;
use parlor_engine::{AnyEvent, AnyGame, Audience, Chance, GameId, Seat, Viewer};
use parlor_sdk::wire;
use sha2::{Digest, Sha256};
use wire::table_event::Event;

use super::seat_state::{OpenDecision, PastDecision, SeatState, has_final_update};

/// Fault injected once at a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Disruption {
    /// Refuses the first answer, whether legal or not.
    Refuse,
    /// Sends the first decision twice.
    AskTwice,
    /// Lets the clock expire before the first answer.
    ExpireClock,
    /// Sends an item of unknown type with the first decision.
    Unknown,
    /// Cuts the connection right after the first decision.
    CutWhenAsked,
    /// Cuts the connection when the first answer arrives; the answer is lost.
    CutWhenAnswered,
    /// Cuts the connection after the first answer was accepted, before the acknowledgement is sent.
    CutWhenDecided,
    /// Ends the stream gracefully when the first answer arrives; the answer is lost.
    EndWhenAnswered,
}

/// A table of one check.
pub(super) struct RefereedTable {
    pub(super) id: String,
    pub(super) disruption: Option<Disruption>,
    pub(super) seats: BTreeMap<u32, SeatState>,
    pub(super) game: AnyGame,
    seed: [u8; 32],
    steps: u64,
}

/// Assessment of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AnswerVerdict {
    Valid,
    Illegal,
    NeverAsked,
    /// The same answer again, although the decision was sent once and acknowledged.
    Duplicate,
    /// The same answer again, legitimately.
    Repeated,
    /// A different answer than the agent's first one.
    Changed,
    /// Too late: the clock has decided.
    Late,
}

impl RefereedTable {
    /// Starts a game with the agent on the given seats. The seed depends only on `number`.
    pub(super) fn new(
        number: u64,
        game: GameId,
        players: u8,
        agent: &[u32],
        disruption: Option<Disruption>,
    ) -> RefereedTable {
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
        .expect("the player count is within the range of the game");
        let seats = agent.iter().map(|seat| (*seat, SeatState::default())).collect();
        let mut table =
            RefereedTable { id: format!("conformance-{number}"), disruption, seats, game, seed, steps: 0 };
        let started = Event::Started(wire::TableStarted::default());
        table.push_updates(&events, Some(&started), None);
        table.advance();
        table
    }

    pub(super) fn game_id(&self) -> &'static str {
        self.game.id().info().id
    }

    pub(super) fn is_over(&self) -> bool {
        self.seats.values().all(|seat_state| seat_state.closed)
    }

    /// Plays the other seats until the agent must decide, and opens its decisions.
    fn advance(&mut self) {
        let random_bot = HouseBot::by_name("random").expect("random is a house bot");
        loop {
            let others = |seat: &Seat| !self.seats.contains_key(&number(*seat));
            let Some(seat) = self.game.to_act().iter().find(others) else { break };
            self.steps += 1;
            let seed: [u8; 32] = Sha256::new()
                .chain_update(self.seed)
                .chain_update(self.steps.to_le_bytes())
                .finalize()
                .into();
            let legal = self.game.legal_actions(seat);
            let chosen = random_bot.decide(&self.game.view(Viewer::Seat(seat)), &legal, seed);
            let action = legal.get(chosen.unwrap_or(0)).copied().expect("an acting seat has a legal action");
            let mut events = Vec::new();
            self.game.apply(seat, action, &mut events).expect("a legal action applies");
            self.push_updates(&events, None, None);
        }
        for seat in self.game.to_act().iter() {
            self.open_decision(seat);
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
            self.finish(wire::TableResult { reason, seats: seats.collect(), note: String::new() });
        }
    }

    fn open_decision(&mut self, seat: Seat) {
        let (legal, default) = (self.game.legal_actions(seat), self.game.default_action(seat));
        let view = self.game.view(Viewer::Seat(seat));
        let hidden = self.game.has_secret_decision(seat);
        let Some(seat_state) =
            self.seats.get_mut(&number(seat)).filter(|seat_state| seat_state.open.is_none())
        else {
            return;
        };
        seat_state.last_id += 1;
        seat_state.decision_sent = false;
        let default = legal.iter().position(|action| Some(*action) == default).unwrap_or(0);
        let decision = wire::Decision {
            id: seat_state.last_id,
            after: seat_state.updates.len() as u32,
            view: Some(Box::new(view.into())),
            legal_actions: legal.iter().map(|action| (*action).into()).collect(),
            legal_count: legal.len() as u32,
            default_index: default as u32,
            time_left_ms: Some(60_000),
            bank_left_ms: if hidden { None } else { Some(60_000) },
            hidden,
            ..Default::default()
        };
        seat_state.open = Some(OpenDecision { decision, legal, sent_at: None, refused: false });
    }

    /// Appends updates for the agent's seats that see the events.
    fn push_updates(
        &mut self,
        events: &[(Audience, AnyEvent)],
        of_table: Option<&Event>,
        decided: Option<(u32, wire::Decided)>,
    ) {
        for (seat, seat_state) in &mut self.seats {
            let viewer = Viewer::Seat(Seat::new(*seat as u8).expect("the seat belongs to the table"));
            let seen = events.iter().filter(|(to, _)| to.includes(viewer)).map(|(_, event)| (*event).into());
            let events: Vec<wire::GameEvent> = seen.collect();
            let decided = decided.as_ref().filter(|(by, _)| by == seat).map(|(_, decided)| decided.clone());
            if events.is_empty() && of_table.is_none() && decided.is_none() {
                continue;
            }
            let table_events = of_table.map(|event| wire::TableEvent { event: Some(event.clone()) });
            seat_state.updates.push(wire::Update {
                number: seat_state.updates.len() as u32 + 1,
                table_events: table_events.into_iter().collect(),
                decided,
                events,
                view: Some(Box::new(self.game.view(viewer).into())),
                ..Default::default()
            });
        }
    }

    fn finish(&mut self, result: wire::TableResult) {
        self.push_updates(
            &[],
            Some(&Event::Over(wire::TableOver { result: Some(result), shuffle: None })),
            None,
        );
        self.seats.values_mut().for_each(|seat_state| seat_state.open = None);
    }

    /// Cancels the table without a score.
    pub(super) fn cancel(&mut self) {
        let reason = wire::EndReason::Cancelled.into();
        self.finish(wire::TableResult { reason, seats: Vec::new(), note: "the check is over".into() });
    }

    /// Reports whether the game has ended for all seats of the agent.
    pub(super) fn has_ended(&self) -> bool {
        self.seats.values().all(|seat_state| seat_state.open.is_none())
            && self.seats.values().all(has_final_update)
    }

    /// Applies an action to the open decision of a seat. Returns the number of the update.
    fn decide(&mut self, seat: u32, index: usize, by: wire::DecidedBy) -> Option<u32> {
        let seat_state = self.seats.get_mut(&seat)?;
        let open = seat_state.open.take()?;
        let action = *open.legal.get(index)?;
        let mut events = Vec::new();
        let who = Seat::new(seat as u8)?;
        self.game.apply(who, action, &mut events).expect("a legal action applies");
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
        self.push_updates(&events, (!by_agent).then_some(&ran_out), Some((seat, decided)));
        let seat_state = self.seats.get_mut(&seat)?;
        let number = seat_state.updates.len() as u32;
        seat_state.past.insert(
            id,
            PastDecision { action: action.into(), index: index as u32, number, by_agent, acknowledged: true },
        );
        self.advance();
        Some(number)
    }

    /// Lets the clock of a seat expire: the default action is played.
    pub(super) fn expire_clock(&mut self, seat: u32) {
        let open = self.seats.get(&seat).and_then(|seat_state| seat_state.open.as_ref());
        if let Some(default) = open.map(|open| open.decision.default_index) {
            self.decide(seat, default as usize, wire::DecidedBy::Clock);
        }
    }

    /// Processes an answer: the reply, and an assessment.
    pub(super) fn answer(&mut self, seat: u32, answer: &wire::Answer) -> (wire::Answered, AnswerVerdict) {
        let id = answer.decision_id;
        let Some(seat_state) = self.seats.get_mut(&seat) else {
            return (refused(id, NOT_FOUND), AnswerVerdict::NeverAsked);
        };
        if let Some(past) = seat_state.past.get(&id) {
            let same = match &answer.choice {
                Some(wire::answer::Choice::Index(index)) => *index == past.index,
                Some(wire::answer::Choice::Action(action)) => *action == past.action,
                None => false,
            };
            let once = seat_state.times_sent.get(&id) == Some(&1) && past.acknowledged;
            let verdict = match (same, past.by_agent, once) {
                (true, true, true) => AnswerVerdict::Duplicate,
                (true, ..) => AnswerVerdict::Repeated,
                (false, true, _) => AnswerVerdict::Changed,
                (false, false, _) => AnswerVerdict::Late,
            };
            let status = if same { wire::AnswerStatus::Repeated } else { wire::AnswerStatus::Conflict };
            let refusal = (!same).then(|| refusal(wire::ErrorReason::DecidedOtherwise));
            let (action, number) = (Some(past.action.clone()), past.number);
            return (
                wire::Answered { decision_id: id, status: status.into(), action, number, refusal },
                verdict,
            );
        }
        let Some(open) =
            seat_state.open.as_mut().filter(|open| open.decision.id == id && open.sent_at.is_some())
        else {
            return (refused(id, NOT_FOUND), AnswerVerdict::NeverAsked);
        };
        let index = match &answer.choice {
            Some(wire::answer::Choice::Index(index)) => Some(*index as usize),
            Some(wire::answer::Choice::Action(action)) => {
                open.decision.legal_actions.iter().position(|legal| legal == action)
            }
            None => None,
        };
        let Some(index) = index.filter(|index| *index < open.legal.len()) else {
            return (refused(id, wire::ErrorReason::IllegalAction), AnswerVerdict::Illegal);
        };
        if self.disruption == Some(Disruption::Refuse) {
            self.disruption = None;
            open.refused = true;
            return (refused(id, wire::ErrorReason::IllegalAction), AnswerVerdict::Valid);
        }
        let action = open.decision.legal_actions.get(index).cloned();
        let number = self.decide(seat, index, wire::DecidedBy::Player).unwrap_or_default();
        let status = wire::AnswerStatus::Accepted.into();
        (wire::Answered { decision_id: id, status, action, number, refusal: None }, AnswerVerdict::Valid)
    }

    /// Current snapshot for a seat.
    pub(super) fn snapshot(&self, seat: u32) -> wire::Snapshot {
        let players = u32::from(self.game.players());
        let state = if self.game.outcome().is_some() {
            wire::TableState::Finished
        } else {
            wire::TableState::Playing
        };
        let occupant = |seat| {
            let name = String::from(if self.seats.contains_key(&seat) { "agent" } else { "random" });
            wire::table_seat::Occupant::HouseBot(wire::HouseBotSeat { name })
        };
        let seats = (0..players).map(|seat| wire::TableSeat {
            seat,
            occupant: Some(occupant(seat)),
            ..Default::default()
        });
        let table = wire::Table {
            table_id: self.id.clone(),
            game: self.game_id().to_owned(),
            state: state.into(),
            seats: seats.collect(),
            ..Default::default()
        };
        let viewer = Viewer::Seat(Seat::new(seat as u8).expect("the seat belongs to the table"));
        wire::Snapshot {
            number: self.seats.get(&seat).map_or(0, |seat_state| seat_state.updates.len() as u32),
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

fn refusal(reason: wire::ErrorReason) -> wire::AnswerRefusal {
    let text = wire::Text { en: "refused by the check".into(), de: "von der Prüfung abgelehnt".into() };
    wire::AnswerRefusal { reason: reason.into(), text: Some(text), ..Default::default() }
}

fn refused(decision_id: u32, reason: wire::ErrorReason) -> wire::Answered {
    let status = wire::AnswerStatus::Refused.into();
    wire::Answered { decision_id, status, action: None, number: 0, refusal: Some(refusal(reason)) }
}
