//! Traces to a collector, by OTLP over gRPC. A thread of its own sends them; a collector that is away or slow costs
//! traces, and nothing else waits for it.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_otlp::{
    SpanExporter, WithExportConfig, WithTonicConfig, tonic_types::transport::ClientTlsConfig,
};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{SdkTracer, SdkTracerProvider, SpanData, SpanExporter as Export},
};
use tracing::{Subscriber, level_filters::LevelFilter};
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::{filter::Targets, registry::LookupSpan};

use super::{TelemetryError, lines::OURS};
use crate::config::Endpoint;

/// How long the collector has to take what it is sent.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Begins to send spans to the collector. It need not be there yet.
pub(super) fn provider(endpoint: &Endpoint) -> Result<SdkTracerProvider, TelemetryError> {
    let mut exporter =
        SpanExporter::builder().with_tonic().with_endpoint(endpoint.as_str()).with_timeout(TIMEOUT);
    if endpoint.as_str().starts_with("https://") {
        exporter = exporter.with_tls_config(ClientTlsConfig::new().with_native_roots());
    }
    let exporter = exporter.build().map_err(|why| TelemetryError::Otlp(why.to_string()))?;
    let resource = Resource::builder()
        .with_service_name(env!("CARGO_PKG_NAME"))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let exporter = Telling { exporter, endpoint: endpoint.clone(), failing: AtomicBool::new(false) };
    Ok(SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build())
}

/// Makes spans of the server's into those of the collector's.
pub(super) fn layer<S>(traces: &SdkTracerProvider) -> OpenTelemetryLayer<S, SdkTracer>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let tracer = traces.tracer(env!("CARGO_PKG_NAME"));
    tracing_opentelemetry::layer().with_tracer(tracer).with_location(false).with_threads(false)
}

/// The server's own spans. Those of libraries would include the sending of spans, which would make spans.
pub(super) fn ours() -> Targets {
    Targets::new().with_target(OURS, LevelFilter::INFO)
}

/// An exporter that says in the log when traces begin to be lost, and when they no longer are.
#[derive(Debug)]
struct Telling {
    exporter: SpanExporter,
    endpoint: Endpoint,
    failing: AtomicBool,
}

impl Export for Telling {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let sent = self.exporter.export(batch).await;
        let failed = self.failing.swap(sent.is_err(), Ordering::Relaxed);
        let endpoint = self.endpoint.as_str();
        match &sent {
            Err(why) if !failed => {
                tracing::warn!(endpoint, %why, "traces are lost: the collector does not take them");
            }
            Ok(()) if failed => tracing::info!(endpoint, "the collector takes traces again"),
            _ => {}
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
