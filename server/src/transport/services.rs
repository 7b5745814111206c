//! The services of a server: Parlor's own, health and reflection, each found by its name.

use std::sync::Arc;

use parlor_proto::v1::catalogue_service_server::CatalogueServiceServer;
use parlor_proto::v1::record_service_server::RecordServiceServer;
use parlor_proto::v1::table_service_server::TableServiceServer;
use parlor_proto::v1::tournament_service_server::TournamentServiceServer;

use super::health::Health;
use crate::grpc::routes::{Routes, RoutesBuilder};
use crate::grpc::{Agents, AppState, Catalogue, Play, Records, Tables, Tournaments};

/// Every service, each of them reported as serving.
pub(super) async fn all(state: &Arc<AppState>, health: &Health) -> Routes {
    let most = state.settings.limits.message_bytes.bytes();
    let catalogue = CatalogueServiceServer::new(Catalogue).max_decoding_message_size(most);
    let tables = TableServiceServer::new(Tables(state.clone())).max_decoding_message_size(most);
    let agents = Agents(state.clone());
    let play = Play(state.clone());
    let tournaments =
        TournamentServiceServer::new(Tournaments(state.clone())).max_decoding_message_size(most);
    let records = RecordServiceServer::new(Records(state.clone())).max_decoding_message_size(most);
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
    RoutesBuilder::default()
        .add(catalogue)
        .add(tables)
        .add(play)
        .add(agents)
        .add(tournaments)
        .add(records)
        .add(health.service())
        // Reflection as it is, and as older tools still ask for it.
        .add(described().build_v1().expect("compiled from .proto files"))
        .add(described().build_v1alpha().expect("compiled from .proto files"))
        .build()
}
