//! Entropy of seats, revealed with items on Play and with Act, the partner of Follow.

use parlor_proto::v1::{self, ErrorReason as Reason, TableState as State, table_event::Event};

use crate::client::{Client, error_reason};
use crate::reveals::{ONE, TWO, shown_entropy, starting_table};
use crate::streams::{
    ALL_WANTS, PlayStream, answer_index, attach_item, open_follow, play_seat, spectate, with_wants,
};
use crate::table_requests::{act_reveal, cancel, commit, fresh, gap, join, reveal};
use crate::test_server::{TestServer, ms, wait_until};

/// The reason of a refused reveal.
fn reason(refusal: Option<v1::ErrorDetail>) -> Reason {
    refusal.expect("a refusal").reason()
}

/// Reveals with Act; returns the refusal, if there is one.
async fn reveal_with_act(client: &Client, token: &str, entropy: &[u8]) -> Option<v1::ErrorDetail> {
    let acted = client.act(act_reveal(token, entropy)).await.expect("a response");
    assert_eq!(acted.answered, None);
    acted.revealed.expect("an outcome").refusal
}

/// A stream with both seats of a table, on the channels 1 and 2, which also stay open after the end.
async fn both_seats(client: &Client, tokens: &[String; 2]) -> PlayStream {
    let mut stream = PlayStream::open(client).await;
    let attach = |channel: u32| {
        let seat = play_seat(&tokens[channel as usize - 1]);
        attach_item(channel, with_wants(ALL_WANTS, seat))
    };
    stream.send(vec![attach(1), attach(2)]).await;
    stream
}

#[tokio::test]
async fn entropy_is_revealed_over_play() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, tokens) = starting_table(&client).await;
    let mut stream = both_seats(&client, &tokens).await;
    assert_eq!(stream.reveal(1, &ONE).await, None);
    assert_eq!(client.table(&id).await.state(), State::Starting);
    assert_eq!(shown_entropy(&client, &id).await, vec![Vec::<u8>::new(); 2]);
    assert_eq!(stream.reveal(2, &TWO).await, None);
    for channel in 1..=2 {
        let started = stream.reader.event(channel, |event| match event {
            Event::Started(started) => started.shuffle.clone(),
            _ => None,
        });
        let added: Vec<_> = started.await.entropy.into_iter().map(|seat| seat.entropy).collect();
        assert_eq!(added, [ONE.to_vec(), TWO.to_vec()]);
    }
    assert_eq!(client.table(&id).await.state(), State::Playing);
}

#[tokio::test]
async fn entropy_is_revealed_with_act_while_following() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, [one, two]) = starting_table(&client).await;
    let mut follow = open_follow(&client, vec![(1, play_seat(&one))]).await.expect("a stream");
    assert_eq!(follow.snapshot(1).await.table.expect("a table").state(), State::Starting);
    for (token, entropy) in [(&one, ONE.as_slice()), (&two, &TWO)] {
        assert_eq!(reveal_with_act(&client, token, entropy).await, None);
    }
    follow.event(1, |event| matches!(event, Event::Started(_)).then_some(())).await;
    assert_eq!(shown_entropy(&client, &id).await, [ONE.to_vec(), TWO.to_vec()]);
}

#[tokio::test]
async fn refused_reveal_over_play_leaves_the_channel_open() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(fresh(gap(2))).await;
    let one = client.join_table(commit(&id, &ONE)).await.expect("a seat").seat_token;
    let mut early = PlayStream::open_attached(&client, 1, play_seat(&one)).await;
    assert_eq!(reason(early.reveal(1, &ONE).await), Reason::TableNotStarted);
    let two = client.join_table(commit(&id, &TWO)).await.expect("a seat").seat_token;
    let mut stream = both_seats(&client, &[one, two]).await;
    for wrong in [TWO.as_slice(), &[9; 32]] {
        let refusal = stream.reveal(1, wrong).await.expect("a refusal");
        assert_eq!(refusal.reason(), Reason::EntropyMismatch);
        assert!(refusal.text.is_some_and(|text| !text.en.is_empty() && !text.de.is_empty()));
    }
    for invalid in [&[1; 15][..], &[1; 65], &[]] {
        let refusal = stream.reveal(1, invalid).await.expect("a refusal");
        assert_eq!((refusal.reason(), refusal.field.as_str()), (Reason::InvalidField, "entropy"));
    }
    // The right one again and again, also over the stream that was too early, and after the start.
    assert_eq!(stream.reveal(1, &ONE).await, None);
    assert_eq!(early.reveal(1, &ONE).await, None);
    assert_eq!(stream.reveal(2, &TWO).await, None);
    assert_eq!(client.table(&id).await.state(), State::Playing);
    assert_eq!(stream.reveal(1, &ONE).await, None);
    assert_eq!(reason(stream.reveal(1, &TWO).await), Reason::EntropyMismatch);
    // The channels wait for a rematch after the end, and are answered then, too.
    client.cancel_table(cancel(&id)).await.expect("a cancellation");
    assert_eq!(stream.reveal(2, &TWO).await, None);
    assert_eq!(reason(stream.reveal(2, &ONE).await), Reason::EntropyMismatch);
}

#[tokio::test]
async fn late_reveal_over_play_and_act_is_refused() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, tokens) = starting_table(&client).await;
    let mut stream = both_seats(&client, &tokens).await;
    assert_eq!(stream.reveal(2, &TWO).await, None);
    server.advance(ms(10_000));
    wait_until("the start", async || client.table(&id).await.state() == State::Playing).await;
    assert_eq!(reason(stream.reveal(1, &ONE).await), Reason::TableStarted);
    assert_eq!(reason(reveal_with_act(&client, &tokens[0], &ONE).await), Reason::TableStarted);
    assert!(client.table(&id).await.seats[0].entropy_withheld);
    client.cancel_table(cancel(&id)).await.expect("a cancellation");
    assert_eq!(reason(stream.reveal(1, &ONE).await), Reason::TableOver);
    assert_eq!(reason(reveal_with_act(&client, &tokens[0], &ONE).await), Reason::TableOver);
}

#[tokio::test]
async fn seat_that_committed_to_nothing_cannot_reveal() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(fresh(gap(2))).await;
    let one = client.join_table(commit(&id, &ONE)).await.expect("a seat").seat_token;
    let two = client.join_table(join(&id)).await.expect("a seat").seat_token;
    assert_eq!(client.table(&id).await.state(), State::Starting);
    let mut stream = both_seats(&client, &[one.clone(), two.clone()]).await;
    assert_eq!(reason(stream.reveal(2, &TWO).await), Reason::EntropyMismatch);
    assert_eq!(reason(reveal_with_act(&client, &two, &TWO).await), Reason::EntropyMismatch);
    assert_eq!(stream.reveal(1, &ONE).await, None);
    assert_eq!(client.table(&id).await.state(), State::Playing);
}

#[tokio::test]
async fn spectator_and_unused_channel_cannot_reveal() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, [one, two]) = starting_table(&client).await;
    let mut stream = PlayStream::open_attached(&client, 1, spectate(&id)).await;
    stream.reader.snapshot(1).await;
    for channel in [1, 7] {
        assert_eq!(reason(stream.reveal(channel, &ONE).await), Reason::Protocol);
    }
    // Both seats can still reveal, and the spectator's channel is open.
    client.reveal_entropy(reveal(&one, &ONE)).await.expect("a reveal");
    client.reveal_entropy(reveal(&two, &TWO)).await.expect("a reveal");
    stream.reader.event(1, |event| matches!(event, Event::Started(_)).then_some(())).await;
}

#[tokio::test]
async fn act_takes_an_answer_or_a_reveal() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, [one, _]) = starting_table(&client).await;
    for wrong in [&[1; 15][..], &[1; 65], &[]] {
        let refused = client.act(act_reveal(&one, wrong)).await.expect_err("an invalid length");
        assert_eq!(
            (refused.reason, refused.fields),
            (Reason::InvalidField, vec!["reveal_entropy".to_owned()])
        );
    }
    let both = v1::ActRequest { answer: Some(answer_index(1, 0)), ..act_reveal(&one, &ONE) };
    let refused = client.act(both).await.expect_err("two steps");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["reveal_entropy".to_owned()]));
    assert_eq!(reason(reveal_with_act(&client, &one, &TWO).await), Reason::EntropyMismatch);
    assert_eq!(error_reason(client.act(act_reveal("x", &ONE)).await), Reason::TokenInvalid);
    for _ in 0..2 {
        assert_eq!(reveal_with_act(&client, &one, &ONE).await, None);
    }
    assert_eq!(client.table(&id).await.state(), State::Starting);
}
