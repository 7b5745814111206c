//! gRPC calls: the catalogue, API keys, errors, health, reflection, and the metrics port.

use parlor_engine::GameId;
use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_testkit::with_timeout;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_stream::{StreamExt, once};
use tonic::{Code, Request, codegen::http::uri::PathAndQuery, transport::Channel};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
    health_client::HealthClient,
};
use tonic_reflection::pb::{v1 as reflection, v1alpha as old_reflection};

use crate::support::{TestServer, api_key, reason, settings};

async fn list_games(channel: Channel, key: Option<&str>) -> Result<usize, tonic::Status> {
    let mut request = Request::new(v1::ListGamesRequest {});
    if let Some(key) = key {
        request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("text"));
    }
    let listed = with_timeout(CatalogueServiceClient::new(channel).list_games(request)).await?;
    Ok(listed.into_inner().games.len())
}

#[tokio::test]
async fn catalogue_answers_with_and_without_a_key() {
    let anna = api_key("anna");
    let mut settings = settings();
    settings.keys = vec![anna.entry.clone()];
    let server = TestServer::start(&settings).await;
    let channel = server.channel().await;
    assert_eq!(list_games(channel.clone(), None).await.unwrap(), GameId::published().count());
    assert_eq!(
        list_games(channel.clone(), Some(anna.text.reveal())).await.unwrap(),
        GameId::published().count()
    );
    let refused = list_games(channel, Some(api_key("ben").text.reveal())).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unauthenticated, "KEY_INVALID"));
    with_timeout(server.running.stop()).await;
}

#[tokio::test]
async fn error_details_name_the_field_and_the_reason() {
    let server = TestServer::start(&settings()).await;
    let mut catalogue = CatalogueServiceClient::new(server.channel().await);
    let asked = v1::GetRulesRequest { game: "gap".into(), language: 99 };
    let wrong = with_timeout(catalogue.get_rules(asked)).await.unwrap_err();
    let details = tonic_types::StatusExt::get_error_details(&wrong);
    assert_eq!(details.bad_request().unwrap().field_violations[0].field, "language");
    assert_eq!(details.error_info().unwrap().domain, "parlor.v1");
    let asked = v1::GetRulesRequest { game: "chess".into(), language: 0 };
    let missing = with_timeout(catalogue.get_rules(asked)).await.unwrap_err();
    assert_eq!((missing.code(), reason(&missing).as_str()), (Code::NotFound, "GAME_NOT_FOUND"));
}

#[tokio::test]
async fn unknown_method_is_unimplemented() {
    let server = TestServer::start(&settings()).await;
    let mut client = tonic::client::Grpc::new(server.channel().await);
    with_timeout(client.ready()).await.unwrap();
    let path = PathAndQuery::from_static("/parlor.v9.NoService/NoMethod");
    let codec = tonic_prost::ProstCodec::<v1::ListGamesRequest, v1::ListGamesResponse>::default();
    let asked = client.unary(Request::new(v1::ListGamesRequest {}), path, codec);
    assert_eq!(with_timeout(asked).await.unwrap_err().code(), Code::Unimplemented);
}

fn health_of(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.to_owned() }
}

#[tokio::test]
async fn health_reports_each_service_until_shutdown() {
    let server = TestServer::start(&settings()).await;
    let mut health = HealthClient::new(server.channel().await);
    for service in ["", "parlor.v1.CatalogueService"] {
        let response = with_timeout(health.check(health_of(service))).await.unwrap().into_inner();
        assert_eq!(response.status(), ServingStatus::Serving, "{service:?}");
    }
    let unknown = with_timeout(health.check(health_of("parlor.v1.NoService"))).await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);

    let mut watched = with_timeout(health.watch(health_of(""))).await.unwrap().into_inner();
    let first: HealthCheckResponse = with_timeout(watched.message()).await.unwrap().unwrap();
    assert_eq!(first.status(), ServingStatus::Serving);
    let shutdown = tokio::spawn(server.running.stop());
    let second = with_timeout(watched.message()).await.unwrap().unwrap();
    assert_eq!(second.status(), ServingStatus::NotServing);
    assert!(with_timeout(watched.message()).await.unwrap().is_none(), "the server ends the stream");
    with_timeout(shutdown).await.unwrap();
}

#[tokio::test]
async fn reflection_describes_every_service_in_v1_and_v1alpha() {
    use old_reflection::server_reflection_response::MessageResponse as Old;
    use reflection::server_reflection_response::MessageResponse as New;
    let server = TestServer::start(&settings()).await;
    let channel = server.channel().await;

    let mut client = reflection::server_reflection_client::ServerReflectionClient::new(channel.clone());
    let ask = |message_request| reflection::ServerReflectionRequest { host: String::new(), message_request };
    let list = reflection::server_reflection_request::MessageRequest::ListServices(String::new());
    let answers = with_timeout(client.server_reflection_info(once(ask(Some(list))))).await.unwrap();
    let answer = with_timeout(answers.into_inner().next()).await.unwrap().unwrap();
    let Some(New::ListServicesResponse(listed)) = answer.message_response else { panic!("{answer:?}") };
    let names: Vec<_> = listed.service.into_iter().map(|service| service.name).collect();
    for name in ["parlor.v1.CatalogueService", "parlor.v1.TableService", "grpc.health.v1.Health"] {
        assert!(names.iter().any(|listed| listed == name), "{name} in {names:?}");
    }
    let symbol = "parlor.v1.CatalogueService".to_owned();
    let find = reflection::server_reflection_request::MessageRequest::FileContainingSymbol(symbol);
    let answers = with_timeout(client.server_reflection_info(once(ask(Some(find))))).await.unwrap();
    let answer = with_timeout(answers.into_inner().next()).await.unwrap().unwrap();
    let Some(New::FileDescriptorResponse(found)) = answer.message_response else { panic!("{answer:?}") };
    assert!(!found.file_descriptor_proto.is_empty());

    let mut client = old_reflection::server_reflection_client::ServerReflectionClient::new(channel);
    let list = old_reflection::server_reflection_request::MessageRequest::ListServices(String::new());
    let ask = old_reflection::ServerReflectionRequest { host: String::new(), message_request: Some(list) };
    let answers = with_timeout(client.server_reflection_info(once(ask))).await.unwrap();
    let answer = with_timeout(answers.into_inner().next()).await.unwrap().unwrap();
    let Some(Old::ListServicesResponse(listed)) = answer.message_response else { panic!("{answer:?}") };
    assert!(listed.service.iter().any(|service| service.name == "parlor.v1.PlayService"));
}

#[tokio::test]
async fn metrics_port_serves_metrics_and_readiness() {
    let server = TestServer::start(&settings()).await;
    list_games(server.channel().await, None).await.unwrap();
    let address = server.running.metrics_address().expect("a metrics port");
    let get = async |path: &str| {
        let mut stream = with_timeout(tokio::net::TcpStream::connect(address)).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        with_timeout(stream.read_to_string(&mut answer)).await.unwrap();
        answer
    };
    assert!(get("/ready").await.starts_with("HTTP/1.1 200"));
    // Metrics are per process: other tests are counted, too.
    let counted = "parlor_requests_total{method=\"parlor.v1.CatalogueService/ListGames\",status=\"OK\"}";
    let metrics = get("/metrics").await;
    assert!(metrics.contains(counted), "{metrics}");
    assert!(metrics.contains("parlor_connections_open"), "{metrics}");
}
