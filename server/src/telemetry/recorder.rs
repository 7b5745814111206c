//! The process-wide metrics recorder.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::metric_names;

/// Upper bounds of the buckets of durations, in seconds: from a look-up in memory to a wait for a slow disk.
const SECONDS_BUCKETS: [f64; 12] =
    [0.000_25, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Handle of the process-wide metrics.
#[derive(Clone, Debug)]
pub struct Recorder(Option<PrometheusHandle>);

impl Recorder {
    /// All metrics in the Prometheus text format.
    #[must_use]
    pub fn render(&self) -> String {
        self.0.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// Aggregates pending measurements. Without it, histograms that are never scraped would grow.
    pub fn run_upkeep(&self) {
        if let Some(handle) = &self.0 {
            handle.run_upkeep();
        }
    }
}

/// Returns the process-wide metrics recorder, installing it on the first call. If the process already has
/// another recorder, this one stays empty.
pub fn recorder() -> Recorder {
    static RECORDER: OnceLock<Recorder> = OnceLock::new();
    let made = RECORDER.get_or_init(|| {
        let times = Matcher::Suffix(String::from("_seconds"));
        // Fine-grained, from 0.1 ms to 1 s: a client's answer waits for up to two commits.
        let commit_buckets: [f64; 42] =
            std::array::from_fn(|exponent| 0.000_1 * 1.25_f64.powi(exponent as i32));
        let builder =
            PrometheusBuilder::new().set_buckets_for_metric(times, &SECONDS_BUCKETS).and_then(|builder| {
                builder.set_buckets_for_metric(
                    Matcher::Full(parlor_store::COMMIT_SECONDS.into()),
                    &commit_buckets,
                )
            });
        let handle = builder.ok().and_then(|builder| builder.install_recorder().ok());
        metric_names::describe();
        Recorder(handle)
    });
    made.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_rendered_with_help_texts() {
        let recorder = recorder();
        metrics::histogram!(metric_names::REQUEST_SECONDS, "method" => "test").record(0.003);
        recorder.run_upkeep();
        let text = recorder.render();
        assert!(text.contains("# HELP parlor_request_seconds Duration of unary calls"), "{text}");
        let bucket = "parlor_request_seconds_bucket{method=\"test\",le=\"0.005\"} 1";
        assert!(text.contains(bucket), "{text}");
    }
}
