//! Encoding of tables.

use std::sync::Arc;

use parlor_engine::GameId;
use parlor_host::table::{ChanceSetup, Holder, SeatFinish, SeatSetup, State, TableSummary};
use parlor_proto::v1;
use parlor_proto::v1::table_seat::Occupant;
use prost_types::Timestamp;

use crate::grpc::convert::persistence_tests::games::{NOW, play_out};
use crate::grpc::convert::persistence_tests::test_rng;
use crate::grpc::convert::{ToMessage, table};

/// A table with a player (user u0), a reserved seat (user u1), an open seat and a bot.
pub(super) fn table_summary() -> TableSummary {
    let mut rng = test_rng("look");
    let mut summary = play_out(GameId::Gap.default_options(), 4, &mut rng).table.summary();
    let setup = Arc::make_mut(&mut summary.setup);
    let reserved =
        SeatSetup::Reserved { user: Some("u1".to_owned()), name: "Ben".to_owned(), previous: None };
    setup.seats = vec![SeatSetup::Open, reserved, SeatSetup::Open, SeatSetup::Open];
    setup.chance = ChanceSetup::Fresh { server_seed: [1; 32] };
    let holders = [
        Holder::Player { user: Some("u0".to_owned()), name: "Ann".to_owned() },
        Holder::Vacant,
        Holder::Vacant,
        Holder::House { bot: "greedy".to_owned() },
    ];
    for (seat, holder) in summary.seats.iter_mut().zip(holders) {
        (seat.holder, seat.finish) = (holder, SeatFinish::PlayedOut);
    }
    summary.seats[0].finish = SeatFinish::Resigned;
    (summary.state, summary.ending, summary.started, summary.ended) = (State::Open, None, None, None);
    summary
}

#[test]
fn metadata_and_user_ids_are_encoded_only_for_the_owner() {
    let (owned, public) = (table(&table_summary(), true), table(&table_summary(), false));
    assert!(owned.owned && !public.owned);
    assert_eq!(owned.metadata.len(), 2);
    assert!(public.metadata.is_empty());
    let without_owner_fields = |mut table: v1::Table| {
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
    assert_eq!(without_owner_fields(owned), public, "nothing else differs");
    let text = format!("{public:?}");
    assert!(!text.contains("u0") && !text.contains("u1") && !text.contains("league"), "{text}");
}

#[test]
fn seats_are_encoded_with_occupants_and_forfeits() {
    let seats = table(&table_summary(), true).seats;
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
    let open = TableSummary { state: State::Open, ..table_summary() };
    let message = table(&open, false);
    assert_eq!((message.create_time, message.expire_time), (at(NOW), at(NOW + 60_000)));
    assert_eq!((message.start_time, message.end_time), (None, None));
    let playing = TableSummary { state: State::Playing, started: Some(NOW + 1_234), ..open };
    let message = table(&playing, false);
    assert_eq!((message.expire_time, message.start_time, message.end_time), (None, at(NOW + 1_234), None));
    let over = TableSummary { state: State::Cancelled, ended: Some(NOW + 2_001), ..playing };
    let message = table(&over, false);
    assert_eq!((message.expire_time, message.end_time), (None, at(NOW + 2_001)));
    assert_eq!(message.end_time.expect("an end").nanos, 1_000_000);
}

#[test]
fn table_states_have_their_wire_values() {
    for (state, wire) in State::ALL.into_iter().zip(1..) {
        assert_eq!(i32::from(state.to_message()), wire, "{state:?}");
    }
}
