//! PlayService: playing and watching over streams, and answering without one.

use std::sync::Arc;

use futures_util::Stream;
use parlor_proto::convert::WrongField;
use parlor_proto::encoded;
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
    type PlayStream = Responses<encoded::PlayResponse>;

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
        let message = |Batch { items, ending }| encoded::PlayResponse { items, ending };
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
        let (spoken, refusals) = mpsc::channel(REFUSALS);
        let ear = Ear { parlour: self.0.clone(), caller, handle, spoken };
        let listening = tokio::spawn(ear.follow(channels).in_current_span());
        let most = self.0.settings.limits.batch_bytes.bytes();
        let batches = speech(outbox, refusals, most, listening);
        let message = |Batch { items, ending }| encoded::FollowResponse { items, ending };
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
            match self.attach(attach) {
                Ok(what) => sayings.push(Saying { channel, what }),
                Err(refusal) => self.refuse(channel.0, refusal).await,
            }
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

    /// Passes on some items, in their order: what cannot be read is refused when all before it has been passed on.
    async fn hear(&self, items: Vec<v1::PlayRequestItem>) {
        let mut sayings = Vec::with_capacity(items.len());
        for v1::PlayRequestItem { channel, item } in items {
            match self.read(item) {
                Ok(what) => sayings.push(Saying { channel: Channel(channel), what }),
                Err(refusal) => {
                    self.handle.say(std::mem::take(&mut sayings)).await;
                    self.refuse(channel, refusal).await;
                }
            }
        }
        self.handle.say(sayings).await;
    }

    /// What an item says, or what is to be told of it.
    fn read(&self, item: Option<v1::play_request_item::Item>) -> Result<Said, Refusal> {
        use v1::play_request_item::Item;
        match item {
            Some(Item::Attach(attach)) => self.attach(attach),
            Some(Item::Detach(_)) => Ok(Said::Detach),
            Some(Item::Answer(answer)) => {
                let decision_id = answer.decision_id;
                match wire::answer(answer) {
                    Ok(wire::Answering { decision, answer, reported }) => {
                        Ok(Said::Answer { decision, answer, reported })
                    }
                    Err(wrong) => Err(Refusal::Answered(Box::new(wire::unreadable(decision_id, wrong)))),
                }
            }
            None => {
                let wrong = WrongField::at("item", "must be set");
                Err(Refusal::Closed(Box::new(wire::closed(Some(wrong.into()), 0, false))))
            }
        }
    }

    fn attach(&self, attach: v1::Attach) -> Result<Said, Refusal> {
        let after = attach.after.map_or(0, u64::from);
        match wire::attach(attach, &self.parlour.server_key, self.caller.as_ref()) {
            Ok(wire::Attaching { who, after, wants }) => Ok(Said::Attach { who, after, wants }),
            Err(failure) => Err(Refusal::Closed(Box::new(wire::closed(Some(failure), after, false)))),
        }
    }

    async fn refuse(&self, channel: u32, refusal: Refusal) {
        let item = match refusal {
            Refusal::Answered(answered) => v1::stream_item::Item::Answered(*answered),
            Refusal::Closed(closed) => {
                self.handle.close(Channel(channel)).await;
                v1::stream_item::Item::Closed(*closed)
            }
        };
        let item = v1::StreamItem { channel, item: Some(item) };
        // Whoever does not read any more needs no answer.
        let _ = self.spoken.send(Spoken::Item(Box::new(item))).await;
    }
}

/// What is told of an item that cannot be read.
enum Refusal {
    /// An answer is refused, and the channel stays.
    Answered(Box<v1::Answered>),
    /// The channel is closed.
    Closed(Box<v1::ChannelClosed>),
}
