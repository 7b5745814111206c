//! A player with many seats over one stream, who comes back whenever the stream breaks, until all games are over.

use std::time::Duration;

use parlor_engine::below;
use parlor_proto::v1;
use parlor_proto::v1::play_request_item::Item as Said;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::stream_item::Item;
use rand_chacha::ChaCha8Rng;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use crate::network::{PATIENCE, connect};
use crate::platform::Place;
use crate::seat_observer::{Broken, Notes};

/// One seat, and what its player has seen.
struct Seat {
    place: Place,
    notes: Notes,
}

/// A player with many seats.
pub(crate) struct Player {
    seats: Vec<Seat>,
    broken: Broken,
    rng: ChaCha8Rng,
}

/// What came of a whole simulation, for one player.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) updates: usize,
    pub(crate) acknowledged: usize,
    pub(crate) connections: usize,
}

const WANTS: v1::Wants = v1::Wants {
    events: true,
    update_views: false,
    decision_views: false,
    legal_actions: false,
    rematch: false,
    time_left: false,
};

/// Both ends of a stream.
struct Line {
    says: mpsc::Sender<v1::PlayRequest>,
    hears: Streaming<v1::PlayResponse>,
}

impl Line {
    /// Says all of it at once. The stream may have broken: whoever listens next finds out.
    async fn say(&self, items: Vec<v1::PlayRequestItem>) {
        if !items.is_empty() {
            let _broken = self.says.send(v1::PlayRequest { items }).await;
        }
    }

    /// What is said next; nothing if the stream has broken, or is silent for too long.
    async fn hear(&mut self) -> Option<Vec<v1::StreamItem>> {
        let message = tokio::time::timeout(PATIENCE, self.hears.message()).await.ok()?.ok()??;
        Some(message.items)
    }
}

impl Player {
    pub(crate) fn new(places: Vec<Place>, broken: Broken, rng: ChaCha8Rng) -> Player {
        let seat = |place: Place| Seat { notes: Notes::new(place.name.clone(), broken.clone()), place };
        Player { seats: places.into_iter().map(seat).collect(), broken, rng }
    }

    /// Plays until all games are over or a promise is broken, and then checks that the server remembers all of it.
    pub(crate) async fn play(mut self) -> Tally {
        let mut tally = Tally::default();
        while self.broken.is_empty() && self.seats.iter().any(|seat| !seat.notes.is_over()) {
            if let Some(line) = self.call().await {
                tally.connections += 1;
                self.stay(line).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        for seat in 0..self.seats.len() {
            while self.broken.is_empty() {
                if let Some(whole) = self.remembered(seat).await {
                    self.seats[seat].notes.compare(&whole);
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        tally.updates = self.seats.iter().map(|seat| seat.notes.last() as usize).sum();
        tally.acknowledged = self.seats.iter().map(|seat| seat.notes.acknowledged()).sum();
        tally
    }

    fn attach(&self, seat: usize, after: u32) -> v1::Attach {
        let token = self.seats[seat].place.token.clone();
        let viewer = Some(v1::attach::Viewer::SeatToken(token));
        v1::Attach { viewer, after: Some(after), wants: Some(WANTS) }
    }

    /// A new stream, with every seat that is still played attached after the last update that it has.
    async fn call(&self) -> Option<Line> {
        let mut play = PlayServiceClient::new(connect().await?);
        let (says, said) = mpsc::channel(64);
        let opened = tokio::time::timeout(PATIENCE, play.play(ReceiverStream::new(said))).await;
        let line = Line { says, hears: opened.ok()?.ok()?.into_inner() };
        let playing = (0..self.seats.len()).filter(|seat| !self.seats[*seat].notes.is_over());
        let attach = |seat: usize| {
            let item = Some(Said::Attach(self.attach(seat, self.seats[seat].notes.last())));
            v1::PlayRequestItem { channel: seat as u32, item }
        };
        line.say(playing.map(attach).collect()).await;
        Some(line)
    }

    /// Plays over a stream until it breaks, or there is nothing left to play.
    async fn stay(&mut self, mut line: Line) {
        while self.broken.is_empty() && self.seats.iter().any(|seat| !seat.notes.is_over()) {
            let Some(items) = line.hear().await else { return };
            let mut answers = Vec::new();
            for v1::StreamItem { channel, item } in items {
                let (Some(seat), Some(item)) = (self.seats.get_mut(channel as usize), item) else {
                    return self.broken.note(format!("something was said on channel {channel}"));
                };
                match item {
                    Item::Update(update) => seat.notes.update(&update),
                    Item::Decision(decision) => {
                        let rng = &mut self.rng;
                        let index = seat.notes.decide(decision.id, || below(decision.legal_count, rng));
                        let choice = Some(v1::answer::Choice::Index(index));
                        let answer = v1::Answer { decision_id: decision.id, choice, think_ms: None };
                        answers.push(v1::PlayRequestItem { channel, item: Some(Said::Answer(answer)) });
                    }
                    Item::Answered(answered) => seat.notes.answered(&answered),
                    Item::Closed(closed) => {
                        seat.notes.closed(&closed);
                        if closed.retry {
                            return;
                        }
                    }
                    Item::Snapshot(_) => {
                        self.broken.note("a snapshot was sent in place of updates".to_owned());
                    }
                    Item::Presence(_) | Item::TimeLeft(_) => {}
                    Item::SeatGiven(_) => self.broken.note("a seat was given to a player".to_owned()),
                }
            }
            line.say(answers).await;
        }
    }

    /// All updates of a seat, as the server tells them when the game is over; nothing if the stream breaks before.
    async fn remembered(&self, seat: usize) -> Option<Vec<v1::Update>> {
        let mut play = PlayServiceClient::new(connect().await?);
        let channels = vec![v1::FollowChannel { channel: 0, attach: Some(self.attach(seat, 0)) }];
        let opened = tokio::time::timeout(PATIENCE, play.follow(v1::FollowRequest { channels })).await;
        let mut stream = opened.ok()?.ok()?.into_inner();
        let mut whole = Vec::new();
        loop {
            let message = tokio::time::timeout(PATIENCE, stream.message()).await.ok()?.ok()??;
            for item in message.items {
                match item.item {
                    Some(Item::Update(update)) => whole.push(update),
                    Some(Item::Closed(closed)) if closed.retry => return None,
                    Some(Item::Closed(closed)) => {
                        self.seats[seat].notes.closed(&closed);
                        return Some(whole);
                    }
                    _ => {}
                }
            }
        }
    }
}
