//! Where metrics are kept until somebody asks for them. A process has one place for them, whatever runs in it.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::names;

/// The upper ends of the buckets for times, in seconds: from a call that only looks something up to one that waits for a
/// slow disk.
const SECONDS: [f64; 12] = [0.000_25, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// The metrics of this process.
#[derive(Clone, Debug)]
pub struct Recorder(Option<PrometheusHandle>);

impl Recorder {
    /// All metrics, as Prometheus reads them.
    #[must_use]
    pub fn render(&self) -> String {
        self.0.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// Sums up what was measured since the last time. Without it, measurements that nobody asks for would pile up.
    pub fn tidy(&self) {
        if let Some(handle) = &self.0 {
            handle.run_upkeep();
        }
    }
}

/// The metrics of this process, which are kept from the first call on. If another program in the process has its own
/// recorder, there are none here.
pub fn recorder() -> Recorder {
    static RECORDER: OnceLock<Recorder> = OnceLock::new();
    let made = RECORDER.get_or_init(|| {
        let times = Matcher::Suffix(String::from("_seconds"));
        // From a tenth of a millisecond to a second, close together: what an answer waits for is two of these.
        let commits: [f64; 42] = std::array::from_fn(|place| 0.000_1 * 1.25_f64.powi(place as i32));
        let builder = PrometheusBuilder::new().set_buckets_for_metric(times, &SECONDS).and_then(|builder| {
            builder.set_buckets_for_metric(Matcher::Full(names::COMMIT_SECONDS.into()), &commits)
        });
        let handle = builder.ok().and_then(|builder| builder.install_recorder().ok());
        names::describe();
        Recorder(handle)
    });
    made.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_rendered_with_what_they_mean() {
        let recorder = recorder();
        metrics::histogram!(names::REQUEST_SECONDS, "method" => "test").record(0.003);
        recorder.tidy();
        let text = recorder.render();
        assert!(text.contains("# HELP parlor_request_seconds How long calls took"), "{text}");
        let bucket = "parlor_request_seconds_bucket{method=\"test\",le=\"0.005\"} 1";
        assert!(text.contains(bucket), "{text}");
    }
}
