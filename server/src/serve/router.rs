//! The way of a request: TLS, HTTP/2 or HTTP/1, CORS, gRPC-Web, the layers of [`crate::grpc::layer`], its service.

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use tonic_web::GrpcWebLayer;
use tower::ServiceBuilder;

use super::{
    Parts, StartError,
    connection::{Serve, Way},
    cors,
    http2::Http2,
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
    let mut http1 = http1::Builder::new();
    // With a timer, a client has half a minute for the headers of a request.
    http1.timer(TokioTimer::new());
    Ok(Way { http1, http2: Http2::new(settings), tls, service })
}
