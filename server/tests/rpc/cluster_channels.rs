//! Channels of streams to one node whose tables are on other nodes: played, cut, and moved.

use parlor_engine::GameId;
use parlor_proto::v1::{self, AnswerStatus, ErrorReason as Reason, stream_item::Item};

use crate::client::Client;
use crate::cluster::{TestCluster, TestNode};
use crate::players::{ChooseAction, Transcript, WANT_VIEWS, play, random_choice};
use crate::streams::{
    PlayStream, answer_index, answer_item, attach_item, detach_item, open_follow, play_seat, resume_after,
    spectate, with_wants,
};
use crate::table_requests::{SeatedTable, act, table};
use crate::test_server::{ms, with_timeout};

/// Plays a seat to the end, and disturbs the cluster after each of its answers, before the outcome is known.
async fn play_disturbed(
    client: &Client,
    attach: v1::Attach,
    mut choose: impl ChooseAction,
    mut disturb: impl FnMut(usize),
) -> Transcript {
    let mut stream = PlayStream::open_attached(client, 1, attach).await;
    let (mut seen, mut answers) = (Transcript::default(), 0);
    loop {
        let item = stream.reader.next_on(1).await;
        if let Item::Decision(decision) = &item {
            let index = choose.choose(decision);
            stream.send(vec![answer_item(1, answer_index(decision.id, index))]).await;
            answers += 1;
            disturb(answers);
        }
        seen.items.push(item);
        if matches!(seen.items.last(), Some(Item::Closed(_))) {
            return seen;
        }
    }
}

impl Transcript {
    /// Checks the invariants of a stream, where an answer may have been sent twice on the way: each has one outcome.
    fn check_carried(mut self) {
        let mut outcomes: Vec<u32> = Vec::new();
        for item in &mut self.items {
            if let Item::Answered(answered) = item {
                outcomes.push(answered.decision_id);
                if answered.status() == AnswerStatus::Repeated {
                    answered.set_status(AnswerStatus::Accepted);
                }
            }
        }
        let ids: Vec<u32> = self.decisions().map(|decision| decision.id).collect();
        assert_eq!(outcomes, ids, "each answer has one outcome, in order");
        self.check();
    }
}

/// Plays all seats of a table through a node. `disturb` is called after each answer of the first seat.
async fn play_all(node: &TestNode, seated: &SeatedTable, mut disturb: impl FnMut(usize)) -> Vec<Transcript> {
    let mut others = Vec::new();
    for (token, seed) in seated.tokens.iter().zip(0..).skip(1) {
        let (client, attach) = (node.client(), with_wants(WANT_VIEWS, play_seat(token)));
        others.push(tokio::spawn(async move {
            play_disturbed(&client, attach, random_choice(seed), |_| {}).await
        }));
    }
    let attach = with_wants(WANT_VIEWS, play_seat(&seated.tokens[0]));
    let mut all = vec![play_disturbed(&node.client(), attach, random_choice(99), &mut disturb).await];
    for other in others {
        all.push(with_timeout(other).await.expect("a player"));
    }
    all
}

#[tokio::test]
async fn whole_games_are_played_through_another_node() {
    let (cluster, a, b) = TestCluster::two().await;
    for game in GameId::ALL {
        let seated = cluster.new_seated_table(&b, table(*game, 2)).await;
        let spectator = tokio::spawn({
            let (client, id) = (a.client(), seated.id.clone());
            async move { play(&client, with_wants(WANT_VIEWS, spectate(&id)), |_: &v1::Decision| 0).await }
        });
        for transcript in play_all(&a, &seated, |_| {}).await {
            transcript.check();
        }
        with_timeout(spectator).await.expect("a spectator").check();
    }
    a.stop().await;
    b.stop().await;
}

#[tokio::test]
async fn one_stream_has_tables_on_all_nodes() {
    let cluster = TestCluster::new(|_| {});
    let (a, b, c) = (cluster.start("a").await, cluster.start("b").await, cluster.start("c").await);
    let mut stream = PlayStream::open(&a.client()).await;
    let mut channels = Vec::new();
    for (channel, node) in (7..).zip([&a, &b, &c, &b]) {
        let seated = cluster.new_seated_table(node, table(GameId::HighCard, 2)).await;
        for (token, seat) in seated.tokens.iter().zip(0..) {
            let channel = channel * 10 + seat;
            stream.send(vec![attach_item(channel, play_seat(token))]).await;
            channels.push(channel);
        }
    }
    stream.end_requests_when_over(&channels).await;
    a.stop().await;
    b.stop().await;
    c.stop().await;
}

impl PlayStream {
    /// Answers all decisions of these channels until all of them are closed, and checks that updates have no gaps.
    async fn end_requests_when_over(&mut self, channels: &[u32]) {
        let mut open: std::collections::HashMap<u32, u32> =
            channels.iter().map(|channel| (*channel, 0)).collect();
        while !open.is_empty() {
            let (channel, item) = self.reader.next().await;
            let number = open.get_mut(&channel).expect("an open channel");
            match item {
                Item::Snapshot(snapshot) => *number = snapshot.number,
                Item::Update(update) => {
                    *number += 1;
                    assert_eq!(update.number, *number);
                }
                Item::Decision(decision) => {
                    self.send(vec![answer_item(channel, answer_index(decision.id, 0))]).await;
                }
                Item::Closed(closed) => {
                    assert_eq!(closed.reason(), Reason::Unspecified);
                    open.remove(&channel);
                }
                _ => {}
            }
        }
        self.end_requests();
        assert_eq!(self.reader.ending().await.expect("a stream without an error"), None);
    }
}

/// A browser's way: Follow and Act.
#[tokio::test]
async fn follow_and_act_play_through_another_node() {
    let (cluster, a, b) = TestCluster::two().await;
    let seated = cluster.new_seated_table(&b, table(GameId::HighCard, 2)).await;
    let channels = (1..).zip(&seated.tokens).map(|(channel, token)| (channel, play_seat(token)));
    let mut followed = open_follow(&a.client(), channels.collect()).await.expect("a stream");
    let (mut closed, mut numbers) = (0, [0; 3]);
    while closed < 2 {
        let (channel, item) = followed.next().await;
        match item {
            Item::Snapshot(snapshot) => numbers[channel as usize] = snapshot.number,
            Item::Update(update) => {
                numbers[channel as usize] += 1;
                assert_eq!(update.number, numbers[channel as usize]);
            }
            Item::Decision(decision) => {
                let token = &seated.tokens[channel as usize - 1];
                let response =
                    a.client().act(act(token, answer_index(decision.id, 0))).await.expect("an outcome");
                assert_eq!(response.answered.expect("an outcome").status(), AnswerStatus::Accepted);
            }
            Item::Closed(_) => closed += 1,
            _ => {}
        }
    }
    assert_eq!(followed.ending().await.expect("a stream without an error"), None);
    a.stop().await;
    b.stop().await;
}

/// A link that breaks is a pause: no update is missed or doubled, and each answer has one outcome.
#[tokio::test]
async fn cut_links_are_a_pause() {
    let (cluster, a, b) = TestCluster::two().await;
    for game in [GameId::Gap, GameId::NoDice] {
        let seated = cluster.new_seated_table(&b, table(game, 2)).await;
        let mut cuts = 0;
        let played = play_all(&a, &seated, |answers| {
            if answers > 1 && cuts < 12 {
                b.links.cut();
                cuts += 1;
            }
        })
        .await;
        assert!(cuts > 2, "{cuts} cuts of {game:?}");
        played.into_iter().for_each(Transcript::check_carried);
    }
    a.stop().await;
    b.stop().await;
}

/// The owner of a table stops in the middle of a game, and another node takes the table over.
#[tokio::test]
async fn tables_move_to_another_node_under_their_clients() {
    let cluster = TestCluster::new(|_| {});
    let (a, b) = (cluster.start("a").await, cluster.start("b").await);
    let seated = cluster.new_seated_table(&b, table(GameId::Gap, 2)).await;
    let (asked, mut stop) = tokio::sync::mpsc::channel(1);
    let playing = play_all(&a, &seated, |answers| {
        if answers == 5 {
            asked.try_send(()).expect("the first message");
        }
    });
    let moving = async {
        stop.recv().await.expect("the fifth answer");
        cluster.move_table(&seated.id, None);
        b.stop().await;
        let c = cluster.start("c").await;
        cluster.move_table(&seated.id, Some(&c));
        c
    };
    let (played, c) = tokio::join!(playing, moving);
    played.into_iter().for_each(Transcript::check_carried);
    a.stop().await;
    c.stop().await;
}

/// The table comes to the node that has the client's stream.
#[tokio::test]
async fn tables_move_to_the_node_of_their_clients() {
    let cluster = TestCluster::new(|_| {});
    let (a, b) = (cluster.start("a").await, cluster.start("b").await);
    let seated = cluster.new_seated_table(&b, table(GameId::Gap, 2)).await;
    let (asked, mut stop) = tokio::sync::mpsc::channel(1);
    let playing = play_all(&a, &seated, |answers| {
        if answers == 5 {
            asked.try_send(()).expect("the first message");
        }
    });
    let moving = async {
        stop.recv().await.expect("the fifth answer");
        cluster.move_table(&seated.id, None);
        b.stop().await;
        cluster.move_table(&seated.id, Some(&a));
    };
    let (played, ()) = tokio::join!(playing, moving);
    played.into_iter().for_each(Transcript::check_carried);
    a.stop().await;
}

#[tokio::test]
async fn channel_without_an_owner_is_closed_after_a_while() {
    let (cluster, a, b) = TestCluster::two().await;
    let seated = cluster.new_seated_table(&b, table(GameId::Gap, 2)).await;
    let mut stream = PlayStream::open_attached(&a.client(), 3, play_seat(&seated.tokens[0])).await;
    let snapshot = stream.reader.snapshot(3).await;
    cluster.move_table(&seated.id, None);
    b.stop().await;
    let patience = cluster.let_time_pass();
    let closed = loop {
        if let Item::Closed(closed) = stream.reader.next_on(3).await {
            break closed;
        }
    };
    drop(patience);
    assert_eq!(
        (closed.reason(), closed.retry, closed.number),
        (Reason::ServerStopping, true, snapshot.number)
    );
    // The stream goes on, and the channel can be attached again.
    let c = cluster.start("c").await;
    cluster.move_table(&seated.id, Some(&c));
    stream.send(vec![attach_item(3, resume_after(closed.number, play_seat(&seated.tokens[0])))]).await;
    stream.reader.decision(3).await;
    a.stop().await;
    c.stop().await;
}

/// A channel that is detached or attached anew hears nothing more of the table before.
#[tokio::test]
async fn channels_are_detached_and_attached_anew() {
    let (cluster, a, b) = TestCluster::two().await;
    let there = cluster.new_seated_table(&b, table(GameId::Gap, 2)).await;
    let here = cluster.new_seated_table(&a, table(GameId::HighCard, 2)).await;
    let mut stream = PlayStream::open(&a.client()).await;
    for _ in 0..20 {
        for seated in [&there, &here, &there, &there] {
            stream.send(vec![attach_item(1, play_seat(&seated.tokens[0]))]).await;
            let snapshot = stream.reader.find(|(_, item)| match item {
                Item::Snapshot(snapshot) => Some(snapshot.clone()),
                _ => None,
            });
            assert_eq!(snapshot.await.table.expect("a table").table_id, seated.id);
        }
        stream.send(vec![detach_item(1)]).await;
        let closed = stream.reader.find(|(_, item)| match item {
            Item::Closed(closed) => Some(closed.clone()),
            _ => None,
        });
        assert_eq!(closed.await.reason(), Reason::Unspecified);
    }
    // The seat counts as absent at its node when the client goes.
    let mut other = open_follow(
        &b.client(),
        vec![(1, with_wants(crate::streams::ALL_WANTS, play_seat(&there.tokens[1])))],
    )
    .await
    .expect("a stream");
    stream.send(vec![attach_item(1, play_seat(&there.tokens[0]))]).await;
    while !other.presence(1).await.connected {}
    cluster.clock.advance(ms(60_000));
    drop(stream);
    while other.presence(1).await.connected {}
    a.stop().await;
    b.stop().await;
}
