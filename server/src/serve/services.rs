//! The services of a server: Parlor's own, health and reflection, each found by its name.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use parlor_proto::v1::agent_service_server::AgentServiceServer;
use parlor_proto::v1::catalogue_service_server::CatalogueServiceServer;
use parlor_proto::v1::play_service_server::PlayServiceServer;
use parlor_proto::v1::record_service_server::RecordServiceServer;
use parlor_proto::v1::table_service_server::TableServiceServer;
use parlor_proto::v1::tournament_service_server::TournamentServiceServer;
use tonic::{Status, body::Body, server::NamedService};
use tower::Service;

use super::health::Health;
use crate::grpc::{Agents, Catalogue, Parlour, Play, Records, Tables, Tournaments, put_in_place};

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;
type Serve = Box<dyn Fn(Request<Body>) -> Answer + Send + Sync>;

/// All services. tonic's own router is axum's, which puts two more bodies around those of every stream: each message
/// would have to pass them.
#[derive(Clone, Default)]
pub(super) struct Services(Arc<HashMap<&'static str, Serve>>);

/// The services as they come together.
#[derive(Default)]
struct Adding(HashMap<&'static str, Serve>);

impl Adding {
    fn add<S>(mut self, service: S) -> Adding
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        let serve = move |request| -> Answer {
            let answer = service.clone().call(request);
            Box::pin(async move { Ok(put_in_place(answer.await?)) })
        };
        self.0.insert(S::NAME, Box::new(serve));
        self
    }
}

impl Service<Request<Body>> for Services {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        let mut parts = request.uri().path().split('/').skip(1);
        match parts.next().and_then(|name| self.0.get(name)) {
            Some(serve) => serve(request),
            None => Box::pin(async { Ok(Status::unimplemented("there is no such service").into_http()) }),
        }
    }
}

/// Every service, each of them reported as serving.
pub(super) async fn all(parlour: &Arc<Parlour>, health: &Health) -> Services {
    let most = parlour.settings.limits.message_bytes.bytes();
    let catalogue = CatalogueServiceServer::new(Catalogue).max_decoding_message_size(most);
    let tables = TableServiceServer::new(Tables(parlour.clone())).max_decoding_message_size(most);
    let agents = AgentServiceServer::new(Agents(parlour.clone())).max_decoding_message_size(most);
    let play = PlayServiceServer::new(Play(parlour.clone())).max_decoding_message_size(most);
    let tournaments =
        TournamentServiceServer::new(Tournaments(parlour.clone())).max_decoding_message_size(most);
    let records = RecordServiceServer::new(Records(parlour.clone())).max_decoding_message_size(most);
    health.serving(&catalogue).await;
    health.serving(&tournaments).await;
    health.serving(&tables).await;
    health.serving(&play).await;
    health.serving(&agents).await;
    health.serving(&records).await;

    let described = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(parlor_proto::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let all = Adding::default()
        .add(catalogue)
        .add(tables)
        .add(play)
        .add(agents)
        .add(tournaments)
        .add(records)
        .add(health.service())
        // Reflection as it is, and as older tools still ask for it.
        .add(described().build_v1().expect("compiled from .proto files"))
        .add(described().build_v1alpha().expect("compiled from .proto files"));
    Services(Arc::new(all.0))
}
