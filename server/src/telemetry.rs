//! Telemetry: log lines on standard error, traces to a collector, and metrics and readiness on a port of
//! their own.

mod log_lines;
pub mod metric_names;
pub mod metrics_server;
mod otlp;
mod recorder;

use std::time::Duration;

use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::{Layer, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::Settings;

pub use recorder::{Recorder, recorder};

/// Time that the last traces have to reach the collector when the server stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Telemetry cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The collector's URL cannot be used.
    #[error(
        "telemetry.otlp cannot be used ({0}): give a URL such as http://localhost:4317, or \"\" for none"
    )]
    Otlp(String),
    /// A subscriber for log lines is already installed in this process.
    #[error("a log subscriber is already installed in this process: start telemetry once")]
    AlreadyStarted,
}

/// Log lines and traces of this process, until stopped.
#[derive(Debug)]
#[must_use = "pending traces are flushed by stop"]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Starts log lines and traces for the whole process. Requires a tokio runtime if there is a collector.
    pub fn start(settings: &Settings) -> Result<Telemetry, TelemetryError> {
        let traces = match &settings.telemetry.otlp {
            Some(endpoint) => Some(otlp::provider(endpoint)?),
            None => None,
        };
        let lines = log_lines::layer(&settings.log);
        let spans = traces.as_ref().map(|traces| otlp::layer(traces).with_filter(otlp::own_spans()));
        let started = tracing_subscriber::registry().with(spans).with(lines).try_init();
        started.map_err(|_| TelemetryError::AlreadyStarted)?;
        Ok(Telemetry { traces })
    }

    /// Flushes pending traces, if the collector accepts them in time.
    pub async fn stop(self) {
        let Some(traces) = self.traces else { return };
        // Blocking; a failure at this point is not actionable.
        let _sent = tokio::task::spawn_blocking(move || traces.shutdown_with_timeout(FLUSH_TIMEOUT)).await;
    }
}
