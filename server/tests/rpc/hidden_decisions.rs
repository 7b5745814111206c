//! Decisions of several seats at once, and those that nobody else may learn of.

use parlor_engine::{AnyGame, GameId, Seat, Seats};
use parlor_proto::v1::{self, AnswerStatus as Status, game_action, no_dice_action, stream_item::Item};

use crate::streams::{EVERYTHING, Line, attaching, index, rail, seat, wanting};
use crate::table_requests::{Seated, clock, seed_of, seeded, table, timed};
use crate::test_server::{Scene, ms};

/// The channel of somebody at the rail; the seats have their numbers.
const RAIL: u32 = 100;

/// All seats and a spectator over one stream, told everything.
async fn everyone(scene: &Scene, seated: &Seated) -> Line {
    let mut line = Line::open(&scene.anyone()).await;
    let seats = (0..)
        .zip(&seated.tokens)
        .map(|(channel, token)| attaching(channel, wanting(EVERYTHING, seat(token))));
    line.say(seats.chain([attaching(RAIL, wanting(EVERYTHING, rail(&seated.id)))]).collect()).await;
    line
}

/// What comes on a channel until the first update with an event of the game that passes.
async fn until_event(line: &mut Line, channel: u32, wanted: impl Fn(&v1::GameEvent) -> bool) -> Vec<Item> {
    let mut items = Vec::new();
    loop {
        let item = line.heard.on(channel).await;
        let is_last = matches!(&item, Item::Update(update) if update.events.iter().any(&wanted));
        // Who came and how much time is left depends on when the others attached.
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

/// Lets three players hide, in this order, each the pair with this index; gives what each viewer was told until the
/// piles were opened.
async fn hide(order: [u32; 3], pairs: [u32; 3]) -> Vec<Vec<Item>> {
    let scene = Scene::new().await;
    let seated = scene.seat_all(table(GameId::HabeFertig, 3)).await;
    let mut line = everyone(&scene, &seated).await;
    for seat in 0..3 {
        assert_eq!(line.heard.decision(seat).await.id, 1, "all are asked at once");
    }
    for seat in order {
        let answered = line.answer(seat, index(1, pairs[seat as usize])).await;
        assert_eq!(answered.status(), Status::Accepted);
    }
    let mut told = Vec::new();
    for channel in [0, 1, 2, RAIL] {
        told.push(until_event(&mut line, channel, piles_opened).await);
    }
    told
}

#[tokio::test]
async fn everyone_hides_at_once_and_nobody_learns_what() {
    let one = hide([2, 0, 1], [3, 4, 5]).await;
    let other = hide([2, 0, 1], [3, 4, 40]).await;
    for viewer in [0, 1, 3] {
        assert_eq!(one[viewer], other[viewer], "what seat 2 hid is no business of viewer {viewer}");
    }
    assert_ne!(one[2], other[2], "seat 2 itself knows");
    let [Item::Update(first), ..] = &one[3][..] else { panic!("{:?}", one[3]) };
    assert_eq!(first.events.len(), 1, "others see who has chosen");
}

#[tokio::test]
async fn the_order_of_the_answers_changes_nothing() {
    let last_view = |items: &[Item]| match items.last() {
        Some(Item::Update(update)) => update.view.clone().expect("a view"),
        other => panic!("{other:?}"),
    };
    let one = hide([0, 1, 2], [3, 4, 5]).await;
    for order in [[2, 1, 0], [1, 2, 0]] {
        let other = hide(order, [3, 4, 5]).await;
        for viewer in 0..4 {
            assert_eq!(last_view(&one[viewer]), last_view(&other[viewer]), "{order:?}, viewer {viewer}");
        }
    }
}

fn seat_of(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// A table of No Dice with three players of whom just these hold a PASS card before the first turn.
fn no_dice(holders: &[u8], constant: bool) -> v1::CreateTableRequest {
    let holders: Seats = holders.iter().map(|seat| seat_of(*seat)).collect();
    let asked =
        |game: &AnyGame| game.to_act() == if holders.is_empty() { Seats::only(Seat::FIRST) } else { holders };
    let seed = seed_of(GameId::NoDice, 3, |game| asked(game) && !game.is_secret(Seat::FIRST));
    let clock = v1::ClockSettings { constant_hidden_windows: Some(constant), ..clock(10_000, 4_000, 0, 1) };
    seeded(seed, timed(clock, table(GameId::NoDice, 3)))
}

/// Whether the action is to play the card PASS, or to decline.
fn is_pass(action: &v1::GameAction) -> bool {
    use no_dice_action::Action;
    match &action.game {
        Some(game_action::Game::NoDice(v1::NoDiceAction { action: Some(Action::PassCard(_)) })) => true,
        Some(game_action::Game::NoDice(v1::NoDiceAction { action: Some(Action::Decline(_)) })) => false,
        other => panic!("a window has PASS and declining, not {other:?}"),
    }
}

/// Makes sure that nobody but these channels has been told anything since their snapshots.
async fn nobody_else_knows(scene: &Scene, seated: &Seated, line: &mut Line, channels: &[u32]) {
    // Whatever the table had to do before this question is done.
    scene.anyone().look(&seated.id).await;
    for channel in channels {
        line.nothing_on(*channel).await;
    }
}

/// Drops what comes with attaching: the snapshot, who is there, how much time is left.
async fn settle(line: &mut Line, scene: &Scene, seated: &Seated, channels: &[u32]) {
    for channel in channels {
        let snapshot = line.heard.snapshot(*channel).await;
        let time = v1::SeatTime { seat: 0, decision_ms: 10_000, bank_ms: 4_000, running: true };
        let as_if_nobody_was_asked = Some(v1::TimeLeft { seats: vec![time] });
        assert_eq!(snapshot.time_left, as_if_nobody_was_asked, "a hidden decision runs for nobody to see");
    }
    scene.anyone().look(&seated.id).await;
    line.forget_presence().await;
}

#[tokio::test]
async fn a_window_is_between_the_server_and_those_who_are_asked() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(no_dice(&[1], false)).await;
    let mut line = everyone(&scene, &seated).await;
    settle(&mut line, &scene, &seated, &[0, 1, 2, RAIL]).await;
    let window = line.heard.decision(1).await;
    assert!(window.hidden);
    assert_eq!((window.time_left_ms, window.bank_left_ms, window.legal_count), (Some(500), None, 2));
    assert!(is_pass(&window.legal_actions[0]) && !is_pass(&window.legal_actions[1]));
    assert_eq!(window.default_index, 1, "the clock declines");
    nobody_else_knows(&scene, &seated, &mut line, &[0, 2, RAIL]).await;
    scene.advance(ms(200));
    assert_eq!(line.answer(1, index(1, 1)).await.status(), Status::Accepted);
    // Now the turn begins, and just the seat on turn is told so.
    let turn = line.heard.decision(0).await;
    assert!(!turn.hidden);
    assert_eq!((turn.time_left_ms, turn.bank_left_ms), (Some(10_000), Some(4_000)));
    let own = line.heard.update(1).await;
    assert_eq!(own.decided.map(|made| (made.decision_id, made.think_ms)), Some((1, 200)));
    line.forget_presence().await;
    nobody_else_knows(&scene, &seated, &mut line, &[2]).await;
}

#[tokio::test]
async fn a_window_that_runs_out_costs_nothing_and_is_told_to_nobody() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(no_dice(&[1], false)).await;
    let mut line = everyone(&scene, &seated).await;
    settle(&mut line, &scene, &seated, &[0, 1, 2, RAIL]).await;
    let window = line.heard.decision(1).await;
    scene.sleeps_until(ms(500)).await;
    scene.advance(ms(500));
    let update = line.heard.update(1).await;
    assert!(update.table_events.is_empty(), "no clock ran out that counts: {update:?}");
    let made = update.decided.expect("it was decided");
    assert_eq!((made.decision_id, made.index, made.by()), (window.id, 1, v1::DecidedBy::Clock));
    assert_eq!((made.bank_left_ms, made.think_ms), (Some(4_000), 500));
    line.heard.decision(0).await;
    let table = scene.anyone().look(&seated.id).await;
    assert!(
        table.seats.iter().all(|seat| seat.forfeited() == v1::SeatFinish::Unspecified),
        "{:?}",
        table.seats
    );
    // A late answer is told what was decided.
    let late = line.answer(1, index(window.id, 0)).await;
    assert_eq!((late.status(), late.number), (Status::Conflict, update.number));
    assert_eq!(line.answer(1, index(window.id, 1)).await.status(), Status::Repeated);
}

#[tokio::test]
async fn of_several_who_say_pass_the_first_in_order_plays_it() {
    for order in [[1, 2], [2, 1]] {
        let scene = Scene::new().await;
        let seated = scene.seat_all(no_dice(&[1, 2], false)).await;
        let mut line = everyone(&scene, &seated).await;
        for seat in order {
            let window = line.heard.decision(seat).await;
            assert!(window.hidden && is_pass(&window.legal_actions[0]));
            assert_eq!(line.answer(seat, index(window.id, 0)).await.status(), Status::Accepted);
        }
        let skipped = |event: &v1::GameEvent| match &event.game {
            Some(v1::game_event::Game::NoDice(event)) => match &event.event {
                Some(v1::no_dice_event::Event::Skipped(skipped)) => Some(*skipped),
                _ => None,
            },
            _ => None,
        };
        let told = until_event(&mut line, RAIL, |event| skipped(event).is_some()).await;
        let [Item::Update(only)] = &told[..] else { panic!("a window leaves no hole: {told:?}") };
        let skipped = only.events.iter().find_map(skipped).expect("somebody was skipped");
        assert_eq!((skipped.by, skipped.seat, skipped.out_of_turn), (1, 0, true), "{order:?}");
    }
}

/// What a window of constant length tells a viewer, whether these hold a PASS card or nobody does.
async fn constant_window(holders: &[u8]) -> Vec<Vec<Item>> {
    let scene = Scene::new().await;
    let seated = scene.seat_all(no_dice(holders, true)).await;
    let mut line = everyone(&scene, &seated).await;
    settle(&mut line, &scene, &seated, &[0, 1, 2, RAIL]).await;
    scene.sleeps_until(ms(500)).await;
    scene.advance(ms(200));
    for holder in holders {
        let window = line.heard.decision(u32::from(*holder)).await;
        assert!(window.hidden);
        let answered = line.answer((*holder).into(), index(window.id, 1)).await;
        assert_eq!(answered.status(), Status::Accepted, "it can be answered at any time");
        line.heard.update(u32::from(*holder)).await;
        let left = line.heard.on(u32::from(*holder)).await;
        assert!(
            matches!(left, Item::TimeLeft(_)),
            "how much time is left comes with an update, not {left:?}"
        );
    }
    nobody_else_knows(&scene, &seated, &mut line, &[0, 1, 2, RAIL]).await;
    scene.sleeps_until(ms(500)).await;
    scene.advance_to(ms(499));
    nobody_else_knows(&scene, &seated, &mut line, &[0, 1, 2, RAIL]).await;
    scene.sleeps_until(ms(500)).await;
    scene.advance_to(ms(500));
    let mut told = vec![Vec::new()];
    let Item::Update(update) = line.heard.on(0).await else { panic!("the turn begins with an update") };
    told[0].push(Item::Update(v1::Update { view: None, ..update }));
    let turn = line.heard.decision(0).await;
    assert_eq!((turn.time_left_ms, turn.hidden), (Some(10_000), false));
    for channel in [2, RAIL] {
        line.forget_presence().await;
        nobody_else_knows(&scene, &seated, &mut line, &[channel]).await;
    }
    told
}

#[tokio::test]
async fn a_window_of_constant_length_tells_nobody_whether_somebody_was_asked() {
    let nobody = constant_window(&[]).await;
    let somebody = constant_window(&[1]).await;
    assert_eq!(nobody, somebody, "the seat on turn, and those who look on, see the same at the same time");
}

#[tokio::test]
async fn whoever_lets_a_constant_window_pass_declines() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(no_dice(&[1], true)).await;
    let mut line = everyone(&scene, &seated).await;
    settle(&mut line, &scene, &seated, &[0, 1, 2, RAIL]).await;
    let window = line.heard.decision(1).await;
    assert_eq!(window.time_left_ms, Some(500));
    scene.advance(ms(500));
    let update = line.heard.update(1).await;
    let made = update.decided.expect("it was decided");
    assert_eq!((made.index, made.by(), made.bank_left_ms), (1, v1::DecidedBy::Clock, Some(4_000)));
    assert!(update.table_events.is_empty());
    line.heard.decision(0).await;
}
