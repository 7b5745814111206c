//! The services of a server: Parlor's own, health and reflection.

use std::sync::Arc;

use parlor_proto::v1::agent_service_server::AgentServiceServer;
use parlor_proto::v1::catalogue_service_server::CatalogueServiceServer;
use parlor_proto::v1::play_service_server::PlayServiceServer;
use parlor_proto::v1::record_service_server::RecordServiceServer;
use parlor_proto::v1::table_service_server::TableServiceServer;
use parlor_proto::v1::tournament_service_server::TournamentServiceServer;
use tonic::service::{Routes, RoutesBuilder};

use super::health::Health;
use crate::grpc::{Agents, Catalogue, Parlour, Play, Records, Tables, Tournaments};

/// Every service, each of them reported as serving.
pub(super) async fn all(parlour: &Arc<Parlour>, health: &Health) -> Routes {
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

    let mut routes = RoutesBuilder::default();
    routes
        .add_service(catalogue)
        .add_service(tables)
        .add_service(play)
        .add_service(agents)
        .add_service(tournaments)
        .add_service(records)
        .add_service(health.service());
    add_reflection(&mut routes);
    routes.routes()
}

/// Reflection, as it is and as older tools still ask for it.
fn add_reflection(routes: &mut RoutesBuilder) {
    let described = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(parlor_proto::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    routes
        .add_service(described().build_v1().expect("compiled from .proto files"))
        .add_service(described().build_v1alpha().expect("compiled from .proto files"));
}
