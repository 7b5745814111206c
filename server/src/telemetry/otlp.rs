//! Trace export by OTLP over gRPC, on a thread of its own. An unavailable or slow collector loses traces and
//! delays nothing else.

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

use super::{TelemetryError, log_lines::OWN_TARGET};
use crate::config::Endpoint;

/// Time that the collector has to accept one batch.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);

/// Starts exporting spans. The collector may come up later.
pub(super) fn provider(endpoint: &Endpoint) -> Result<SdkTracerProvider, TelemetryError> {
    let mut exporter =
        SpanExporter::builder().with_tonic().with_endpoint(endpoint.as_str()).with_timeout(EXPORT_TIMEOUT);
    if endpoint.as_str().starts_with("https://") {
        exporter = exporter.with_tls_config(ClientTlsConfig::new().with_native_roots());
    }
    let exporter = exporter.build().map_err(|why| TelemetryError::Otlp(why.to_string()))?;
    let resource = Resource::builder()
        .with_service_name(env!("CARGO_PKG_NAME"))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let exporter = LoggingExporter { exporter, endpoint: endpoint.clone(), failing: AtomicBool::new(false) };
    Ok(SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build())
}

/// Layer that converts the server's spans to OpenTelemetry spans.
pub(super) fn layer<S>(traces: &SdkTracerProvider) -> OpenTelemetryLayer<S, SdkTracer>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let tracer = traces.tracer(env!("CARGO_PKG_NAME"));
    tracing_opentelemetry::layer().with_tracer(tracer).with_location(false).with_threads(false)
}

/// Filter for Parlor's own spans. Those of libraries would include the export itself, which would create more
/// spans.
pub(super) fn own_spans() -> Targets {
    Targets::new().with_target(OWN_TARGET, LevelFilter::INFO)
}

/// An exporter that logs when traces start to be lost, and when they no longer are.
#[derive(Debug)]
struct LoggingExporter {
    exporter: SpanExporter,
    endpoint: Endpoint,
    failing: AtomicBool,
}

impl Export for LoggingExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let sent = self.exporter.export(batch).await;
        let failed = self.failing.swap(sent.is_err(), Ordering::Relaxed);
        let endpoint = self.endpoint.as_str();
        match &sent {
            Err(why) if !failed => {
                tracing::warn!(endpoint, %why, "traces are lost: the collector does not accept them");
            }
            Ok(()) if failed => tracing::info!(endpoint, "the collector accepts traces again"),
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
