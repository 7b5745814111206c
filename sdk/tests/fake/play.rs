//! The fake PlayService.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;

use futures_util::stream::unfold;
use futures_util::{Stream, StreamExt};
use parlor_proto::v1::play_service_server::PlayService;
use parlor_sdk::wire;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming};
use wire::play_request_item::Item as Said;
use wire::stream_item::Item;

use super::host::{Attached, Fault, Host, Kind, closed};
use super::net::Network;

pub(crate) struct FakePlay {
    pub(crate) host: Arc<Host>,
    pub(crate) network: Arc<Network>,
}

pub(crate) type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl PlayService for FakePlay {
    type PlayStream = Responses<wire::PlayResponse>;
    type FollowStream = Responses<wire::FollowResponse>;

    async fn play(
        &self,
        request: Request<Streaming<wire::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let make = |items, ending| wire::PlayResponse { items, ending };
        let (stream, responses) = FakeStream::open(&self.host, &self.network, make)?;
        let requests = request.into_inner().map(|request| request.map(|request| request.items));
        tokio::spawn(stream.run(Box::pin(requests)));
        Ok(Response::new(responses))
    }

    async fn follow(
        &self,
        request: Request<wire::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        let channels = request.into_inner().channels;
        let items = channels.into_iter().map(|channel| wire::StreamItem {
            channel: channel.channel,
            item: Some(closed(wire::ErrorReason::TableNotFound, false)),
        });
        let response = wire::FollowResponse { items: items.collect(), ending: None };
        Ok(Response::new(Box::pin(futures_util::stream::iter([Ok(response)]))))
    }

    async fn act(&self, request: Request<wire::ActRequest>) -> Result<Response<wire::ActResponse>, Status> {
        let request = request.into_inner();
        let answer = request.answer.ok_or_else(|| Status::invalid_argument("no answer"))?;
        let answered = self.host.change(|state| {
            if let Some(status) = state.refuse.pop_front() {
                return Err(status);
            }
            let seat = state.seats.get_mut(&request.seat_token).expect("a seat of the test");
            Ok(seat.answer(&answer))
        })?;
        Ok(Response::new(wire::ActResponse { answered: Some(answered) }))
    }
}

/// A stream that plays, of a player or of an agent: `make` makes its messages.
pub(crate) struct FakeStream<T> {
    pub(crate) host: Arc<Host>,
    network: Arc<Network>,
    pub(crate) channels: BTreeMap<u32, Attached>,
    /// The tokens of the seats that an agent was given on this stream; none if it is a player's.
    pub(crate) given: Option<BTreeSet<String>>,
    fault: Option<Fault>,
    sent: usize,
    make: fn(Vec<wire::StreamItem>, Option<wire::StreamEnding>) -> T,
    pub(crate) out: mpsc::Sender<Result<T, Status>>,
}

type Requests = Pin<Box<dyn Stream<Item = Result<Vec<wire::PlayRequestItem>, Status>> + Send>>;

impl<T: Send + 'static> FakeStream<T> {
    /// The next stream, with its fault; or what it is refused with.
    pub(crate) fn open(
        host: &Arc<Host>,
        network: &Arc<Network>,
        make: fn(Vec<wire::StreamItem>, Option<wire::StreamEnding>) -> T,
    ) -> Result<(FakeStream<T>, Responses<T>), Status> {
        let fault = host.change(|state| {
            state.streams += 1;
            match state.refuse.pop_front() {
                Some(status) => Err(status),
                None => Ok(state.faults.pop_front()),
            }
        })?;
        let (out, responses) = mpsc::channel(4);
        let (host, network) = (Arc::clone(host), Arc::clone(network));
        let channels = BTreeMap::new();
        let stream = FakeStream { host, network, channels, given: None, fault, sent: 0, make, out };
        let responses = unfold(responses, async |mut responses| Some((responses.recv().await?, responses)));
        Ok((stream, Box::pin(responses)))
    }

    pub(crate) async fn run(mut self, mut requests: Requests) {
        let mut changes = self.host.changes();
        loop {
            let news = self.catch_up();
            if !self.send(news).await {
                return;
            }
            tokio::select! {
                request = requests.next() => {
                    let Some(Ok(items)) = request else { return };
                    let replies = self.hear(items);
                    if !self.send(replies).await {
                        return;
                    }
                }
                _ = changes.changed() => {}
            }
        }
    }

    fn hear(&mut self, said: Vec<wire::PlayRequestItem>) -> Vec<wire::StreamItem> {
        let items = said.len();
        assert!(items > 0, "a message has something in it");
        self.host.change(|state| state.most_items = state.most_items.max(items));
        let mut replies = Vec::new();
        for item in said {
            let channel = item.channel;
            match item.item.expect("an item says something") {
                Said::Attach(attach) => {
                    assert!(self.given.is_none(), "an agent attaches nothing");
                    let token = match attach.viewer.expect("a viewer") {
                        wire::attach::Viewer::SeatToken(token) | wire::attach::Viewer::TableId(token) => {
                            token
                        }
                        wire::attach::Viewer::SpectatorToken(_) => panic!("no test has one"),
                    };
                    let old = self.channels.insert(channel, Attached::new(token, attach.after));
                    assert!(old.is_none(), "a number of a channel is used once on a stream");
                    self.host.change(|state| state.attached += 1);
                }
                Said::Detach(_) => {
                    if self.channels.remove(&channel).is_some() {
                        let item = Some(closed(wire::ErrorReason::Unspecified, false));
                        replies.push(wire::StreamItem { channel, item });
                    }
                    self.host.change(|state| state.detached += 1);
                }
                Said::Answer(answer) => {
                    let Some(attached) = self.channels.get(&channel) else {
                        let item = Some(closed(wire::ErrorReason::Protocol, false));
                        replies.push(wire::StreamItem { channel, item });
                        continue;
                    };
                    let answered = self.host.change(|state| {
                        let seat = state.seats.get_mut(&attached.token).expect("a seat of the test");
                        seat.answer(&answer)
                    });
                    replies.push(wire::StreamItem { channel, item: Some(Item::Answered(answered)) });
                }
            }
        }
        replies
    }

    /// Everything that is new on all channels.
    fn catch_up(&mut self) -> Vec<wire::StreamItem> {
        let mut items = self.give();
        let state = self.host.look();
        self.channels.retain(|channel, attached| {
            let Some(seat) = state.seats.get(&attached.token) else {
                let item = Some(closed(wire::ErrorReason::TokenInvalid, false));
                items.push(wire::StreamItem { channel: *channel, item });
                return false;
            };
            let (news, over) = attached.catch_up(seat);
            items.extend(
                news.into_iter().map(|item| wire::StreamItem { channel: *channel, item: Some(item) }),
            );
            !over
        });
        items
    }

    /// Sends items, and commits the fault when its time has come. Whether the stream goes on.
    async fn send(&mut self, mut items: Vec<wire::StreamItem>) -> bool {
        let due = self.fault.take_if(|fault| self.sent + items.len() >= fault.after);
        if let Some(fault) = due.as_ref().filter(|fault| fault.kind.loses()) {
            items.truncate(fault.after.saturating_sub(self.sent));
        }
        self.sent += items.len();
        let Some(fault) = due else {
            return items.is_empty() || self.out.send(Ok((self.make)(items, None))).await.is_ok();
        };
        if let Kind::CloseAll(reason) = fault.kind {
            let closed = |channel| wire::StreamItem { channel, item: Some(closed(reason, true)) };
            items.extend(std::mem::take(&mut self.channels).into_keys().map(closed));
        }
        let ending = match fault.kind {
            Kind::Ending(reason) => {
                let message = String::from("the fake ends the stream");
                Some(wire::StreamEnding { reason: reason.into(), message, retry_ms: 20 })
            }
            _ => None,
        };
        let response = (self.make)(items, ending);
        match fault.kind {
            Kind::Cut => {
                let _ = self.out.send(Ok(response)).await;
                self.network.cut();
                false
            }
            Kind::End => {
                let _ = self.out.send(Ok(response)).await;
                false
            }
            Kind::Status(code) => {
                let _ = self.out.send(Ok(response)).await;
                let _ = self.out.send(Err(Status::new(code, "a fault of the fake"))).await;
                false
            }
            Kind::Ending(_) => {
                let _ = self.out.send(Ok(response)).await;
                // Whoever waits for the end itself waits in vain.
                self.out.closed().await;
                false
            }
            Kind::CloseAll(_) => self.out.send(Ok(response)).await.is_ok(),
            kind => {
                for attached in self.channels.values_mut() {
                    match kind {
                        Kind::AskAgain => attached.ask_again(),
                        Kind::LeaveOut => attached.skip(1),
                        _ => attached.skip(-1),
                    }
                }
                self.out.send(Ok(response)).await.is_ok()
            }
        }
    }
}
