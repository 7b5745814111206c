//! PlayService: playing and watching over streams, and answering without one.

use std::sync::Arc;

use parlor_proto::v1::{self, play_service_server::PlayService};
use tonic::{Request, Response, Status, Streaming, async_trait};

use super::ear::{Speaker, converse, tell};
use super::framed::{Nothing, framed};
use super::heard::Heard;
use super::layer::trace::{note_seat, note_table};
use super::table::caller;
use super::{Failure, Parlour};
use crate::wire;

/// Playing and watching.
#[derive(Clone, Debug)]
pub struct Play(pub Arc<Parlour>);

#[async_trait]
impl PlayService for Play {
    type PlayStream = Nothing<v1::PlayResponse>;

    async fn play(
        &self,
        request: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let caller = caller(&request);
        let requests = Heard::of(request)?;
        let (handle, outbox) = self.0.host.open_stream().map_err(Failure::from)?;
        let speaker = Speaker::Client { parlour: self.0.clone(), caller, handle };
        Ok(framed(converse::<_, v1::PlayResponse>(speaker, outbox, Vec::new(), requests)))
    }

    type FollowStream = Nothing<v1::FollowResponse>;

    async fn follow(
        &self,
        request: Request<v1::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        let caller = caller(&request);
        let channels = wire::follow_channels(request.into_inner()).map_err(Failure::from)?;
        let (handle, outbox) = self.0.host.open_stream().map_err(Failure::from)?;
        let speaker = Speaker::Client { parlour: self.0.clone(), caller, handle };
        Ok(framed(tell::<v1::FollowResponse>(speaker, outbox, channels)))
    }

    async fn act(&self, request: Request<v1::ActRequest>) -> Result<Response<v1::ActResponse>, Status> {
        let (pass, answering) = wire::act(request.into_inner(), &self.0.server_key)?;
        note_table(pass.table());
        note_seat(pass.seat());
        let answered = match answering {
            Ok(wire::Answering { decision, answer, reported }) => {
                let answered = self.0.host.act(pass, decision, answer, reported).await;
                wire::answered(&answered.map_err(Failure::from)?)
            }
            Err(unreadable) => unreadable,
        };
        Ok(Response::new(v1::ActResponse { answered: Some(answered) }))
    }
}
