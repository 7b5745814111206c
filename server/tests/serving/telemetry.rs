//! Log lines and OpenTelemetry traces of the real program, with and without a collector.

use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::any_value::Value,
    trace::v1::Span,
};
use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_testkit::{ServerProcess, unused_address, with_timeout};
use tokio::{net::TcpListener, sync::Notify};
use tonic::{Request, Response, Status, transport::server::TcpIncoming};

use crate::support::{Program, api_key, channel};

/// An OTLP collector that keeps the spans it receives.
#[derive(Clone, Default)]
struct Collector {
    spans: Arc<Mutex<Vec<Span>>>,
    more: Arc<Notify>,
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let resources = request.into_inner().resource_spans.into_iter();
        let spans = resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans);
        self.spans.lock().expect("spans").extend(spans);
        self.more.notify_one();
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Waits for the span with this name.
    async fn span(&self, name: &str) -> Span {
        with_timeout(async {
            loop {
                if let Some(span) = self.spans.lock().expect("spans").iter().find(|span| span.name == name) {
                    return span.clone();
                }
                self.more.notified().await;
            }
        })
        .await
    }
}

fn attribute(span: &Span, key: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key)?;
    Some(match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    })
}

/// Exports spans every 10 ms.
const FAST_EXPORT: (&str, &str) = ("OTEL_BSP_SCHEDULE_DELAY", "10");

async fn list_games(running: &ServerProcess, metadata: &[(&'static str, &str)]) {
    let mut request = Request::new(v1::ListGamesRequest {});
    for (name, value) in metadata {
        request.metadata_mut().insert(*name, value.parse().expect("text"));
    }
    let channel = channel(&format!("http://{}", running.address())).await;
    with_timeout(CatalogueServiceClient::new(channel).list_games(request)).await.expect("the games");
}

#[tokio::test]
async fn request_span_joins_the_callers_trace() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let collector = Collector::default();
    let service = TraceServiceServer::new(collector.clone());
    let serving = tonic::transport::Server::builder()
        .add_service(service)
        .serve_with_incoming(TcpIncoming::from(listener));
    let serving = tokio::spawn(serving);

    let anna = api_key("anna");
    let program = Program::new();
    let file = program.write("parlor.toml", &anna.settings_lines());
    let arguments = ["--config", file.to_str().unwrap(), "--otlp", &endpoint];
    let running = program.start_with(&arguments, &[FAST_EXPORT]);
    let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let authorization = format!("Bearer {}", anna.text.reveal());
    let traceparent = format!("00-{trace}-{parent}-01");
    list_games(&running, &[("traceparent", &traceparent), ("authorization", &authorization)]).await;

    let span = collector.span("parlor.v1.CatalogueService/ListGames").await;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!((hex(&span.trace_id).as_str(), hex(&span.parent_span_id).as_str()), (trace, parent));
    assert_eq!(span.kind, 2, "span kind SERVER");
    assert_eq!(attribute(&span, "rpc.system").as_deref(), Some("grpc"));
    assert_eq!(attribute(&span, "rpc.grpc.status_code").as_deref(), Some("0"));
    assert_eq!(attribute(&span, "key"), Some(anna.entry.hash.id().to_string()));
    assert!(attribute(&span, "peer").unwrap().starts_with("127.0.0.1:"));
    assert!(!format!("{span:?}").contains(anna.text.reveal().as_str()), "an API key in a span");
    running.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| running.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{log}");
    serving.abort();
}

#[tokio::test]
async fn missing_otlp_collector_is_logged_once_and_calls_succeed() {
    let collector = format!("http://{}", unused_address());
    let running = Program::new().start_with(&["--otlp", &collector], &[FAST_EXPORT]);
    list_games(&running, &[]).await;
    running.log.wait_for("traces are lost");
    list_games(&running, &[]).await;
    running.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| running.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(log.matches("traces are lost").count(), 1, "logged once: {log}");
}

#[tokio::test]
async fn request_log_lines_have_method_status_and_no_secrets() {
    let anna = api_key("anna");
    let authorization = format!("Bearer {}", anna.text.reveal());
    for format in ["text", "json"] {
        let program = Program::new();
        let file = program.write("parlor.toml", &anna.settings_lines());
        let file = file.to_str().unwrap();
        let running = program.start(&["--config", file, "--log-format", format, "--log-level", "debug"]);
        list_games(&running, &[("authorization", &authorization)]).await;
        let line = running.log.wait_for("answered");
        assert!(line.contains("parlor.v1.CatalogueService/ListGames"), "{line}");
        assert!(line.contains(&anna.entry.hash.id().to_string()), "{line}");
        assert!(line.contains("OK") && line.contains("127.0.0.1:"), "{line}");
        if format == "json" {
            let parsed: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(parsed["status"], "OK", "{line}");
            assert_eq!(parsed["span"]["method"], "parlor.v1.CatalogueService/ListGames", "{line}");
        } else {
            assert!(!line.contains("otel.") && !line.contains("rpc."), "{line}");
        }
        running.signal("TERM");
        let (_, log) = tokio::task::spawn_blocking(|| running.wait()).await.unwrap();
        assert!(!log.contains(anna.text.reveal().as_str()), "an API key in the log");
    }
}
