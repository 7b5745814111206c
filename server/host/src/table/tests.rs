//! Tests of commands, folding, update numbers and records.

mod replay;
mod reveals;

use std::collections::BTreeMap;

use parlor_engine::{AnyOptions, Audience, GameId, Seat, Viewer};

use super::*;
use crate::TableId;
use parlor_fair::Entropy;

const NOW: u64 = 1_700_000_000_000;

const LIMITS: TimeControl = TimeControl {
    decision: 1000,
    bank: 5000,
    grace: 3000,
    forfeit_after: 2,
    secret: 400,
    constant_secret: false,
};

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

fn setup(options: AnyOptions, seats: &[SeatSetup]) -> Setup {
    Setup {
        table: TableId::from_bytes([7; 16]),
        owner: "club".to_owned(),
        rules_version: options.game().info().rules_version,
        options,
        seats: seats.to_vec(),
        time: LIMITS,
        visibility: Visibility::Public,
        chance: ChanceSetup::Fresh { server_seed: [3; 32] },
        metadata: BTreeMap::new(),
        created: NOW,
        fill: 60_000,
        rematch_of: None,
        request: None,
    }
}

fn seat_request(seat: Option<Seat>, user: Option<&str>) -> SeatRequest {
    SeatRequest { seat, user: user.map(str::to_owned), ..SeatRequest::default() }
}

/// A table with its log entries.
struct Logged {
    table: Table,
    log: Vec<Entry>,
}

impl Logged {
    fn new(setup: Setup) -> Logged {
        let first = Entry::Created(Box::new(setup));
        Logged { table: Table::from_first_entry(&first).expect("a first entry"), log: vec![first] }
    }

    /// A started table of GAP.
    fn gap(players: usize) -> Logged {
        let mut logged = Logged::new(setup(GameId::Gap.default_options(), &vec![SeatSetup::Open; players]));
        for _ in 0..players {
            let (_, entries) = logged.table.join(SeatRequest::default()).expect("a free seat");
            logged.fold(entries);
        }
        logged
    }

    fn fold(&mut self, entries: impl IntoIterator<Item = Entry>) -> AudienceEvents {
        let mut events = AudienceEvents::new();
        for entry in entries {
            let steps = self.table.fold(NOW, &entry).expect("an entry from a command");
            events.extend(steps.into_iter().flat_map(|step| step.events));
            self.log.push(entry);
        }
        events
    }

    /// Answers the open decision of a seat with a legal action.
    fn play(&mut self, number: u8, index: u32, used: u32) -> AudienceEvents {
        let decision = self.table.seats()[usize::from(number)].open.expect("an open decision");
        let answered = self.table.answer(seat(number), decision, Answer::Index(index), used, None);
        let Ok(AnswerEffect::Play(entry)) = answered else { panic!("{answered:?}") };
        self.fold([entry])
    }

    fn time_out(&mut self, number: u8, away: bool) -> AudienceEvents {
        let decision = self.table.seats()[usize::from(number)].open.expect("an open decision");
        let entry = self.table.time_out(seat(number), decision, 6000, away).expect("an open decision");
        self.fold([entry])
    }

    /// Asserts that a replay of the log yields the same table.
    fn check_replay(&self) {
        let mut replayed = Table::from_first_entry(&self.log[0]).expect("a first entry");
        for entry in &self.log[1..] {
            replayed.fold(NOW, entry).expect("an entry of the log");
        }
        assert_eq!(replayed, self.table);
        assert_eq!(replayed.length(), self.log.len() as u64);
    }
}

fn table_events(events: &AudienceEvents) -> Vec<(Audience, TableEvent)> {
    let table_event = |(to, event): &(Audience, RecordedEvent)| match event {
        RecordedEvent::Table(event) => Some((*to, event.clone())),
        RecordedEvent::Game(_) => None,
    };
    events.iter().filter_map(table_event).collect()
}

#[test]
fn table_starts_when_its_last_seat_is_filled() {
    let seats = [SeatSetup::Open, SeatSetup::House { bot: "greedy".to_owned() }, SeatSetup::Open];
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &seats));
    let (first, entries) = logged.table.join(seat_request(None, Some("ann"))).expect("a free seat");
    assert_eq!((first, entries.len()), (seat(0), 1));
    logged.fold(entries);
    assert_eq!(logged.table.view(Viewer::Spectator), None);
    let (second, entries) = logged.table.join(SeatRequest::default()).expect("a free seat");
    assert_eq!((second, entries.last()), (seat(2), Some(&Entry::Started)));
    let events = logged.fold(entries);
    let shuffle = Box::new(logged.table.shuffle());
    assert_eq!((shuffle.entropy.len(), shuffle.server_seed, shuffle.game_seed), (3, None, None));
    let expected =
        [TableEvent::Joined { seat: seat(2), name: String::new() }, TableEvent::Started { shuffle }];
    assert_eq!(table_events(&events), expected.map(|event| (Audience::Everyone, event)));
    assert!(logged.table.game().is_some() && logged.table.view(Viewer::Spectator).is_some());
    assert_eq!(logged.table.seats()[0].open, Some(DecisionId(1)));
    logged.check_replay();
}

#[test]
fn join_assigns_reserved_and_open_seats() {
    let reserved = |user: &str| SeatSetup::Reserved {
        user: Some(user.to_owned()),
        name: "Ann".to_owned(),
        previous: Seat::new(3),
    };
    let seats = [reserved("ann"), SeatSetup::Open];
    let logged = Logged::new(setup(GameId::Gap.default_options(), &seats));
    let join = |number: Option<u8>, user: Option<&str>| {
        logged
            .table
            .join(seat_request(number.map(seat), user))
            .map(|(seat, _)| seat)
            .map_err(|error| error.to_string())
    };
    assert_eq!(join(None, Some("ann")), Ok(seat(0)));
    assert_eq!(join(None, Some("bob")), Ok(seat(1)));
    assert_eq!(join(Some(0), Some("bob")), Err("seat 0 is reserved for another user".to_owned()));
    assert_eq!(join(Some(0), None), Err("seat 0 is reserved for another user".to_owned()));
    assert_eq!(join(Some(2), None), Err("this table has seats 0 to 1: there is no seat 2".to_owned()));
    let kept = Logged::new(setup(GameId::Gap.default_options(), &[reserved("ann"), reserved("bob")]));
    assert_eq!(kept.table.join(seat_request(None, Some("eve"))).map(|_| ()), Err(CommandError::AllReserved));
    let mut full = Logged::gap(2);
    assert_eq!(full.table.join(SeatRequest::default()), Err(CommandError::AlreadyStarted));
    full.fold([Entry::Cancelled { note: String::new() }]);
    assert_eq!(full.table.join(SeatRequest::default()), Err(CommandError::Over));
}

#[test]
fn repeated_answer_is_idempotent_and_another_conflicts() {
    let mut logged = Logged::gap(2);
    let legal = logged.table.legal_actions(seat(0));
    let answer = |logged: &Logged, decision, answer| {
        logged.table.answer(seat(0), DecisionId(decision), answer, 0, None)
    };
    let message = |result: Result<AnswerEffect, CommandError>| result.map_err(|error| error.to_string());
    assert_eq!(
        message(answer(&logged, 1, Answer::Index(99))),
        Err(format!("there are {} legal actions, counted from 0: there is no action 99", legal.len()))
    );
    logged.play(0, 1, 10);
    let decided = Decided {
        id: DecisionId(1),
        index: 1,
        action: legal[1],
        by: DecidedBy::Player,
        used: 10,
        reported: None,
        bank: 5000,
        number: 4,
    };
    assert_eq!(answer(&logged, 1, Answer::Index(1)), Ok(AnswerEffect::AlreadyPlayed(decided)));
    assert_eq!(
        answer(&logged, 1, Answer::Action(legal[1])),
        Ok(AnswerEffect::AlreadyPlayed(decided)),
        "an index and its action are the same answer"
    );
    assert_eq!(
        message(answer(&logged, 1, Answer::Index(0))),
        Err(format!("decision 1 was decided: {}", legal[1]))
    );
    let early = "decision 2 of seat 0 has not come up: answer the decision that is open".to_owned();
    assert_eq!(message(answer(&logged, 2, Answer::Index(0))), Err(early));
    assert!(answer(&logged, 0, Answer::Index(0)).is_err());
    let illegal = logged.table.legal_actions(seat(1))[0];
    let open = logged.table.answer(seat(1), DecisionId(1), Answer::Action(legal[0]), 0, None);
    assert_eq!(open, Err(CommandError::Illegal(parlor_engine::Refusal::NOT_IN_HAND)));
    assert!(matches!(
        logged.table.answer(seat(1), DecisionId(1), Answer::Action(illegal), 0, None),
        Ok(AnswerEffect::Play(_))
    ));
}

#[test]
fn time_beyond_the_decision_is_charged_to_the_bank() {
    let mut logged = Logged::gap(2);
    logged.play(0, 0, 999);
    logged.play(1, 0, 2500);
    let banks: Vec<u32> = logged.table.seats().iter().map(|seat| seat.bank).collect();
    assert_eq!(banks, [5000, 3500]);
    assert_eq!(logged.table.seats()[1].think_time, 2500);
    logged.fold([Entry::WasAway { seat: seat(1), used: 1000 }, Entry::WasAway { seat: seat(1), used: 9000 }]);
    assert_eq!(logged.table.seats()[1].grace, 0);
    logged.check_replay();
}

#[test]
fn timeouts_play_the_default_and_then_forfeit() {
    for (away, finish) in [(false, SeatFinish::TimedOut), (true, SeatFinish::Disconnected)] {
        let mut logged = Logged::gap(3);
        let events = logged.time_out(0, away);
        assert_eq!(
            table_events(&events),
            [(Audience::Everyone, TableEvent::TimedOut { seat: seat(0), times: 1 })]
        );
        assert_eq!((logged.table.seats()[0].bank, logged.table.seats()[1].open), (0, Some(DecisionId(1))));
        logged.play(1, 0, 0);
        logged.play(2, 0, 0);
        let events = table_events(&logged.time_out(0, away));
        let forfeited = TableEvent::Forfeited { seat: seat(0), finish };
        assert_eq!(events[1], (Audience::Everyone, forfeited));
        assert_eq!(logged.table.resign(seat(0)), Err(CommandError::Forfeited { seat: seat(0) }));
        while let Some(number) =
            (1..3).find(|number| logged.table.seats()[usize::from(*number)].open.is_some())
        {
            assert_eq!(logged.table.seats()[0].open, None, "a forfeited seat has no decisions");
            logged.play(number, 0, 0);
        }
        let Some(Ending::Finished(result)) = logged.table.ending() else { panic!("the game is over") };
        assert_eq!((result.seats[0].place, result.seats[0].finish), (3, finish));
        assert!(result.seats[1..].iter().all(|seat| seat.place < 3 && seat.finish == SeatFinish::PlayedOut));
        logged.check_replay();
    }
}

/// Otherwise update numbers would reveal a hidden decision before the default action.
#[test]
fn default_action_of_a_forfeited_seat_is_a_separate_update() {
    let mut logged = Logged::gap(3);
    let entries = logged.table.resign(seat(1)).expect("a resignation");
    logged.fold(entries);
    let before = logged.table.numbers().get(Viewer::Spectator);
    let legal = logged.table.legal_actions(seat(0)).len() as u32;
    let entry = Entry::Acted { seat: seat(0), index: legal - 1, used: 0, reported: None };
    let steps = logged.table.clone().fold(NOW, &entry).expect("an entry that fits");
    assert_eq!(steps.len(), 2, "seat 0 plays, and then seat 1");
    assert!(steps.iter().all(|step| step.is_visible_to(Viewer::Spectator)));
    assert_eq!(steps[1].asked.iter().collect::<Vec<_>>(), [seat(2)]);
    logged.fold([entry]);
    assert_eq!(logged.table.numbers().get(Viewer::Spectator), before + 2);
    logged.check_replay();
}

#[test]
fn later_forfeits_rank_higher() {
    let mut logged = Logged::gap(3);
    for number in [2, 1, 0] {
        let entries = logged.table.resign(seat(number)).expect("a resignation");
        logged.fold(entries);
    }
    let Some(Ending::Finished(result)) = logged.table.ending() else { panic!("the game is over") };
    assert!(result.seats.iter().all(|seat| seat.finish == SeatFinish::Resigned));
    let places: Vec<u8> = result.seats.iter().map(|seat| seat.place).collect();
    assert_eq!(places, [1, 2, 3], "the first to resign is last");
    assert_eq!(logged.table.resign(seat(0)), Err(CommandError::Over));
    assert_eq!(logged.table.cancel(""), Err(CommandError::Over));
    logged.check_replay();
}

#[test]
fn house_bot_replaces_a_forfeited_seat() {
    let mut logged = Logged::gap(2);
    let entries = logged.table.resign(seat(1)).expect("a resignation");
    logged.fold(entries);
    logged.play(0, 0, 0);
    assert_eq!(logged.table.seats()[1].open, None);
    let entries = logged.table.replace(seat(1), "greedy", None).expect("a replacement");
    let events = logged.fold(entries);
    let bot = "greedy".to_owned();
    assert_eq!(table_events(&events), [(Audience::Everyone, TableEvent::Replaced { seat: seat(1), bot })]);
    let state = &logged.table.seats()[1];
    assert_eq!((state.generation, state.finish), (1, SeatFinish::Resigned), "a forfeit is for good");
    assert_eq!(logged.table.replace(seat(1), "random", None), Err(CommandError::IsHouse { seat: seat(1) }));
    assert_eq!(logged.table.reissue(seat(1), None), Err(CommandError::IsHouse { seat: seat(1) }));
    logged.play(0, 0, 0);
    assert!(logged.table.seats()[1].open.is_some(), "the bot has decisions");
    logged.check_replay();
}

#[test]
fn cancelled_expired_and_faulted_tables_reveal_the_server_seed() {
    let waiting = || Logged::new(setup(GameId::Gap.default_options(), &[SeatSetup::Open, SeatSetup::Open]));
    let endings = [
        (Entry::Cancelled { note: "rain".to_owned() }, Ending::Cancelled { note: "rain".to_owned() }),
        (Entry::Expired, Ending::Expired),
        (
            Entry::Faulted { reason: "a bot failed".to_owned() },
            Ending::Faulted { reason: "a bot failed".to_owned() },
        ),
    ];
    for (entry, ending) in endings {
        let mut logged = waiting();
        let events = logged.fold([entry]);
        let shuffle = Box::new(logged.table.shuffle());
        assert_eq!(
            (shuffle.server_seed, shuffle.game_seed),
            (Some([3; 32]), None),
            "no game seed without a start"
        );
        assert_eq!(
            table_events(&events),
            [(Audience::Everyone, TableEvent::Ended { ending: ending.clone(), shuffle })]
        );
        assert_eq!(logged.table.ending(), Some(&ending));
        assert_eq!(
            logged.table.fold(NOW, &Entry::Started).map_err(|error| error.why),
            Err("the table was over".to_owned())
        );
    }
    assert_eq!(waiting().table.expire(), Some(Entry::Expired));
    assert_eq!(Logged::gap(2).table.expire(), None, "a started table does not expire");
}

#[test]
fn update_numbers_count_per_viewer() {
    let mut logged = Logged::gap(2);
    let viewers: Vec<Viewer> = Viewer::all(2).collect();
    let numbers = |logged: &Logged| {
        viewers.iter().map(|viewer| logged.table.numbers().get(*viewer)).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&logged), [3, 3, 3], "two joins and the start");
    logged.fold([Entry::Reissued { seat: seat(0), request: None }, Entry::SpectatorsRevoked]);
    assert_eq!(numbers(&logged), [3, 3, 3], "token changes have no number");
    logged.play(0, 0, 0);
    assert_eq!(numbers(&logged), [4, 4, 4]);
}

#[test]
fn invalid_entries_are_refused_with_their_position() {
    let fold_error = |logged: &Logged, entry: Entry| {
        logged.table.clone().fold(NOW, &entry).map_err(|error| error.to_string())
    };
    let logged = Logged::gap(2);
    let cases = [
        (logged.log[0].clone(), "entry 4 does not fit the table: the table was there already"),
        (Entry::Started, "entry 4 does not fit the table: it cannot begin now"),
        (
            Entry::Joined {
                seat: seat(0),
                user: None,
                name: String::new(),
                entropy: Entropy::NONE,
                commitment: None,
                request: None,
                invite: None,
            },
            "entry 4 does not fit the table: the game had begun",
        ),
        (
            Entry::Acted { seat: seat(1), index: 0, used: 0, reported: None },
            "entry 4 does not fit the table: seat 1 has no action 0",
        ),
        (
            Entry::TimedOut { seat: seat(1), used: 0, away: false },
            "entry 4 does not fit the table: seat 1 was not asked",
        ),
        (
            Entry::Reissued { seat: seat(5), request: None },
            "entry 4 does not fit the table: there is no seat 5",
        ),
    ];
    for (entry, expected) in cases {
        assert_eq!(fold_error(&logged, entry), Err(expected.to_owned()));
    }
    assert!(Table::from_first_entry(&Entry::Started).is_err());
    let waiting = Logged::new(setup(GameId::Gap.default_options(), &[SeatSetup::Open, SeatSetup::Open]));
    assert!(
        fold_error(&waiting, Entry::Started).is_err()
            && fold_error(&waiting, Entry::Resigned { seat: seat(0) }).is_err()
    );
}

#[test]
fn agent_seat_is_filled_at_creation_and_can_resign_or_be_suspended() {
    let agent = || SeatSetup::Agent { name: "deep".to_owned(), version: "1".to_owned() };
    let start = |logged: &mut Logged| {
        let (joined, entries) = logged.table.join(SeatRequest::default()).expect("a free seat");
        assert_eq!((joined, entries.last()), (seat(1), Some(&Entry::Started)));
        logged.fold(entries)
    };
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &[agent(), SeatSetup::Open]));
    assert_eq!(logged.table.reissue(seat(0), None), Err(CommandError::IsAgent { seat: seat(0) }));
    assert_eq!(logged.table.set_aside(seat(1)), Err(CommandError::NotAgent { seat: seat(1) }));
    start(&mut logged);
    logged.play(0, 0, 7);
    assert_eq!(logged.table.seats()[0].decided.map(|decided| decided.by), Some(DecidedBy::Player));
    let entries = logged.table.set_aside(seat(0)).expect("an agent's seat");
    let events = table_events(&logged.fold(entries));
    let forfeited = TableEvent::Forfeited { seat: seat(0), finish: SeatFinish::SetAside };
    assert_eq!(events, [(Audience::Everyone, forfeited)]);
    assert_eq!(logged.table.set_aside(seat(0)), Ok(Vec::new()), "suspension is idempotent");
    logged.check_replay();
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &[agent(), SeatSetup::Open]));
    let entries = logged.table.resign(seat(0)).expect("a resignation before the start");
    logged.fold(entries);
    start(&mut logged);
    assert_eq!((logged.table.seats()[0].open, logged.table.seats()[0].finish), (None, SeatFinish::Resigned));
    assert!(logged.table.seats()[1].open.is_some(), "the default was played at once");
    logged.check_replay();
    // Agents that are gone before the start are so together, in whatever order.
    let seats = [agent(), agent(), SeatSetup::Open];
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &seats));
    for number in [1, 0] {
        let entries = logged.table.set_aside(seat(number)).expect("an agent's seat");
        logged.fold(entries);
    }
    let (_, entries) = logged.table.join(SeatRequest::default()).expect("a free seat");
    logged.fold(entries);
    let entries = logged.table.resign(seat(2)).expect("a resignation");
    logged.fold(entries);
    let Some(Ending::Finished(result)) = logged.table.ending() else { panic!("the game is over") };
    assert_eq!(result.seats.iter().map(|seat| seat.place).collect::<Vec<_>>(), [2, 2, 1]);
    logged.check_replay();
}

#[test]
fn repeated_request_is_recognised_by_its_idempotency_key() {
    let key = |id: &str, digest: u8| Some(IdempotencyKey { id: id.into(), digest: [digest; 16] });
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &[SeatSetup::Open, SeatSetup::Open]));
    let request = |key| SeatRequest { request: key, ..SeatRequest::default() };
    let (_, entries) = logged.table.join(request(key("a", 1))).expect("a free seat");
    logged.fold(entries);
    assert_eq!(logged.table.find_repeated_join(&request(key("a", 1))), Ok(Some(seat(0))));
    assert_eq!(logged.table.find_repeated_join(&request(key("a", 2))), Err(CommandError::RequestReused));
    assert_eq!(logged.table.find_repeated_join(&request(key("b", 1))), Ok(None));
    assert_eq!(logged.table.find_repeated_join(&request(None)), Ok(None));
    let entries = logged.table.reissue(seat(0), key("c", 1)).expect("a player's token");
    logged.fold(entries);
    assert_eq!(logged.table.reissue(seat(0), key("c", 1)), Ok(Vec::new()));
    assert_eq!(logged.table.reissue(seat(0), key("c", 2)), Err(CommandError::RequestReused));
    assert_eq!(logged.table.reissue(seat(1), None), Err(CommandError::SeatVacant { seat: seat(1) }));
    assert_eq!(logged.table.seats()[0].generation, 1);
    logged.check_replay();
}

#[test]
fn record_replays_updates_and_views_of_every_viewer() {
    let mut logged = Logged::gap(3);
    let mut views = Vec::new();
    while let Some(open) = logged.table.seats().iter().position(|seat| seat.open.is_some()) {
        views.push(Viewer::all(3).map(|viewer| logged.table.view(viewer)).collect::<Vec<_>>());
        logged.play(open as u8, 0, 5);
    }
    views.push(Viewer::all(3).map(|viewer| logged.table.view(viewer)).collect());
    let entries: Vec<(u64, Entry)> = logged.log.iter().map(|entry| (NOW, entry.clone())).collect();
    let record = Record::from_log(&entries).expect("the log of a table");
    assert_eq!(record.summary, logged.table.summary());
    for (index, viewer) in Viewer::all(3).enumerate() {
        let updates: Vec<RecordedUpdate> = record.updates(viewer, 0).collect();
        let numbers: Vec<u64> = updates.iter().map(|recorded| recorded.update.number).collect();
        assert_eq!(numbers, (1..=logged.table.numbers().get(viewer)).collect::<Vec<_>>());
        // Three joins, then the start: from there on, a view after every update.
        let recorded_views: Vec<_> = updates.iter().skip(3).map(|recorded| recorded.view.clone()).collect();
        let seen: Vec<_> = views.iter().map(|views| views[index].clone()).collect();
        assert_eq!(recorded_views, seen);
        assert_eq!(record.last_view(viewer), logged.table.view(viewer));
        assert_eq!(record.updates(viewer, 7).next(), updates.get(7).cloned());
    }
}
