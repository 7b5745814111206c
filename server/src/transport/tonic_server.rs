//! tonic's server configured from the settings (HTTP/2, HTTP/1, TLS, keepalive), and the layers around the
//! services.

use std::convert::Infallible;
use std::time::Duration;

use http::{Request, Response};
use tonic::body::Body;
use tonic::transport::Server;
use tonic_web::GrpcWebLayer;
use tower::{Service, ServiceBuilder};

use super::{ServerDependencies, StartError, cors, tls};
use crate::{
    config::{HostNames, Settings},
    grpc::{
        layer::{
            deadline::DeadlineLayer,
            host_name::HostNameLayer,
            identity::{AdmissionLayer, IdentityLayer},
            limits::LimitLayer,
            message_limit::MessageLimitLayer,
            metrics::MetricsLayer,
            trace::TraceLayer,
        },
        routes::Routes,
    },
    pages::PagesLayer,
};

/// HTTP/2 streams that are admitted beyond the limit of a connection, so that their calls fail with a reason.
/// Clients queue further streams without an error.
const EXTRA_STREAMS: u32 = 16;
/// HTTP/2 flow-control window of a stream and of a connection, in bytes.
const RECEIVE_WINDOW: u32 = 1 << 20;
/// Maximum size of the headers of a request, in bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;
/// Maximum time for a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Configures tonic's server.
pub(super) fn server(settings: &Settings) -> Result<Server, StartError> {
    let connections = &settings.connections;
    let mut server = Server::builder()
        // Browsers may send gRPC-Web over HTTP/1.
        .accept_http1(true)
        .initial_stream_window_size(RECEIVE_WINDOW)
        .initial_connection_window_size(RECEIVE_WINDOW)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .max_concurrent_streams(settings.limits.streams_per_connection.get() + EXTRA_STREAMS)
        .http2_keepalive_interval(Some(connections.keepalive_interval.get()))
        .http2_keepalive_timeout(Some(connections.keepalive_timeout.get()));
    if let Some(files) = settings.tls.files() {
        let tls = tls::config(files)?.timeout(HANDSHAKE_TIMEOUT);
        server = server.tls_config(tls).map_err(|error| tls::unusable(files, &error))?;
    }
    Ok(server)
}

/// The services behind all layers, outermost first. `host_names` are the further names of a server that only its own
/// machine can reach.
pub(super) fn service(
    settings: &Settings,
    dependencies: &ServerDependencies,
    host_names: Option<HostNames>,
    routes: Routes,
) -> impl Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ 'static {
    let (connections, limits) = (&settings.connections, &settings.limits);
    let host_names = HostNameLayer::new(dependencies.keys.clone(), host_names);
    ServiceBuilder::new()
        .layer(PagesLayer::new(settings, host_names.clone()))
        .layer(cors::layer(&connections.cors_origins))
        .layer(GrpcWebLayer::new())
        .layer(TraceLayer::new(dependencies.clock.clone()))
        .layer(MetricsLayer::new(dependencies.clock.clone()))
        .layer(host_names)
        .layer(IdentityLayer::new(dependencies.keys.clone(), dependencies.server_key.clone()))
        .layer(LimitLayer::new(limits, dependencies.clock.clone()))
        .layer(AdmissionLayer)
        .layer(MessageLimitLayer::new(limits.message_bytes.bytes()))
        .layer(DeadlineLayer)
        .service(routes)
}
