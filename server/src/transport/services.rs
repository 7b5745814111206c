//! The services of a server: Parlor's own, health and reflection, routed by name.

use std::sync::Arc;

use parlor_proto::v1::catalogue_service_server::CatalogueServiceServer;
use parlor_proto::v1::record_service_server::RecordServiceServer;
use parlor_proto::v1::table_service_server::TableServiceServer;
use parlor_proto::v1::tournament_service_server::TournamentServiceServer;

use super::health::Health;
use crate::grpc::routes::{Routes, RoutesBuilder};
use crate::grpc::{Agents, AppState, Catalogue, Play, Records, Tables, Tournaments};

/// Routes to every service. Parlor's services are reported as serving.
pub(super) async fn routes(state: &Arc<AppState>, health: &Health) -> Routes {
    let max_bytes = state.settings.limits.message_bytes.bytes();
    let catalogue = Catalogue { games: state.games(), keys: state.signing_keys.clone() };
    let catalogue = CatalogueServiceServer::new(catalogue).max_decoding_message_size(max_bytes);
    let tables = TableServiceServer::new(Tables(state.clone())).max_decoding_message_size(max_bytes);
    let agents = Agents(state.clone());
    let play = Play(state.clone());
    let tournaments =
        TournamentServiceServer::new(Tournaments(state.clone())).max_decoding_message_size(max_bytes);
    let records = RecordServiceServer::new(Records(state.clone())).max_decoding_message_size(max_bytes);
    health.set_serving(&catalogue).await;
    health.set_serving(&tournaments).await;
    health.set_serving(&tables).await;
    health.set_serving(&play).await;
    health.set_serving(&agents).await;
    health.set_serving(&records).await;

    let reflection = || {
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
        // Older tools use reflection v1alpha.
        .add(reflection().build_v1().expect("descriptors compiled from .proto files"))
        .add(reflection().build_v1alpha().expect("descriptors compiled from .proto files"))
        .build()
}
