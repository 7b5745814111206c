//! Turns for platforms: `Table.waiting_for`, and the turns of FollowTables.

use std::collections::BTreeSet;

use parlor_engine::{AnyGame, GameId, Seat, Seats};
use parlor_proto::v1;
use parlor_server::identity::Scope;
use tonic::Streaming;

use crate::client::Client;
use crate::streams::{PlayStream, answer_index, play_seat};
use crate::table_requests::{cancel, clock, find_seed, gap, house, seeded, table, timed};
use crate::test_server::{TestServer, api_key, ms, wait_until, with_timeout};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// Reads the turns of FollowTables, and keeps who is asked.
struct Turns {
    stream: Streaming<v1::FollowTablesResponse>,
    asked: BTreeSet<(String, u32)>,
    changes: usize,
}

impl Turns {
    async fn follow(client: &Client) -> Turns {
        let request = v1::FollowTablesRequest { after: None, turns: true };
        let stream =
            with_timeout(client.tables().follow_tables(request)).await.expect("a stream").into_inner();
        Turns { stream, asked: BTreeSet::new(), changes: 0 }
    }

    /// Reads one message. A change must change something: a seat is asked or no longer asked, never twice.
    async fn read(&mut self) {
        let message = with_timeout(self.stream.message()).await.expect("a message").expect("an open stream");
        for v1::TurnChange { table_id, seat, asked } in message.turns {
            let place = (table_id, seat);
            let is_new = if asked { self.asked.insert(place) } else { self.asked.remove(&place) };
            assert!(is_new, "seat {seat} was told twice");
            self.changes += 1;
        }
    }

    /// Reads until exactly these seats of the table are asked.
    async fn until(&mut self, table: &str, seats: &[u32]) {
        while !self.of(table).eq(seats.iter().copied()) {
            self.read().await;
        }
    }

    fn of<'a>(&'a self, table: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.asked.iter().filter(move |(id, _)| id == table).map(|(_, seat)| *seat)
    }
}

#[tokio::test]
async fn turns_are_told_from_the_current_state_on() {
    let (anna, ben) = (api_key("anna", OWNER), api_key("ben", OWNER));
    let server = TestServer::with_keys([&anna, &ben]).await;
    let owner = server.client_with_key(&anna);
    let before = owner.new_seated_table(gap(2)).await;
    let foreign = server.client_with_key(&ben).new_seated_table(gap(2)).await;
    let first = owner.table(&before.id).await.waiting_for;
    assert_eq!(first.len(), 1);
    let mut turns = Turns::follow(&owner).await;
    turns.until(&before.id, &first).await;

    let mut stream = PlayStream::open_attached(&owner, 1, play_seat(&before.tokens[first[0] as usize])).await;
    let decision = stream.reader.decision(1).await;
    stream.answer(1, answer_index(decision.id, 0)).await;
    turns.until(&before.id, &[1 - first[0]]).await;
    assert_eq!(owner.table(&before.id).await.waiting_for, [1 - first[0]]);

    let after = owner.new_seated_table(gap(2)).await;
    let waiting = owner.table(&after.id).await.waiting_for;
    turns.until(&after.id, &waiting).await;
    owner.cancel_table(cancel(&before.id)).await.expect("an accepted request");
    turns.until(&before.id, &[]).await;
    assert_eq!(owner.table(&before.id).await.waiting_for, [0; 0]);
    assert_eq!(turns.of(&foreign.id).count(), 0, "turns are per owner");
}

#[tokio::test]
async fn turns_are_not_told_unless_wanted_and_not_of_house_bots() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut news = client.follow_tables(None).await.expect("a stream");
    let mut turns = Turns::follow(&client).await;
    let seats = vec![crate::table_requests::open(), house("random")];
    let seated = client.new_seated_table(v1::CreateTableRequest { seats, ..gap(2) }).await;
    turns.until(&seated.id, &[0]).await;
    assert_eq!(turns.changes, 1, "the house bot is never asked");
    assert_eq!(news.next().await.table_id, seated.id);
}

#[tokio::test]
async fn turns_continue_after_a_restart_with_the_tables_at_rest() {
    let server = TestServer::new().await;
    let seated = server.client().new_seated_table(gap(2)).await;
    let waiting = server.client().table(&seated.id).await.waiting_for;
    let server = server.restart(ms(1_000), async |log| log).await;
    let mut turns = Turns::follow(&server.client()).await;
    turns.until(&seated.id, &waiting).await;
}

/// Deals in which seat 0 begins and seat 1 has a PASS card, and in which nobody has: who is waited for is the same.
#[tokio::test]
async fn hidden_decision_is_neither_waited_for_nor_told() {
    let to_act = |seat: u8| move |game: &AnyGame| game.to_act() == Seats::from_iter(Seat::new(seat));
    for asked in [0, 1, 2] {
        let server = TestServer::new().await;
        let client = server.client();
        let mut turns = Turns::follow(&client).await;
        let seed = find_seed(GameId::NoDice, 3, to_act(asked));
        let request = timed(clock(10_000, 0, 0, 9), table(GameId::NoDice, 3));
        let seated = client.new_seated_table(seeded(seed, request)).await;
        let game = client.table(&seated.id).await;
        // The first window asks whoever has a PASS card; everyone sees that the first player's turn comes.
        turns.until(&seated.id, &game.waiting_for).await;
        assert_eq!(game.waiting_for.len(), 1);
        let changes = turns.changes;
        if !game.waiting_for.contains(&u32::from(asked)) {
            let mut stream =
                PlayStream::open_attached(&client, 1, play_seat(&seated.tokens[usize::from(asked)])).await;
            let decision = stream.reader.decision(1).await;
            assert!(decision.hidden);
            stream.answer(1, answer_index(decision.id, decision.default_index)).await;
            wait_until("the turn", async || client.table(&seated.id).await.waiting_for == game.waiting_for)
                .await;
            assert_eq!(turns.changes, changes);
        }
    }
}
