//! Forwarding of calls that are served on one node: unary calls, server streams, and Connect.

use http::header::{HeaderName, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response};
use hyper::body::{Frame, Incoming};
use opentelemetry::propagation::{Injector, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use parlor_fair::Partition;
use parlor_host::HostError;
use parlor_host::placement::{NodeId, Placement};
use tokio_util::sync::DropGuard;
use tonic::{Status, body::Body};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::first_message::FirstMessage;
use super::forwarded_body::{ClientStreamBody, ForwardedBody, trailers};
use super::link::{LinkSender, request};
use super::link_headers::{REFUSED, add_forwarded_call, forwarded_call};
use super::method_home::MethodHome;
use super::{Cluster, PATIENCE, retry_pause};
use crate::grpc::Failure;
use crate::grpc::routes::Routes;
use crate::identity::Caller;

/// Headers of a client that are forwarded. All others stay behind, those of links among them.
const FORWARDED_HEADERS: [HeaderName; 4] = [
    USER_AGENT,
    HeaderName::from_static("grpc-timeout"),
    HeaderName::from_static("grpc-encoding"),
    HeaderName::from_static("grpc-accept-encoding"),
];

/// The response of a call that no node could serve in time. Nothing was done.
fn unavailable() -> Status {
    Failure::from(HostError::Stopping).into()
}

/// Serves a call on the node where it belongs.
pub(crate) async fn serve_at_home(
    cluster: &Cluster,
    home: &'static MethodHome,
    request: Request<Body>,
    routes: Routes,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let first = match FirstMessage::read(body).await {
        Ok(first) => first,
        Err(status) => return status.into_http(),
    };
    let Some(partition) = first.message().and_then(|message| home.partition(message)) else {
        return serve_locally(&routes, parts, first).await;
    };
    let forwarding = Forwarding { cluster, home, partition };
    forwarding.serve(parts, first, &routes).await
}

/// Serves a call that has come over a link, if this node is its home.
pub(crate) async fn serve_if_home(
    cluster: &Cluster,
    home: &'static MethodHome,
    request: Request<Body>,
    routes: Routes,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let first = match FirstMessage::read(body).await {
        Ok(first) => first,
        Err(status) => return status.into_http(),
    };
    let partition = first.message().and_then(|message| home.partition(message));
    if partition.is_none_or(|partition| cluster.is_local(partition)) {
        return serve_locally(&routes, parts, first).await;
    }
    let mut response = unavailable().into_http::<Body>();
    response.headers_mut().insert(REFUSED, HeaderValue::from_static("not the owner"));
    response
}

async fn serve_locally(routes: &Routes, parts: Parts, first: FirstMessage) -> Response<Body> {
    let Ok(response) = routes.dispatch(Request::from_parts(parts, first.into_body())).await;
    response
}

/// Serves the start of Connect: the response begins at once, since some clients send nothing before.
pub(crate) fn serve_client_stream(
    cluster: std::sync::Arc<Cluster>,
    home: &'static MethodHome,
    request: Request<Body>,
    routes: Routes,
) -> Response<Body> {
    let serving = async move { serve_at_home(&cluster, home, request, routes).await };
    let frames = futures_util::stream::once(serving);
    let frames = futures_util::StreamExt::flat_map(frames, |response| {
        let (parts, body) = response.into_parts();
        // A response without messages has its status in its headers.
        let status =
            Status::from_header_map(&parts.headers).map(|status| Ok(Frame::trailers(trailers(&status))));
        let rest = http_body_util::BodyStream::new(body);
        futures_util::StreamExt::chain(futures_util::stream::iter(status), rest)
    });
    let mut response = Response::new(Body::new(http_body_util::StreamBody::new(frames)));
    response.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

/// The outcome of one attempt.
enum Attempt {
    Answered(Response<Incoming>),
    /// Nothing was done at the other node.
    NotServed,
    /// The link broke, and nobody knows what was done.
    Unknown,
}

/// A call on its way to its home.
struct Forwarding<'a> {
    cluster: &'a Cluster,
    home: &'static MethodHome,
    partition: Partition,
}

impl Forwarding<'_> {
    /// Serves the call here or over a link, as soon as its home is known and can be reached.
    async fn serve(self, parts: Parts, first: FirstMessage, routes: &Routes) -> Response<Body> {
        let mut changes = self.cluster.changes();
        let clock = &self.cluster.clock;
        let give_up = clock.now() + PATIENCE;
        let mut out_of_patience = clock.sleep_until(give_up);
        let mut first = Some(first);
        for failures in 0.. {
            changes.borrow_and_update();
            let node = match self.cluster.placement(self.partition) {
                Placement::Local => match first.take() {
                    Some(first) => return serve_locally(routes, parts, first).await,
                    None => break,
                },
                Placement::Remote(node) => Some(node),
                Placement::Unowned => None,
            };
            let link = node.as_ref().and_then(|node| Some((node, self.cluster.link(node)?)));
            let mut was_refused = false;
            if let Some((node, sender)) = link {
                let Some((body, request)) = self.body(&mut first) else { break };
                match self.attempt(node, sender, &parts, body).await {
                    Attempt::Answered(response) => return self.response(response, request, &parts),
                    Attempt::NotServed => was_refused = true,
                    Attempt::Unknown if self.home.is_repeatable => was_refused = true,
                    Attempt::Unknown => break,
                }
            }
            let pause = async {
                if was_refused {
                    tokio::time::sleep(retry_pause(failures)).await;
                } else {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { break },
                () = pause => {}
                () = &mut out_of_patience => break,
            }
        }
        unavailable().into_http()
    }

    /// The body of an attempt. That of a client stream can be sent once.
    fn body(&self, first: &mut Option<FirstMessage>) -> Option<(Body, Option<DropGuard>)> {
        if self.home.is_client_streaming() {
            let (body, guard) = ClientStreamBody::wrap(first.take()?.into_body());
            Some((body, Some(guard)))
        } else {
            Some((first.as_ref()?.to_unary_body(), None))
        }
    }

    async fn attempt(&self, node: &NodeId, mut sender: LinkSender, parts: &Parts, body: Body) -> Attempt {
        let mut forwarded = request(parts.uri.path(), &self.cluster.headers(node), body);
        let headers = forwarded.headers_mut();
        for name in FORWARDED_HEADERS {
            if let Some(value) = parts.headers.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        add_forwarded_call(headers, forwarded_call(&parts.extensions));
        add_trace(headers);
        if sender.ready().await.is_err() {
            return Attempt::NotServed;
        }
        match sender.try_send_request(forwarded).await {
            Ok(response) if response.headers().contains_key(REFUSED) => Attempt::NotServed,
            Ok(response) => Attempt::Answered(response),
            // The request comes back if it was never sent.
            Err(mut error) => match error.take_message() {
                Some(_) => Attempt::NotServed,
                None => Attempt::Unknown,
            },
        }
    }

    fn response(
        &self,
        response: Response<Incoming>,
        request: Option<DropGuard>,
        parts: &Parts,
    ) -> Response<Body> {
        let caller = parts.extensions.get::<Caller>().filter(|_| self.home.is_streaming).cloned();
        response.map(|body| ForwardedBody::wrap(body, request, caller))
    }
}

/// Adds the trace of the current span, which the other node continues.
pub(super) fn add_trace(headers: &mut HeaderMap) {
    struct HeaderInjector<'a>(&'a mut HeaderMap);
    impl Injector for HeaderInjector<'_> {
        fn set(&mut self, key: &str, value: String) {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(key), HeaderValue::try_from(value)) {
                self.0.insert(name, value);
            }
        }
    }
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut HeaderInjector(headers));
}
