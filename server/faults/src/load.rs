//! Load generator: creates and plays tables of all games without end, each seat on one of several streams.

use std::sync::Arc;

use anyhow::Result;
use parlor_engine::GameId;
use parlor_proto::v1 as wire;
use rand_core::Rng;
use tokio::task::JoinSet;
use tonic::Status;

use crate::play_client;
use crate::run::{Run, rng_for};
use crate::server_address::reason;

/// Maximum number of players at a table of the load.
const MAX_PLAYERS: u8 = 5;

/// Size of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadSize {
    /// Concurrent tables.
    pub(crate) tables: usize,
    /// Streams, each with its own connection.
    pub(crate) streams: usize,
    /// Only tables of GAP for two, where one seat decides at a time.
    pub(crate) one_at_a_time: bool,
    /// Seats answer up to 200 ms after they are asked, and the latency of answers is measured.
    pub(crate) at_leisure: bool,
}

/// A running load. Dropping it ends it.
pub(crate) struct Load {
    pub(crate) run: Arc<Run>,
    _tasks: JoinSet<()>,
}

impl Load {
    /// Starts the load. It plays as soon as the server's address is set.
    pub(crate) fn start(seed: u64, size: LoadSize) -> Load {
        let (run, receivers) = Run::new(seed, size.streams, size.at_leisure);
        let run = Arc::new(run);
        let mut tasks = JoinSet::new();
        for (number, seats) in receivers.into_iter().enumerate() {
            tasks.spawn(play_client::play(run.clone(), number, seats));
        }
        for place in 0..size.tables {
            tasks.spawn(play_tables(run.clone(), place, size.one_at_a_time));
        }
        Load { run, _tasks: tasks }
    }

    /// Ends the load and returns the shared state, so that the ledgers can be compared with the server.
    pub(crate) fn stop(self) -> Arc<Run> {
        self.run
    }
}

/// Creates and plays one table after the other.
async fn play_tables(run: Arc<Run>, place: usize, one_at_a_time: bool) {
    let mut rng = rng_for(run.seed, "tables", place);
    for round in 0.. {
        let games: Vec<GameId> = GameId::published().collect();
        let game = games[rng.next_u32() as usize % games.len()];
        let (game, players) = match one_at_a_time {
            true => (GameId::Gap, 2),
            false => (game, random_players(game, &mut rng)),
        };
        match create_table(&run, &format!("{place}-{round}"), game, players).await {
            // The sender ends with the run.
            Ok((id, tokens)) => drop(run.add_table(id, tokens).await.await),
            Err(CreateError::Lost(what)) => run.state().counts.add_loss(1, what),
            Err(CreateError::Failed(what)) => return run.fail(what),
        }
        run.changed();
    }
}

/// A number of players of the game, up to [`MAX_PLAYERS`].
fn random_players(game: GameId, rng: &mut impl Rng) -> u32 {
    let info = game.info();
    let (least, most) = (u32::from(info.min_players), u32::from(info.max_players.min(MAX_PLAYERS)));
    least + rng.next_u32() % (most + 1 - least)
}

/// Failure to create a table.
enum CreateError {
    /// The server lost the table after it had acknowledged it.
    Lost(String),
    Failed(String),
}

impl CreateError {
    fn failed(what: &str, status: &Status) -> CreateError {
        CreateError::Failed(format!("{what}: {:?} {}", status.code(), status.message()))
    }
}

/// Creates a table and joins all its seats. Calls are retried; request ids make them idempotent.
async fn create_table(
    run: &Run,
    name: &str,
    game: GameId,
    players: u32,
) -> Result<(String, Vec<String>), CreateError> {
    let create = wire::CreateTableRequest {
        request_id: format!("table-{name}"),
        options: Some(game.default_options().into()),
        seats: (0..players).map(|_| wire::SeatSetup::default()).collect(),
        // Only the players decide: no clock, and the longest time for hidden decisions.
        clock: Some(wire::ClockSettings {
            decision_ms: Some(0),
            hidden_window_ms: Some(600_000),
            ..wire::ClockSettings::default()
        }),
        ..wire::CreateTableRequest::default()
    };
    let created = run.server.call(|mut client| {
        let create = create.clone();
        async move { client.create_table(create).await }
    });
    let created =
        created.await.map_err(|status| CreateError::failed("a table cannot be created", &status))?;
    let id = created.table.unwrap_or_default().table_id;
    let mut tokens = Vec::new();
    for seat in 0..players {
        let join = wire::JoinTableRequest {
            request_id: format!("seat {seat} of the table {name}"),
            table_id: id.clone(),
            seat: Some(seat),
            ..wire::JoinTableRequest::default()
        };
        let joined = run.server.call(|mut client| {
            let join = join.clone();
            async move { client.join_table(join).await }
        });
        tokens.push(joined.await.map_err(|status| match reason(&status).as_deref() {
            Some("TABLE_NOT_FOUND") => CreateError::Lost(format!("table {id} is gone before it began")),
            _ => CreateError::failed("a seat cannot be joined", &status),
        })?);
    }
    Ok((id, tokens.into_iter().map(|joined| joined.seat_token).collect()))
}
