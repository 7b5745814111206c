//! What a client says over a stream: heard, read, and passed on to the tables. Play, Follow and Connect have it in common,
//! as they have `speech.rs`, which is what the client is told.

use std::pin::{Pin, pin};
use std::sync::Arc;

use parlor_proto::convert::WrongField;
use parlor_proto::v1;
use tonic::Status;
use tracing::Instrument;

use super::heard::Heard;
use super::speech::{Listening, Speech};
use super::{Failure, Parlour};
use crate::host::{AgentStream, Channel, Outbox, Said, Saying, StreamHandle};
use crate::identity::Caller;
use crate::wire;

/// Who speaks.
pub(super) enum Speaker {
    /// Somebody who attaches channels, by tokens and as this caller.
    Client { parlour: Arc<Parlour>, caller: Option<Caller>, handle: StreamHandle },
    /// An agent, whose channels the server attaches.
    Agent(Box<AgentStream>),
}

/// A message of a client, on any stream.
pub(super) trait Message: prost::Message + Default + 'static {
    /// The items in it.
    fn items(self) -> Result<Vec<v1::PlayRequestItem>, WrongField>;
}

impl Message for v1::PlayRequest {
    fn items(self) -> Result<Vec<v1::PlayRequestItem>, WrongField> {
        wire::play_items(self)
    }
}

impl Message for v1::ConnectRequest {
    fn items(self) -> Result<Vec<v1::PlayRequestItem>, WrongField> {
        wire::connect_items(self)
    }
}

/// A stream on which the client speaks, after what it has said first: all that it is told.
pub(super) fn converse<M: Message, T>(
    speaker: Speaker,
    outbox: Outbox,
    first: Vec<v1::PlayRequestItem>,
    requests: Heard<M>,
) -> Speech<T> {
    let listening = async move { speaker.until_the_end(pin!(speaker.listen(first, requests))).await };
    Speech::new(outbox, Listening(tokio::spawn(listening.in_current_span())))
}

/// A stream on which the client only listens, to these channels: all that it is told.
pub(super) fn tell<T>(speaker: Speaker, outbox: Outbox, channels: Vec<(Channel, v1::Attach)>) -> Speech<T> {
    let listening = async move { speaker.until_the_end(pin!(speaker.follow(channels))).await };
    Speech::new(outbox, Listening(tokio::spawn(listening.in_current_span())))
}

impl Speaker {
    const fn handle(&self) -> &StreamHandle {
        match self {
            Speaker::Client { handle, .. } => handle,
            Speaker::Agent(agent) => agent.handle(),
        }
    }

    /// Listens until there is nothing more to hear, or nothing more will be told. Meanwhile an agent is given its seats.
    /// Gives what the client has broken, if that was it.
    ///
    /// There is a task for each stream that does this. What it seldom waits for is boxed where it does, here and below: the
    /// task has room for the largest of it, and would have kilobytes.
    async fn until_the_end(&self, hear: Pin<&mut impl Future<Output = Option<Status>>>) -> Option<Status> {
        let give = async {
            match self {
                Speaker::Client { .. } => std::future::pending().await,
                Speaker::Agent(agent) => Box::pin(agent.give()).await,
            }
        };
        tokio::select! {
            biased;
            broken = hear => broken,
            () = give => None,
            () = self.handle().ended() => None,
        }
    }

    /// Attaches what a client follows.
    async fn follow(&self, channels: Vec<(Channel, v1::Attach)>) -> Option<Status> {
        for (channel, attach) in channels {
            match self.attach(attach) {
                Ok(what) => Box::pin(self.handle().say(Saying { channel, what })).await,
                Err(refusal) => drop(Box::pin(self.refuse(channel.0, refusal)).await),
            }
        }
        self.finish().await;
        None
    }

    /// Passes on what the client says, until it ends or goes away. Gives what it has broken.
    async fn listen<M: Message>(
        &self,
        first: Vec<v1::PlayRequestItem>,
        mut requests: Heard<M>,
    ) -> Option<Status> {
        let mut heard = self.hear(first).await;
        let failed = loop {
            if let Err(broken) = heard {
                break Status::from(Failure::from(broken));
            }
            heard = match requests.message().await {
                Ok(Some(request)) => match request.items() {
                    Ok(items) => self.hear(items).await,
                    Err(wrong) => Err(wrong),
                },
                Ok(None) => {
                    self.finish().await;
                    return None;
                }
                Err(status) => break status,
            };
        };
        self.handle().break_off();
        Some(failed)
    }

    /// The client has said all that it wants to say. Whoever watches goes on watching: what is attached stays so, until
    /// the last channel is closed or the client goes. An agent that says no more is gone.
    async fn finish(&self) {
        self.handle().finish();
        if matches!(self, Speaker::Client { .. }) {
            std::future::pending::<()>().await;
        }
    }

    /// Passes on some items, in their order, or refuses those that cannot be read. What breaks the rules of the stream ends
    /// it.
    async fn hear(&self, items: Vec<v1::PlayRequestItem>) -> Result<(), WrongField> {
        for (place, v1::PlayRequestItem { channel, item }) in items.into_iter().enumerate() {
            match self.read(item) {
                Ok(what) => {
                    let saying = Saying { channel: Channel(channel), what };
                    // Not by `say`: what is said would move to the heap with all that waits.
                    if let Err(unsaid) = self.handle().try_say(saying) {
                        Box::pin(self.handle().wait_to_say(unsaid)).await;
                    }
                }
                Err(refusal) => {
                    let refused = Box::pin(self.refuse(channel, refusal)).await;
                    refused.map_err(|wrong| wrong.in_list(place).within("items"))?;
                }
            }
        }
        Ok(())
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
                Err(match self {
                    Speaker::Client { .. } => {
                        Refusal::Closed(Box::new(wire::closed(Some(wrong.into()), 0, false)))
                    }
                    Speaker::Agent(_) => Refusal::Broken(wrong),
                })
            }
        }
    }

    fn attach(&self, attach: v1::Attach) -> Result<Said, Refusal> {
        let Speaker::Client { parlour, caller, .. } = self else {
            let why = "must not be set: the server opens the channels of an agent";
            return Err(Refusal::Broken(WrongField::at("attach", why)));
        };
        let after = attach.after.map_or(0, u64::from);
        match wire::attach(attach, &parlour.server_key, caller.as_ref()) {
            Ok(wire::Attaching { who, after, wants }) => Ok(Said::Attach { who, after, wants }),
            Err(failure) => Err(Refusal::Closed(Box::new(wire::closed(Some(failure), after, false)))),
        }
    }

    async fn refuse(&self, channel: u32, refusal: Refusal) -> Result<(), WrongField> {
        let item = match refusal {
            Refusal::Answered(answered) => {
                self.handle().note_refused();
                v1::stream_item::Item::Answered(*answered)
            }
            Refusal::Closed(closed) => {
                self.handle().close(Channel(channel)).await;
                v1::stream_item::Item::Closed(*closed)
            }
            Refusal::Broken(wrong) => return Err(wrong),
        };
        self.handle().tell(Channel(channel), &item).await;
        Ok(())
    }
}

/// What is told of an item that cannot be read.
enum Refusal {
    /// An answer is refused, and the channel stays.
    Answered(Box<v1::Answered>),
    /// The channel is closed.
    Closed(Box<v1::ChannelClosed>),
    /// The stream ends.
    Broken(WrongField),
}
