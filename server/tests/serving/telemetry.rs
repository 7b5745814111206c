//! Log lines and traces of the real program, with a collector in this process and with none.

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
use tokio::{net::TcpListener, sync::Notify};
use tonic::{Request, Response, Status, transport::server::TcpIncoming};

use crate::support::{Program, Up, channel, key, soon};

/// Keeps the spans it is sent.
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
    /// The span with this name, as soon as it comes.
    async fn span(&self, name: &str) -> Span {
        soon(async {
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

/// Spans are sent at once, not every few seconds.
const AT_ONCE: (&str, &str) = ("OTEL_BSP_SCHEDULE_DELAY", "10");

async fn list_games(up: &Up, metadata: &[(&'static str, &str)]) {
    let mut request = Request::new(v1::ListGamesRequest {});
    for (name, value) in metadata {
        request.metadata_mut().insert(*name, value.parse().expect("text"));
    }
    let channel = channel(&format!("http://{}", up.address())).await;
    soon(CatalogueServiceClient::new(channel).list_games(request)).await.expect("the games");
}

#[tokio::test]
async fn a_request_is_a_span_in_the_callers_trace() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let collector = Collector::default();
    let service = TraceServiceServer::new(collector.clone());
    let serving = tonic::transport::Server::builder()
        .add_service(service)
        .serve_with_incoming(TcpIncoming::from(listener));
    let serving = tokio::spawn(serving);

    let anna = key("anna");
    let program = Program::new();
    let file = program.write("parlor.toml", &anna.settings_lines());
    let arguments = ["--config", file.to_str().unwrap(), "--otlp", &endpoint];
    let up = program.start_with(&arguments, &[AT_ONCE]);
    let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let authorization = format!("Bearer {}", anna.text.reveal());
    let traceparent = format!("00-{trace}-{parent}-01");
    list_games(&up, &[("traceparent", &traceparent), ("authorization", &authorization)]).await;

    let span = collector.span("parlor.v1.CatalogueService/ListGames").await;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!((hex(&span.trace_id).as_str(), hex(&span.parent_span_id).as_str()), (trace, parent));
    assert_eq!(span.kind, 2, "a server's");
    assert_eq!(attribute(&span, "rpc.system").as_deref(), Some("grpc"));
    assert_eq!(attribute(&span, "rpc.grpc.status_code").as_deref(), Some("0"));
    assert_eq!(attribute(&span, "key"), Some(anna.entry.hash.id().to_string()));
    assert!(attribute(&span, "peer").unwrap().starts_with("127.0.0.1:"));
    assert!(!format!("{span:?}").contains(anna.text.reveal().as_str()), "no secret in a span");
    up.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| up.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{log}");
    serving.abort();
}

#[tokio::test]
async fn without_the_collector_everything_else_goes_on() {
    // A port that nobody listens on: bound, and given back.
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let up = Program::new().start_with(&["--otlp", &format!("http://{nobody}")], &[AT_ONCE]);
    list_games(&up, &[]).await;
    up.log.wait_for("traces are lost");
    list_games(&up, &[]).await;
    up.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| up.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(log.matches("traces are lost").count(), 1, "said once: {log}");
}

#[tokio::test]
async fn log_lines_say_what_each_request_did_and_no_secret() {
    let anna = key("anna");
    let authorization = format!("Bearer {}", anna.text.reveal());
    for format in ["text", "json"] {
        let program = Program::new();
        let file = program.write("parlor.toml", &anna.settings_lines());
        let file = file.to_str().unwrap();
        let up = program.start(&["--config", file, "--log-format", format, "--log-level", "debug"]);
        list_games(&up, &[("authorization", &authorization)]).await;
        let line = up.log.wait_for("answered");
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
        up.signal("TERM");
        let (_, log) = tokio::task::spawn_blocking(|| up.wait()).await.unwrap();
        assert!(!log.contains(anna.text.reveal().as_str()), "a key stands in the log");
    }
}
