//! The platform client: creates the tables and joins the seats, retrying until acknowledged.

use std::time::Duration;

use parlor_engine::GameId;
use parlor_proto::v1;
use parlor_proto::v1::table_service_client::TableServiceClient;
use tonic::transport::Channel;
use tonic::{Code, Response, Status};

use crate::network::{CLIENT_TIMEOUT, connect};
use crate::seat_observer::Violations;

/// Players per table.
pub(crate) const PLAYERS: u32 = 3;

/// A joined seat.
#[derive(Clone, Debug)]
pub(crate) struct ClaimedSeat {
    /// Name for messages.
    pub(crate) name: String,
    pub(crate) token: String,
}

/// Retries a call, each time on a new connection, until it succeeds. `None` if the server has lost something
/// acknowledged, which is recorded as a violation.
async fn call_until_ok<T, F>(
    violations: &Violations,
    mut call: impl FnMut(TableServiceClient<Channel>) -> F,
) -> Option<T>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    loop {
        if let Some(channel) = connect().await {
            match tokio::time::timeout(CLIENT_TIMEOUT, call(TableServiceClient::new(channel))).await {
                Ok(Ok(response)) => return Some(response.into_inner()),
                Ok(Err(status)) if status.code() == Code::NotFound => {
                    violations.add(format!("an acknowledged table is missing: {}", status.message()));
                    return None;
                }
                Ok(Err(_)) | Err(_) => {}
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A table without a clock, so that outages cause no timeouts.
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

/// Creates a table of each game and joins all seats. `None` after a violation.
pub(crate) async fn open_tables(
    games: &[GameId],
    seed: u64,
    violations: &Violations,
) -> Option<Vec<ClaimedSeat>> {
    let mut seats = Vec::new();
    for game in games {
        let request = new_table(*game, seed);
        let made = call_until_ok(violations, |mut tables| {
            let request = request.clone();
            async move { tables.create_table(request).await }
        });
        let table = made.await?.table.expect("a table").table_id;
        for seat in 0..PLAYERS {
            let name = format!("seat {seat} of {}", game.info().id);
            let (request_id, table_id) = (format!("a simulated client in {name}"), table.clone());
            let request =
                v1::JoinTableRequest { request_id, table_id, seat: Some(seat), ..Default::default() };
            let joined = call_until_ok(violations, |mut tables| {
                let request = request.clone();
                async move { tables.join_table(request).await }
            });
            seats.push(ClaimedSeat { name, token: joined.await?.seat_token });
        }
    }
    let list = |mut tables: TableServiceClient<Channel>| async move {
        tables.list_tables(v1::ListTablesRequest::default()).await
    };
    let listed = call_until_ok(violations, list).await?.tables.len();
    if listed != games.len() {
        violations.add(format!("{} tables created, and {listed} listed", games.len()));
    }
    Some(seats)
}
