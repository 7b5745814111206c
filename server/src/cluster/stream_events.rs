//! Opening of carried streams, and the events of those that are open.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use http::{HeaderValue, Request};
use parlor_host::placement::NodeId;
use tonic::body::Body;

use super::Cluster;
use super::carried_channels::Destination;
use super::forward::add_trace;
use super::link::{LinkSender, request};
use super::link_headers::{add_forwarded_call, admit};
use super::remote_stream::Responses;
use crate::grpc::routes::Routes;

/// The path of the carried call.
const PLAY: &str = "/parlor.v1.PlayService/Play";

/// An event of a carried stream.
pub(super) enum Event {
    Message(Destination, u64, bytes::Bytes),
    Ended(Destination, u64),
}

/// The body of the responses of a carried stream, once it is open.
type Opening = BoxFuture<'static, Option<Body>>;

pub(super) fn open_link(
    mut sender: LinkSender,
    cluster: &Cluster,
    node: &NodeId,
    call: HeaderValue,
    body: Body,
) -> Opening {
    let mut request = request(PLAY, &cluster.headers(node), body);
    add_forwarded_call(request.headers_mut(), call);
    add_trace(request.headers_mut());
    Box::pin(async move {
        sender.ready().await.ok()?;
        let response = sender.send_request(request).await.ok()?;
        Some(response.map(Body::new).into_body())
    })
}

pub(super) fn open_here(routes: Routes, call: HeaderValue, body: Body) -> Opening {
    let mut request = Request::new(body);
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = http::Uri::from_static(PLAY);
    let content_type = HeaderValue::from_static("application/grpc");
    request.headers_mut().insert(http::header::CONTENT_TYPE, content_type);
    add_forwarded_call(request.headers_mut(), call);
    Box::pin(async move {
        admit(&mut request).ok()?;
        let Ok(response) = routes.dispatch(request).await;
        Some(response.into_body())
    })
}

/// The events of a carried stream.
pub(super) fn events(opening: Opening, destination: Destination, number: u64) -> BoxStream<'static, Event> {
    enum Carried {
        Opening(Opening),
        Open(Box<Responses>),
        Ended,
    }
    let events = stream::unfold(Carried::Opening(opening), move |carried| {
        let destination = destination.clone();
        async move {
            let mut responses = match carried {
                Carried::Opening(opening) => opening.await.map(|body| Box::new(Responses::new(body))),
                Carried::Open(responses) => Some(responses),
                Carried::Ended => return None,
            };
            let message = match &mut responses {
                Some(responses) => responses.next().await,
                None => None,
            };
            Some(match (message, responses) {
                (Some(message), Some(responses)) => {
                    (Event::Message(destination, number, message), Carried::Open(responses))
                }
                _ => (Event::Ended(destination, number), Carried::Ended),
            })
        }
    });
    events.boxed()
}
