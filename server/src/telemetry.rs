//! What the server tells those who run it: log lines on standard error, traces to a collector, metrics and whether it is
//! ready on a port of their own.

mod lines;
pub mod names;
mod otlp;
pub mod page;
mod recorder;

use std::time::Duration;

use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::{Layer, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::Settings;

pub use recorder::{Recorder, recorder};

/// How long the last traces have to reach the collector when the server stops.
const LAST_TRACES: Duration = Duration::from_secs(2);

/// Telemetry cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The collector's URL cannot be used.
    #[error(
        "telemetry.otlp cannot be used ({0}): give a URL such as http://localhost:4317, or \"\" for none"
    )]
    Otlp(String),
    /// Somebody else in this process listens already.
    #[error("log lines go elsewhere already: start telemetry once")]
    Twice,
}

/// Log lines and traces, from now on until it is stopped.
#[derive(Debug)]
#[must_use = "traces that wait are sent when it is stopped"]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Starts what the settings ask for, for the whole process. Needs a tokio runtime if there is a collector.
    pub fn start(settings: &Settings) -> Result<Telemetry, TelemetryError> {
        let traces = match &settings.telemetry.otlp {
            Some(endpoint) => Some(otlp::provider(endpoint)?),
            None => None,
        };
        let lines = lines::layer(&settings.log);
        let spans = traces.as_ref().map(|traces| otlp::layer(traces).with_filter(otlp::ours()));
        let started = tracing_subscriber::registry().with(spans).with(lines).try_init();
        started.map_err(|_| TelemetryError::Twice)?;
        Ok(Telemetry { traces })
    }

    /// Sends the traces that wait, if the collector takes them soon.
    pub async fn stop(self) {
        let Some(traces) = self.traces else { return };
        // It blocks, and its answer is of no use to anybody any more.
        let _sent = tokio::task::spawn_blocking(move || traces.shutdown_with_timeout(LAST_TRACES)).await;
    }
}
