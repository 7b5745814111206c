//! tonic's server, as the settings have it: HTTP/2 and HTTP/1, TLS, keepalive, and the layers around the services.

use std::convert::Infallible;
use std::time::Duration;

use http::{Request, Response};
use tonic::body::Body;
use tonic::transport::Server;
use tonic_web::GrpcWebLayer;
use tower::{Service, ServiceBuilder};

use super::{Parts, StartError, cors, tls};
use crate::{
    config::Settings,
    grpc::{
        layer::{
            deadline::Deadline,
            identity::{Admit, Identify},
            limits::Limit,
            message_limit::MessageSize,
            metrics::Meter,
            trace::Trace,
        },
        routes::Routes,
    },
};

/// Calls beyond the limit of a connection that HTTP/2 lets through, so that they can be refused with a reason. Further ones wait, as
/// the protocol has it, and their client is told nothing.
const REFUSED_STREAMS: u32 = 16;
/// Bytes that a client may send before they are read, on a stream and on a connection.
const RECEIVE_WINDOW: u32 = 1 << 20;
/// Maximum size of the headers of a request, in bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;
/// Time for a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// tonic's server.
pub(super) fn server(settings: &Settings) -> Result<Server, StartError> {
    let connections = &settings.connections;
    let mut server = Server::builder()
        // Browsers speak gRPC-Web over HTTP/1.
        .accept_http1(true)
        .initial_stream_window_size(RECEIVE_WINDOW)
        .initial_connection_window_size(RECEIVE_WINDOW)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .max_concurrent_streams(settings.limits.streams_per_connection.get() + REFUSED_STREAMS)
        .http2_keepalive_interval(Some(connections.keepalive_interval.get()))
        .http2_keepalive_timeout(Some(connections.keepalive_timeout.get()));
    if let Some(files) = settings.tls.files() {
        let tls = tls::config(files)?.timeout(HANDSHAKE_TIMEOUT);
        server = server.tls_config(tls).map_err(|error| tls::unusable(files, &error))?;
    }
    Ok(server)
}

/// The services behind all layers, the outermost first.
pub(super) fn layered(
    settings: &Settings,
    parts: &Parts,
    routes: Routes,
) -> impl Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ 'static {
    let (connections, limits) = (&settings.connections, &settings.limits);
    ServiceBuilder::new()
        .layer(cors::layer(&connections.cors_origins))
        .layer(GrpcWebLayer::new())
        .layer(Trace::new(parts.clock.clone()))
        .layer(Meter::new(parts.clock.clone()))
        .layer(Identify::new(parts.keys.clone()))
        .layer(Limit::new(limits, parts.clock.clone()))
        .layer(Admit)
        .layer(MessageSize::new(limits.message_bytes.bytes()))
        .layer(Deadline)
        .service(routes)
}
