//! A player with many seats over one stream, which reconnects until all games are over.

use std::time::Duration;

use parlor_engine::below;
use parlor_proto::v1;
use parlor_proto::v1::play_request_item::Item as RequestItem;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::stream_item::Item;
use rand_chacha::ChaCha8Rng;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use crate::network::{self, CLIENT_TIMEOUT};
use crate::platform::ClaimedSeat;
use crate::seat_observer::{SeatObserver, Violations};

/// A seat, and the observer of what its player received.
struct Seat {
    claimed: ClaimedSeat,
    observer: SeatObserver,
}

/// A player with many seats.
pub(crate) struct Player {
    seats: Vec<Seat>,
    violations: Violations,
    rng: ChaCha8Rng,
}

/// Counts of one player over a simulation.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct PlayerStats {
    pub(crate) updates: usize,
    pub(crate) acknowledged: usize,
    pub(crate) connections: usize,
}

const WANTS: v1::Wants = v1::Wants {
    events: Some(true),
    update_views: Some(false),
    decision_views: Some(false),
    legal_actions: Some(false),
    rematch: Some(false),
    time_left: Some(false),
    texts: 0,
    board: None,
};

/// A Play stream.
struct PlayConnection {
    requests: mpsc::Sender<v1::PlayRequest>,
    responses: Streaming<v1::PlayResponse>,
}

impl PlayConnection {
    /// Sends items in one message. A broken stream shows when it is read next.
    async fn send(&self, items: Vec<v1::PlayRequestItem>) {
        if !items.is_empty() {
            let _broken = self.requests.send(v1::PlayRequest { items }).await;
        }
    }

    /// The items of the next message; `None` if the stream is broken, or silent for [`CLIENT_TIMEOUT`].
    async fn next(&mut self) -> Option<Vec<v1::StreamItem>> {
        let message = tokio::time::timeout(CLIENT_TIMEOUT, self.responses.message()).await.ok()?.ok()??;
        Some(message.items)
    }
}

impl Player {
    pub(crate) fn new(seats: Vec<ClaimedSeat>, violations: Violations, rng: ChaCha8Rng) -> Player {
        let seat = |claimed: ClaimedSeat| Seat {
            observer: SeatObserver::new(claimed.name.clone(), violations.clone()),
            claimed,
        };
        Player { seats: seats.into_iter().map(seat).collect(), violations, rng }
    }

    /// Plays until all games are over or there is a violation, and then compares with the server's replay of
    /// every seat.
    pub(crate) async fn play(mut self) -> PlayerStats {
        let mut stats = PlayerStats::default();
        while self.violations.is_empty() && self.seats.iter().any(|seat| !seat.observer.is_over()) {
            if let Some(connection) = self.connect().await {
                stats.connections += 1;
                self.play_on(connection).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        for seat in 0..self.seats.len() {
            while self.violations.is_empty() {
                if let Some(whole) = self.replay(seat).await {
                    self.seats[seat].observer.compare(&whole);
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        stats.updates = self.seats.iter().map(|seat| seat.observer.last() as usize).sum();
        stats.acknowledged = self.seats.iter().map(|seat| seat.observer.acknowledged()).sum();
        stats
    }

    fn attach(&self, seat: usize, after: u32) -> v1::Attach {
        let token = self.seats[seat].claimed.token.clone();
        let viewer = Some(v1::attach::Viewer::SeatToken(token));
        v1::Attach { viewer, after: Some(after), wants: Some(WANTS) }
    }

    /// Opens a stream, and attaches every unfinished seat after the last update it has.
    async fn connect(&self) -> Option<PlayConnection> {
        let mut play = PlayServiceClient::new(network::connect().await?);
        let (requests, receiver) = mpsc::channel(64);
        let opened = tokio::time::timeout(CLIENT_TIMEOUT, play.play(ReceiverStream::new(receiver))).await;
        let connection = PlayConnection { requests, responses: opened.ok()?.ok()?.into_inner() };
        let playing = (0..self.seats.len()).filter(|seat| !self.seats[*seat].observer.is_over());
        let attach = |seat: usize| {
            let item = Some(RequestItem::Attach(self.attach(seat, self.seats[seat].observer.last())));
            v1::PlayRequestItem { channel: seat as u32, item }
        };
        connection.send(playing.map(attach).collect()).await;
        Some(connection)
    }

    /// Plays over a stream until it breaks, or every game is over.
    async fn play_on(&mut self, mut connection: PlayConnection) {
        while self.violations.is_empty() && self.seats.iter().any(|seat| !seat.observer.is_over()) {
            let Some(items) = connection.next().await else { return };
            let mut answers = Vec::new();
            for v1::StreamItem { channel, item } in items {
                let (Some(seat), Some(item)) = (self.seats.get_mut(channel as usize), item) else {
                    return self.violations.add(format!("an item on unknown channel {channel}"));
                };
                match item {
                    Item::Update(update) => seat.observer.update(&update),
                    Item::Decision(decision) => {
                        let rng = &mut self.rng;
                        let index = seat.observer.decide(decision.id, || below(decision.legal_count, rng));
                        let choice = Some(v1::answer::Choice::Index(index));
                        let answer = v1::Answer { decision_id: decision.id, choice, think_ms: None };
                        answers
                            .push(v1::PlayRequestItem { channel, item: Some(RequestItem::Answer(answer)) });
                    }
                    Item::Answered(answered) => seat.observer.answered(&answered),
                    Item::Closed(closed) => {
                        seat.observer.closed(&closed);
                        if closed.retry {
                            return;
                        }
                    }
                    Item::Snapshot(_) => {
                        self.violations.add("a snapshot in place of updates".to_owned());
                    }
                    Item::Presence(_) | Item::TimeLeft(_) => {}
                    Item::Revealed(_) => {
                        self.violations.add("the outcome of a reveal that was not sent".to_owned());
                    }
                    Item::SeatGiven(_) | Item::EntropyAsked(_) => {
                        self.violations.add("an agent's item sent to a player".to_owned());
                    }
                }
            }
            connection.send(answers).await;
        }
    }

    /// All updates of a seat from the server after the game; `None` if the stream breaks.
    async fn replay(&self, seat: usize) -> Option<Vec<v1::Update>> {
        let mut play = PlayServiceClient::new(network::connect().await?);
        let channels = vec![v1::FollowChannel { channel: 0, attach: Some(self.attach(seat, 0)) }];
        let opened = tokio::time::timeout(
            CLIENT_TIMEOUT,
            play.follow(v1::FollowRequest { channels, heartbeat_ms: None }),
        )
        .await;
        let mut stream = opened.ok()?.ok()?.into_inner();
        let mut whole = Vec::new();
        loop {
            let message = tokio::time::timeout(CLIENT_TIMEOUT, stream.message()).await.ok()?.ok()??;
            for item in message.items {
                match item.item {
                    Some(Item::Update(update)) => whole.push(update),
                    Some(Item::Closed(closed)) if closed.retry => return None,
                    Some(Item::Closed(closed)) => {
                        self.seats[seat].observer.closed(&closed);
                        return Some(whole);
                    }
                    _ => {}
                }
            }
        }
    }
}
