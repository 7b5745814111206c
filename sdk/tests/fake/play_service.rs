//! The fake PlayService.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;

use futures_util::stream::unfold;
use futures_util::{Stream, StreamExt};
use parlor_proto::v1::play_service_server::PlayService;
use parlor_sdk::wire;
use parlor_testkit::Proxy;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming};
use wire::play_request_item::Item as RequestItem;
use wire::stream_item::Item;

use super::fake_host::{AttachedChannel, FakeHost, Fault, FaultKind, closed};

pub(crate) struct FakePlay {
    pub(crate) host: Arc<FakeHost>,
    pub(crate) proxy: Arc<Proxy>,
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
        let (stream, responses) = FakeStream::open(&self.host, &self.proxy, make)?;
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

    async fn reveal_entropy(
        &self,
        _: Request<wire::RevealEntropyRequest>,
    ) -> Result<Response<wire::RevealEntropyResponse>, Status> {
        Ok(Response::new(wire::RevealEntropyResponse {}))
    }

    async fn act(&self, request: Request<wire::ActRequest>) -> Result<Response<wire::ActResponse>, Status> {
        let request = request.into_inner();
        let answer = request.answer.ok_or_else(|| Status::invalid_argument("no answer"))?;
        let answered = self.host.change(|state| {
            if let Some(status) = state.refuse.pop_front() {
                return Err(status);
            }
            let seat = state.seats.get_mut(&request.seat_token).expect("a seat of the fake server");
            Ok(seat.answer(&answer))
        })?;
        Ok(Response::new(wire::ActResponse { answered: Some(answered), revealed: None }))
    }
}

/// A fake stream of a player or an agent; `make` builds its messages.
pub(crate) struct FakeStream<T> {
    pub(crate) host: Arc<FakeHost>,
    proxy: Arc<Proxy>,
    pub(crate) channels: BTreeMap<u32, AttachedChannel>,
    /// Tokens of the seats assigned to an agent on this stream; `None` for a player's.
    pub(crate) given: Option<BTreeSet<String>>,
    fault: Option<Fault>,
    sent: usize,
    make: fn(Vec<wire::StreamItem>, Option<wire::StreamEnding>) -> T,
    pub(crate) out: mpsc::Sender<Result<T, Status>>,
}

type Requests = Pin<Box<dyn Stream<Item = Result<Vec<wire::PlayRequestItem>, Status>> + Send>>;

impl<T: Send + 'static> FakeStream<T> {
    /// Opens the next stream with its fault, or refuses it.
    pub(crate) fn open(
        host: &Arc<FakeHost>,
        proxy: &Arc<Proxy>,
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
        let (host, proxy) = (Arc::clone(host), Arc::clone(proxy));
        let channels = BTreeMap::new();
        let stream = FakeStream { host, proxy, channels, given: None, fault, sent: 0, make, out };
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
                    let replies = self.receive(items);
                    if !self.send(replies).await {
                        return;
                    }
                }
                _ = changes.changed() => {}
            }
        }
    }

    fn receive(&mut self, requests: Vec<wire::PlayRequestItem>) -> Vec<wire::StreamItem> {
        let items = requests.len();
        assert!(items > 0, "a message has items");
        self.host.change(|state| state.most_items = state.most_items.max(items));
        let mut replies = Vec::new();
        for item in requests {
            let channel = item.channel;
            match item.item.expect("an item has a kind") {
                RequestItem::Attach(attach) => {
                    assert!(self.given.is_none(), "agents never attach");
                    let token = match attach.viewer.expect("a viewer") {
                        wire::attach::Viewer::SeatToken(token) | wire::attach::Viewer::TableId(token) => {
                            token
                        }
                        wire::attach::Viewer::SpectatorToken(_) => panic!("not used by the tests"),
                    };
                    let old = self.channels.insert(channel, AttachedChannel::new(token, attach.after));
                    assert!(old.is_none(), "a channel number is used once per stream");
                    self.host.change(|state| state.attached += 1);
                }
                RequestItem::TournamentEntropy(_) | RequestItem::Reveal(_) => {
                    panic!("not used by the tests")
                }
                RequestItem::Detach(_) => {
                    if self.channels.remove(&channel).is_some() {
                        let item = Some(closed(wire::ErrorReason::Unspecified, false));
                        replies.push(wire::StreamItem { channel, item });
                    }
                    self.host.change(|state| state.detached += 1);
                }
                RequestItem::Answer(answer) => {
                    let Some(attached) = self.channels.get(&channel) else {
                        let item = Some(closed(wire::ErrorReason::Protocol, false));
                        replies.push(wire::StreamItem { channel, item });
                        continue;
                    };
                    let answered = self.host.change(|state| {
                        let seat = state.seats.get_mut(&attached.token).expect("a seat of the fake server");
                        seat.answer(&answer)
                    });
                    replies.push(wire::StreamItem { channel, item: Some(Item::Answered(answered)) });
                }
            }
        }
        replies
    }

    /// All new items of all channels.
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

    /// Sends items, and commits the fault when due. False if the stream has ended.
    async fn send(&mut self, mut items: Vec<wire::StreamItem>) -> bool {
        let due = self.fault.take_if(|fault| self.sent + items.len() >= fault.after);
        if let Some(fault) = due.as_ref().filter(|fault| fault.kind.loses_items()) {
            items.truncate(fault.after.saturating_sub(self.sent));
        }
        self.sent += items.len();
        let Some(fault) = due else {
            return items.is_empty() || self.out.send(Ok((self.make)(items, None))).await.is_ok();
        };
        if let FaultKind::CloseAll(reason) = fault.kind {
            let closed = |channel| wire::StreamItem { channel, item: Some(closed(reason, true)) };
            items.extend(std::mem::take(&mut self.channels).into_keys().map(closed));
        }
        let ending = match fault.kind {
            FaultKind::Ending(reason) => {
                let message = String::from("the fake server ends the stream");
                Some(wire::StreamEnding { reason: reason.into(), message, retry_ms: 20 })
            }
            _ => None,
        };
        let response = (self.make)(items, ending);
        match fault.kind {
            FaultKind::Cut => {
                let _ = self.out.send(Ok(response)).await;
                self.proxy.cut();
                false
            }
            FaultKind::End => {
                let _ = self.out.send(Ok(response)).await;
                false
            }
            FaultKind::Status(code) => {
                let _ = self.out.send(Ok(response)).await;
                let _ = self.out.send(Err(Status::new(code, "a fault of the fake server"))).await;
                false
            }
            FaultKind::Ending(_) => {
                let _ = self.out.send(Ok(response)).await;
                // The stream is left open: the announced end must suffice.
                self.out.closed().await;
                false
            }
            FaultKind::CloseAll(_) => self.out.send(Ok(response)).await.is_ok(),
            kind => {
                for attached in self.channels.values_mut() {
                    match kind {
                        FaultKind::RepeatDecisions => attached.repeat_decisions(),
                        FaultKind::SkipUpdate => attached.skip(1),
                        _ => attached.skip(-1),
                    }
                }
                self.out.send(Ok(response)).await.is_ok()
            }
        }
    }
}
