//! Every game from its making to its result, with every number of players, everyone over a stream of their own.

use std::sync::Arc;

use parlor_engine::{GameId, Viewer};
use parlor_proto::v1::{self, stream_item::Item, table_event::Event};
use parlor_server::log::{Options, SqliteLog};

use crate::players::{Choose, Game, Seen, dealt_again, engine_view, whim};
use crate::streams::{Line, answering, attaching, index, seat};
use crate::table_requests::{house, open, table};
use crate::test_server::Scene;

/// Plays the game with each number of players that it allows.
async fn play_all(game: GameId) {
    let scene = Scene::new().await;
    let info = game.info();
    for players in info.min_players..=info.max_players {
        let played = scene.play_out(table(game, players.into())).await;
        assert_eq!(played.players.len(), usize::from(players));
        check(&scene.anyone().look(&played.id).await, &played);
    }
}

/// Holds what everyone saw against the table, and against the game that its seed deals.
fn check(table: &v1::Table, played: &Game) {
    assert_eq!(table.state(), v1::TableState::Finished);
    let result = table.result.clone().expect("a result");
    assert_eq!(result.reason(), v1::EndReason::PlayedOut);
    let again = dealt_again(table, &played.players);
    let outcome = again.outcome().expect("the game is over");
    for (standing, seat) in outcome.standings().zip(&result.seats) {
        assert_eq!(standing.seat.index(), seat.seat as usize);
        assert_eq!((standing.points, u32::from(standing.place)), (seat.points, seat.place));
        assert_eq!((seat.finish(), seat.clocks_run_out), (v1::SeatFinish::PlayedOut, 0));
    }
    assert_eq!(result.seats.len(), played.players.len());
    let viewers = Viewer::all(again.players());
    for (viewer, seen) in viewers.zip(played.players.iter().chain([&played.spectator])) {
        seen.check();
        let over = seen.over();
        assert_eq!((over.result.as_ref(), over.shuffle.as_ref()), (Some(&result), table.shuffle.as_ref()));
        assert_eq!(seen.snapshot().viewer, Some(viewer.into()));
        let last = last_view(seen);
        assert!(last.seed_given, "a chosen deal shows on every view");
        assert_eq!(engine_view(last), again.view(viewer), "{viewer:?} at the end");
    }
    check_spectator(&played.spectator, played.players.len());
    assert!(played.players.iter().all(|seen| seen.decisions().count() == seen.decided().count()));
}

fn last_view(seen: &Seen) -> &v1::GameView {
    seen.updates().last().and_then(|update| update.view.as_deref()).expect("a view with each update")
}

/// Somebody who came before the first player sees everyone sit down, the beginning and the end, and is asked nothing.
fn check_spectator(seen: &Seen, players: usize) {
    assert_eq!((seen.snapshot().number, seen.decisions().count()), (0, 0));
    let events = seen.events();
    assert!(events[..players].iter().all(|event| matches!(event, Event::SeatJoined(_))));
    assert!(matches!(&events[players..], [Event::Started(_), Event::Over(_)]), "{events:?}");
    assert_eq!(seen.decided().count(), 0);
}

#[tokio::test]
async fn habe_fertig_with_every_number_of_players() {
    play_all(GameId::HabeFertig).await;
}

#[tokio::test]
async fn gap_with_every_number_of_players() {
    play_all(GameId::Gap).await;
}

#[tokio::test]
async fn flush_with_every_number_of_players() {
    play_all(GameId::Flush).await;
}

#[tokio::test]
async fn no_dice_with_every_number_of_players() {
    play_all(GameId::NoDice).await;
}

/// Tables of every game at once, all their seats over one stream, on a store in a file and with several threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_plays_many_tables() {
    let folder = tempfile::tempdir().unwrap();
    let log = SqliteLog::open(&folder.path().join("parlor.db"), Options::default()).unwrap();
    let scene = Scene::on(Arc::new(log), |_| {}).await;
    let mut tables = Vec::new();
    for _ in 0..3 {
        for game in GameId::ALL {
            let seats = vec![open(), house("random"), open()];
            tables.push(scene.seat_all(v1::CreateTableRequest { seats, ..table(*game, 3) }).await);
        }
    }
    let mut line = Line::open(&scene.anyone()).await;
    let tokens: Vec<&String> = tables.iter().flat_map(|table| &table.tokens).collect();
    line.say((0..).zip(&tokens).map(|(channel, token)| attaching(channel, seat(token))).collect()).await;
    let mut seen = vec![Seen::default(); tokens.len()];
    let (mut whim, mut open) = (whim(9), tokens.len());
    while open > 0 {
        let (channel, item) = line.heard.next().await;
        if let Item::Decision(decision) = &item {
            line.say(vec![answering(channel, index(decision.id, whim.choose(decision)))]).await;
        }
        open -= usize::from(matches!(item, Item::Closed(_)));
        seen[channel as usize].items.push(item);
    }
    seen.iter().for_each(Seen::check);
    for table in &tables {
        assert_eq!(scene.anyone().look(&table.id).await.state(), v1::TableState::Finished);
    }
}

/// A game that is added to the catalogue is added above.
#[test]
fn no_game_is_left_out() {
    assert_eq!(GameId::ALL, [GameId::HabeFertig, GameId::Gap, GameId::Flush, GameId::NoDice]);
}
