//! Encoding of tables, news, and stream items.

use std::sync::Arc;

use parlor_engine::{GameId, Refusal, Viewer};
use parlor_proto::v1;
use parlor_proto::v1::stream_item::Item as Wire;
use parlor_proto::v1::table_seat::Occupant;
use prost::Message;
use prost_types::Timestamp;

use super::covered::Covered;
use super::{OTHER, TABLE, TOURNAMENT, seat};
use crate::grpc::convert::persistence_tests::games::{NOW, Played, play_all, play_out};
use crate::grpc::convert::persistence_tests::test_rng;
use crate::grpc::convert::{ApiItemEncoder, ToMessage, closed, news, stream_ending, table};
use parlor_host::agents::SeatAssignment;
use parlor_host::table::{
    ChanceSetup, CommandError, DecisionId, Ending, Entry, Holder, Record, SeatFinish, SeatSetup, State,
    Table, TableEvent, TableSummary, Update,
};
use parlor_host::{
    AnswerOutcome, AnswerRefused, Answered, Channel, Closed, DecisionPrompt, HostError, ItemBatch,
    OwnerEvent, OwnerFeedItem, Presence, SeatTime, Snapshot, StreamItem, StreamKind, ViewerUpdate,
};

fn said(item: &StreamItem<'_>) -> v1::StreamItem {
    let mut items = ItemBatch::default();
    items.push(&ApiItemEncoder, StreamKind::Client, Channel(9), item);
    let mut message = v1::PlayResponse::decode(items.as_bytes()).expect("a message");
    assert_eq!(message.encode_to_vec(), items.as_bytes(), "as the generated code writes it");
    message.items.pop().expect("an item")
}

fn snapshot(table: &Table, viewer: Viewer) -> Snapshot {
    let presence = Presence { seat: seat(1), connected: true, grace_left: Some(500) };
    let time = SeatTime { seat: seat(1), decision: 900, bank: 800, running: true };
    Snapshot {
        number: table.numbers().get(viewer),
        viewer,
        summary: table.summary(),
        view: table.view(viewer),
        presence: vec![presence],
        time_left: Some(vec![time]),
    }
}

/// Encodes the tables, news and stream items of whole games, and checks that together they set every field.
#[test]
fn tables_news_and_stream_items_set_every_field() {
    let mut rng = test_rng("all_of_it_is_said");
    let mut covered = Covered::new();
    play_all(&mut rng, |Played { log, table: over }| {
        let open = Table::from_first_entry(&log[0].1).expect("a first entry");
        let given = over.shuffle().given;
        let mut revealed = over.summary();
        revealed.reveal_deal();
        for look in [open.summary(), revealed, TableSummary { rematch: Some(OTHER), ..over.summary() }] {
            covered.see("Table", &table(&look, true));
        }
        for news_of in
            [OwnerEvent::Created(Arc::new(open.summary())), OwnerEvent::Over(Arc::new(over.summary()))]
        {
            let item = OwnerFeedItem { number: 3, table: over.setup().table, at: NOW, event: news_of };
            covered.see("TableNews", &news(&item));
        }
        let record = Record::from_log(&log).expect("a log");
        // Only a record has the commitment of its tournament.
        if over.setup().chance.deal().is_some() {
            let (commitment, server_seed) = (vec![1; 32], vec![2; 32]);
            let proof = v1::TournamentShuffle { commitment, server_seed, ..Default::default() };
            let mut proven = crate::grpc::convert::record(&record, None);
            crate::grpc::convert::prove_deal(&mut proven, Some(&proof));
            covered.see("FairShuffle", &proven.shuffle.expect("a shuffle"));
        }
        for viewer in Viewer::all(over.players()) {
            covered.see("StreamItem", &said(&StreamItem::Snapshot(&snapshot(&over, viewer))));
            for telling in record.updates(viewer, 0) {
                let update = telling.update.clone();
                let told = ViewerUpdate { update, view: telling.view, seed_given: given, timed: true };
                let said = said(&StreamItem::Update(&told));
                if telling.update.number <= 20 {
                    covered.see("StreamItem", &said);
                }
                let Some(Wire::Update(update)) = said.item else { panic!("{said:?}") };
                assert_eq!(u64::from(update.number), telling.update.number);
                assert_eq!(update.events.len(), telling.update.events.len());
                assert!(update.view.is_none_or(|view| view.seed_given == given));
            }
        }
    });
    others(|what| covered.see("StreamItem", &said(what)));
    for news_of in [
        OwnerEvent::Joined { seat: seat(2), user: Some("u".to_owned()), name: "Ann".to_owned() },
        OwnerEvent::Started,
        OwnerEvent::Forfeited { seat: seat(2), finish: SeatFinish::Resigned },
        OwnerEvent::Replaced { seat: seat(2), bot: "greedy".to_owned() },
        OwnerEvent::Deleted,
    ] {
        covered.see("TableNews", &news(&OwnerFeedItem { number: 3, table: TABLE, at: NOW, event: news_of }));
    }
    for name in ["Table", "TableNews", "StreamItem"] {
        covered.check(name);
    }
}

/// What does not come from the log of a table.
fn others(mut see: impl FnMut(&StreamItem<'_>)) {
    let shuffle = Box::new(look().shuffle);
    let ending = |ending| TableEvent::Ended { ending, shuffle: shuffle.clone() };
    let table_events = vec![
        TableEvent::Joined { seat: seat(1), name: "Ann".to_owned() },
        TableEvent::Started { shuffle: shuffle.clone() },
        TableEvent::TimedOut { seat: seat(1), times: 2 },
        TableEvent::Forfeited { seat: seat(1), finish: SeatFinish::TimedOut },
        TableEvent::Replaced { seat: seat(1), bot: "greedy".to_owned() },
        ending(Ending::Cancelled { note: "late".to_owned() }),
        ending(Ending::Faulted { reason: "a fault".to_owned() }),
        ending(Ending::Expired),
        TableEvent::Rematch { table: OTHER },
    ];
    let update = Update { number: 3, table_events, decided: None, events: Vec::new() };
    let told = ViewerUpdate { update, view: None, seed_given: false, timed: true };
    let answered = |refused| {
        let outcome = AnswerOutcome::Refused(refused);
        Answered { decision: DecisionId(4), outcome }
    };
    let closed = Closed { why: Some(HostError::TooSlow), number: 3, retry: true };
    let given =
        SeatAssignment { table: TABLE, seat: seat(1), game: GameId::Gap, tournament: Some(TOURNAMENT) };
    for what in [
        StreamItem::SeatAssigned(given),
        StreamItem::Update(&told),
        StreamItem::Decision(&asked()),
        StreamItem::Answered(&answered(AnswerRefused::Illegal(Refusal::NOT_IN_HAND))),
        StreamItem::Answered(&answered(AnswerRefused::Command(CommandError::NoSuchIndex {
            index: 9,
            count: 3,
        }))),
        StreamItem::Answered(&super::answers::accepted()),
        StreamItem::Presence(Presence { seat: seat(1), connected: true, grace_left: Some(5) }),
        StreamItem::TimeLeft(vec![SeatTime { seat: seat(1), decision: 9, bank: 8, running: true }]),
        StreamItem::Closed(closed),
    ] {
        see(&what);
    }
}

fn asked() -> DecisionPrompt {
    let mut rng = test_rng("asked");
    let played = play_out(GameId::Gap.default_options(), 2, &mut rng);
    let mut table = Table::from_first_entry(&played.log[0].1).expect("a first entry");
    for (at, entry) in &played.log[1..] {
        table.fold(*at, entry).expect("an entry");
        if matches!(entry, Entry::Started) {
            break;
        }
    }
    let asked = table.game().expect("a game").to_act().first().expect("a seat to act");
    DecisionPrompt {
        id: DecisionId(1),
        after: 2,
        view: table.view(Viewer::Seat(asked)),
        seed_given: true,
        legal: table.legal_actions(asked),
        legal_count: 8,
        default_index: 3,
        time_left: Some(900),
        bank_left: Some(800),
        secret: true,
    }
}

#[test]
fn decision_is_encoded_with_every_field() {
    let asked = asked();
    let legal = asked.legal.iter().copied().map(v1::GameAction::from).collect::<Vec<_>>();
    let view = v1::GameView { seed_given: true, ..asked.view.clone().expect("a view").into() };
    let Some(Wire::Decision(decision)) = said(&StreamItem::Decision(&asked)).item else { panic!() };
    assert_eq!(
        decision,
        v1::Decision {
            id: 1,
            after: 2,
            view: Some(Box::new(view)),
            legal_actions: legal,
            legal_count: 8,
            default_index: 3,
            time_left_ms: Some(900),
            bank_left_ms: Some(800),
            hidden: true,
        }
    );
}

/// A table with a player (user u0), a reserved seat (user u1), an open seat and a bot.
fn look() -> TableSummary {
    let mut rng = test_rng("look");
    let mut look = play_out(GameId::Gap.default_options(), 4, &mut rng).table.summary();
    let setup = Arc::make_mut(&mut look.setup);
    let kept = SeatSetup::Reserved { user: Some("u1".to_owned()), name: "Ben".to_owned(), previous: None };
    setup.seats = vec![SeatSetup::Open, kept, SeatSetup::Open, SeatSetup::Open];
    setup.chance = ChanceSetup::Fresh { server_seed: [1; 32] };
    let holders = [
        Holder::Player { user: Some("u0".to_owned()), name: "Ann".to_owned() },
        Holder::Vacant,
        Holder::Vacant,
        Holder::House { bot: "greedy".to_owned() },
    ];
    for (seat, holder) in look.seats.iter_mut().zip(holders) {
        (seat.holder, seat.finish) = (holder, SeatFinish::PlayedOut);
    }
    look.seats[0].finish = SeatFinish::Resigned;
    (look.state, look.ending, look.started, look.ended) = (State::Open, None, None, None);
    look
}

#[test]
fn metadata_and_user_ids_are_encoded_only_for_the_owner() {
    let (owned, public) = (table(&look(), true), table(&look(), false));
    assert!(owned.owned && !public.owned);
    assert_eq!(owned.metadata.len(), 2);
    assert!(public.metadata.is_empty());
    let hidden = |mut table: v1::Table| {
        table.metadata.clear();
        table.owned = false;
        for seat in &mut table.seats {
            match &mut seat.occupant {
                Some(Occupant::Player(player)) => player.user_id.clear(),
                Some(Occupant::Reserved(seat)) => seat.user_id.clear(),
                _ => {}
            }
        }
        table
    };
    assert_eq!(hidden(owned), public, "nothing else differs");
    let text = format!("{public:?}");
    assert!(!text.contains("u0") && !text.contains("u1") && !text.contains("league"), "{text}");
}

#[test]
fn seats_are_encoded_with_occupants_and_forfeits() {
    let seats = table(&look(), true).seats;
    let occupants: Vec<_> = seats.iter().map(|seat| seat.occupant.clone().expect("an occupant")).collect();
    let named = |user_id: &str, display_name: &str| (user_id.to_owned(), display_name.to_owned());
    let (user_id, display_name) = named("u0", "Ann");
    assert_eq!(occupants[0], Occupant::Player(v1::PlayerSeat { user_id, display_name }));
    let (user_id, display_name) = named("u1", "Ben");
    assert_eq!(occupants[1], Occupant::Reserved(v1::ReservedSeat { user_id, display_name }));
    assert_eq!(occupants[2], Occupant::Open(v1::OpenSeat {}));
    assert_eq!(occupants[3], Occupant::HouseBot(v1::HouseBotSeat { name: "greedy".to_owned() }));
    assert_eq!(seats.iter().map(|seat| seat.seat).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let (resigned, can_win) = (v1::SeatFinish::Resigned, v1::SeatFinish::Unspecified);
    assert_eq!(
        seats.iter().map(v1::TableSeat::forfeited).collect::<Vec<_>>(),
        [resigned, can_win, can_win, can_win]
    );
}

#[test]
fn table_times_follow_its_state() {
    let at = |ms: u64| Some(Timestamp { seconds: (ms / 1000) as i64, nanos: (ms % 1000) as i32 * 1_000_000 });
    let open = TableSummary { state: State::Open, ..look() };
    let shown = table(&open, false);
    assert_eq!((shown.create_time, shown.expire_time), (at(NOW), at(NOW + 60_000)));
    assert_eq!((shown.start_time, shown.end_time), (None, None));
    let playing = TableSummary { state: State::Playing, started: Some(NOW + 1_234), ..open };
    let shown = table(&playing, false);
    assert_eq!((shown.expire_time, shown.start_time, shown.end_time), (None, at(NOW + 1_234), None));
    let over = TableSummary { state: State::Cancelled, ended: Some(NOW + 2_001), ..playing };
    let shown = table(&over, false);
    assert_eq!((shown.expire_time, shown.end_time), (None, at(NOW + 2_001)));
    assert_eq!(shown.end_time.expect("an end").nanos, 1_000_000);
}

#[test]
fn table_states_have_their_wire_values() {
    for (state, wire) in State::ALL.into_iter().zip(1..) {
        assert_eq!(i32::from(state.to_message()), wire, "{state:?}");
    }
}

/// A stream does not know its caller, so its tables never have owner-only fields.
#[test]
fn snapshot_has_no_owner_only_fields() {
    let mut rng = test_rng("a_snapshot_is_public");
    let played = play_out(GameId::Gap.default_options(), 2, &mut rng);
    let said = said(&StreamItem::Snapshot(&snapshot(&played.table, Viewer::Spectator)));
    let Some(Wire::Snapshot(shown)) = said.item else { panic!() };
    assert_eq!(shown.table, Some(table(&played.table.summary(), false)));
    assert_eq!(shown.view.expect("a view").seed_given, played.table.shuffle().given);
}

#[test]
fn bank_is_encoded_only_with_a_clock() {
    let mut rng = test_rng("without_a_clock_there_is_no_bank");
    let record = Record::from_log(&play_out(GameId::Gap.default_options(), 2, &mut rng).log).expect("a log");
    let update = Viewer::all(2).flat_map(|viewer| record.updates(viewer, 0)).map(|telling| telling.update);
    let update = update.into_iter().find(|update| update.decided.is_some()).expect("a decision");
    let bank = update.decided.expect("a decision").bank;
    for (timed, left) in [(true, Some(bank)), (false, None)] {
        let told = ViewerUpdate { update: update.clone(), view: None, seed_given: false, timed };
        let Some(Wire::Update(said)) = said(&StreamItem::Update(&told)).item else { panic!() };
        assert_eq!(said.decided.expect("a decision").bank_left_ms, left);
    }
}

#[test]
fn update_numbers_saturate_at_u32_max() {
    for (number, shown) in [(0, 0), (7, 7), (u64::from(u32::MAX), u32::MAX), (u64::MAX, u32::MAX)] {
        assert_eq!(closed(None, number, false).number, shown);
    }
}

#[test]
fn closed_channel_has_reason_and_message_without_internals() {
    let closed = |why| {
        let said = said(&StreamItem::Closed(Closed { why, number: 12, retry: true }));
        assert_eq!(said.channel, 9);
        let Some(Wire::Closed(closed)) = said.item else { panic!() };
        assert!(closed.number == 12 && closed.retry);
        (closed.reason(), closed.message)
    };
    assert_eq!(closed(None), (v1::ErrorReason::Unspecified, String::new()));
    let (reason, message) = closed(Some(HostError::TooSlow));
    assert_eq!((reason, message), (v1::ErrorReason::TooSlow, HostError::TooSlow.to_string()));
    let fault = HostError::Fault { reason: "at /srv/parlor.db".to_owned() };
    let (reason, message) = closed(Some(fault));
    assert_eq!(reason, v1::ErrorReason::ServerFault);
    assert!(!message.contains("/srv") && !message.is_empty(), "{message}");
}

#[test]
fn stream_ending_has_reason_and_retry_delay() {
    let ending = stream_ending(HostError::Stopping);
    assert_eq!(ending.reason(), v1::ErrorReason::ServerStopping);
    assert_eq!(ending.message, HostError::Stopping.to_string());
    assert!(ending.retry_ms > 0);
    let ending = stream_ending(HostError::TooSlow);
    assert_eq!((ending.reason(), ending.retry_ms), (v1::ErrorReason::TooSlow, 0));
}
