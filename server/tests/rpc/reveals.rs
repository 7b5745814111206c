//! Entropy of seats: committed to by joining, revealed while the table is starting, shown when the game begins.

use parlor_proto::v1::{self, ErrorReason as Reason, TableState as State, table_event::Event};

use crate::client::{Client, error_reason};
use crate::restart::{crash, restart, server_on_disk};
use crate::streams::{PlayStream, play_seat, resume_after, spectate};
use crate::table_requests::{cancel, commit, fresh, gap, join, replace, resign_by_owner, reveal};
use crate::test_server::{TestServer, ms, wait_until};

pub(crate) const ONE: [u8; 32] = [1; 32];
pub(crate) const TWO: [u8; 16] = [2; 16];

/// A table of two players who have committed to [`ONE`] and [`TWO`]: its id and the tokens.
pub(crate) async fn starting_table(client: &Client) -> (String, [String; 2]) {
    let id = client.new_table(fresh(gap(2))).await;
    let one = client.join_table(commit(&id, &ONE)).await.expect("a seat").seat_token;
    let two = client.join_table(commit(&id, &TWO)).await.expect("a seat");
    assert_eq!(two.table.expect("a table").state(), State::Starting);
    (id, [one, two.seat_token])
}

/// The entropy of each seat, as the table shows it.
pub(crate) async fn shown_entropy(client: &Client, id: &str) -> Vec<Vec<u8>> {
    let shuffle = client.table(id).await.shuffle.expect("a shuffle");
    shuffle.entropy.into_iter().map(|seat| seat.entropy).collect()
}

#[tokio::test]
async fn reveal_is_refused_before_all_have_committed_and_when_it_does_not_match() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(fresh(gap(2))).await;
    let one = client.join_table(commit(&id, &ONE)).await.expect("a seat").seat_token;
    assert_eq!(error_reason(client.reveal_entropy(reveal(&one, &ONE)).await), Reason::TableNotStarted);
    let two = client.join_table(commit(&id, &TWO)).await.expect("a seat").seat_token;
    // What another seat has committed to is no better than something else.
    for wrong in [TWO.as_slice(), &[9; 32]] {
        assert_eq!(error_reason(client.reveal_entropy(reveal(&one, wrong)).await), Reason::EntropyMismatch);
    }
    // The right one can still be revealed, again and again, also after the start.
    for _ in 0..2 {
        client.reveal_entropy(reveal(&one, &ONE)).await.expect("a reveal");
    }
    assert_eq!(client.table(&id).await.state(), State::Starting);
    client.reveal_entropy(reveal(&two, &TWO)).await.expect("a reveal");
    assert_eq!(client.table(&id).await.state(), State::Playing);
    client.reveal_entropy(reveal(&one, &ONE)).await.expect("a repeat");
    assert_eq!(error_reason(client.reveal_entropy(reveal(&one, &TWO)).await), Reason::EntropyMismatch);
    client.cancel_table(cancel(&id)).await.expect("a cancellation");
    client.reveal_entropy(reveal(&two, &TWO)).await.expect("a repeat after the end");
    assert_eq!(error_reason(client.reveal_entropy(reveal("x", &TWO)).await), Reason::TokenInvalid);
}

#[tokio::test]
async fn nobody_sees_a_reveal_before_the_start() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, [one, two]) = starting_table(&client).await;
    let mut stream = PlayStream::open(&client).await;
    let attach = [(1, play_seat(&one)), (2, play_seat(&two)), (3, spectate(&id))];
    stream.send(attach.map(|(channel, attach)| crate::streams::attach_item(channel, attach)).to_vec()).await;
    for channel in 1..=3 {
        let snapshot = stream.reader.snapshot(channel).await;
        let table = snapshot.table.expect("a table");
        assert_eq!((table.state(), snapshot.number), (State::Starting, 3));
        let time = table.reveal_before.expect("a deadline").seconds - table.create_time.unwrap().seconds;
        assert_eq!(time, 10, "the default of the server");
        let shuffle = table.shuffle.expect("a shuffle");
        assert!(shuffle.entropy.iter().all(|seat| seat.commitment.len() == 32 && seat.entropy.is_empty()));
    }
    client.reveal_entropy(reveal(&one, &ONE)).await.expect("a reveal");
    assert_eq!(shown_entropy(&client, &id).await, vec![Vec::<u8>::new(); 2]);
    client.reveal_entropy(reveal(&two, &TWO)).await.expect("a reveal");
    for channel in 1..=3 {
        // The first thing that anyone is told is the start, with the next number.
        let update = stream.reader.update(channel).await;
        assert_eq!(update.number, 4);
        let Some(Event::Started(started)) = &update.table_events[0].event else { panic!("{update:?}") };
        let shuffle = started.shuffle.as_ref().expect("a shuffle");
        let added: Vec<&[u8]> = shuffle.entropy.iter().map(|seat| seat.entropy.as_slice()).collect();
        assert_eq!(added, [ONE.as_slice(), &TWO]);
    }
}

#[tokio::test]
async fn starting_event_shows_the_commitments_of_all() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(fresh(gap(2))).await;
    let mut spectator = PlayStream::open_attached(&client, 1, resume_after(0, spectate(&id))).await;
    let joins = [commit(&id, &ONE), join(&id)];
    let commitments = joins.clone().map(|join| join.entropy_commitment);
    for join in joins {
        client.join_table(join).await.expect("a seat");
    }
    let shuffle = spectator.reader.event(1, |event| match event {
        Event::Starting(starting) => starting.shuffle.clone(),
        _ => None,
    });
    let shown = shuffle.await.entropy.into_iter().map(|seat| (seat.commitment, seat.entropy));
    assert!(shown.eq(commitments.map(|commitment| (commitment, Vec::new()))));
}

#[tokio::test]
async fn withheld_reveal_is_dealt_without_and_shows() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, [one, two]) = starting_table(&client).await;
    client.reveal_entropy(reveal(&two, &TWO)).await.expect("a reveal");
    server.advance(ms(9_999));
    assert_eq!(client.table(&id).await.state(), State::Starting);
    server.advance(ms(1));
    wait_until("the start", async || client.table(&id).await.state() == State::Playing).await;
    assert_eq!(error_reason(client.reveal_entropy(reveal(&one, &ONE)).await), Reason::TableStarted);
    let check = |table: &v1::Table| {
        let withheld: Vec<bool> = table.seats.iter().map(|seat| seat.entropy_withheld).collect();
        assert_eq!(withheld, [true, false]);
        let shuffle = table.shuffle.clone().expect("a shuffle");
        assert_eq!((shuffle.entropy[0].commitment.len(), shuffle.entropy[0].entropy.len()), (32, 0));
        assert_eq!(shuffle.entropy[1].entropy, TWO);
    };
    check(&client.table(&id).await);
    server
        .play_seats(&crate::table_requests::SeatedTable { id: id.clone(), tokens: vec![one.clone(), two] })
        .await;
    check(&client.table(&id).await);
    assert_eq!(error_reason(client.reveal_entropy(reveal(&one, &ONE)).await), Reason::TableOver);
}

#[tokio::test]
pub(crate) async fn starting_table_can_be_cancelled_and_its_seats_replaced() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, [one, two]) = starting_table(&client).await;
    assert_eq!(error_reason(client.join_table(join(&id)).await), Reason::NoSeatFree);
    assert_eq!(error_reason(client.resign_seat(resign_by_owner(&id, 0)).await), Reason::TableNotStarted);
    client.reveal_entropy(reveal(&two, &TWO)).await.expect("a reveal");
    let replaced = client.replace_seat(replace(&id, 0, "random")).await.expect("a seat").table;
    assert_eq!(replaced.expect("a table").state(), State::Playing, "nobody is left to reveal");
    assert_eq!(error_reason(client.reveal_entropy(reveal(&one, &ONE)).await), Reason::TokenExpired);

    let (id, [one, _]) = starting_table(&client).await;
    client.reveal_entropy(reveal(&one, &ONE)).await.expect("a reveal");
    let over = client.cancel_table(cancel(&id)).await.expect("a cancellation").table.expect("a table");
    assert_eq!(over.state(), State::Cancelled);
    let shuffle = over.shuffle.expect("a shuffle");
    assert!(shuffle.game_seed.is_empty() && shuffle.server_seed.len() == 32);
    assert!(shuffle.entropy.iter().all(|seat| seat.commitment.len() == 32 && seat.entropy.is_empty()));
}

#[tokio::test]
pub(crate) async fn starting_table_goes_on_after_a_crash_with_its_full_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server_on_disk(folder.path()).await;
    server.folder = Some(folder.path().to_owned());
    let (id, [one, two]) = starting_table(&server.client()).await;
    server.client().reveal_entropy(reveal(&two, &TWO)).await.expect("a reveal");
    server.advance(ms(9_000));
    let (server, crashed) = crash(server, ms(60_000)).await;
    let client = server.client();
    assert_eq!(client.table(&id).await.state(), State::Starting);
    server.advance(ms(9_999));
    assert_eq!(client.table(&id).await.state(), State::Starting, "the time begins again");
    let server = restart(server, crashed.path(), ms(60_000)).await;
    let client = server.client();
    client.reveal_entropy(reveal(&two, &TWO)).await.expect("a repeat");
    client.reveal_entropy(reveal(&one, &ONE)).await.expect("a reveal");
    assert_eq!(client.table(&id).await.state(), State::Playing);
    assert_eq!(shown_entropy(&client, &id).await, [ONE.to_vec(), TWO.to_vec()]);
}
