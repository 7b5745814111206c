//! Resuming a channel after any update number, of a finished or a running game, yields exactly the missed
//! updates.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, stream_item::Item};

use crate::players::{ChooseAction, Transcript, WANT_VIEWS, random_choice};
use crate::streams::{
    PlayStream, answer_index, answer_item, attach_item, detach_item, open_follow, play_seat, resume_after,
    spectate, with_wants,
};
use crate::table_requests::{SeatedTable, gap, table};
use crate::test_server::TestServer;

/// Resumes after every number up to the last, and compares the updates with the transcript.
async fn check_resume_after_every_number(
    stream: &mut PlayStream,
    attach: &v1::Attach,
    seen: &Transcript,
    decision: Option<&v1::Decision>,
) {
    // Without views: that views follow from the events is checked by `Transcript::check`.
    let all: Vec<v1::Update> =
        seen.updates().map(|update| v1::Update { view: None, ..update.clone() }).collect();
    let before = seen.snapshot().number;
    let last = before + all.len() as u32;
    for number in 0..=last {
        stream.send(vec![attach_item(7, resume_after(number, attach.clone()))]).await;
        for expected in number + 1..=last {
            let update = stream.reader.update(7).await;
            assert_eq!(update.number, expected, "after {number}");
            // Updates before the first attachment are not in the transcript.
            if expected > before {
                assert_eq!(update, all[(expected - before - 1) as usize], "after {number}");
            }
        }
        match decision {
            Some(open) => {
                assert_eq!(stream.reader.next_on(7).await, Item::Decision(open.clone()), "after {number}");
            }
            None => {
                let closed = stream.reader.closed(7).await;
                assert_eq!((closed.reason(), closed.number), (Reason::Unspecified, last), "after {number}");
            }
        }
    }
}

#[tokio::test]
async fn spectator_resumes_a_finished_game_after_every_number() {
    let server = TestServer::new().await;
    for game in GameId::ALL {
        let played = server.play_to_end(table(*game, 2)).await;
        let mut stream = PlayStream::open(&server.client()).await;
        check_resume_after_every_number(&mut stream, &spectate(&played.id), &played.spectator, None).await;
    }
}

#[tokio::test]
async fn player_resumes_a_finished_game_after_every_number() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(table(GameId::NoDice, 2)).await;
    let players = server.play_seats(&seated).await;
    for (token, seen) in seated.tokens.iter().zip(&players) {
        let mut stream = PlayStream::open(&server.client()).await;
        check_resume_after_every_number(&mut stream, &play_seat(token), seen, None).await;
    }
}

/// Plays at least `moves` decisions of a table with two seats over one stream: the transcript of seat 0 up to
/// its open decision, and that decision with its view.
async fn play_moves(
    server: &TestServer,
    seated: &SeatedTable,
    moves: u32,
) -> (PlayStream, Transcript, v1::Decision) {
    let mut stream = PlayStream::open(&server.client()).await;
    let both = (0..)
        .zip(&seated.tokens)
        .map(|(channel, token)| attach_item(channel, with_wants(WANT_VIEWS, play_seat(token))));
    stream.send(both.collect()).await;
    let (mut choice, mut made, mut seen) = (random_choice(3), 0, Transcript::default());
    loop {
        let (channel, item) = stream.reader.next().await;
        let decision = if let Item::Decision(decision) = &item { Some(decision.clone()) } else { None };
        match decision {
            Some(decision) if channel == 0 && made >= moves => {
                assert_eq!(decision.view, None, "its update had the view");
                let view = Some(Box::new(seen.view_of(&decision).clone()));
                return (stream, seen, v1::Decision { view, ..decision });
            }
            Some(decision) => {
                let answer = answer_index(decision.id, choice.choose(&decision));
                stream.send(vec![answer_item(channel, answer)]).await;
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
async fn player_resumes_a_running_game_after_every_number() {
    let server = TestServer::new().await;
    for game in GameId::published() {
        let seated = server.new_seated_table(table(game, 2)).await;
        let (_players, seen, open) = play_moves(&server, &seated, 6).await;
        let mut stream = PlayStream::open(&server.client()).await;
        check_resume_after_every_number(&mut stream, &play_seat(&seated.tokens[0]), &seen, Some(&open)).await;
    }
}

#[tokio::test]
async fn resumed_channels_continue_with_live_updates() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let (mut players, seen, open) = play_moves(&server, &seated, 6).await;
    let last = seen.updates().last().expect("updates").number;
    let mut stream = PlayStream::open(&server.client()).await;
    // One channel for each number, attached in one message.
    let attach = with_wants(WANT_VIEWS, play_seat(&seated.tokens[0]));
    let all = (0..=last).map(|number| attach_item(100 + number, resume_after(number, attach.clone())));
    stream.send(all.collect()).await;
    for number in 0..=last {
        let channel = 100 + number;
        for expected in number + 1..=last {
            assert_eq!(stream.reader.update(channel).await.number, expected);
        }
        // A view that came with an update of the channel is not sent again.
        let view = open.view.clone().filter(|_| number == last);
        let expected = v1::Decision { view, ..open.clone() };
        assert_eq!(stream.reader.next_on(channel).await, Item::Decision(expected), "after {number}");
    }
    let decided = players.answer(0, answer_index(open.id, 0)).await.number;
    assert_eq!(decided, last + 1);
    for number in 0..=last {
        let update = stream.reader.update(100 + number).await;
        assert_eq!((update.number, update.decided.map(|made| made.decision_id)), (last + 1, Some(open.id)));
    }
}

/// With the snapshot or the update that it follows, a decision of a channel that wants both views has none;
/// other channels have it.
#[tokio::test]
async fn view_is_sent_once_to_a_channel_that_wants_it_with_updates_and_decisions() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let (_players, seen, open) = play_moves(&server, &seated, 6).await;
    let last = seen.updates().last().expect("updates").number;
    let views = |update_views, decision_views| {
        let wants = v1::Wants { update_views, decision_views, ..v1::Wants::default() };
        with_wants(wants, play_seat(&seated.tokens[0]))
    };
    let both = || views(Some(true), None);
    let cases = [
        (both(), false),
        (resume_after(last - 1, both()), false),
        (resume_after(last, both()), true),
        (views(None, None), true),
        (resume_after(last - 1, views(None, Some(true))), true),
        (views(Some(true), Some(false)), false),
        (resume_after(last, views(Some(true), Some(false))), false),
    ];
    for (number, (attach, has_view)) in (0..).zip(cases) {
        let mut stream = PlayStream::open_attached(&server.client(), number, attach).await;
        let decision = stream.reader.decision(number).await;
        let view = open.view.clone().filter(|_| has_view);
        assert_eq!(decision, v1::Decision { view, ..open.clone() }, "case {number}");
    }
}

#[tokio::test]
async fn attach_without_a_number_sends_a_snapshot_then_updates() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let (mut players, seen, open) = play_moves(&server, &seated, 6).await;
    let last = seen.updates().last().expect("updates");
    let mut stream = PlayStream::open_attached(&server.client(), 1, play_seat(&seated.tokens[0])).await;
    let snapshot = stream.reader.snapshot(1).await;
    assert_eq!((snapshot.number, &snapshot.view), (last.number, &last.view));
    let table = snapshot.table.expect("a table");
    assert_eq!((table.table_id, table.state), (seated.id.clone(), v1::TableState::Playing.into()));
    assert_eq!(stream.reader.next_on(1).await, Item::Decision(open.clone()));
    players.answer(0, answer_index(open.id, 0)).await;
    assert_eq!(stream.reader.update(1).await.number, last.number + 1);
    // A spectator has numbers of its own, and sees no hand.
    let mut spectator = PlayStream::open_attached(&server.client(), 1, spectate(&seated.id)).await;
    let seen = spectator.reader.snapshot(1).await;
    assert_ne!(seen.view, snapshot.view);
    assert_eq!(
        seen.viewer.and_then(|viewer| viewer.viewer),
        Some(v1::viewer::Viewer::Spectator(v1::Spectator {}))
    );
}

#[tokio::test]
async fn cursor_ahead_of_the_log_is_refused() {
    let server = TestServer::new().await;
    let over = server.play_to_end(gap(2)).await;
    let seated = server.new_seated_table(gap(2)).await;
    let (_players, seen, _) = play_moves(&server, &seated, 2).await;
    let last = seen.updates().last().expect("updates").number;
    let over_last = over.spectator.updates().last().expect("updates").number;
    let mut stream = PlayStream::open(&server.client()).await;
    let cases = [
        (play_seat(&seated.tokens[0]), last + 1),
        (play_seat(&seated.tokens[0]), u32::MAX),
        (spectate(&seated.id), u32::MAX),
        (spectate(&over.id), over_last + 1),
    ];
    for (attach, number) in cases {
        stream.send(vec![attach_item(1, resume_after(number, attach))]).await;
        let closed = stream.reader.closed(1).await;
        assert_eq!((closed.reason(), closed.number, closed.retry), (Reason::CursorAhead, number, false));
        assert!(!closed.message.is_empty());
    }
}

#[tokio::test]
async fn channel_can_be_reattached_and_detached() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let mut stream = PlayStream::open_attached(&server.client(), 1, play_seat(&seated.tokens[0])).await;
    let first = stream.reader.decision(1).await;
    // Attaching again replaces the channel without a Closed item.
    stream.send(vec![attach_item(1, spectate(&seated.id))]).await;
    let snapshot = stream.reader.snapshot(1).await;
    assert!(matches!(snapshot.viewer.and_then(|v| v.viewer), Some(v1::viewer::Viewer::Spectator(_))));
    // A spectator cannot answer.
    let refused = stream.answer(1, answer_index(first.id, 0)).await;
    assert_eq!(refused.refusal.map(|refusal| refusal.reason()), Some(Reason::Protocol));
    stream.send(vec![detach_item(1)]).await;
    let closed = stream.reader.closed(1).await;
    assert_eq!((closed.reason(), closed.retry), (Reason::Unspecified, false));
    stream
        .send(vec![
            attach_item(1, resume_after(snapshot.number, spectate(&seated.id))),
            attach_item(2, play_seat(&seated.tokens[0])),
        ])
        .await;
    assert_eq!(stream.reader.decision(2).await.id, first.id, "detaching a player does not resign");
}

#[tokio::test]
async fn follow_sends_the_same_items_as_play() {
    let server = TestServer::new().await;
    let played = server.play_to_end(gap(3)).await;
    let client = server.client();
    let channels = vec![
        (4, with_wants(WANT_VIEWS, spectate(&played.id))),
        (5, resume_after(3, with_wants(WANT_VIEWS, spectate(&played.id)))),
    ];
    let mut reader = open_follow(&client, channels).await.unwrap();
    let snapshot = reader.snapshot(4).await;
    let last = played.spectator.updates().last().expect("updates");
    assert_eq!((snapshot.number, &snapshot.view), (last.number, &last.view));
    assert_eq!(reader.closed(4).await.number, last.number);
    for expected in played.spectator.updates().filter(|update| update.number > 3) {
        assert_eq!(reader.update(5).await, *expected);
    }
    assert_eq!(reader.closed(5).await.number, last.number);

    let seated = server.new_seated_table(gap(2)).await;
    let mut reader =
        open_follow(&client, vec![(0, play_seat(&seated.tokens[0])), (1, play_seat(&seated.tokens[1]))])
            .await
            .unwrap();
    let asked = reader.decision(0).await;
    let acted =
        client.act(crate::table_requests::act(&seated.tokens[0], answer_index(asked.id, 0))).await.unwrap();
    let number = acted.answered.expect("an answer").number;
    assert_eq!(reader.update(0).await.number, number);
    assert_eq!(reader.decision(1).await.id, 1, "the next decision, after Act");
}
