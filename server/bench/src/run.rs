//! The turns: each measures everything once, one after the other, so that whatever else the machine does falls on all
//! alike; the median of the turns counts.

use std::path::Path;

use anyhow::{Result, ensure};
use parlor_proto::v1 as wire;

use crate::bare::Sizes;
use crate::figures::{Figures, print};
use crate::process::{Load, Measured, Server};
use crate::sizes::Bytes;
use crate::{Measuring, rest, sizes};

/// Over how many connections the players come, where it is not one each.
const CONNECTIONS: usize = 16;
/// How many moves a second are made where memory is measured.
const CALM: f64 = 500.0;
/// How long a turn of the baseline lasts where it has any: about as long as a commit.
const TURN_MS: u64 = 2;
/// Games so long that none ends while moves are counted: the baseline has no games to begin and to end either.
const LONG: &[&str] = &["rounds=100"];

/// Moves for a second of the server's CPU, and those of the baseline. Gives the moves a second over few streams.
pub(crate) fn moves(measuring: Measuring) -> Result<f64> {
    bytes_per_move()?;
    let sizes = bare_sizes()?;
    print("bare_message_view", sizes.view as f64, "bytes", 0);
    print("bare_message_events", sizes.events as f64, "bytes", 0);
    let load = Load::of(measuring);
    let stream = Load { stream_a_seat: true, ..load };
    let connection = Load { connections: 2 * load.tables, ..stream };
    let games = Load { options: &[], ..load };
    let few = Load { tables: load.tables / 10, ..load };
    let many = Load { tables: load.tables * 10, ..load };

    // What is compared is measured one right after the other: the machine changes from minute to minute.
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
    let mut all: [Figures; 9] = Default::default();
    let mut full = Figures::default();
    for turn in 0..measuring.turns {
        eprintln!("bench: turn {} of {} ...", turn + 1, measuring.turns);
        let measured = [
            on_hosted(load)?,
            on_bare(stream, sizes)?,
            on_hosted(stream)?,
            on_hosted(connection)?,
            on_bare(connection, sizes)?,
            in_turns(connection, sizes)?,
            on_hosted(games)?,
            on_hosted(few)?,
            on_hosted(many)?,
        ];
        for (figures, measured) in all.iter_mut().zip(&measured) {
            figures.add(measured.per_cpu_second);
        }
        full.add(measured[0].per_second);
    }
    for (name, figures) in names.iter().zip(&all) {
        figures.print(name, "moves/cpu-s", 0);
    }
    let [mux, bare_stream, streams, connections, bare_connection, in_turns, whole, hundred, ten_thousand] =
        &all;
    mux.against(bare_stream).print("host_vs_bare_mux", "x", 2);
    streams.against(bare_stream).print("host_vs_bare_stream", "x", 2);
    connections.against(bare_connection).print("host_vs_bare_conn", "x", 2);
    in_turns.against(bare_connection).print("bare_turns_vs_bare_conn", "x", 2);
    connections.against(in_turns).print("host_conn_vs_bare_turns", "x", 2);
    whole.against(bare_stream).print("host_games_vs_bare", "x", 2);
    ten_thousand.against(hundred).print("host_10k_vs_100", "x", 2);
    Ok(full.median())
}

impl Load {
    /// All tables over few streams, as fast as it goes.
    fn of(measuring: Measuring) -> Load {
        let Measuring { tables, seconds, .. } = measuring;
        Load { tables, connections: CONNECTIONS, stream_a_seat: false, seconds, rate: None, options: LONG }
    }
}

fn on_hosted(load: Load) -> Result<Measured> {
    let data = tempfile::tempdir()?;
    load.on_hosted(&Server::hosted(data.path())?)
}

fn on_bare(load: Load, sizes: Sizes) -> Result<Measured> {
    load.on_bare(&Server::bare(load.tables, sizes, None)?, sizes)
}

/// The baseline, but every move is told only after its turn: what it costs alone that there is time between the two.
fn in_turns(load: Load, sizes: Sizes) -> Result<Measured> {
    load.on_bare(&Server::bare(load.tables, sizes, Some(TURN_MS))?, sizes)
}

/// What a move weighs, for those who want this.
fn weigh(wants: wire::Wants) -> Result<Bytes> {
    let data = tempfile::tempdir()?;
    let server = Server::hosted(data.path())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(sizes::weigh(&server.address, wants))
}

/// The sizes of the baseline's messages.
fn bare_sizes() -> Result<Sizes> {
    let full = weigh(sizes::FULL)?;
    let sizes = full.sizes();
    ensure!(sizes.view > 0 && sizes.events > 0, "moves without views or events: {full:?}");
    Ok(sizes)
}

/// How many bytes moves have.
fn bytes_per_move() -> Result<()> {
    print("bytes_per_move", weigh(sizes::FULL)?.sent, "bytes", 0);
    print("bytes_per_move_lean", weigh(sizes::LEAN)?.sent, "bytes", 0);
    Ok(())
}

/// How long a move takes at half of full load, beside the baseline at the same rate. An entry may wait for two commits:
/// the one that is under way when it comes, and its own. The slowest commit is told too: where a disk stops for long, all
/// tables wait at once, and one commit in thousands is felt by one move in a hundred.
///
/// Full load is so many moves a second, which is found out unless it is known.
pub(crate) fn latency(measuring: Measuring, full: Option<f64>) -> Result<()> {
    let sizes = bare_sizes()?;
    let load = Load::of(measuring);
    let full = match full {
        Some(full) => full,
        None => on_hosted(load)?.per_second,
    };
    let load = Load { rate: Some((full / 2.0).round()), ..load };
    let (mut hosted, mut bare, mut ratio) = (Figures::default(), Figures::default(), Figures::default());
    let (mut commits, mut slowest) = (Figures::default(), Figures::default());
    for _ in 0..measuring.turns {
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

/// How much memory a table takes: what ten times as many take more, over the same connections and while few move. With huge
/// pages, as a server has them where the system allows it, the same comes in steps of 2 MiB, and so differs from turn to turn.
pub(crate) fn memory(measuring: Measuring) -> Result<()> {
    let load = Load { options: &[], rate: Some(CALM), ..Load::of(measuring) };
    let many = Load { tables: load.tables * 10, ..load };
    type Start = fn(&Path) -> Result<Server>;
    for (name, start) in
        [("table_kib", Server::with_small_pages as Start), ("table_kib_huge_pages", Server::hosted as Start)]
    {
        let mut kib = Figures::default();
        for _ in 0..measuring.turns {
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

/// What a million tables at rest cost.
pub(crate) fn at_rest(measuring: Measuring) -> Result<()> {
    let folder = rest::filled(measuring.at_rest)?;
    let load = Load::of(measuring);
    let (mut ratio, mut cpu, mut started, mut empty) =
        (Figures::default(), Figures::default(), Figures::default(), Figures::default());
    for _ in 0..measuring.turns {
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
