//! The load: tables of all games, made and played for ever, each seat on one of several streams.

use std::sync::Arc;

use anyhow::Result;
use parlor_proto::v1 as wire;
use rand_core::Rng;
use tokio::task::JoinSet;
use tonic::Status;
use wire::game_options::Game;

use crate::dial::reason;
use crate::stream;
use crate::world::{World, generator};

/// How much is played at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Tables at once.
    pub(crate) tables: usize,
    /// Streams, each with a connection of its own.
    pub(crate) streams: usize,
    /// Whether every table is one of GAP for two, where one seat is asked at a time.
    pub(crate) one_at_a_time: bool,
}

/// A load under way. It ends when it is dropped.
pub(crate) struct Load {
    pub(crate) world: Arc<World>,
    _tasks: JoinSet<()>,
}

impl Load {
    /// Begins as soon as the world's dial has an address.
    pub(crate) fn start(seed: u64, size: Size) -> Load {
        let (world, receivers) = World::new(seed, size.streams);
        let world = Arc::new(world);
        let mut tasks = JoinSet::new();
        for (number, seats) in receivers.into_iter().enumerate() {
            tasks.spawn(stream::play(world.clone(), number, seats));
        }
        for place in 0..size.tables {
            tasks.spawn(keep_playing(world.clone(), place, size.one_at_a_time));
        }
        Load { world, _tasks: tasks }
    }

    /// Ends the play, so that the accounts can be held against what the server has.
    pub(crate) fn stop(self) -> Arc<World> {
        self.world
    }
}

/// Makes one table after the other.
async fn keep_playing(world: Arc<World>, place: usize, one_at_a_time: bool) {
    let mut rng = generator(world.seed, "tables", place);
    for round in 0.. {
        let (game, players) = match rng.next_u32() % 4 {
            _ if one_at_a_time => (Game::Gap(wire::GapOptions::default()), 2),
            0 => (Game::HabeFertig(wire::HabeFertigOptions::default()), 2 + rng.next_u32() % 3),
            1 => (Game::Gap(wire::GapOptions::default()), 2 + rng.next_u32() % 4),
            2 => (Game::Flush(wire::FlushOptions::default()), 2 + rng.next_u32() % 4),
            _ => (Game::NoDice(wire::NoDiceOptions::default()), 2 + rng.next_u32() % 4),
        };
        match open(&world, &format!("{place}-{round}"), game, players).await {
            // The world ends with the run.
            Ok((id, tokens)) => drop(world.open(id, tokens).await.await),
            Err(Opening::Lost(what)) => world.state().tally.lose(1, what),
            Err(Opening::Failed(what)) => return world.trouble(what),
        }
        world.changed();
    }
}

/// Why there is no table.
enum Opening {
    /// The server has lost it after it had said that it is there.
    Lost(String),
    Failed(String),
}

impl Opening {
    fn failed(what: &str, status: &Status) -> Opening {
        Opening::Failed(format!("{what}: {:?} {}", status.code(), status.message()))
    }
}

/// Makes a table and takes all its seats. Every call may be made several times, and is done once.
async fn open(world: &World, name: &str, game: Game, players: u32) -> Result<(String, Vec<String>), Opening> {
    let create = wire::CreateTableRequest {
        request_id: format!("table-{name}"),
        options: Some(wire::GameOptions { game: Some(game) }),
        seats: (0..players).map(|_| wire::SeatSetup::default()).collect(),
        // Nobody but the players decides anything: no clock, and hidden decisions have as long as they can.
        clock: Some(wire::ClockSettings {
            decision_ms: Some(0),
            hidden_window_ms: Some(600_000),
            ..wire::ClockSettings::default()
        }),
        ..wire::CreateTableRequest::default()
    };
    let created = world.dial.call(|mut client| {
        let create = create.clone();
        async move { client.create_table(create).await }
    });
    let created = created.await.map_err(|status| Opening::failed("a table cannot be made", &status))?;
    let id = created.table.unwrap_or_default().table_id;
    let mut tokens = Vec::new();
    for seat in 0..players {
        let join = wire::JoinTableRequest {
            request_id: format!("seat-{seat}-{name}"),
            table_id: id.clone(),
            seat: Some(seat),
            ..wire::JoinTableRequest::default()
        };
        let joined = world.dial.call(|mut client| {
            let join = join.clone();
            async move { client.join_table(join).await }
        });
        tokens.push(joined.await.map_err(|status| match reason(&status).as_deref() {
            Some("TABLE_NOT_FOUND") => Opening::Lost(format!("table {id} is gone before it began")),
            _ => Opening::failed("a seat cannot be taken", &status),
        })?);
    }
    Ok((id, tokens.into_iter().map(|joined| joined.seat_token).collect()))
}
