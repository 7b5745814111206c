//! PlayService: the streams Play and Follow, and the unary Act and RevealEntropy.
//!
//! The host encodes the messages of Play and Follow, so these methods use [`EncodedCodec`] and are routed
//! here instead of by generated code.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use parlor_host::HostError;
use parlor_proto::codec::{Codec, EncodedCodec};
use parlor_proto::v1::{self, play_service_server::SERVICE_NAME};
use tonic::body::Body;
use tonic::server::{Grpc, NamedService};
use tonic::{Request, Response, Status, Streaming};
use tower::{Service, service_fn};

use super::heartbeat::Heartbeat;
use super::inbound::{InboundStream, OtherNodes, bidirectional, server_streaming};
use super::layer::limits::stream_allowance;
use super::layer::trace::{trace_seat, trace_table};
use super::outbound::ResponseStream;
use super::routes::{ResponseFuture, unknown_method};
use super::table::caller;
use super::{AppState, Failure, convert};

/// Implementation of PlayService.
#[derive(Clone, Debug)]
pub struct Play(pub Arc<AppState>);

impl NamedService for Play {
    const NAME: &'static str = SERVICE_NAME;
}

impl Service<http::Request<Body>> for Play {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> ResponseFuture {
        let play = self.clone();
        let max_bytes = self.0.settings.limits.message_bytes.bytes();
        match request.uri().path() {
            "/parlor.v1.PlayService/Play" => Box::pin(async move {
                let mut grpc = Grpc::new(EncodedCodec::default()).max_decoding_message_size(max_bytes);
                Ok(grpc.streaming(service_fn(|request| play.play(request)), request).await)
            }),
            "/parlor.v1.PlayService/Follow" => Box::pin(async move {
                let mut grpc = Grpc::new(EncodedCodec::default()).max_decoding_message_size(max_bytes);
                Ok(grpc.server_streaming(service_fn(|request| play.follow(request)), request).await)
            }),
            "/parlor.v1.PlayService/Act" => Box::pin(async move {
                let mut grpc = Grpc::new(Codec::default()).max_decoding_message_size(max_bytes);
                Ok(grpc.unary(service_fn(|request| play.act(request)), request).await)
            }),
            "/parlor.v1.PlayService/RevealEntropy" => Box::pin(async move {
                let mut grpc = Grpc::new(Codec::default()).max_decoding_message_size(max_bytes);
                Ok(grpc.unary(service_fn(|request| play.reveal_entropy(request)), request).await)
            }),
            _ => unknown_method(),
        }
    }
}

impl Play {
    async fn play(
        &self,
        request: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<ResponseStream<v1::PlayResponse>>, Status> {
        let (caller, allowance) = (caller(&request), stream_allowance(&request));
        let (handle, outbox) = self.0.host.open_stream(allowance).map_err(Failure::from)?;
        let nodes = OtherNodes::of(&self.0, &request, &handle);
        let inbound = InboundStream::Client { state: self.0.clone(), caller, handle, nodes };
        Ok(Response::new(bidirectional(inbound, outbox, Vec::new(), request.into_inner())))
    }

    async fn follow(
        &self,
        request: Request<v1::FollowRequest>,
    ) -> Result<Response<ResponseStream<v1::FollowResponse>>, Status> {
        let (caller, allowance) = (caller(&request), stream_allowance(&request));
        let (metadata, extensions, message) = request.into_parts();
        let params = convert::follow_channels(message).map_err(Failure::from)?;
        let (handle, outbox) = self.0.host.open_stream(allowance).map_err(Failure::from)?;
        let nodes = OtherNodes::of(&self.0, &Request::from_parts(metadata, extensions, ()), &handle);
        let convert::FollowParams { channels, heartbeat } = params;
        let heartbeat = heartbeat.map(|interval| Heartbeat::new(self.0.host.clone(), interval));
        let inbound = InboundStream::Client { state: self.0.clone(), caller, handle, nodes };
        Ok(Response::new(server_streaming(inbound, outbox, channels, heartbeat)))
    }

    fn reveal_entropy(
        &self,
        request: Request<v1::RevealEntropyRequest>,
    ) -> BoxFuture<'_, Result<Response<v1::RevealEntropyResponse>, Status>> {
        Box::pin(async move {
            let (token, entropy) = convert::reveal_entropy(&request.into_inner(), &self.0.server_key)?;
            trace_table(token.table());
            trace_seat(token.seat());
            self.0.host.reveal_entropy(token, entropy).await.map_err(Failure::from)?;
            Ok(Response::new(v1::RevealEntropyResponse {}))
        })
    }

    fn act(
        &self,
        request: Request<v1::ActRequest>,
    ) -> BoxFuture<'_, Result<Response<v1::ActResponse>, Status>> {
        Box::pin(async move {
            let (token, step) = convert::act(request.into_inner(), &self.0.server_key)?;
            trace_table(token.table());
            trace_seat(token.seat());
            let response = match step {
                convert::ActStep::Answer(Ok(answer)) => {
                    let answered = self.0.host.act(token, answer).await.map_err(Failure::from)?;
                    let answered = Some(convert::answered(&answered));
                    v1::ActResponse { answered, revealed: None }
                }
                convert::ActStep::Answer(Err(refused)) => {
                    v1::ActResponse { answered: Some(*refused), revealed: None }
                }
                convert::ActStep::Reveal(entropy) => {
                    let outcome = match self.0.host.reveal_entropy(token, entropy).await {
                        // The table's own refusal is a response.
                        Err(error) if !matches!(error, HostError::Command(_)) => {
                            return Err(Failure::from(error).into());
                        }
                        outcome => outcome,
                    };
                    v1::ActResponse { answered: None, revealed: Some(convert::revealed(outcome)) }
                }
            };
            Ok(Response::new(response))
        })
    }
}
