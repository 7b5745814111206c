//! The way of a request: TLS, HTTP/2 or HTTP/1, CORS, gRPC-Web, the layers of [`crate::grpc::layer`], its service.

use hyper_util::{rt::TokioTimer, server::conn::auto::Builder};
use tonic_web::GrpcWebLayer;
use tower::ServiceBuilder;

use super::{
    Parts, StartError,
    again::Tasks,
    connection::{Serve, Way},
    cors,
    services::Services,
    tls::Acceptor,
};
use crate::{
    config::Settings,
    grpc::layer::{
        deadline::Deadline,
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

/// How the server speaks HTTP, whatever is served.
fn http(settings: &Settings) -> Builder<Tasks> {
    let connections = &settings.connections;
    let mut http = Builder::new(Tasks);
    // With a timer, a client has half a minute for the headers of a request.
    http.http1().timer(TokioTimer::new());
    http.http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(connections.keepalive_interval.get())
        .keep_alive_timeout(connections.keepalive_timeout.get())
        .max_concurrent_streams(settings.limits.streams_per_connection.get() + TOLD_OFF);
    http
}

/// The way to the services.
pub(super) fn way(
    settings: &Settings,
    parts: &Parts,
    services: Services,
) -> Result<Way<impl Serve>, StartError> {
    let (connections, limits) = (&settings.connections, &settings.limits);
    let service = ServiceBuilder::new()
        .layer(cors::layer(&connections.cors_origins))
        .layer(GrpcWebLayer::new())
        .layer(Trace::new(parts.clock.clone()))
        .layer(Meter::new(parts.clock.clone()))
        .layer(Identify::new(parts.keys.clone()))
        .layer(Limit::new(limits, parts.clock.clone()))
        .layer(Admit)
        .layer(MessageSize::new(limits.message_bytes.bytes()))
        .layer(Deadline)
        .service(services);
    let tls = settings.tls.files().map(Acceptor::new).transpose()?;
    Ok(Way { http: http(settings), tls, service })
}
