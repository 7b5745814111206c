//! Every game over the wire: the same bot plays the same game locally and on a server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use parlor_engine::{AnyEvent, AnyView, GameId};
use parlor_sdk::local::LocalGame;
use parlor_sdk::{Bot, BotError, Choice, GameEnd, NewTable, Question, Update, wire};

use super::test_server::TestServer;
use super::with_timeout;

/// Questions, events and points of one bot.
#[derive(Clone, PartialEq, Debug, Default)]
struct GameLog {
    questions: Vec<(u32, ViewText, usize, usize)>,
    events: Vec<AnyEvent>,
    points: Option<i32>,
}

/// A view as text, for short failure messages.
type ViewText = String;

#[derive(Clone, Default)]
struct LoggingBot(Arc<Mutex<GameLog>>);

impl Bot for LoggingBot {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        let view: &AnyView = question.engine_view()?;
        let index = (question.id() as usize * 13 + question.seat() as usize) % question.legal_count();
        let asked = (question.id(), view.to_string(), question.default_index(), index);
        self.0.lock().unwrap().questions.push(asked);
        // Answers alternate between action and index.
        Ok(if question.id().is_multiple_of(2) {
            question.engine_actions()?[index].into()
        } else {
            index.into()
        })
    }

    fn observe(&mut self, update: &Update) {
        self.0.lock().unwrap().events.extend(update.engine_events().unwrap());
    }

    fn end(&mut self, end: &GameEnd<'_>) {
        self.0.lock().unwrap().points = end.own_result().map(|own| own.points);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn local_and_remote_games_are_equal() {
    let server = TestServer::start().await;
    let client = server.client().await;
    let session = client.session();
    for game in GameId::ALL {
        let id = game.info().id;
        let seed = [0x5e; 32];
        let local = [LoggingBot::default(), LoggingBot::default()];
        let (mut one, mut other) = (local[0].clone(), local[1].clone());
        let over = LocalGame::new(id).unwrap().seed(seed).play(&mut [&mut one, &mut other]).unwrap();

        let table = NewTable::new(id).open_seats(2).seed(seed).without_clock();
        let table = with_timeout(client.create_table(table)).await.unwrap();
        let mut seats = Vec::new();
        for _ in 0..2 {
            // Attached before the game starts, so that all updates are observed.
            let joined = with_timeout(client.join_table(&table)).await.unwrap();
            seats.push(with_timeout(session.seat(joined.token)).await.unwrap());
        }
        let remote = [LoggingBot::default(), LoggingBot::default()];
        let playing = seats
            .into_iter()
            .zip(remote.clone())
            .map(|(mut seat, mut bot)| tokio::spawn(async move { seat.play(&mut bot).await.unwrap() }));
        let finished: Vec<_> = with_timeout(futures_util::future::join_all(playing)).await;
        for (seat, (local, remote)) in local.iter().zip(&remote).enumerate() {
            let (local, remote) = (local.0.lock().unwrap(), remote.0.lock().unwrap());
            for (remote, local) in remote.questions.iter().zip(&local.questions) {
                assert!(remote == local, "{id}, seat {seat}: the games differ:\n{remote:#?}\n{local:#?}");
            }
            assert_eq!(remote.questions.len(), local.questions.len());
            assert_eq!(remote.points, local.points);
            // Simultaneous choices come in any order, so events are compared as multisets. The second player
            // sees the deal in its snapshot.
            let mut missing: Vec<String> = local.events.iter().map(|event| format!("{event:?}")).collect();
            for event in &remote.events {
                let place = missing.iter().position(|missing| *missing == format!("{event:?}"));
                missing.swap_remove(place.unwrap_or_else(|| panic!("{id}, seat {seat}: {event:?}")));
            }
            assert!(!remote.events.is_empty() && (seat == 1 || missing.is_empty()), "{id}: {missing:?}");
        }
        for finished in finished {
            let finished = finished.unwrap();
            let points = |result: &wire::TableResult| {
                result.seats.iter().map(|seat| (seat.seat, seat.points, seat.place)).collect::<Vec<_>>()
            };
            assert_eq!(points(finished.result().unwrap()), points(&over.result));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_game_is_played_against_house_bots_at_every_player_count() {
    let server = TestServer::start().await;
    let client = server.client().await;
    let mut tokens = BTreeMap::new();
    for game in with_timeout(client.games()).await.unwrap() {
        for players in game.min_players..=game.max_players {
            let mut table = NewTable::new(&game.game).open_seat().without_clock();
            for _ in 1..players {
                table = table.house_bot("random");
            }
            let table = with_timeout(client.create_table(table)).await.unwrap();
            let joined = with_timeout(client.join_table(&table)).await.unwrap();
            tokens.insert(joined.token.reveal().to_owned(), players);
        }
    }
    let session = client.session();
    let bot = || |question: &Question| Choice::Index(question.default_index());
    let seats = tokens.keys().map(|token| token.as_str().into()).collect::<Vec<_>>();
    let played: Vec<_> = with_timeout(session.play_all(seats, 100, bot).collect()).await;
    assert_eq!(played.len(), tokens.len());
    for played in played {
        let finished = played.outcome.unwrap();
        assert_eq!(finished.result().unwrap().reason(), wire::EndReason::PlayedOut);
        assert_eq!(finished.result().unwrap().seats.len() as u32, tokens[played.token.reveal()]);
        assert!(finished.own_result().is_some());
    }
}
