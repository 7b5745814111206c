//! Coming back: from every number, of a game that is over and of one that is being played, exactly what was missed.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, stream_item::Item};

use crate::players::{Choose, Seen, VIEWS, whim};
use crate::streams::{Line, after, answering, attaching, detaching, follow, index, rail, seat, wanting};
use crate::table_requests::{Seated, gap, table};
use crate::test_server::Scene;

/// Attaches with every number up to the last, and compares what comes with what was seen when it happened.
async fn check_every_number(
    line: &mut Line,
    attach: &v1::Attach,
    seen: &Seen,
    decision: Option<&v1::Decision>,
) {
    // The views follow from the events, as every player has checked.
    let all: Vec<v1::Update> =
        seen.updates().map(|update| v1::Update { view: None, ..update.clone() }).collect();
    let before = seen.snapshot().number;
    let last = before + all.len() as u32;
    for number in 0..=last {
        line.say(vec![attaching(7, after(number, attach.clone()))]).await;
        for expected in number + 1..=last {
            let update = line.heard.update(7).await;
            assert_eq!(update.number, expected, "after {number}");
            // What happened before the viewer came is seen now for the first time.
            if expected > before {
                assert_eq!(update, all[(expected - before - 1) as usize], "after {number}");
            }
        }
        match decision {
            Some(open) => assert_eq!(line.heard.on(7).await, Item::Decision(open.clone()), "after {number}"),
            None => {
                let closed = line.heard.closed(7).await;
                assert_eq!((closed.reason(), closed.number), (Reason::Unspecified, last), "after {number}");
            }
        }
    }
}

#[tokio::test]
async fn a_game_that_is_over_is_told_from_every_number() {
    let scene = Scene::new().await;
    for game in GameId::ALL {
        let played = scene.play_out(table(*game, 2)).await;
        let mut line = Line::open(&scene.anyone()).await;
        check_every_number(&mut line, &rail(&played.id), &played.spectator, None).await;
    }
}

#[tokio::test]
async fn a_player_is_told_from_every_number_too() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(table(GameId::NoDice, 2)).await;
    let players = scene.play_seats(&seated).await;
    for (token, seen) in seated.tokens.iter().zip(&players) {
        let mut line = Line::open(&scene.anyone()).await;
        check_every_number(&mut line, &seat(token), seen, None).await;
    }
}

/// Plays both seats of a table for a while, over one stream, and gives what seat 0 saw up to its open decision.
async fn play_a_while(scene: &Scene, seated: &Seated, moves: u32) -> (Line, Seen, v1::Decision) {
    let mut line = Line::open(&scene.anyone()).await;
    let both =
        (0..).zip(&seated.tokens).map(|(channel, token)| attaching(channel, wanting(VIEWS, seat(token))));
    line.say(both.collect()).await;
    let (mut whim, mut made, mut seen) = (whim(3), 0, Seen::default());
    loop {
        let (channel, item) = line.heard.next().await;
        let decision = if let Item::Decision(decision) = &item { Some(decision.clone()) } else { None };
        match decision {
            Some(decision) if channel == 0 && made >= moves => return (line, seen, decision),
            Some(decision) => {
                let answer = index(decision.id, whim.choose(&decision));
                line.say(vec![answering(channel, answer)]).await;
                made += 1;
            }
            None => {}
        }
        if channel == 0 {
            seen.items.push(item);
        }
    }
}

#[tokio::test]
async fn a_game_that_goes_on_is_told_from_every_number() {
    let scene = Scene::new().await;
    for game in GameId::ALL {
        let seated = scene.seat_all(table(*game, 2)).await;
        let (_players, seen, open) = play_a_while(&scene, &seated, 6).await;
        let mut line = Line::open(&scene.anyone()).await;
        check_every_number(&mut line, &seat(&seated.tokens[0]), &seen, Some(&open)).await;
    }
}

#[tokio::test]
async fn whoever_came_back_goes_on_with_everyone_else() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(gap(2)).await;
    let (mut players, seen, open) = play_a_while(&scene, &seated, 6).await;
    let last = seen.updates().last().expect("updates").number;
    let mut line = Line::open(&scene.anyone()).await;
    // Each number on a channel of its own, all at once.
    let attach = wanting(VIEWS, seat(&seated.tokens[0]));
    let all = (0..=last).map(|number| attaching(100 + number, after(number, attach.clone())));
    line.say(all.collect()).await;
    let decided = players.answer(0, index(open.id, 0)).await.number;
    assert_eq!(decided, last + 1);
    for number in 0..=last {
        let channel = 100 + number;
        for expected in number + 1..=last {
            assert_eq!(line.heard.update(channel).await.number, expected);
        }
        assert!(matches!(line.heard.on(channel).await, Item::Decision(decision) if decision == open));
        let update = line.heard.update(channel).await;
        assert_eq!((update.number, update.decided.map(|made| made.decision_id)), (last + 1, Some(open.id)));
    }
}

#[tokio::test]
async fn without_a_number_comes_a_snapshot_and_what_follows() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(gap(2)).await;
    let (mut players, seen, open) = play_a_while(&scene, &seated, 6).await;
    let last = seen.updates().last().expect("updates");
    let mut line = Line::attached(&scene.anyone(), 1, seat(&seated.tokens[0])).await;
    let snapshot = line.heard.snapshot(1).await;
    assert_eq!((snapshot.number, &snapshot.view), (last.number, &last.view));
    let table = snapshot.table.expect("a table");
    assert_eq!((table.table_id, table.state), (seated.id.clone(), v1::TableState::Playing.into()));
    assert_eq!(line.heard.on(1).await, Item::Decision(open.clone()));
    players.answer(0, index(open.id, 0)).await;
    assert_eq!(line.heard.update(1).await.number, last.number + 1);
    // A rail sees the same table with numbers of its own, and no hand.
    let mut guest = Line::attached(&scene.anyone(), 1, rail(&seated.id)).await;
    let seen = guest.heard.snapshot(1).await;
    assert_ne!(seen.view, snapshot.view);
    assert_eq!(
        seen.viewer.and_then(|viewer| viewer.viewer),
        Some(v1::viewer::Viewer::Spectator(v1::Spectator {}))
    );
}

#[tokio::test]
async fn a_number_that_the_server_has_never_given_is_a_loss_of_data() {
    let scene = Scene::new().await;
    let over = scene.play_out(gap(2)).await;
    let seated = scene.seat_all(gap(2)).await;
    let (_players, seen, _) = play_a_while(&scene, &seated, 2).await;
    let last = seen.updates().last().expect("updates").number;
    let over_last = over.spectator.updates().last().expect("updates").number;
    let mut line = Line::open(&scene.anyone()).await;
    let cases = [
        (seat(&seated.tokens[0]), last + 1),
        (seat(&seated.tokens[0]), u32::MAX),
        (rail(&seated.id), u32::MAX),
        (rail(&over.id), over_last + 1),
    ];
    for (attach, number) in cases {
        line.say(vec![attaching(1, after(number, attach))]).await;
        let closed = line.heard.closed(1).await;
        assert_eq!((closed.reason(), closed.number, closed.retry), (Reason::CursorAhead, number, false));
        assert!(!closed.message.is_empty());
    }
}

#[tokio::test]
async fn a_channel_can_be_closed_and_opened_again() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(gap(2)).await;
    let mut line = Line::attached(&scene.anyone(), 1, seat(&seated.tokens[0])).await;
    let first = line.heard.decision(1).await;
    // Attaching again closes the channel first, without a word.
    line.say(vec![attaching(1, rail(&seated.id))]).await;
    let snapshot = line.heard.snapshot(1).await;
    assert!(matches!(snapshot.viewer.and_then(|v| v.viewer), Some(v1::viewer::Viewer::Spectator(_))));
    // A spectator has nothing to answer.
    let refused = line.answer(1, index(first.id, 0)).await;
    assert_eq!(refused.refusal.map(|refusal| refusal.reason()), Some(Reason::Protocol));
    line.say(vec![detaching(1)]).await;
    let closed = line.heard.closed(1).await;
    assert_eq!((closed.reason(), closed.retry), (Reason::Unspecified, false));
    line.say(vec![
        attaching(1, after(snapshot.number, rail(&seated.id))),
        attaching(2, seat(&seated.tokens[0])),
    ])
    .await;
    assert_eq!(line.heard.decision(2).await.id, first.id, "nothing was resigned");
}

#[tokio::test]
async fn follow_tells_what_play_tells() {
    let scene = Scene::new().await;
    let played = scene.play_out(gap(3)).await;
    let caller = scene.anyone();
    let channels =
        vec![(4, wanting(VIEWS, rail(&played.id))), (5, after(3, wanting(VIEWS, rail(&played.id))))];
    let mut heard = follow(&caller, channels).await.unwrap();
    let snapshot = heard.snapshot(4).await;
    let last = played.spectator.updates().last().expect("updates");
    assert_eq!((snapshot.number, &snapshot.view), (last.number, &last.view));
    assert_eq!(heard.closed(4).await.number, last.number);
    for expected in played.spectator.updates().filter(|update| update.number > 3) {
        assert_eq!(heard.update(5).await, *expected);
    }
    assert_eq!(heard.closed(5).await.number, last.number);

    let seated = scene.seat_all(gap(2)).await;
    let mut heard =
        follow(&caller, vec![(0, seat(&seated.tokens[0])), (1, seat(&seated.tokens[1]))]).await.unwrap();
    let asked = heard.decision(0).await;
    let acted = caller.act(crate::table_requests::act(&seated.tokens[0], index(asked.id, 0))).await.unwrap();
    let number = acted.answered.expect("an answer").number;
    assert_eq!(heard.update(0).await.number, number);
    assert_eq!(heard.decision(1).await.id, 1, "its partner is Act");
}
