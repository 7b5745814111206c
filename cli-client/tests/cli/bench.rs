//! `parlor bench`: figures that make sense, and a server that is left as it was.

use serde_json::Value;

use crate::support::{Parlor, Pipes, Server};

/// How many tables are in this state.
fn count(parlor: &Parlor, state: &str) -> usize {
    parlor.json(&["tables", "--state", state])["tables"].as_array().map_or(0, Vec::len)
}

/// What a bench says in which moves were made: a machine may be so busy that there are none in a second.
fn measured(parlor: &Parlor, args: &[&str]) -> Value {
    let measure = |seconds: &str| parlor.json(&[&["bench", "--seconds", seconds], args].concat());
    let report = measure("1");
    if report["moves"] == 0 { measure("20") } else { report }
}

#[test]
fn many_tables_are_played_counted_and_cancelled() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
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
fn every_game_can_be_played() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    for game in ["habe_fertig", "flush", "no_dice"] {
        let report = measured(&parlor, &["--game", game, "--tables", "3"]);
        assert!(report["moves"].as_u64().unwrap() > 0, "{game}: {report:#}");
    }
}

#[test]
fn an_interrupt_leaves_no_table_behind() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let bench = Pipes::start(&parlor, &["bench", "--tables", "3", "--seconds", "600"]);
    // Each look is a program of its own, and so takes its time.
    assert!((0..10_000).any(|_| count(&parlor, "playing") > 0), "no table is played");
    bench.signal("INT");
    let (code, out, err) = bench.end();
    assert_eq!((code, out.len()), (130, 0), "{out:?} {err:?}");
    assert_eq!((count(&parlor, "playing"), count(&parlor, "open")), (0, 0));
}
