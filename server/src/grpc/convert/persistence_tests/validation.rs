//! Validation of stored messages: every error names the field.

use parlor_engine::GameId;
use parlor_host::persistence::{
    decode_entry, decode_feed_item, decode_record, encode_entry, encode_feed_item, encode_record,
};
use parlor_host::table::Record;
use parlor_proto::v1;
use parlor_store::v1 as store;
use parlor_store::v1::{audience_event, entry, owner_feed_item, setup};
use parlor_store::{FeedItem, Millis};
use prost::Message;

use super::games::{NOW, Played, play_out};
use super::test_rng;
use crate::grpc::convert::{ApiCodec, FromMessage};

/// A two-player table that was played to its end.
fn played() -> Played {
    play_out(GameId::Gap.default_options(), 2, &mut test_rng("checks"))
}

/// Modifies an API message in a payload.
fn modify_payload<M: Message + Default>(payload: &mut Option<Vec<u8>>, modify: impl FnOnce(&mut M)) {
    let bytes = payload.as_mut().expect("a payload");
    let mut message = M::decode(bytes.as_slice()).expect("a message");
    modify(&mut message);
    *bytes = message.encode_to_vec();
}

fn check_entry(event: entry::Event, why: &str) {
    let bytes = store::Entry { after_ms: 0, event: Some(event) }.encode_to_vec();
    let error = decode_entry(NOW, &bytes, &ApiCodec).expect_err(why);
    assert_eq!(error.cause.to_string(), why);
    assert_eq!(error.to_string(), format!("a stored entry cannot be read: {why}"));
}

#[test]
fn entry_fields_are_validated() {
    use entry::Event;
    let seat = 6;
    let digest = vec![0; 15];
    let request = Some(store::IdempotencyKey { id: "r".to_owned(), digest });
    let why = |field: &str| format!("{field}.seat: must be 0 to 5, not 6");
    check_entry(Event::Acted(store::Acted { seat, ..Default::default() }), &why("acted"));
    check_entry(Event::TimedOut(store::TimedOut { seat, ..Default::default() }), &why("timed_out"));
    check_entry(Event::WasAway(store::WasAway { seat, ..Default::default() }), &why("was_away"));
    check_entry(Event::Joined(store::Joined { seat, ..Default::default() }), &why("joined"));
    check_entry(Event::Reissued(store::Reissued { seat, ..Default::default() }), &why("reissued"));
    check_entry(Event::Resigned(store::Resigned { seat }), &why("resigned"));
    check_entry(Event::Replaced(store::Replaced { seat, ..Default::default() }), &why("replaced"));
    check_entry(
        Event::Joined(store::Joined { commitment: vec![0; 31], ..Default::default() }),
        "joined.commitment: must have 32 bytes, not 31",
    );
    check_entry(
        Event::Revealed(store::Revealed { seat: 0, entropy: vec![0; 65] }),
        "revealed.entropy: a seat may add up to 64 bytes of entropy, not 65: send fewer, or a hash of them",
    );
    check_entry(
        Event::Joined(store::Joined { entropy: vec![0; 65], ..Default::default() }),
        "joined.entropy: a seat may add up to 64 bytes of entropy, not 65: send fewer, or a hash of them",
    );
    check_entry(
        Event::Reissued(store::Reissued { seat: 0, request }),
        "reissued.request.digest: must have 16 bytes, not 15",
    );
    let error = decode_entry(NOW, &[], &ApiCodec).expect_err("no event").to_string();
    assert_eq!(error, "a stored entry cannot be read: must have an event");
}

/// Changes one field of a setup, and checks the error.
fn check_setup(modify: impl FnOnce(&mut store::Setup), why: &str) {
    let (at, first) = &played().log[0];
    let mut entry = store::Entry::decode(&*encode_entry(NOW, *at, first, &ApiCodec)).expect("an entry");
    let Some(entry::Event::Created(setup)) = &mut entry.event else { panic!("{entry:?}") };
    modify(setup);
    let error = decode_entry(NOW, &entry.encode_to_vec(), &ApiCodec).expect_err(why);
    assert_eq!(error.cause.to_string(), why);
}

#[test]
fn setup_fields_are_validated() {
    check_setup(|setup| setup.table_id.truncate(15), "created.table_id: must have 16 bytes, not 15");
    check_setup(|setup| setup.options = None, "created.options: must be set");
    check_setup(|setup| setup.seats.clear(), "created.seats: must have 1 to 6 entries, not 0");
    check_setup(
        |setup| setup.seats = vec![setup.seats[0].clone(); 7],
        "created.seats: must have 1 to 6 entries, not 7",
    );
    check_setup(|setup| setup.seats[1].occupant = None, "created.seats[1]: must say whose it is");
    check_setup(
        |setup| {
            let seat = store::ReservedSeat { previous: Some(6), ..Default::default() };
            setup.seats[1].occupant = Some(store::seat_setup::Occupant::Reserved(seat));
        },
        "created.seats[1].reserved.previous: must be 0 to 5, not 6",
    );
    check_setup(|setup| setup.clock = None, "created.clock: must be set");
    let clock = |modify: fn(&mut v1::ClockSettings), why| {
        check_setup(|setup| modify_payload(&mut setup.clock, modify), why);
    };
    clock(|clock| clock.decision_ms = None, "created.clock.decision_ms: must be set");
    clock(|clock| clock.bank_ms = None, "created.clock.bank_ms: must be set");
    clock(|clock| clock.grace_ms = None, "created.clock.grace_ms: must be set");
    clock(|clock| clock.forfeit_after = None, "created.clock.forfeit_after: must be set");
    clock(|clock| clock.hidden_window_ms = None, "created.clock.hidden_window_ms: must be set");
    clock(|clock| clock.constant_hidden_windows = None, "created.clock.constant_hidden_windows: must be set");
    check_setup(|setup| setup.visibility = 0, "created.visibility: must be set");
    check_setup(|setup| setup.visibility = 9, "created.visibility: has no value 9");
    check_setup(|setup| setup.chance = None, "created: must have a server_seed or a given_seed");
    check_setup(
        |setup| setup.chance = Some(setup::Chance::ServerSeed(vec![1; 31])),
        "created.server_seed: must have 32 bytes, not 31",
    );
    check_setup(
        |setup| setup.chance = Some(setup::Chance::GivenSeed(vec![1; 33])),
        "created.given_seed: must have 32 bytes, not 33",
    );
    let script = |seed: usize, round| {
        let shuffles = vec![store::ScriptedShuffle { round, ..Default::default() }];
        Some(setup::Chance::Scripted(store::ScriptedChance { seed: vec![1; seed], shuffles }))
    };
    check_setup(|setup| setup.chance = script(31, 0), "created.scripted.seed: must have 32 bytes, not 31");
    check_setup(
        |setup| setup.chance = script(32, 1 << 16),
        "created.scripted.shuffles[0].round: must be 0 to 65535, not 65536",
    );
    let deal = |change: &dyn Fn(&mut store::DealChance)| {
        let (tournament_id, server_seed) = (vec![1; 16], vec![2; 32]);
        let mut deal = store::DealChance { tournament_id, server_seed, ..Default::default() };
        change(&mut deal);
        Some(setup::Chance::Deal(deal))
    };
    check_setup(
        |setup| setup.chance = deal(&|deal| deal.tournament_id = vec![1]),
        "created.deal.tournament_id: must have 16 bytes, not 1",
    );
    check_setup(
        |setup| setup.chance = deal(&|deal| deal.server_seed = vec![1]),
        "created.deal.server_seed: must have 32 bytes, not 1",
    );
    check_setup(
        |setup| setup.chance = deal(&|deal| deal.rotation = 256),
        "created.deal.rotation: must be 0 to 255, not 256",
    );
    check_setup(
        |setup| setup.chance = deal(&|deal| deal.entropy_commitments = vec![vec![0; 32]; 2]),
        "created.deal.entropy_commitments: must have 0 entries, not 2",
    );
    check_setup(
        |setup| setup.chance = deal(&|deal| deal.entropy = vec![Vec::new(), vec![0; 65]]),
        "created.deal.entropy[1]: a seat may add up to 64 bytes of entropy, not 65: send fewer, or a hash of them",
    );
    check_setup(|setup| setup.rematch_of = Some(Vec::new()), "created.rematch_of: must have 16 bytes, not 0");
}

/// Changes one field of a record at a time.
#[test]
fn record_fields_are_validated() {
    let record = Record::from_log(&played().log).expect("a log");
    let whole = store::Record::decode(&*encode_record(&record, &ApiCodec)).expect("a record");
    let check = |modify: &dyn Fn(&mut store::Record), why: &str| {
        let mut modified = whole.clone();
        modify(&mut modified);
        let error = decode_record(&modified.encode_to_vec(), &ApiCodec).expect_err(why);
        assert_eq!(error.cause.to_string(), why);
    };
    let look = |modify: &dyn Fn(&mut store::TableSummary), why: &str| {
        check(&|record| modify(record.summary.as_mut().expect("a look")), why);
    };
    check(&|record| record.summary = None, "summary: must be set");
    look(&|look| look.seats.truncate(1), "summary.seats: must have 2 entries, not 1");
    look(&|look| look.seats[0].holder = None, "summary.seats[0]: must have a holder");
    look(&|look| look.seats[1].finish = 7, "summary.seats[1].finish: has no value 7");
    look(&|look| look.numbers.truncate(2), "summary.numbers: must have 3 entries, not 2");
    look(&|look| look.shuffle = None, "summary.shuffle: must be set");
    look(&|look| look.rematch = Some(vec![1]), "summary.rematch: must have 16 bytes, not 1");
    let unended = "summary.ended_after_ms: must be set if there is a result, and only then";
    look(&|look| look.ended_after_ms = None, unended);
    look(&|look| look.result = None, unended);
    let shuffle = |modify: &dyn Fn(&mut v1::FairShuffle), why: &str| {
        look(&|look| modify_payload(&mut look.shuffle, modify), why);
    };
    let entropy = |seat, bytes| v1::SeatEntropy { seat, entropy: vec![1; bytes], commitment: Vec::new() };
    shuffle(
        &|shuffle| shuffle.entropy = vec![entropy(0, 0)],
        "summary.shuffle.entropy: must have 2 entries, not 1",
    );
    shuffle(
        &|shuffle| shuffle.entropy = vec![entropy(0, 0), entropy(2, 0)],
        "summary.shuffle.entropy[1].seat: must be 1, as the seats are in order",
    );
    let commitment = |bytes| v1::SeatEntropy { commitment: vec![1; bytes], ..entropy(0, 0) };
    shuffle(
        &|shuffle| shuffle.entropy = vec![commitment(31), entropy(1, 0)],
        "summary.shuffle.entropy[0].commitment: must have 32 bytes, not 31",
    );
    shuffle(&|shuffle| shuffle.game_seed = vec![1], "summary.shuffle.game_seed: must have 32 bytes, not 1");
    shuffle(
        &|shuffle| shuffle.server_seed = vec![1],
        "summary.shuffle.server_seed: must have 32 bytes, not 1",
    );
    shuffle(&|shuffle| shuffle.commitment = vec![1], "summary.shuffle.commitment: must have 32 bytes, not 1");
    let result = |modify: &dyn Fn(&mut v1::TableResult), why: &str| {
        look(&|look| modify_payload(&mut look.result, modify), why);
    };
    result(&|result| result.reason = 0, "summary.result.reason: must be set");
    result(&|result| result.reason = 2, "summary.result.seats: must have 0 entries, not 2");
    result(&|result| result.seats.truncate(1), "summary.result.seats: must have 2 entries, not 1");
    let order = "summary.result.seats: must have one entry for each seat, in order";
    result(&|result| result.seats.reverse(), order);
    result(&|result| result.seats[0].place = 0, "summary.result.seats[0].place: must be 1 to 6, not 0");
    result(&|result| result.seats[0].finish = 0, "summary.result.seats[0].finish: must be set");
    check(&|record| record.views.truncate(1), "views: must have 3 entries, not 1");
    let order = "views[0]: must be a seat's, in order, and the last a spectator's";
    check(&|record| record.views.reverse(), order);
}

/// Changes one field at a time of the first step with a decision and events.
#[test]
fn record_step_fields_are_validated() {
    let record = Record::from_log(&played().log).expect("a log");
    let whole = store::Record::decode(&*encode_record(&record, &ApiCodec)).expect("a record");
    let index = whole.steps.iter().position(|step| !step.decided.is_empty() && !step.events.is_empty());
    let index = index.expect("a step with a decision");
    let check = |modify: &dyn Fn(&mut store::Step), why: &str| {
        let mut modified = whole.clone();
        modify(&mut modified.steps[index]);
        let error = decode_record(&modified.encode_to_vec(), &ApiCodec).expect_err(why);
        assert_eq!(error.cause.to_string(), format!("steps[{index}].{why}"));
    };
    let five_three_five = v1::FiveThreeFiveEvent::default();
    let other = v1::GameEvent { game: Some(v1::game_event::Game::FiveThreeFive(five_three_five)) };
    check(&|step| step.asked = vec![1, 1], "asked[1]: names seat 1 twice");
    check(&|step| step.asked = vec![2], "asked: must be below 2, the number of players");
    let shuffled = |round, purpose, codes: &[u8]| {
        vec![store::RecordedShuffle { round, purpose, count: 0, codes: codes.to_vec() }]
    };
    check(
        &|step| step.shuffled = shuffled(1 << 16, 1, &[]),
        "shuffled[0].round: must be 0 to 65535, not 65536",
    );
    check(&|step| step.shuffled = shuffled(0, 0, &[]), "shuffled[0].purpose: must be set");
    check(&|step| step.shuffled = shuffled(0, 2, &[0, 50]), "shuffled[0].codes[1]: is no card");
    check(&|step| step.events[0].audience = None, "events[0]: must have an audience");
    check(&|step| step.events[0].event = None, "events[0]: must have an event");
    let only = |seat| Some(audience_event::Audience::Only(seat));
    check(
        &|step| step.events[0].audience = only(2),
        "events[0].only: must be below 2, the number of players",
    );
    check(&|step| step.events[0].audience = only(6), "events[0].only: must be 0 to 5, not 6");
    let all_but = |seats| Some(audience_event::Audience::AllBut(store::SeatSet { seats }));
    check(
        &|step| step.events[0].audience = all_but(vec![3]),
        "events[0].all_but.seats: must be below 2, the number of players",
    );
    check(
        &|step| step.events[0].event = Some(audience_event::Event::Game(other.encode_to_vec())),
        "events[0].game.five_three_five: must have an event",
    );
    let table = |event| Some(audience_event::Event::Table(v1::TableEvent { event }.encode_to_vec()));
    check(&|step| step.events[0].event = table(None), "events[0].table: must have an event");
    check(&|step| step.decided[0].seat = 2, "decided[0].seat: must be below 2, the number of players");
    check(&|step| step.decided[0].by = 5, "decided[0].by: has no value 5");
    check(&|step| step.decided[0].action = None, "decided[0].action: must be set");
    check(&|step| step.decided = vec![step.decided[0].clone(); 2], "decided[1].seat: has decided twice");
    let decline =
        v1::NoDiceAction { action: Some(v1::no_dice_action::Action::Decline(v1::NoDiceDecline {})) };
    let decline = v1::GameAction { game: Some(v1::game_action::Game::NoDice(decline)) };
    check(
        &|step| step.decided[0].action = Some(decline.encode_to_vec()),
        "decided[0].action: is of no_dice, and the table plays gap",
    );
}

#[test]
fn table_event_fields_are_validated() {
    use v1::table_event::Event;
    let check = |event: Event, why: &str| {
        let event = v1::TableEvent { event: Some(event) };
        let error = parlor_host::table::TableEvent::from_message(event).expect_err(why);
        assert_eq!(error.to_string(), why);
    };
    let seat = Some(v1::TableSeat::default());
    check(Event::SeatJoined(v1::SeatJoined { seat: seat.clone() }), "seat_joined.seat: must be a player's");
    check(Event::SeatReplaced(v1::SeatReplaced { seat }), "seat_replaced.seat: must be a house bot's");
    check(Event::Started(v1::TableStarted { shuffle: None }), "started.shuffle: must be set");
    check(
        Event::ClockRanOut(v1::ClockRanOut { seat: 6, times: 1 }),
        "clock_ran_out.seat: must be 0 to 5, not 6",
    );
    let why = v1::SeatFinish::PlayedOut.into();
    check(
        Event::SeatForfeited(v1::SeatForfeited { seat: 0, why }),
        "seat_forfeited.why: must be that of a forfeit",
    );
    check(Event::Over(v1::TableOver { result: None, shuffle: None }), "over.result: must be set");
    let bad = Event::Rematch(v1::RematchMade { table_id: "x".to_owned() });
    check(bad, &format!("rematch.table_id: {}", parlor_store::InvalidTableId));
}

#[test]
fn news_fields_are_validated() {
    let table = played().table;
    let id = table.setup().table;
    let over = encode_feed_item(id, &parlor_host::OwnerEvent::Over(table.summary().into()), &ApiCodec);
    let over = store::OwnerFeedItem::decode(&*over).expect("news");
    let check = |table_id: &[u8], event: Option<owner_feed_item::Event>, why: &str| {
        let payload = store::OwnerFeedItem { table_id: table_id.to_vec(), event }.encode_to_vec().into();
        let error =
            decode_feed_item(&FeedItem { number: 1, at: Millis(NOW), payload }, &ApiCodec).expect_err(why);
        assert_eq!(error.to_string(), format!("a stored feed item cannot be read: {why}"));
    };
    let id = id.as_bytes();
    check(&id[1..], over.event.clone(), "table_id: must have 16 bytes, not 15");
    check(&[1; 16], over.event.clone(), "over.setup.table_id: must be that of the item");
    check(id, None, "must have an event");
    let joined = |seat, player| Some(owner_feed_item::Event::Joined(store::FeedJoined { seat, player }));
    check(id, joined(6, None), "joined.seat: must be 0 to 5, not 6");
    check(id, joined(0, None), "joined.player: must be set");
    let forfeited = |why| Some(owner_feed_item::Event::Forfeited(store::FeedForfeited { seat: 0, why }));
    check(id, forfeited(1), "forfeited.why: must be that of a forfeit");
    check(id, forfeited(8), "forfeited.why: has no value 8");
    let replaced = store::FeedReplaced { seat: 6, bot: String::new() };
    check(id, Some(owner_feed_item::Event::Replaced(replaced)), "replaced.seat: must be 0 to 5, not 6");
    let Some(owner_feed_item::Event::Over(mut look)) = over.event else { panic!("{over:?}") };
    (look.result, look.ended_after_ms) = (None, None);
    check(id, Some(owner_feed_item::Event::Over(look)), "over.result: must be set");
}
