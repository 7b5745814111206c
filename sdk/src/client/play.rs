//! Playing without a session: the calls Act and Follow of the PlayService.

use futures_util::Stream;
use tokio::time::timeout;
use tonic::Request;

use super::Client;
use super::call::call;
use crate::{AcceptedAnswer, Choice, Error, SeatToken, wire};

impl Client {
    /// Answers one decision of a seat. Safe to repeat. A [`Session`](crate::Session) does the same over its
    /// stream, for many seats at once.
    pub async fn act(
        &self,
        token: &SeatToken,
        decision_id: u32,
        choice: impl Into<Choice>,
    ) -> Result<AcceptedAnswer, Error> {
        let request = wire::ActRequest {
            seat_token: token.reveal().into(),
            answer: Some(choice.into().answer(decision_id, None)),
            reveal_entropy: None,
        };
        let reply = call!(self, play.act, request)?;
        AcceptedAnswer::from_wire(reply.answered.ok_or_else(|| Error::missing_field("answer"))?)
    }

    /// Follows seats or tables over a separate stream, as browsers do. The stream is raw: it ends when the
    /// connection does. A [`Session`](crate::Session) reconnects by itself.
    pub async fn follow(
        &self,
        channels: Vec<wire::FollowChannel>,
    ) -> Result<impl Stream<Item = Result<wire::FollowResponse, Error>> + Send + use<>, Error> {
        let request = Request::new(wire::FollowRequest { channels, heartbeat_ms: None });
        let mut rpc = self.play.clone();
        let opening = timeout(self.limits.attempt, rpc.follow(request)).await;
        let opened = opening.map_err(|_| Error::deadline(self.limits.attempt))?;
        let stream = opened.map_err(|status| Error::from_status(&status))?.into_inner();
        Ok(futures_util::StreamExt::map(stream, |item| item.map_err(|status| Error::from_status(&status))))
    }
}
