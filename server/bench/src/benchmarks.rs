//! The benchmarks. Each turn measures all variants once, one after the other, so that disturbances of the
//! machine affect all of them alike; the median of the turns is reported.

use std::path::Path;

use anyhow::{Result, ensure};
use parlor_proto::v1 as wire;

use crate::baseline::Sizes;
use crate::message_sizes::BytesPerMove;
use crate::process::{Load, LoadResult, Server};
use crate::samples::{Samples, print};
use crate::{Measurement, filled_store, message_sizes};

/// Number of connections, unless each seat has its own.
const CONNECTIONS: usize = 16;
/// Moves per second while memory is measured.
const MEMORY_MOVES_PER_SECOND: f64 = 500.0;
/// Delay of updates in the variant of the baseline with delays: about the duration of a commit.
const DELAY_MS: u64 = 2;
/// Options for games that outlast the measurement: the baseline has no starts and ends of games either.
const LONG_GAME: &[&str] = &["rounds=100"];

/// Measures moves per CPU-second of the server and of the baseline. Returns the moves per second over few
/// streams.
pub(crate) fn moves(measurement: Measurement) -> Result<f64> {
    bytes_per_move()?;
    let sizes = bare_sizes()?;
    print("bare_message_view", sizes.view as f64, "bytes", 0);
    print("bare_message_events", sizes.events as f64, "bytes", 0);
    let load = Load::of(measurement);
    let stream = Load { stream_per_seat: true, ..load };
    let connection = Load { connections: 2 * load.tables, ..stream };
    let games = Load { options: &[], ..load };
    let few = Load { tables: load.tables / 10, ..load };
    let many = Load { tables: load.tables * 10, ..load };

    // Compared variants are measured in direct succession: the machine changes from minute to minute.
    let names = [
        "host_mux",
        "bare_stream",
        "host_stream",
        "host_conn",
        "bare_conn",
        "bare_turns",
        "host_games",
        "host_100",
        "host_10k",
    ];
    let mut all: [Samples; 9] = Default::default();
    let mut full = Samples::default();
    for turn in 0..measurement.turns {
        eprintln!("bench: turn {} of {} ...", turn + 1, measurement.turns);
        let measured = [
            on_hosted(load)?,
            on_bare(stream, sizes)?,
            on_hosted(stream)?,
            on_hosted(connection)?,
            on_bare(connection, sizes)?,
            on_delayed_bare(connection, sizes)?,
            on_hosted(games)?,
            on_hosted(few)?,
            on_hosted(many)?,
        ];
        for (samples, measured) in all.iter_mut().zip(&measured) {
            samples.add(measured.per_cpu_second);
        }
        full.add(measured[0].per_second);
    }
    for (name, samples) in names.iter().zip(&all) {
        samples.print(name, "moves/cpu-s", 0);
    }
    let [mux, bare_stream, streams, connections, bare_connection, delayed, whole, hundred, ten_thousand] =
        &all;
    mux.ratio_to(bare_stream).print("host_vs_bare_mux", "x", 2);
    streams.ratio_to(bare_stream).print("host_vs_bare_stream", "x", 2);
    connections.ratio_to(bare_connection).print("host_vs_bare_conn", "x", 2);
    delayed.ratio_to(bare_connection).print("bare_turns_vs_bare_conn", "x", 2);
    connections.ratio_to(delayed).print("host_conn_vs_bare_turns", "x", 2);
    whole.ratio_to(bare_stream).print("host_games_vs_bare", "x", 2);
    ten_thousand.ratio_to(hundred).print("host_10k_vs_100", "x", 2);
    Ok(full.median())
}

impl Load {
    /// All tables over few streams, at maximum rate.
    fn of(measurement: Measurement) -> Load {
        let Measurement { tables, seconds, .. } = measurement;
        Load {
            tables,
            connections: CONNECTIONS,
            stream_per_seat: false,
            seconds,
            rate: None,
            options: LONG_GAME,
        }
    }
}

fn on_hosted(load: Load) -> Result<LoadResult> {
    let data = tempfile::tempdir()?;
    load.on_hosted(&Server::hosted(data.path())?)
}

fn on_bare(load: Load, sizes: Sizes) -> Result<LoadResult> {
    load.on_bare(&Server::bare(load.tables, sizes, None)?, sizes)
}

/// The baseline with delayed updates: isolates the cost of the time between a move and its update.
fn on_delayed_bare(load: Load, sizes: Sizes) -> Result<LoadResult> {
    load.on_bare(&Server::bare(load.tables, sizes, Some(DELAY_MS))?, sizes)
}

/// Measures the bytes of a move for these stream contents.
fn measure_bytes(wants: wire::Wants) -> Result<BytesPerMove> {
    let data = tempfile::tempdir()?;
    let server = Server::hosted(data.path())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(message_sizes::measure(&server.address, wants))
}

/// Message sizes for the baseline.
fn bare_sizes() -> Result<Sizes> {
    let full = measure_bytes(message_sizes::FULL)?;
    let sizes = full.sizes();
    ensure!(sizes.view > 0 && sizes.events > 0, "moves without views or events: {full:?}");
    Ok(sizes)
}

/// Measures the bytes per move.
fn bytes_per_move() -> Result<()> {
    print("bytes_per_move", measure_bytes(message_sizes::FULL)?.sent, "bytes", 0);
    print("bytes_per_move_lean", measure_bytes(message_sizes::LEAN)?.sent, "bytes", 0);
    Ok(())
}

/// Measures the latency of a move at half of full load, compared with the baseline at the same rate. An entry
/// may wait for two commits: the one in progress when it arrives, and its own. The slowest commit is
/// reported, too: when a disk stalls, all tables wait at once, and one commit in thousands affects one move
/// in a hundred.
///
/// `full` is the full load in moves per second; it is measured if not given.
pub(crate) fn latency(measurement: Measurement, full: Option<f64>) -> Result<()> {
    let sizes = bare_sizes()?;
    let load = Load::of(measurement);
    let full = match full {
        Some(full) => full,
        None => on_hosted(load)?.per_second,
    };
    let load = Load { rate: Some((full / 2.0).round()), ..load };
    let (mut hosted, mut bare, mut ratio) = (Samples::default(), Samples::default(), Samples::default());
    let (mut commits, mut slowest) = (Samples::default(), Samples::default());
    for _ in 0..measurement.turns {
        let data = tempfile::tempdir()?;
        let server = Server::hosted(data.path())?;
        let took = load.on_hosted(&server)?.p99_ms;
        let commit = server.commit_ms(0.99)?;
        slowest.add(server.commit_ms(1.0)?);
        drop(server);
        let base = on_bare(load, sizes)?.p99_ms;
        hosted.add(took);
        commits.add(commit);
        bare.add(base);
        ratio.add((took - 2.0 * commit).max(0.0) / base);
    }
    hosted.print("host_p99", "ms", 2);
    commits.print("host_commit_p99", "ms", 2);
    slowest.print("host_commit_max", "ms", 2);
    bare.print("bare_p99", "ms", 2);
    ratio.print("host_p99_vs_bare", "x", 2);
    Ok(())
}

/// Measures the memory per table, from the difference between the given number of tables and ten times as
/// many, over the same connections and at a low rate. With huge pages, which a server uses where the system
/// allows it, memory grows in steps of 2 MiB, so the result varies from turn to turn.
pub(crate) fn memory(measurement: Measurement) -> Result<()> {
    let load = Load { options: &[], rate: Some(MEMORY_MOVES_PER_SECOND), ..Load::of(measurement) };
    let many = Load { tables: load.tables * 10, ..load };
    type Start = fn(&Path) -> Result<Server>;
    for (name, start) in
        [("table_kib", Server::with_small_pages as Start), ("table_kib_huge_pages", Server::hosted as Start)]
    {
        let mut kib = Samples::default();
        for _ in 0..measurement.turns {
            let taken = |load: Load| {
                let data = tempfile::tempdir()?;
                load.on_hosted(&start(data.path())?).map(|measured| measured.memory_kib)
            };
            kib.add((taken(many)? - taken(load)?) / (many.tables - load.tables) as f64);
        }
        kib.print(name, "KiB", 2);
    }
    Ok(())
}

/// Measures throughput and start-up time with a store full of finished games, compared with an empty one.
pub(crate) fn at_rest(measurement: Measurement) -> Result<()> {
    let folder = filled_store::open_or_create(measurement.at_rest)?;
    let load = Load::of(measurement);
    let (mut ratio, mut cpu, mut started, mut empty) =
        (Samples::default(), Samples::default(), Samples::default(), Samples::default());
    for _ in 0..measurement.turns {
        let server = Server::hosted(&folder)?;
        started.add(server.started_in.as_secs_f64());
        let with = load.on_hosted(&server)?;
        server.stop()?;
        let data = tempfile::tempdir()?;
        let server = Server::hosted(data.path())?;
        empty.add(server.started_in.as_secs_f64());
        let without = load.on_hosted(&server)?;
        ratio.add(with.per_second / without.per_second);
        cpu.add(with.per_cpu_second / without.per_cpu_second);
    }
    ratio.print("rest_million", "x", 2);
    cpu.print("rest_million_cpu", "x", 2);
    started.print("startup_million_s", "s", 3);
    empty.print("startup_empty_s", "s", 3);
    Ok(())
}
