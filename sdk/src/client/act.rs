//! Playing without a stream of one's own: the calls Act and Follow of the PlayService, for those who cannot use a
//! [`Session`](crate::Session).

use futures_util::Stream;
use tokio::time::timeout;
use tonic::Request;

use super::Client;
use super::call::call;
use crate::{Answered, Choice, Error, SeatToken, wire};

impl Client {
    /// Answers one decision of a seat. It is safe to call again. A [`Session`](crate::Session) does the same over its
    /// stream, for many seats at once.
    pub async fn act(
        &self,
        token: &SeatToken,
        decision_id: u32,
        choice: impl Into<Choice>,
    ) -> Result<Answered, Error> {
        let request = wire::ActRequest {
            seat_token: token.reveal().into(),
            answer: Some(choice.into().answer(decision_id, None)),
        };
        let reply = call!(self, play.act, request)?;
        Answered::from_wire(reply.answered.ok_or_else(|| Error::lacks("answer"))?)
    }

    /// Watches seats or tables over a stream of its own, as browsers do. The stream is as the server sends it: it ends
    /// when the connection does. A [`Session`](crate::Session) comes back by itself.
    pub async fn follow(
        &self,
        channels: Vec<wire::FollowChannel>,
    ) -> Result<impl Stream<Item = Result<wire::FollowResponse, Error>> + Send + use<>, Error> {
        let request = Request::new(wire::FollowRequest { channels });
        let mut rpc = self.play.clone();
        let opening = timeout(self.limits.attempt, rpc.follow(request)).await;
        let opened = opening.map_err(|_| Error::deadline(self.limits.attempt))?;
        let stream = opened.map_err(|status| Error::from_status(&status))?.into_inner();
        Ok(futures_util::StreamExt::map(stream, |item| item.map_err(|status| Error::from_status(&status))))
    }
}
