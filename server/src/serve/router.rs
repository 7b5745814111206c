//! The way of a request: TLS, HTTP/2 or HTTP/1, CORS, gRPC-Web, the layers of [`crate::grpc::layer`], its service.

use tonic::transport::server::Server;
use tonic_web::GrpcWebLayer;
use tower::layer::util::{Identity, Stack};
use tower_http::cors::CorsLayer;

use super::{Parts, StartError, cors, tls};
use crate::{
    config::Settings,
    grpc::layer::{
        identity::{Admit, Identify},
        limits::Limit,
        meter::Meter,
        size::MessageSize,
        trace::Trace,
    },
};

/// How many calls more than the limit HTTP/2 lets through on one connection. They are answered that there are too many;
/// the next ones wait, as the protocol has it, and their client is told nothing.
const TOLD_OFF: u32 = 16;

type Added<Outer, Inner> = Stack<Inner, Outer>;
/// What a request passes, the outermost first.
pub(super) type Layers = Added<
    Added<
        Added<
            Added<Added<Added<Added<Added<Identity, CorsLayer>, GrpcWebLayer>, Trace>, Meter>, Identify>,
            Limit,
        >,
        Admit,
    >,
    MessageSize,
>;

/// How the server speaks HTTP, whatever is served.
pub fn transport(settings: &Settings) -> Server {
    let connections = &settings.connections;
    Server::builder()
        .accept_http1(true)
        .http2_keepalive_interval(Some(connections.keepalive_interval.get()))
        .http2_keepalive_timeout(Some(connections.keepalive_timeout.get()))
        .max_concurrent_streams(settings.limits.streams_per_connection.get() + TOLD_OFF)
}

/// The way to the services.
pub(super) fn way(settings: &Settings, parts: &Parts) -> Result<Server<Layers>, StartError> {
    let (connections, limits) = (&settings.connections, &settings.limits);
    let mut server = transport(settings);
    if let Some(files) = settings.tls.files() {
        server = tls::encrypt(server, files)?;
    }
    let way = server
        .layer(cors::layer(&connections.cors_origins))
        .layer(GrpcWebLayer::new())
        .layer(Trace::new(parts.clock.clone()))
        .layer(Meter::new(parts.clock.clone()))
        .layer(Identify::new(parts.keys.clone()))
        .layer(Limit::new(limits, parts.clock.clone()))
        .layer(Admit)
        .layer(MessageSize::new(limits.message_bytes.bytes()));
    Ok(way)
}
