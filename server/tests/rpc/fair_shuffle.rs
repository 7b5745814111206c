//! Fair shuffles: when commitments, entropy and seeds are shown, and verification without the server's code.

use hkdf::Hkdf;
use parlor_bots::HouseBot;
use parlor_engine::{GameId, NoEvents, Viewer};
use parlor_proto::v1::{self, table_event::Event};
use sha2::{Digest, Sha256};

use crate::players::{WANT_VIEWS, deal_from_seed, play, random_choice, replay_from_seed};
use crate::streams::{PlayStream, play_seat, resume_after, spectate, with_wants};
use crate::table_requests::{commit, fresh, gap, house, join, open, reveal, table};
use crate::test_server::TestServer;

fn table_bytes(id: &str) -> [u8; 16] {
    *id.parse::<parlor_server::TableId>().expect("an id").as_bytes()
}

/// The commitment to a server seed, as table.proto specifies it.
fn commitment(id: &str, server_seed: &[u8]) -> Vec<u8> {
    let hash = Sha256::new().chain_update(b"parlor commitment v1").chain_update(table_bytes(id));
    hash.chain_update(server_seed).finalize().to_vec()
}

fn derive(salt: &[u8], server_seed: &[u8], info: &[u8]) -> [u8; 32] {
    let mut derived = [0; 32];
    Hkdf::<Sha256>::new(Some(salt), server_seed).expand(info, &mut derived).expect("32 bytes");
    derived
}

/// The game seed, from the server seed and the entropy of each seat.
fn game_seed(id: &str, shuffle: &v1::FairShuffle) -> [u8; 32] {
    let mut info = table_bytes(id).to_vec();
    for seat in &shuffle.entropy {
        info.push(u8::try_from(seat.entropy.len()).expect("at most 64 bytes"));
        info.extend(&seat.entropy);
    }
    derive(b"parlor seed v1", &shuffle.server_seed, &info)
}

#[tokio::test]
async fn commitment_precedes_joins_and_the_game_verifies_from_the_revealed_seed() {
    let server = TestServer::new().await;
    let client = server.client();
    for game in GameId::ALL {
        let made = client.create_table(fresh(table(*game, 3))).await.unwrap().table.unwrap();
        let id = &made.table_id;
        let first = made.shuffle.clone().expect("a shuffle");
        assert_eq!((first.commitment.len(), first.seed_given), (32, false));
        assert!(first.entropy.is_empty() && first.server_seed.is_empty() && first.game_seed.is_empty());
        let entropies: [&[u8]; 3] = [b"the dice of anna", b"", &[0xff; 64]];
        let mut tokens = Vec::new();
        let mut commitments = Vec::new();
        for entropy in entropies {
            let joining = if entropy.is_empty() { join(id) } else { commit(id, entropy) };
            commitments.push(joining.entropy_commitment.clone());
            let joined = client.join_table(joining).await.unwrap();
            let shuffle = joined.table.unwrap().shuffle.unwrap();
            let is_last = tokens.len() == 2;
            assert_eq!(shuffle.commitment, first.commitment);
            let shown: Vec<Vec<u8>> = shuffle.entropy.iter().map(|seat| seat.commitment.clone()).collect();
            assert_eq!(shown, if is_last { commitments.clone() } else { Vec::new() });
            assert!(shuffle.entropy.iter().all(|seat| seat.entropy.is_empty()));
            assert!(shuffle.server_seed.is_empty() && shuffle.game_seed.is_empty());
            tokens.push(joined.seat_token);
        }
        client.reveal_entropy(reveal(&tokens[0], entropies[0])).await.unwrap();
        assert_eq!(client.table(id).await.state(), v1::TableState::Starting);
        client.reveal_entropy(reveal(&tokens[2], entropies[2])).await.unwrap();
        let players = server.play_seats(&crate::table_requests::SeatedTable { id: id.clone(), tokens }).await;
        let over = client.table(id).await;
        let shuffle = over.shuffle.clone().expect("a shuffle");
        let added: Vec<(u32, &[u8])> =
            shuffle.entropy.iter().map(|seat| (seat.seat, seat.entropy.as_slice())).collect();
        assert_eq!(added, (0..).zip(entropies).collect::<Vec<_>>());
        assert_eq!(
            commitment(id, &shuffle.server_seed),
            first.commitment,
            "{game:?}: the revealed seed matches the commitment"
        );
        assert_eq!(game_seed(id, &shuffle).to_vec(), shuffle.game_seed, "{game:?}");
        // Replays the game: the view of every decision, and the result.
        let again = replay_from_seed(&over, &players);
        let outcome = again.outcome().expect("an outcome");
        let points: Vec<i32> = outcome.standings().map(|standing| standing.points).collect();
        let shown: Vec<i32> = over.result.unwrap().seats.iter().map(|seat| seat.points).collect();
        assert_eq!(points, shown, "{game:?}");
        for seen in &players {
            assert_eq!(seen.over().shuffle, Some(shuffle.clone()));
            let views = seen.updates().filter_map(|update| update.view.as_deref());
            assert!(views.into_iter().all(|view| !view.seed_given));
        }
    }
}

#[tokio::test]
async fn started_event_has_the_entropy_and_no_seed() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(fresh(gap(2))).await;
    let mut tokens = Vec::new();
    for entropy in [[1; 16], [2; 16]] {
        tokens.push((client.join_table(commit(&id, &entropy)).await.unwrap().seat_token, entropy));
    }
    for (token, entropy) in &tokens {
        client.reveal_entropy(reveal(token, entropy)).await.unwrap();
    }
    let mut spectator = PlayStream::open_attached(&client, 1, resume_after(0, spectate(&id))).await;
    let started = spectator.reader.event(1, |event| match event {
        Event::Started(started) => started.shuffle.clone(),
        _ => None,
    });
    let shuffle = started.await;
    assert_eq!((shuffle.commitment.len(), shuffle.entropy.len()), (32, 2));
    assert!(shuffle.server_seed.is_empty() && shuffle.game_seed.is_empty());
}

#[tokio::test]
async fn commitments_of_tables_are_distinct() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut shown = Vec::new();
    for _ in 0..20 {
        let made = client.create_table(fresh(gap(2))).await.unwrap().table.unwrap();
        shown.push(made.shuffle.unwrap().commitment);
    }
    shown.sort();
    shown.dedup();
    assert_eq!(shown.len(), 20);
}

#[tokio::test]
async fn given_seed_is_marked_on_every_view_and_has_no_commitment() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = client.new_seated_table(gap(2)).await;
    let table = client.table(&seated.id).await;
    let shuffle = table.shuffle.expect("a shuffle");
    assert!(shuffle.seed_given && shuffle.commitment.is_empty() && shuffle.game_seed.is_empty());
    let mut stream =
        PlayStream::open_attached(&client, 1, with_wants(WANT_VIEWS, play_seat(&seated.tokens[0]))).await;
    assert!(stream.reader.snapshot(1).await.view.expect("a view").seed_given);
    let mut stream = PlayStream::open_attached(&client, 1, play_seat(&seated.tokens[0])).await;
    assert!(stream.reader.decision(1).await.view.expect("a view").seed_given);
    let over = server.play_seats(&seated).await[0].over().shuffle.expect("a shuffle");
    assert_eq!((over.game_seed, over.server_seed, over.entropy), (vec![7; 32], vec![], vec![]));
    for length in [0, 31, 33] {
        let seed = v1::GivenSeed { seed: vec![1; length] };
        let chance = Some(v1::create_table_request::Chance::GivenSeed(seed));
        let refused = client
            .create_table(v1::CreateTableRequest { chance, ..gap(2) })
            .await
            .expect_err("an invalid seed");
        assert_eq!(refused.fields, ["given_seed.seed"]);
    }
}

#[tokio::test]
async fn house_bot_decisions_follow_from_the_server_seed() {
    let server = TestServer::new().await;
    let client = server.client();
    let setup = vec![open(), house("random"), house("greedy")];
    let seated = client.new_seated_table(fresh(v1::CreateTableRequest { seats: setup, ..gap(3) })).await;
    let player = play(&client, with_wants(WANT_VIEWS, play_seat(&seated.tokens[0])), random_choice(4)).await;
    let over = client.table(&seated.id).await;
    let server_seed = over.shuffle.clone().unwrap().server_seed;
    let mut game = deal_from_seed(&over);
    let mut own = player.decided().map(|made| made.action.clone().unwrap().try_into().unwrap());
    let (bots, mut asked) = ([None, Some("random"), Some("greedy")], [0_u64; 3]);
    while let Some(seat) = game.to_act().first() {
        asked[seat.index()] += 1;
        let action = match bots[seat.index()] {
            None => own.next().expect("a decision of the player"),
            Some(name) => {
                let mut info = vec![seat.index() as u8];
                info.extend(asked[seat.index()].to_be_bytes());
                let seed = derive(b"parlor bot v1", &server_seed, &info);
                let legal = game.legal_actions(seat);
                let bot = HouseBot::by_name(name).expect("a bot");
                legal[bot.decide(&game.view(Viewer::Seat(seat)), &legal, seed).expect("a choice")]
            }
        };
        game.apply(seat, action, &mut NoEvents).expect("legal");
    }
    assert!(own.next().is_none(), "no decisions after the end of the replay");
    let points: Vec<i32> = game.outcome().unwrap().standings().map(|standing| standing.points).collect();
    let shown: Vec<i32> = over.result.unwrap().seats.iter().map(|seat| seat.points).collect();
    assert_eq!(points, shown);
}
