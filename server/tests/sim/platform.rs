//! The platform: it makes the tables and takes the seats, and asks again until it is told that it has them.

use std::time::Duration;

use parlor_engine::GameId;
use parlor_proto::v1;
use parlor_proto::v1::table_service_client::TableServiceClient;
use tonic::transport::Channel;
use tonic::{Code, Response, Status};

use crate::network::{PATIENCE, connect};
use crate::seat_observer::Broken;

/// How many play at each table.
pub(crate) const PLAYERS: u32 = 3;

/// A seat that is to be played.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Which seat of which table, for people.
    pub(crate) name: String,
    pub(crate) token: String,
}

/// Asks until there is an answer. Each try may be on a new connection, and says the same. Nothing: the server has
/// forgotten what it had acknowledged, which is noted.
async fn ask<T, F>(broken: &Broken, mut call: impl FnMut(TableServiceClient<Channel>) -> F) -> Option<T>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    loop {
        if let Some(channel) = connect().await {
            match tokio::time::timeout(PATIENCE, call(TableServiceClient::new(channel))).await {
                Ok(Ok(response)) => return Some(response.into_inner()),
                Ok(Err(status)) if status.code() == Code::NotFound => {
                    broken.note(format!("what was made is not there: {}", status.message()));
                    return None;
                }
                Ok(Err(_)) | Err(_) => {}
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A table of a game with no clock, so that outages decide nothing.
fn new_table(game: GameId, seed: u64) -> v1::CreateTableRequest {
    let clock =
        v1::ClockSettings { decision_ms: Some(0), hidden_window_ms: Some(600_000), ..Default::default() };
    let open = v1::seat_setup::Occupant::Open(v1::OpenSeat {});
    v1::CreateTableRequest {
        request_id: format!("a table of {}", game.info().id),
        options: Some(game.default_options().into()),
        seats: vec![v1::SeatSetup { occupant: Some(open) }; PLAYERS as usize],
        clock: Some(clock),
        chance: Some(v1::create_table_request::Chance::GivenSeed(v1::GivenSeed {
            seed: vec![seed as u8; 32],
        })),
        ..Default::default()
    }
}

/// Makes a table of each game, and takes all seats. Nothing: a promise was broken.
pub(crate) async fn open_tables(games: &[GameId], seed: u64, broken: &Broken) -> Option<Vec<Place>> {
    let mut places = Vec::new();
    for game in games {
        let request = new_table(*game, seed);
        let made = ask(broken, |mut tables| {
            let request = request.clone();
            async move { tables.create_table(request).await }
        });
        let table = made.await?.table.expect("a table").table_id;
        for seat in 0..PLAYERS {
            let name = format!("seat {seat} of {}", game.info().id);
            let (request_id, table_id) = (name.clone(), table.clone());
            let request =
                v1::JoinTableRequest { request_id, table_id, seat: Some(seat), ..Default::default() };
            let joined = ask(broken, |mut tables| {
                let request = request.clone();
                async move { tables.join_table(request).await }
            });
            places.push(Place { name, token: joined.await?.seat_token });
        }
    }
    let list = |mut tables: TableServiceClient<Channel>| async move {
        tables.list_tables(v1::ListTablesRequest::default()).await
    };
    let listed = ask(broken, list).await?.tables.len();
    if listed != games.len() {
        broken.note(format!("{} tables were asked for, and there are {listed}", games.len()));
    }
    Some(places)
}
