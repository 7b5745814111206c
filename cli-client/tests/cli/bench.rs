//! `parlor bench`: plausible figures, and no tables left behind.

use parlor_engine::GameId;
use serde_json::Value;

use crate::support::{Parlor, PipedProcess, Server};

/// Number of tables in a state.
fn count(parlor: &Parlor, state: &str) -> usize {
    parlor.json(&["tables", "--state", state])["tables"].as_array().map_or(0, Vec::len)
}

/// Report of a run with at least one move: a busy machine may make none within a second.
fn measured(parlor: &Parlor, args: &[&str]) -> Value {
    let measure = |seconds: &str| parlor.json(&[&["bench", "--seconds", seconds], args].concat());
    let report = measure("1");
    if report["moves"] == 0 { measure("20") } else { report }
}

#[test]
fn bench_plays_counts_and_cancels_tables() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let args = ["--tables", "4", "--connections", "2", "--seats-per-stream", "3"];
    let report = measured(&parlor, &[&args[..], &["--option", "rounds=1", "--warm-up", "10ms"]].concat());
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("no number in {report:#}"));
    assert!(number(&report["moves"]) > 0.0, "{report:#}");
    assert!(number(&report["seconds"]) >= 1.0 && number(&report["moves_per_second"]) > 0.0, "{report:#}");
    let latency = &report["latency_ms"];
    let [p50, p99, most] = ["p50", "p99", "max"].map(|name| number(&latency[name]));
    assert!(0.0 < p50 && p50 <= p99 && p99 <= most, "{report:#}");
    if cfg!(target_os = "linux") {
        assert!(number(&report["server"]["memory_kib"]) > 1000.0, "{report:#}");
    }
    assert_eq!((count(&parlor, "playing"), count(&parlor, "open")), (0, 0));

    for (lang, expected) in [("en", "moves a second"), ("de", "Züge je Sekunde")] {
        let text = parlor.ok(&[
            "bench",
            "--tables",
            "1",
            "--seconds",
            "1",
            "--bare",
            "--rate",
            "100",
            "--lang",
            lang,
        ]);
        assert!(text.contains(expected) && text.contains("p99.9"), "{text}");
    }
}

#[test]
fn bench_plays_every_game() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for game in GameId::published().map(|game| game.info().id) {
        let report = measured(&parlor, &["--game", game, "--tables", "3"]);
        assert!(report["moves"].as_u64().unwrap() > 0, "{game}: {report:#}");
    }
}

#[test]
fn interrupted_bench_leaves_no_table_behind() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let bench = PipedProcess::start(&parlor, &["bench", "--tables", "3", "--seconds", "600"]);
    // Each poll is a process of its own, and so takes time.
    assert!((0..10_000).any(|_| count(&parlor, "playing") > 0), "no table is played");
    bench.signal("INT");
    let (code, out, err) = bench.end();
    assert_eq!((code, out.len()), (130, 0), "{out:?} {err:?}");
    assert_eq!((count(&parlor, "playing"), count(&parlor, "open")), (0, 0));
}

#[test]
fn bench_gives_up_when_the_server_refuses_connections() {
    let server = Server::with_settings("[connections]\nmax_per_address = 2\n");
    let parlor = Parlor::with_server(&server.url());
    let output = parlor.run(&["bench", "--tables", "4", "--connections", "8", "--patience", "2s"]);
    assert_eq!((output.code, output.stdout.as_str()), (3, ""), "{}", output.stderr);
    assert!(
        output.stderr.contains("tables have started") && output.stderr.contains("max_per_address"),
        "{}",
        output.stderr
    );
    assert_eq!((count(&parlor, "playing"), count(&parlor, "open")), (0, 0));
}
