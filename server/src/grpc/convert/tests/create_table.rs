//! Decoding of CreateTable requests: defaults, every field, and every bound from both sides.

use std::collections::BTreeMap;

use parlor_engine::{AnyOptions, GameId};
use parlor_host::agents::AgentRequirement;
use parlor_host::table::{SeatSetup, TimeControl, Visibility};
use parlor_host::{NewChance, NewTable};
use parlor_proto::v1;
use parlor_proto::v1::create_table_request::Chance;
use parlor_proto::v1::seat_setup::Occupant;

use super::{check_bound, text, wide, wrong};
use crate::config::Settings;
use crate::grpc::Failure;
use crate::grpc::convert::create_table;

fn create(wire: v1::CreateTableRequest) -> Result<NewTable, Failure> {
    let settings = Settings::default();
    create_table(wire, &settings.table, &settings.bots, false)
}

fn open_seats(count: usize) -> Vec<v1::SeatSetup> {
    vec![v1::SeatSetup { occupant: Some(Occupant::Open(v1::OpenSeat {})) }; count]
}

/// A table of GAP for two.
fn request() -> v1::CreateTableRequest {
    v1::CreateTableRequest {
        options: Some(GameId::Gap.default_options().into()),
        seats: open_seats(2),
        ..Default::default()
    }
}

/// Checks the bounds of a field of the request.
fn check(accepted: &[u64], refused: &[u64], field: &str, set: impl Fn(&mut v1::CreateTableRequest, u64)) {
    check_bound(accepted, refused, field, |value| {
        let mut wire = request();
        set(&mut wire, value);
        create(wire)
    });
}

#[test]
fn unset_fields_get_the_server_defaults() {
    let new = create(request()).expect("a table");
    let expected = NewTable {
        options: GameId::Gap.default_options(),
        seats: vec![SeatSetup::Open; 2],
        time: TimeControl {
            decision: 30_000,
            bank: 120_000,
            grace: 120_000,
            forfeit_after: 3,
            secret: 5_000,
            constant_secret: false,
        },
        visibility: Visibility::Public,
        chance: NewChance::Fresh,
        metadata: BTreeMap::new(),
        fill: 3_600_000,
        agents: AgentRequirement::Connected,
        request: None,
    };
    assert_eq!(new, expected);
    let empty = v1::CreateTableRequest { seats: vec![v1::SeatSetup { occupant: None }; 2], ..request() };
    assert_eq!(create(empty).expect("a table"), expected);
}

#[test]
fn every_field_of_create_table_is_decoded() {
    let clock = v1::ClockSettings {
        decision_ms: Some(1),
        bank_ms: Some(2),
        grace_ms: Some(3),
        forfeit_after: Some(4),
        hidden_window_ms: Some(500),
        constant_hidden_windows: Some(true),
    };
    let reserved = v1::ReservedSeat { user_id: "u".to_owned(), display_name: "Ann".to_owned() };
    let bot = v1::HouseBotSeat { name: "greedy".to_owned() };
    let agent = v1::AgentSeat { name: "deep".to_owned(), version: "2".to_owned() };
    let wire = v1::CreateTableRequest {
        request_id: "r".to_owned(),
        options: Some(GameId::FiveThreeFive.default_options().into()),
        seats: vec![
            v1::SeatSetup { occupant: Some(Occupant::Reserved(reserved)) },
            v1::SeatSetup { occupant: Some(Occupant::HouseBot(bot)) },
            v1::SeatSetup { occupant: Some(Occupant::Agent(agent)) },
        ],
        clock: Some(clock),
        visibility: v1::Visibility::Private.into(),
        metadata: BTreeMap::from([("k".to_owned(), "v".to_owned())]),
        fill_ms: Some(1_500),
        chance: Some(Chance::GivenSeed(v1::GivenSeed { seed: vec![9; 32] })),
        game: "five_three_five".to_owned(),
    };
    let mut coverage = super::field_coverage::FieldCoverage::new();
    coverage.record("CreateTableRequest", &wire);
    coverage.record(
        "CreateTableRequest",
        &v1::CreateTableRequest { chance: Some(Chance::Fresh(v1::FreshChance {})), ..request() },
    );
    coverage.assert_all_set("CreateTableRequest");
    let new = create(wire).expect("a table");
    let request = new.request.clone();
    assert_eq!(request.as_ref().map(|key| &*key.id), Some("r"));
    let expected = NewTable {
        options: GameId::FiveThreeFive.default_options(),
        seats: vec![
            SeatSetup::Reserved { user: Some("u".to_owned()), name: "Ann".to_owned(), previous: None },
            SeatSetup::House { bot: "greedy".to_owned() },
            SeatSetup::Agent { name: "deep".to_owned(), version: "2".to_owned() },
        ],
        time: TimeControl {
            decision: 1,
            bank: 2,
            grace: 3,
            forfeit_after: 4,
            secret: 500,
            constant_secret: true,
        },
        visibility: Visibility::Private,
        chance: NewChance::Given([9; 32]),
        metadata: BTreeMap::from([("k".to_owned(), "v".to_owned())]),
        fill: 1_500,
        agents: AgentRequirement::Connected,
        request,
    };
    assert_eq!(new, expected);
}

#[test]
fn seat_count_follows_the_game() {
    for game in GameId::ALL {
        let info = game.info();
        let (min, max) = (u64::from(info.min_players), u64::from(info.max_players));
        let players: Vec<u64> = (min..=max).collect();
        check(&players, &[0, min - 1, max + 1, 300], "seats", |wire, count| {
            wire.options = Some(game.default_options().into());
            wire.seats = open_seats(count as usize);
        });
    }
}

#[test]
fn game_is_chosen_by_its_id_or_its_options_or_both() {
    let length = Some(v1::gap_options::Length::Rounds(3));
    let options = v1::GameOptions { game: Some(v1::game_options::Game::Gap(v1::GapOptions { length })) };
    let choose =
        |game: &str, options| create(v1::CreateTableRequest { game: game.to_owned(), options, ..request() });
    let chosen = |game: &str, options| choose(game, options).expect("a table").options;
    assert_eq!(chosen("gap", None), GameId::Gap.default_options());
    let three_rounds = chosen("", Some(options));
    assert_eq!(three_rounds, AnyOptions::try_from(options).expect("options"));
    assert_ne!(three_rounds, GameId::Gap.default_options());
    assert_eq!(chosen("gap", Some(options)), three_rounds);

    assert_eq!(wrong(choose("", None)), "game: must be set, to the id of a game, unless options are");
    let other = "options.gap: must be options of no_dice, the game of the request, not of gap";
    assert_eq!(wrong(choose("no_dice", Some(options))), other);
    for options in [None, Some(options)] {
        let unknown = choose("chess", options).expect_err("an unknown game");
        assert_eq!(unknown.reason(), v1::ErrorReason::GameNotFound);
    }
    // Options without a game do not get it from the id.
    for game in ["", "gap"] {
        let empty = v1::GameOptions { game: None };
        assert!(wrong(choose(game, Some(empty))).starts_with("options: must have a game: "));
    }
}

#[test]
fn game_options_are_validated() {
    check(&[1, 4], &[0, 1 << 20], "options.gap.rounds", |wire, rounds| {
        let length = Some(v1::gap_options::Length::Rounds(rounds as u32));
        let gap = v1::game_options::Game::Gap(v1::GapOptions { length });
        wire.options = Some(v1::GameOptions { game: Some(gap) });
    });
}

#[test]
fn clock_and_fill_times_have_bounds() {
    const MONTH: u64 = 2_592_000_000;
    fn clock(wire: &mut v1::CreateTableRequest) -> &mut v1::ClockSettings {
        wire.clock.get_or_insert_default()
    }
    let times = (&[0, 1, MONTH][..], &[MONTH + 1, u64::from(u32::MAX)][..]);
    check(times.0, times.1, "clock.decision_ms", |wire, ms| clock(wire).decision_ms = Some(ms as u32));
    check(times.0, times.1, "clock.bank_ms", |wire, ms| clock(wire).bank_ms = Some(ms as u32));
    check(times.0, times.1, "clock.grace_ms", |wire, ms| clock(wire).grace_ms = Some(ms as u32));
    check(&[1, 1000], &[0, 1001], "clock.forfeit_after", |wire, count| {
        clock(wire).forfeit_after = Some(count as u32);
    });
    check(&[100, 600_000], &[0, 99, 600_001], "clock.hidden_window_ms", |wire, ms| {
        clock(wire).hidden_window_ms = Some(ms as u32);
    });
    check(&[1000, MONTH], &[0, 999, MONTH + 1], "fill_ms", |wire, ms| wire.fill_ms = Some(ms as u32));
}

#[test]
fn visibility_is_a_known_value() {
    check(&[0, 1, 2], &[3, 99], "visibility", |wire, value| wire.visibility = value as i32);
}

#[test]
fn given_seed_has_32_bytes() {
    check(&[32], &[0, 31, 33], "given_seed.seed", |wire, length| {
        wire.chance = Some(Chance::GivenSeed(v1::GivenSeed { seed: vec![1; length as usize] }));
    });
}

#[test]
fn metadata_is_bounded() {
    check(&[0, 16], &[17], "metadata", |wire, count| {
        wire.metadata = (0..count).map(|number| (format!("key {number}"), String::new())).collect();
    });
    check(&[1, 64], &[0, 65], "metadata", |wire, length| {
        wire.metadata = BTreeMap::from([(text(length), "v".to_owned())]);
    });
    check(&[0, 256], &[257], "metadata", |wire, length| {
        wire.metadata = BTreeMap::from([("k".to_owned(), text(length))]);
    });
}

#[test]
fn reserved_seat_fields_are_validated() {
    let reserve = |wire: &mut v1::CreateTableRequest, user_id: String, display_name: String| {
        let seat = v1::ReservedSeat { user_id, display_name };
        wire.seats[1].occupant = Some(Occupant::Reserved(seat));
    };
    check(&[1, 128], &[0, 129], "seats[1].reserved.user_id", |wire, length| {
        reserve(wire, text(length), String::new());
    });
    // Ids are limited in bytes, display names in characters.
    check(&[1, 64], &[65], "seats[1].reserved.user_id", |wire, length| {
        reserve(wire, wide(length), String::new());
    });
    check(&[0, 1, 64], &[65], "seats[1].reserved.display_name", |wire, length| {
        reserve(wire, "u".to_owned(), wide(length));
    });
    let mut wire = request();
    reserve(&mut wire, "u".to_owned(), "Ann\u{1b}[2J".to_owned());
    assert_eq!(wrong(create(wire)), "seats[1].reserved.display_name: must have no control characters");
}

/// The stored name of the bot with this requested name.
fn bot(name: &str) -> Result<String, Failure> {
    let mut wire = request();
    wire.seats[1].occupant = Some(Occupant::HouseBot(v1::HouseBotSeat { name: name.to_owned() }));
    create(wire).map(|new| match &new.seats[1] {
        SeatSetup::House { bot } => bot.clone(),
        other => panic!("{other:?}"),
    })
}

/// The playouts of a search bot are fixed at creation, so that later settings do not change its strength.
#[test]
fn search_bot_name_is_stored_with_its_playouts() {
    assert_eq!(bot("random"), Ok("random".to_owned()));
    assert_eq!(bot("greedy"), Ok("greedy".to_owned()));
    assert_eq!(bot("search"), Ok("search:1000".to_owned()));
    assert_eq!(bot("search:1"), Ok("search:1".to_owned()));
    assert_eq!(bot("search:1000"), Ok("search:1000".to_owned()));
    assert_eq!(
        wrong(bot("search:1001")),
        "seats[1].house_bot.name: must be a search of up to 1000 playouts on this server, not 1001"
    );
    for name in ["", "deep blue", "search:0", "search:x", "search:99999999999"] {
        assert_eq!(bot(name).expect_err(name).reason(), v1::ErrorReason::HouseBotNotFound, "{name}");
    }
}

/// The stored setup of an agent seat.
fn agent(name: &str, version: &str) -> Result<SeatSetup, Failure> {
    let mut wire = request();
    let seat = v1::AgentSeat { name: name.to_owned(), version: version.to_owned() };
    wire.seats[1].occupant = Some(Occupant::Agent(seat));
    create(wire).map(|new| new.seats[1].clone())
}

#[test]
fn agent_name_and_version_are_validated() {
    let long = "a".repeat(64);
    for (name, version) in [("a", ""), ("7.x_-", "1.0 (beta)"), (&*long, &*long)] {
        let (name, version) = (name.to_owned(), version.to_owned());
        assert_eq!(agent(&name, &version), Ok(SeatSetup::Agent { name, version }));
    }
    for name in ["", ".a", "-a", "a b", "ä", "a\n", &format!("{long}a")] {
        let why = "must be 1 to 64 letters, digits and the characters . _ -, the first a letter or a digit";
        assert_eq!(wrong(agent(name, "")), format!("seats[1].agent.name: {why}"));
    }
    for version in ["ä", "1\n", &format!("{long}a")] {
        let why = "must have up to 64 printable ASCII characters";
        assert_eq!(wrong(agent("a", version)), format!("seats[1].agent.version: {why}"));
    }
}

/// Settings may allow more playouts than a bot supports: the stored name is capped to a valid one.
#[test]
fn search_playouts_are_capped_to_a_valid_bot() {
    let mut settings = Settings::default();
    settings.bots.search_iterations = const { crate::config::Count::new(1_000_000) };
    let mut wire = request();
    wire.seats[1].occupant = Some(Occupant::HouseBot(v1::HouseBotSeat { name: "search".to_owned() }));
    let new = create_table(wire, &settings.table, &settings.bots, false).expect("a table");
    let SeatSetup::House { bot } = &new.seats[1] else { panic!("{new:?}") };
    assert_eq!(bot, "search:100000");
    assert!(parlor_bots::HouseBot::by_name(bot).is_ok());
}

#[test]
fn request_id_has_up_to_64_printable_ascii_characters() {
    check(&[0, 1, 64], &[65], "request_id", |wire, length| wire.request_id = text(length));
    for id in ["ü", "a\n", "\u{7f}"] {
        let wire = v1::CreateTableRequest { request_id: id.to_owned(), ..request() };
        assert_eq!(wrong(create(wire)), "request_id: must have 1 to 64 printable ASCII characters");
    }
    let odd = v1::CreateTableRequest { request_id: " ~".to_owned(), ..request() };
    assert!(create(odd).is_ok());
}

/// Equal requests have equal idempotency keys, and different requests different digests.
#[test]
fn idempotency_key_distinguishes_requests() {
    let id = || v1::CreateTableRequest { request_id: "r".to_owned(), ..request() };
    let key = |wire| create(wire).expect("a table").request.expect("an idempotency key");
    assert_eq!(key(id()), key(id()));
    let others = [
        v1::CreateTableRequest { seats: open_seats(3), ..id() },
        v1::CreateTableRequest { fill_ms: Some(5_000), ..id() },
        v1::CreateTableRequest { metadata: BTreeMap::from([("k".to_owned(), "v".to_owned())]), ..id() },
    ];
    for other in others {
        let (one, other) = (key(id()), key(other));
        assert_eq!(one.id, other.id);
        assert_ne!(one.digest, other.digest);
    }
}
