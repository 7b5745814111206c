//! PlayService: playing and watching over streams, and answering without one.

use std::sync::Arc;

use futures_util::Stream;
use parlor_proto::v1::{self, play_service_server::PlayService};
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming, async_trait};
use tracing::Instrument;

use super::layer::trace::{note_seat, note_table};
use super::speech::{Batch, Spoken, speech};
use super::table::caller;
use super::{Failure, Parlour};
use crate::host::{Channel, Said, Saying, StreamHandle};
use crate::identity::Caller;
use crate::wire;

/// Playing and watching.
#[derive(Clone, Debug)]
pub struct Play(pub Arc<Parlour>);

/// How many refusals may wait for a client that does not read. It is not read from until it does.
const REFUSALS: usize = 64;

type Responses<T> = std::pin::Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[async_trait]
impl PlayService for Play {
    type PlayStream = Responses<v1::PlayResponse>;

    async fn play(
        &self,
        request: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let caller = caller(&request);
        let (handle, outbox) = self.0.host.open_stream().map_err(Failure::from)?;
        let (spoken, refusals) = mpsc::channel(REFUSALS);
        let ear = Ear { parlour: self.0.clone(), caller, handle, spoken };
        let listening = tokio::spawn(ear.listen(request.into_inner()).in_current_span());
        let most = self.0.settings.limits.batch_bytes.bytes();
        let batches = speech(outbox, refusals, most, listening);
        let message = |Batch { items, ending }| v1::PlayResponse { items, ending };
        Ok(Response::new(Box::pin(futures_util::TryStreamExt::map_ok(batches, message))))
    }

    type FollowStream = Responses<v1::FollowResponse>;

    async fn follow(
        &self,
        request: Request<v1::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        let caller = caller(&request);
        let channels = wire::follow_channels(request.into_inner()).map_err(Failure::from)?;
        let (handle, outbox) = self.0.host.open_stream().map_err(Failure::from)?;
        let (spoken, refusals) = mpsc::channel(REFUSALS);
        let ear = Ear { parlour: self.0.clone(), caller, handle, spoken };
        let listening = tokio::spawn(ear.follow(channels).in_current_span());
        let most = self.0.settings.limits.batch_bytes.bytes();
        let batches = speech(outbox, refusals, most, listening);
        let message = |Batch { items, ending }| v1::FollowResponse { items, ending };
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

/// Listens to a client.
struct Ear {
    parlour: Arc<Parlour>,
    caller: Option<Caller>,
    handle: StreamHandle,
    /// What is said to the client without asking a table.
    spoken: mpsc::Sender<Spoken>,
}

impl Ear {
    /// Attaches what a client follows.
    async fn follow(self, channels: Vec<(Channel, v1::Attach)>) {
        let mut sayings = Vec::with_capacity(channels.len());
        for (channel, attach) in channels {
            sayings.extend(self.attach(channel, attach).await);
        }
        self.handle.say(sayings).await;
        self.finish().await;
    }

    /// Passes on what the client says, until it ends or goes away.
    async fn listen(self, mut requests: Streaming<v1::PlayRequest>) {
        loop {
            let failed = match requests.message().await {
                Ok(Some(request)) => match wire::play_items(request) {
                    Ok(items) => {
                        self.hear(items).await;
                        continue;
                    }
                    Err(wrong) => Status::from(Failure::from(wrong)),
                },
                Ok(None) => return self.finish().await,
                Err(status) => status,
            };
            // Whoever does not read any more needs no answer.
            let _ = self.spoken.send(Spoken::End(failed)).await;
            return;
        }
    }

    /// The client has said all that it wants to say, and goes on watching: what is attached stays so, until the last
    /// channel is closed or the client goes.
    async fn finish(&self) {
        // Whoever does not read any more needs no end.
        let _ = self.spoken.send(Spoken::Finish).await;
        self.spoken.closed().await;
    }

    async fn hear(&self, items: Vec<v1::PlayRequestItem>) {
        use v1::play_request_item::Item;
        let mut sayings = Vec::with_capacity(items.len());
        for v1::PlayRequestItem { channel, item } in items {
            let number = Channel(channel);
            match item {
                Some(Item::Attach(attach)) => sayings.extend(self.attach(number, attach).await),
                Some(Item::Detach(_)) => sayings.push(Saying { channel: number, what: Said::Detach }),
                Some(Item::Answer(answer)) => {
                    let decision_id = answer.decision_id;
                    match wire::answer(answer) {
                        Ok(wire::Answering { decision, answer, reported }) => {
                            let what = Said::Answer { decision, answer, reported };
                            sayings.push(Saying { channel: number, what });
                        }
                        Err(wrong) => {
                            let answered = wire::unreadable(decision_id, wrong);
                            self.say(channel, v1::stream_item::Item::Answered(answered)).await;
                        }
                    }
                }
                None => {
                    let wrong = parlor_proto::convert::WrongField::at("item", "must be set");
                    let closed = wire::closed(Some(wrong.into()), 0, false);
                    self.handle.close(number).await;
                    self.say(channel, v1::stream_item::Item::Closed(closed)).await;
                }
            }
        }
        self.handle.say(sayings).await;
    }

    /// What the client wants to see, or nothing and the reason told.
    async fn attach(&self, channel: Channel, attach: v1::Attach) -> Option<Saying> {
        let after = attach.after.map_or(0, u64::from);
        match wire::attach(attach, &self.parlour.server_key, self.caller.as_ref()) {
            Ok(wire::Attaching { who, after, wants }) => {
                Some(Saying { channel, what: Said::Attach { who, after, wants } })
            }
            Err(failure) => {
                self.handle.close(channel).await;
                let closed = wire::closed(Some(failure), after, false);
                self.say(channel.0, v1::stream_item::Item::Closed(closed)).await;
                None
            }
        }
    }

    async fn say(&self, channel: u32, item: v1::stream_item::Item) {
        let item = v1::StreamItem { channel, item: Some(item) };
        // Whoever does not read any more needs no answer.
        let _ = self.spoken.send(Spoken::Item(Box::new(item))).await;
    }
}
