//! Fair shuffles: what is shown when, and that anyone can check it afterwards with nothing of the server's.

use hkdf::Hkdf;
use parlor_bots::HouseBot;
use parlor_engine::{GameId, NoEvents, Viewer};
use parlor_proto::v1::{self, table_event::Event};
use sha2::{Digest, Sha256};

use crate::players::{VIEWS, deal, dealt_again, play, whim};
use crate::streams::{Line, after, rail, seat, wanting};
use crate::table_requests::{fresh, gap, house, join, open, table};
use crate::test_server::Scene;

fn table_bytes(id: &str) -> [u8; 16] {
    *id.parse::<parlor_server::TableId>().expect("an id").as_bytes()
}

/// The commitment to a server seed, as table.proto has it.
fn commitment(id: &str, server_seed: &[u8]) -> Vec<u8> {
    let hash = Sha256::new().chain_update(b"parlor commitment v1").chain_update(table_bytes(id));
    hash.chain_update(server_seed).finalize().to_vec()
}

fn derive(salt: &[u8], server_seed: &[u8], info: &[u8]) -> [u8; 32] {
    let mut derived = [0; 32];
    Hkdf::<Sha256>::new(Some(salt), server_seed).expand(info, &mut derived).expect("32 bytes");
    derived
}

/// The seed of the game, from the server's and what each seat added.
fn game_seed(id: &str, shuffle: &v1::FairShuffle) -> [u8; 32] {
    let mut info = table_bytes(id).to_vec();
    for seat in &shuffle.entropy {
        info.push(u8::try_from(seat.entropy.len()).expect("up to 64"));
        info.extend(&seat.entropy);
    }
    derive(b"parlor seed v1", &shuffle.server_seed, &info)
}

#[tokio::test]
async fn the_server_is_bound_before_anybody_joins_and_everyone_can_check() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    for game in GameId::ALL {
        let made = caller.create_table(fresh(table(*game, 3))).await.unwrap().table.unwrap();
        let id = &made.table_id;
        let first = made.shuffle.clone().expect("a shuffle");
        assert_eq!((first.commitment.len(), first.seed_given), (32, false));
        assert!(first.entropy.is_empty() && first.server_seed.is_empty() && first.game_seed.is_empty());
        let entropies: [&[u8]; 3] = [b"anna's dice", b"", &[0xff; 64]];
        let mut tokens = Vec::new();
        for entropy in entropies {
            let joining = v1::JoinTableRequest { entropy: entropy.to_vec(), ..join(id) };
            let joined = caller.join_table(joining).await.unwrap();
            let shuffle = joined.table.unwrap().shuffle.unwrap();
            let is_last = tokens.len() == 2;
            assert_eq!(shuffle.commitment, first.commitment);
            assert_eq!(!shuffle.entropy.is_empty(), is_last, "secret until nobody can choose any more");
            assert!(shuffle.server_seed.is_empty() && shuffle.game_seed.is_empty());
            tokens.push(joined.seat_token);
        }
        let players = scene.play_seats(&crate::table_requests::Seated { id: id.clone(), tokens }).await;
        let over = caller.look(id).await;
        let shuffle = over.shuffle.clone().expect("a shuffle");
        let added: Vec<(u32, &[u8])> =
            shuffle.entropy.iter().map(|seat| (seat.seat, seat.entropy.as_slice())).collect();
        assert_eq!(added, (0..).zip(entropies).collect::<Vec<_>>());
        assert_eq!(
            commitment(id, &shuffle.server_seed),
            first.commitment,
            "{game:?}: the seed is the one promised"
        );
        assert_eq!(game_seed(id, &shuffle).to_vec(), shuffle.game_seed, "{game:?}");
        // The whole game again: every view that anybody was asked about, and the result.
        let again = dealt_again(&over, &players);
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
async fn what_is_told_at_the_start_has_the_entropy_and_no_seed() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let id = caller.make(fresh(gap(2))).await;
    for entropy in [b"one", b"two"] {
        caller.join_table(v1::JoinTableRequest { entropy: entropy.to_vec(), ..join(&id) }).await.unwrap();
    }
    let mut guest = Line::attached(&caller, 1, after(0, rail(&id))).await;
    let started = guest.heard.event(1, |event| match event {
        Event::Started(started) => started.shuffle.clone(),
        _ => None,
    });
    let shuffle = started.await;
    assert_eq!((shuffle.commitment.len(), shuffle.entropy.len()), (32, 2));
    assert!(shuffle.server_seed.is_empty() && shuffle.game_seed.is_empty());
    let too_much = v1::JoinTableRequest { entropy: vec![1; 65], ..join(&caller.make(gap(2)).await) };
    let refused = caller.join_table(too_much).await.expect_err("too much");
    assert_eq!(refused.fields, ["entropy"]);
}

#[tokio::test]
async fn no_two_tables_have_the_same_chance() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut shown = Vec::new();
    for _ in 0..20 {
        let made = caller.create_table(fresh(gap(2))).await.unwrap().table.unwrap();
        shown.push(made.shuffle.unwrap().commitment);
    }
    shown.sort();
    shown.dedup();
    assert_eq!(shown.len(), 20);
}

#[tokio::test]
async fn a_given_seed_shows_everywhere_and_proves_nothing() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = caller.seat_all(gap(2)).await;
    let table = caller.look(&seated.id).await;
    let shuffle = table.shuffle.expect("a shuffle");
    assert!(shuffle.seed_given && shuffle.commitment.is_empty() && shuffle.game_seed.is_empty());
    let mut line = Line::attached(&caller, 1, wanting(VIEWS, seat(&seated.tokens[0]))).await;
    assert!(line.heard.snapshot(1).await.view.expect("a view").seed_given);
    assert!(line.heard.decision(1).await.view.expect("a view").seed_given);
    let over = scene.play_seats(&seated).await[0].over().shuffle.expect("a shuffle");
    assert_eq!((over.game_seed, over.server_seed, over.entropy), (vec![7; 32], vec![], vec![]));
    for length in [0, 31, 33] {
        let seed = v1::GivenSeed { seed: vec![1; length] };
        let chance = Some(v1::create_table_request::Chance::GivenSeed(seed));
        let refused =
            caller.create_table(v1::CreateTableRequest { chance, ..gap(2) }).await.expect_err("no seed");
        assert_eq!(refused.fields, ["given_seed.seed"]);
    }
}

#[tokio::test]
async fn what_house_bots_did_follows_from_the_seed_too() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let setup = vec![open(), house("random"), house("greedy")];
    let seated = caller.seat_all(fresh(v1::CreateTableRequest { seats: setup, ..gap(3) })).await;
    let player = play(&caller, wanting(VIEWS, seat(&seated.tokens[0])), whim(4)).await;
    let over = caller.look(&seated.id).await;
    let server_seed = over.shuffle.clone().unwrap().server_seed;
    let mut game = deal(&over);
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
    assert!(own.next().is_none(), "the game ended when it ended");
    let points: Vec<i32> = game.outcome().unwrap().standings().map(|standing| standing.points).collect();
    let shown: Vec<i32> = over.result.unwrap().seats.iter().map(|seat| seat.points).collect();
    assert_eq!(points, shown);
}
