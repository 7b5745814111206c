//! Result of `parlor bench`, as text and as JSON.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::json;

use crate::context::Context;
use crate::errors::Failure;
use crate::output::Columns;

/// The measurements of one run.
pub(super) struct BenchReport {
    /// Latency of each move, in microseconds.
    pub(super) times: Histogram<u64>,
    /// Duration of the measurement.
    pub(super) took: Duration,
    pub(super) tables: u32,
    /// Number of tables played to the end.
    pub(super) finished: u64,
    /// Process id of the server, if it runs on this machine.
    pub(super) server: Option<u32>,
    /// CPU time used by the server during the measurement.
    pub(super) cpu: Option<Duration>,
    /// Resident memory of the server in KiB, before any table was created and at the end.
    pub(super) memory: Option<(u64, u64)>,
}

impl BenchReport {
    fn moves_per_second(&self) -> f64 {
        self.times.len() as f64 / self.took.as_secs_f64()
    }

    fn moves_per_cpu_second(&self) -> Option<f64> {
        let cpu = self.cpu.filter(|cpu| !cpu.is_zero())?;
        Some(self.times.len() as f64 / cpu.as_secs_f64())
    }

    /// Latency at a quantile, in milliseconds.
    fn latency(&self, share: f64) -> f64 {
        self.times.value_at_quantile(share) as f64 / 1000.0
    }

    pub(super) fn print(&self, context: &Context) -> Result<(), Failure> {
        if context.json {
            return context.out.json(&self.json());
        }
        let mut columns = Columns::without_headings();
        let mut row = |en: &str, de: &str, value: String| {
            columns.row([context.localise(|| en.to_owned(), || de.to_owned()), value]);
        };
        row("moves a second", "Züge je Sekunde", format!("{:.0}", self.moves_per_second()));
        for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
            row(
                &format!("latency {name}"),
                &format!("Latenz {name}"),
                format!("{:.2} ms", self.latency(share)),
            );
        }
        if let Some(moves) = self.moves_per_cpu_second() {
            row("moves a CPU-second of the server", "Züge je CPU-Sekunde des Servers", format!("{moves:.0}"));
        }
        if let Some((before, after)) = self.memory {
            let (before, after) = (before as f64 / 1024.0, after as f64 / 1024.0);
            row("memory of the server", "Speicher des Servers", format!("{before:.1} -> {after:.1} MiB"));
        }
        row("tables played to the end", "Tische zu Ende gespielt", self.finished.to_string());
        context.out.lines(columns.lines())
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "tables": self.tables,
            "moves": self.times.len(),
            "seconds": self.took.as_secs_f64(),
            "moves_per_second": self.moves_per_second(),
            "latency_ms": {
                "p50": self.latency(0.5),
                "p99": self.latency(0.99),
                "p99_9": self.latency(0.999),
                "max": self.times.max() as f64 / 1000.0,
            },
            "tables_finished": self.finished,
            "server": self.server.map(|id| json!({
                "pid": id,
                "cpu_seconds": self.cpu.map(|cpu| cpu.as_secs_f64()),
                "moves_per_cpu_second": self.moves_per_cpu_second(),
                "memory_before_kib": self.memory.map(|(before, _)| before),
                "memory_kib": self.memory.map(|(_, after)| after),
            })),
        })
    }
}
