//! PlayService: playing and watching over streams, and answering without one.

use std::sync::Arc;

use futures_util::Stream;
use parlor_proto::encoded;
use parlor_proto::v1::{self, play_service_server::PlayService};
use tonic::{Request, Response, Status, Streaming, async_trait};

use super::ear::{Speaker, converse, tell};
use super::layer::trace::{note_seat, note_table};
use super::speech::Batch;
use super::table::caller;
use super::{Failure, Parlour};
use crate::wire;

/// Playing and watching.
#[derive(Clone, Debug)]
pub struct Play(pub Arc<Parlour>);

type Responses<T> = std::pin::Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[async_trait]
impl PlayService for Play {
    type PlayStream = Responses<encoded::PlayResponse>;

    async fn play(
        &self,
        request: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let caller = caller(&request);
        let (handle, outbox) = self.0.host.open_stream().map_err(Failure::from)?;
        let speaker = Speaker::Client { parlour: self.0.clone(), caller, handle };
        let most = self.0.settings.limits.batch_bytes.bytes();
        let batches = converse(speaker, outbox, most, Vec::new(), request.into_inner());
        let message = |Batch { items, ending, .. }| encoded::PlayResponse { items, ending };
        Ok(Response::new(Box::pin(futures_util::TryStreamExt::map_ok(batches, message))))
    }

    type FollowStream = Responses<encoded::FollowResponse>;

    async fn follow(
        &self,
        request: Request<v1::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        let caller = caller(&request);
        let channels = wire::follow_channels(request.into_inner()).map_err(Failure::from)?;
        let (handle, outbox) = self.0.host.open_stream().map_err(Failure::from)?;
        let speaker = Speaker::Client { parlour: self.0.clone(), caller, handle };
        let most = self.0.settings.limits.batch_bytes.bytes();
        let batches = tell(speaker, outbox, most, channels);
        let message = |Batch { items, ending, .. }| encoded::FollowResponse { items, ending };
        Ok(Response::new(Box::pin(futures_util::TryStreamExt::map_ok(batches, message))))
    }

    async fn act(&self, request: Request<v1::ActRequest>) -> Result<Response<v1::ActResponse>, Status> {
        let (pass, answering) = wire::act(request.into_inner(), &self.0.server_key)?;
        note_table(pass.table());
        note_seat(pass.seat());
        let answered = match answering {
            Ok(wire::Answering { decision, answer, reported }) => {
                let answered = self.0.host.act(pass, decision, answer, reported).await;
                wire::answered(answered.map_err(Failure::from)?)
            }
            Err(unreadable) => unreadable,
        };
        Ok(Response::new(v1::ActResponse { answered: Some(answered) }))
    }
}
