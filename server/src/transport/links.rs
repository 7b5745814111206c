//! The port for links: other nodes connect here, and clients do not.

use std::convert::Infallible;
use std::sync::Arc;

use futures_util::{StreamExt, future, stream};
use parlor_host::DealVisibility;
use tokio_util::sync::CancellationToken;
use tower::ServiceBuilder;
use tracing::{Instrument, info_span};

use super::connection::{Connection, CutOff};
use super::connection_limit::ConnectionLimit;
use super::timed_io::IoTimeouts;
use super::{AcceptedConnection, ServerDependencies, StartError, listen};
use crate::cluster::link_server::{LinkLayer, server};
use crate::cluster::{Cluster, ClusterNode};
use crate::config::Settings;
use crate::grpc::Peer;
use crate::grpc::layer::deadline::DeadlineLayer;
use crate::grpc::layer::trace::TraceLayer;
use crate::grpc::routes::Routes;

/// The end of the port, with that of the server.
pub(super) struct Ending {
    /// Closes links gracefully.
    pub(super) close: CancellationToken,
    /// Aborts those that are still open.
    pub(super) cut_off: CutOff,
}

/// Serves links until the server stops.
pub(super) fn serve(
    ClusterNode { node, listener, tls, placement: _ }: ClusterNode,
    settings: &Settings,
    dependencies: &ServerDependencies,
    (routes, cluster, deals): (Routes, Arc<Cluster>, DealVisibility),
    Ending { close, cut_off }: Ending,
) -> Result<(), StartError> {
    let refused = |why: String| StartError::LinkTls { why };
    if let Some(tls) = &tls {
        tls.check().map_err(refused)?;
    }
    let server = server(tls.as_ref()).map_err(|error| refused(error.to_string()))?;
    let limit = ConnectionLimit::new(&settings.connections, None);
    let timeouts = IoTimeouts::from(&settings.connections);
    let connections = listen::incoming(listener, &settings.connections).zip(stream::iter(1..)).filter_map(
        move |(AcceptedConnection { io, address }, number)| {
            let peer = Peer { connection: number, address };
            let admitted = limit.admit(peer);
            let admitted =
                admitted.map(|permit| Connection::new(io, peer, permit, timeouts, cut_off.clone()));
            future::ready(admitted.map(Ok::<_, Infallible>))
        },
    );
    let service = ServiceBuilder::new()
        .layer(TraceLayer::new(dependencies.clock.clone()))
        .layer(LinkLayer::new(node, &dependencies.server_key, cluster, deals))
        .layer(DeadlineLayer)
        .service(routes);
    let serving = server.serve_with_incoming_shutdown(service, connections, close.cancelled_owned());
    tokio::spawn(serving.instrument(info_span!("links")));
    Ok(())
}
