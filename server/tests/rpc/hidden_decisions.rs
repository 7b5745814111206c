//! Simultaneous decisions, and hidden ones (the PASS window of No Dice) that other viewers must not notice.

use parlor_engine::{AnyGame, GameId, Seat, Seats};
use parlor_proto::v1::{self, AnswerStatus as Status, game_action, no_dice_action, stream_item::Item};

use crate::faulty_log::FaultyLog;
use crate::streams::{
    ALL_WANTS, PlayStream, answer_index, answer_item, attach_item, play_seat, spectate, with_wants,
};
use crate::table_requests::{SeatedTable, clock, find_seed, seeded, table, timed};
use crate::test_server::{TestServer, ms, wait_until};

/// The channel of the spectator; seats are attached on the channels of their numbers.
const SPECTATOR: u32 = 100;

/// Attaches all seats and a spectator over one stream, with all wants.
async fn attach_everyone(server: &TestServer, seated: &SeatedTable) -> PlayStream {
    let mut stream = PlayStream::open(&server.client()).await;
    let seats = (0..)
        .zip(&seated.tokens)
        .map(|(channel, token)| attach_item(channel, with_wants(ALL_WANTS, play_seat(token))));
    stream
        .send(seats.chain([attach_item(SPECTATOR, with_wants(ALL_WANTS, spectate(&seated.id)))]).collect())
        .await;
    stream
}

/// The items of a channel up to the first update with a game event that passes.
async fn items_until_event(
    stream: &mut PlayStream,
    channel: u32,
    wanted: impl Fn(&v1::GameEvent) -> bool,
) -> Vec<Item> {
    let mut items = Vec::new();
    loop {
        let item = stream.reader.next_on(channel).await;
        let is_last = matches!(&item, Item::Update(update) if update.events.iter().any(&wanted));
        // Presence and time left depend on when the others attached.
        if !matches!(item, Item::Presence(_) | Item::TimeLeft(_) | Item::Snapshot(_)) {
            items.push(item);
        }
        if is_last {
            return items;
        }
    }
}

fn piles_opened(event: &v1::GameEvent) -> bool {
    use v1::{game_event::Game, habe_fertig_event::Event};
    matches!(&event.game, Some(Game::HabeFertig(event)) if matches!(event.event, Some(Event::PilesOpened(_))))
}

/// Answers the simultaneous first decisions of Habe fertig in this order, each seat with the pair of this
/// index: the items of each viewer until the piles are opened.
async fn hide_pairs(order: [u32; 3], pairs: [u32; 3]) -> Vec<Vec<Item>> {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(table(GameId::HabeFertig, 3)).await;
    let mut stream = attach_everyone(&server, &seated).await;
    for seat in 0..3 {
        assert_eq!(stream.reader.decision(seat).await.id, 1, "simultaneous first decisions");
    }
    for seat in order {
        let answered = stream.answer(seat, answer_index(1, pairs[seat as usize])).await;
        assert_eq!(answered.status(), Status::Accepted);
    }
    let mut items = Vec::new();
    for channel in [0, 1, 2, SPECTATOR] {
        items.push(items_until_event(&mut stream, channel, piles_opened).await);
    }
    items
}

#[tokio::test]
async fn simultaneous_choice_is_hidden_from_other_viewers() {
    let one = hide_pairs([2, 0, 1], [3, 4, 5]).await;
    let other = hide_pairs([2, 0, 1], [3, 4, 40]).await;
    for viewer in [0, 1, 3] {
        assert_eq!(one[viewer], other[viewer], "viewer {viewer} must not see the pair of seat 2");
    }
    assert_ne!(one[2], other[2], "seat 2 sees its own pair");
    let [Item::Update(first), ..] = &one[3][..] else { panic!("{:?}", one[3]) };
    assert_eq!(first.events.len(), 1, "others see that a seat has chosen");
}

#[tokio::test]
async fn order_of_simultaneous_answers_does_not_matter() {
    let last_view = |items: &[Item]| match items.last() {
        Some(Item::Update(update)) => update.view.clone().expect("a view"),
        other => panic!("{other:?}"),
    };
    let one = hide_pairs([0, 1, 2], [3, 4, 5]).await;
    for order in [[2, 1, 0], [1, 2, 0]] {
        let other = hide_pairs(order, [3, 4, 5]).await;
        for viewer in 0..4 {
            assert_eq!(last_view(&one[viewer]), last_view(&other[viewer]), "{order:?}, viewer {viewer}");
        }
    }
}

fn seat_of(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// A table of No Dice with three players, of whom exactly these hold a PASS card before the first turn.
fn no_dice(holders: &[u8], constant: bool) -> v1::CreateTableRequest {
    let holders: Seats = holders.iter().map(|seat| seat_of(*seat)).collect();
    let is_wanted =
        |game: &AnyGame| game.to_act() == if holders.is_empty() { Seats::only(Seat::FIRST) } else { holders };
    let seed = find_seed(GameId::NoDice, 3, |game| is_wanted(game) && !game.has_secret_decision(Seat::FIRST));
    let clock = v1::ClockSettings { constant_hidden_windows: Some(constant), ..clock(10_000, 4_000, 0, 1) };
    seeded(seed, timed(clock, table(GameId::NoDice, 3)))
}

/// True for playing the PASS card, false for declining.
fn is_pass(action: &v1::GameAction) -> bool {
    use no_dice_action::Action;
    match &action.game {
        Some(game_action::Game::NoDice(v1::NoDiceAction { action: Some(Action::PassCard(_)) })) => true,
        Some(game_action::Game::NoDice(v1::NoDiceAction { action: Some(Action::Decline(_)) })) => false,
        other => panic!("expected PASS or declining, got {other:?}"),
    }
}

/// Asserts that these channels have received nothing since their snapshots.
async fn assert_nothing_sent(
    server: &TestServer,
    seated: &SeatedTable,
    stream: &mut PlayStream,
    channels: &[u32],
) {
    // The response comes after everything that the table did before.
    server.client().table(&seated.id).await;
    for channel in channels {
        stream.assert_nothing_on(*channel).await;
    }
}

/// Reads and drops the items of attaching: snapshot, presence, time left.
async fn drop_attach_items(
    stream: &mut PlayStream,
    server: &TestServer,
    seated: &SeatedTable,
    channels: &[u32],
) {
    for channel in channels {
        let snapshot = stream.reader.snapshot(*channel).await;
        let left = snapshot.time_left.expect("a clock");
        // Just after a start the clock of seat 0 stands still until it attaches.
        let times: Vec<_> =
            left.seats.iter().map(|time| (time.seat, time.decision_ms, time.bank_ms)).collect();
        assert_eq!(times, [(0, 10_000, 4_000)], "a hidden decision shows no running time");
    }
    server.client().table(&seated.id).await;
    stream.discard_presence().await;
}

#[tokio::test]
async fn hidden_decision_is_sent_only_to_its_seat() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(no_dice(&[1], false)).await;
    let mut stream = attach_everyone(&server, &seated).await;
    drop_attach_items(&mut stream, &server, &seated, &[0, 1, 2, SPECTATOR]).await;
    let window = stream.reader.decision(1).await;
    assert!(window.hidden);
    assert_eq!((window.time_left_ms, window.bank_left_ms, window.legal_count), (Some(500), None, 2));
    assert!(is_pass(&window.legal_actions[0]) && !is_pass(&window.legal_actions[1]));
    assert_eq!(window.default_index, 1, "the default is to decline");
    assert_nothing_sent(&server, &seated, &mut stream, &[0, 2, SPECTATOR]).await;
    server.advance(ms(200));
    assert_eq!(stream.answer(1, answer_index(1, 1)).await.status(), Status::Accepted);
    // The turn begins; only the seat on turn receives a decision.
    let turn = stream.reader.decision(0).await;
    assert!(!turn.hidden);
    assert_eq!((turn.time_left_ms, turn.bank_left_ms), (Some(10_000), Some(4_000)));
    let own = stream.reader.update(1).await;
    assert_eq!(own.decided.map(|made| (made.decision_id, made.think_ms)), Some((1, 200)));
    stream.discard_presence().await;
    assert_nothing_sent(&server, &seated, &mut stream, &[2]).await;
}

#[tokio::test]
async fn hidden_decision_timeout_is_free_and_unannounced() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(no_dice(&[1], false)).await;
    let mut stream = attach_everyone(&server, &seated).await;
    drop_attach_items(&mut stream, &server, &seated, &[0, 1, 2, SPECTATOR]).await;
    let window = stream.reader.decision(1).await;
    server.advance_to_deadline(ms(500)).await;
    server.advance(ms(500));
    let update = stream.reader.update(1).await;
    assert!(update.table_events.is_empty(), "a hidden timeout is not a table event: {update:?}");
    let made = update.decided.expect("a decided decision");
    assert_eq!((made.decision_id, made.index, made.by()), (window.id, 1, v1::DecidedBy::Clock));
    assert_eq!((made.bank_left_ms, made.think_ms), (Some(4_000), 500));
    stream.reader.decision(0).await;
    let table = server.client().table(&seated.id).await;
    assert!(
        table.seats.iter().all(|seat| seat.forfeited() == v1::SeatFinish::Unspecified),
        "{:?}",
        table.seats
    );
    // A late answer conflicts.
    let late = stream.answer(1, answer_index(window.id, 0)).await;
    assert_eq!((late.status(), late.number), (Status::Conflict, update.number));
    assert_eq!(stream.answer(1, answer_index(window.id, 1)).await.status(), Status::Repeated);
}

#[tokio::test]
async fn first_seat_in_order_plays_pass_when_several_choose_it() {
    for order in [[1, 2], [2, 1]] {
        let server = TestServer::new().await;
        let seated = server.new_seated_table(no_dice(&[1, 2], false)).await;
        let mut stream = attach_everyone(&server, &seated).await;
        for seat in order {
            let window = stream.reader.decision(seat).await;
            assert!(window.hidden && is_pass(&window.legal_actions[0]));
            assert_eq!(stream.answer(seat, answer_index(window.id, 0)).await.status(), Status::Accepted);
        }
        let skipped = |event: &v1::GameEvent| match &event.game {
            Some(v1::game_event::Game::NoDice(event)) => match &event.event {
                Some(v1::no_dice_event::Event::Skipped(skipped)) => Some(*skipped),
                _ => None,
            },
            _ => None,
        };
        let items = items_until_event(&mut stream, SPECTATOR, |event| skipped(event).is_some()).await;
        let [Item::Update(only)] = &items[..] else { panic!("a window must leave no gap: {items:?}") };
        let skipped = only.events.iter().find_map(skipped).expect("a skipped seat");
        assert_eq!((skipped.by, skipped.seat, skipped.out_of_turn), (1, 0, true), "{order:?}");
    }
}

/// Runs a window of constant length in which these seats hold a PASS card: the items that viewers without one
/// receive.
async fn items_of_constant_window(holders: &[u8]) -> Vec<Vec<Item>> {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(no_dice(holders, true)).await;
    let mut stream = attach_everyone(&server, &seated).await;
    drop_attach_items(&mut stream, &server, &seated, &[0, 1, 2, SPECTATOR]).await;
    server.advance_to_deadline(ms(500)).await;
    server.advance(ms(200));
    for holder in holders {
        let window = stream.reader.decision(u32::from(*holder)).await;
        assert!(window.hidden);
        let answered = stream.answer((*holder).into(), answer_index(window.id, 1)).await;
        assert_eq!(answered.status(), Status::Accepted, "an answer within the window");
        stream.reader.update(u32::from(*holder)).await;
        let left = stream.reader.next_on(u32::from(*holder)).await;
        assert!(matches!(left, Item::TimeLeft(_)), "expected time left after the update, got {left:?}");
    }
    assert_nothing_sent(&server, &seated, &mut stream, &[0, 1, 2, SPECTATOR]).await;
    server.advance_to_deadline(ms(500)).await;
    server.advance_to(ms(499));
    assert_nothing_sent(&server, &seated, &mut stream, &[0, 1, 2, SPECTATOR]).await;
    server.advance_to_deadline(ms(500)).await;
    server.advance_to(ms(500));
    let mut items = vec![Vec::new()];
    let Item::Update(update) = stream.reader.next_on(0).await else {
        panic!("expected an update at the start of the turn")
    };
    items[0].push(Item::Update(v1::Update { view: None, ..update }));
    let turn = stream.reader.decision(0).await;
    assert_eq!((turn.time_left_ms, turn.hidden), (Some(10_000), false));
    for channel in [2, SPECTATOR] {
        stream.discard_presence().await;
        assert_nothing_sent(&server, &seated, &mut stream, &[channel]).await;
    }
    items
}

#[tokio::test]
async fn constant_window_does_not_reveal_whether_a_seat_was_asked() {
    let without_holder = items_of_constant_window(&[]).await;
    let with_holder = items_of_constant_window(&[1]).await;
    assert_eq!(without_holder, with_holder, "other viewers receive the same items at the same time");
}

#[tokio::test]
async fn constant_window_timeout_declines() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(no_dice(&[1], true)).await;
    let mut stream = attach_everyone(&server, &seated).await;
    drop_attach_items(&mut stream, &server, &seated, &[0, 1, 2, SPECTATOR]).await;
    let window = stream.reader.decision(1).await;
    assert_eq!(window.time_left_ms, Some(500));
    server.advance(ms(500));
    let update = stream.reader.update(1).await;
    let made = update.decided.expect("a decided decision");
    assert_eq!((made.index, made.by(), made.bank_left_ms), (1, v1::DecidedBy::Clock, Some(4_000)));
    assert!(update.table_events.is_empty());
    stream.reader.decision(0).await;
}

/// The times and the presence in a snapshot for a spectator who attaches now.
async fn shown_to_spectator(
    server: &TestServer,
    seated: &SeatedTable,
) -> (Option<v1::TimeLeft>, Vec<v1::Presence>) {
    let attach = with_wants(ALL_WANTS, spectate(&seated.id));
    let mut stream = PlayStream::open_attached(&server.client(), SPECTATOR, attach).await;
    let snapshot = stream.reader.snapshot(SPECTATOR).await;
    (snapshot.time_left, snapshot.presence)
}

/// The next presence on the channel of seat 2, and the times that come with it.
async fn told_on_presence(stream: &mut PlayStream) -> (v1::Presence, Item) {
    (stream.reader.presence(2).await, stream.reader.next_on(2).await)
}

/// Everything that others are shown of the time before and in the turn of seat 0, while these seats have a hidden
/// decision for 500 ms at most. Seat 0 goes away and comes back meanwhile.
async fn times_around_window(holders: &[u8]) -> Vec<String> {
    let server = TestServer::new().await;
    // Past the time in which no seat counts as disconnected.
    server.advance(ms(60_000));
    let seated = server.new_seated_table(timed(clock(1_000, 4_000, 3_000, 9), no_dice(holders, false))).await;
    let mut shown = Vec::new();
    let first = PlayStream::open_attached(&server.client(), 0, play_seat(&seated.tokens[0])).await;
    let mut stream = PlayStream::open(&server.client()).await;
    for seat in [1, 2] {
        let attach = with_wants(ALL_WANTS, play_seat(&seated.tokens[seat as usize]));
        stream.send(vec![attach_item(seat, attach)]).await;
        stream.reader.snapshot(seat).await;
    }
    drop_attach_presence(&server, &seated, &mut stream).await;
    let mut windows = Vec::new();
    for holder in holders {
        let window = stream.reader.decision(u32::from(*holder)).await;
        assert!(window.hidden);
        windows.push((u32::from(*holder), window.id));
    }
    shown.push(format!("{:?}", shown_to_spectator(&server, &seated).await));
    server.advance(ms(200));
    shown.push(format!("after 200 ms: {:?}", shown_to_spectator(&server, &seated).await));
    drop(first);
    shown.push(format!("seat 0 leaves: {:?}", told_on_presence(&mut stream).await));
    server.advance(ms(100));
    shown.push(format!("away for 100 ms: {:?}", shown_to_spectator(&server, &seated).await));
    let mut again = PlayStream::open_attached(&server.client(), 0, play_seat(&seated.tokens[0])).await;
    again.reader.snapshot(0).await;
    shown.push(format!("seat 0 is back: {:?}", told_on_presence(&mut stream).await));
    server.advance(ms(100));
    for (holder, window) in windows {
        assert_eq!(stream.answer(holder, answer_index(window, 1)).await.status(), Status::Accepted);
    }
    assert!(!again.reader.decision(0).await.hidden);
    shown.push(format!("the turn of seat 0: {:?}", shown_to_spectator(&server, &seated).await));
    server.advance(ms(900));
    shown.push(format!("in its bank: {:?}", shown_to_spectator(&server, &seated).await));
    shown
}

/// Drops presence and time left of the attached seats 1 and 2, once all three seats are connected.
async fn drop_attach_presence(server: &TestServer, seated: &SeatedTable, stream: &mut PlayStream) {
    let all_connected =
        async || shown_to_spectator(server, seated).await.1.iter().all(|presence| presence.connected);
    wait_until("three connected seats", all_connected).await;
    stream.discard_presence().await;
}

#[tokio::test]
async fn times_do_not_show_a_hidden_decision() {
    let without_holder = times_around_window(&[]).await;
    for holders in [&[1][..], &[2], &[1, 2]] {
        assert_eq!(times_around_window(holders).await, without_holder, "{holders:?}");
    }
}

/// A reader who polls must not see by the latency that a hidden answer is being stored.
#[tokio::test]
async fn reads_do_not_wait_for_the_append_of_a_hidden_answer() {
    let log = FaultyLog::new();
    let server = TestServer::with_log(log.clone(), |_| {}).await;
    let client = server.client();
    let seated = server.new_seated_table(no_dice(&[1], false)).await;
    let mut stream = attach_everyone(&server, &seated).await;
    drop_attach_items(&mut stream, &server, &seated, &[0, 1, 2, SPECTATOR]).await;
    let window = stream.reader.decision(1).await;
    let before = client.table(&seated.id).await;
    log.hold_appends();
    stream.send(vec![answer_item(1, answer_index(window.id, 1))]).await;
    log.wait_for_held_append().await;
    assert_eq!(client.table(&seated.id).await, before);
    assert_eq!(client.list_tables(v1::ListTablesRequest::default()).await.expect("a list").tables, [before]);
    shown_to_spectator(&server, &seated).await;
    let mut again = PlayStream::open_attached(&client, 2, play_seat(&seated.tokens[2])).await;
    again.reader.snapshot(2).await;
    // The seat on turn is asked when the answer is durable, also if it attaches meanwhile.
    stream.assert_nothing_on(0).await;
    log.recover();
    assert_eq!(stream.reader.answered(1).await.status(), Status::Accepted);
    assert!(!stream.reader.decision(0).await.hidden);
}
