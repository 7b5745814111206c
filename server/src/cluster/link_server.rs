//! The port on which a node accepts links, and the checks of every call that comes over one.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use parlor_host::placement::NodeId;
use parlor_host::{DealVisibility, Secret, TournamentId};
use parlor_proto::codec::Codec;
use tonic::server::Grpc;
use tonic::transport::Server;
use tonic::{Status, body::Body};
use tower::{Layer, Service, service_fn};

use super::Cluster;
use super::link::{HANDSHAKE, IS_DEAL_OVER, software};
use super::link_headers::{admit, check};
use super::link_tls::LinkTls;
use super::wire::{HandshakeRequest, HandshakeResponse, IsDealOverRequest, IsDealOverResponse};
use crate::grpc::routes::ResponseFuture;
use crate::identity::{Caller, ServerKey};

/// Streams on one link: clients of the other node, and calls under way.
const MAX_STREAMS: u32 = 1 << 20;
/// Credit of one stream for requests, in bytes.
const REQUEST_CREDIT: u32 = 256 * 1024;
/// Credit of a link for requests, in bytes.
const LINK_CREDIT: u32 = 1 << 30;
/// Maximum size of the headers of a call, in bytes.
const MAX_HEADER_BYTES: u32 = 32 << 10;

/// tonic's server for links.
pub(crate) fn server(tls: Option<&LinkTls>) -> Result<Server, tonic::transport::Error> {
    let server = Server::builder()
        .initial_stream_window_size(REQUEST_CREDIT)
        .initial_connection_window_size(LINK_CREDIT)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .max_concurrent_streams(MAX_STREAMS);
    match tls {
        Some(tls) => server.tls_config(tls.server_config()),
        None => Ok(server),
    }
}

/// Admits calls from the nodes of this cluster alone, with the caller that the other node has found out; answers the calls of
/// the link itself.
#[derive(Clone, Debug)]
pub(crate) struct LinkLayer {
    node: NodeId,
    token: Secret<String>,
    cluster: Arc<Cluster>,
    deals: DealVisibility,
}

impl LinkLayer {
    /// The layer of this node.
    pub(crate) fn new(
        node: NodeId,
        key: &ServerKey,
        cluster: Arc<Cluster>,
        deals: DealVisibility,
    ) -> LinkLayer {
        LinkLayer { node, token: key.link_token(), cluster, deals }
    }

    /// Answers if a deal of a tournament of this node is over.
    fn is_deal_over(&self, request: &IsDealOverRequest) -> Result<IsDealOverResponse, Status> {
        let IsDealOverRequest { tournament_id, number } = request;
        let tournament: TournamentId =
            tournament_id.parse().map_err(|_| Status::invalid_argument("no id of a tournament"))?;
        if !self.cluster.is_local(tournament.partition()) {
            return Err(Status::unavailable("the tournament is on another node"));
        }
        Ok(IsDealOverResponse { over: self.deals.is_over(tournament, *number) })
    }
}

impl<S> Layer<S> for LinkLayer {
    type Service = LinkService<S>;

    fn layer(&self, inner: S) -> LinkService<S> {
        LinkService { inner, layer: self.clone() }
    }
}

/// The service of [`LinkLayer`].
#[derive(Clone, Debug)]
pub(crate) struct LinkService<S> {
    inner: S,
    layer: LinkLayer,
}

impl<S> Service<Request<Body>> for LinkService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send + 'static>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> ResponseFuture {
        let LinkLayer { node, token, .. } = &self.layer;
        let checked =
            check(request.headers(), node, token).and_then(|from| admit(&mut request).map(|()| from));
        match checked {
            Err(status) => {
                tracing::warn!(status = status.message(), "a call over a link was refused");
                Box::pin(async move { Ok(status.into_http()) })
            }
            Ok(from) if request.uri().path() == HANDSHAKE => Box::pin(answer_handshake(from, request)),
            Ok(_) if request.uri().path() == IS_DEAL_OVER => {
                let layer = self.layer.clone();
                Box::pin(async move {
                    let answer = async |request: tonic::Request<IsDealOverRequest>| {
                        layer.is_deal_over(request.get_ref()).map(tonic::Response::new)
                    };
                    let mut grpc = Grpc::new(Codec::<IsDealOverResponse, IsDealOverRequest>::default());
                    Ok(grpc.unary(service_fn(answer), request).await)
                })
            }
            Ok(_) => {
                if let Some(caller) = request.extensions().get::<Caller>() {
                    tracing::Span::current().record("key", tracing::field::display(caller.key()));
                }
                Box::pin(self.inner.call(request))
            }
        }
    }
}

async fn answer_handshake(from: NodeId, request: Request<Body>) -> Result<Response<Body>, Infallible> {
    let handshake = async |request: tonic::Request<HandshakeRequest>| {
        let software_there = request.into_inner().software;
        tracing::info!(node = %from, software = software_there, "a node has opened a link");
        Ok(tonic::Response::new(HandshakeResponse { software: software() }))
    };
    let mut grpc = Grpc::new(Codec::<HandshakeResponse, HandshakeRequest>::default());
    Ok(grpc.unary(service_fn(handshake), request).await)
}
