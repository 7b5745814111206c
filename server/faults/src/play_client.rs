//! One client: many seats over one stream, which is opened again whenever it breaks.
//!
//! It is written on the messages themselves, not on the SDK, which hides what comes twice: here everything that the server
//! says is held against the accounts.

use std::collections::HashSet;
use std::sync::Arc;

use parlor_proto::v1 as wire;
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use wire::play_request_item::Item as Say;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as Hear;

use crate::book::Next;
use crate::dial::A_MOMENT;
use crate::world::{World, generator};

/// The most items in a message.
const ITEMS: usize = 1024;

/// What is said next, and what a moment later.
#[derive(Default)]
struct Outbox {
    now: Vec<wire::PlayRequestItem>,
    later: Vec<wire::PlayRequestItem>,
}

/// What a client of this tool wants to be sent: what happened, and nothing that it does not look at.
pub(crate) fn wants() -> wire::Wants {
    wire::Wants { events: true, ..wire::Wants::default() }
}

fn item(channel: u32, item: Say) -> wire::PlayRequestItem {
    wire::PlayRequestItem { channel, item: Some(item) }
}

fn answer(channel: u32, decision: u32, index: u32) -> wire::PlayRequestItem {
    let choice = Some(wire::answer::Choice::Index(index));
    item(channel, Say::Answer(wire::Answer { decision_id: decision, choice, think_ms: None }))
}

/// Plays the seats that come out of the receiver, for ever.
pub(crate) async fn play(world: Arc<World>, number: usize, mut seats: mpsc::Receiver<usize>) {
    let mut rng = generator(world.seed, "choices", number);
    loop {
        // A connection that cannot be made, or breaks, is made again; what went wrong shows in the accounts.
        let _broken = play_once(&world, number, &mut seats, &mut rng).await;
        tokio::time::sleep(A_MOMENT).await;
    }
}

/// Counts a stream as open.
struct Opened<'a>(&'a World);

impl<'a> Opened<'a> {
    fn new(world: &'a World) -> Opened<'a> {
        world.state().open_streams += 1;
        Opened(world)
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.0.state().open_streams -= 1;
        self.0.changed();
    }
}

async fn play_once(
    world: &World,
    number: usize,
    seats: &mut mpsc::Receiver<usize>,
    rng: &mut ChaCha8Rng,
) -> anyhow::Result<()> {
    let channel = world.dial.connect().await?;
    let _opened = Opened::new(world);
    let (to_server, requests) = mpsc::channel(16);
    let mut client = PlayServiceClient::new(channel);
    let opening = client.play(ReceiverStream::new(requests));
    let mut outbox = Outbox::default();
    let mut attached = attach_all(world, number, &mut outbox);
    send(world, &to_server, &mut outbox).await?;
    let mut heard = opening.await?.into_inner();
    let mut moment = tokio::time::interval(A_MOMENT);
    loop {
        tokio::select! {
            biased;
            permit = to_server.reserve(), if !outbox.now.is_empty() => {
                permit?.send(next_request(world, &mut outbox));
            }
            seat = seats.recv() => match seat {
                // One that came while there was no stream has been attached with all others.
                Some(seat) if attached.insert(seat) => attach(world, seat, &mut outbox.now),
                Some(_) => {}
                None => return Ok(()),
            },
            message = heard.message() => {
                let Some(message) = message? else { return Ok(()) };
                let is_ending = message.ending.is_some();
                hear(world, message, &mut outbox, rng);
                if is_ending {
                    return Ok(());
                }
            }
            _ = moment.tick(), if !outbox.later.is_empty() => {
                let mut due = std::mem::take(&mut outbox.later);
                outbox.now.append(&mut due);
            }
        }
    }
}

/// Says all that waits.
async fn send(
    world: &World,
    to_server: &mpsc::Sender<wire::PlayRequest>,
    outbox: &mut Outbox,
) -> anyhow::Result<()> {
    while !outbox.now.is_empty() {
        to_server.send(next_request(world, outbox)).await?;
    }
    Ok(())
}

fn next_request(world: &World, outbox: &mut Outbox) -> wire::PlayRequest {
    let count = outbox.now.len().min(ITEMS);
    let items: Vec<_> = outbox.now.drain(..count).collect();
    let mut state = world.state();
    for said in &items {
        if let Some(Say::Answer(answer)) = &said.item {
            state.seats[said.channel as usize].book.sent(answer.decision_id);
        }
    }
    wire::PlayRequest { items }
}

/// Attaches all seats of this stream, each from where it was, and gives them.
fn attach_all(world: &World, number: usize, outbox: &mut Outbox) -> HashSet<usize> {
    let seats: HashSet<usize> = {
        let state = world.state();
        let mine = state.seats.iter().enumerate().filter(|(_, seat)| seat.stream == number);
        mine.filter(|(_, seat)| !seat.book.is_done()).map(|(place, _)| place).collect()
    };
    for seat in &seats {
        attach(world, *seat, &mut outbox.now);
    }
    seats
}

/// Attaches a seat, and says again what may not have arrived, and what was acknowledged last.
fn attach(world: &World, seat: usize, out: &mut Vec<wire::PlayRequestItem>) {
    let mut state = world.state();
    let state = &mut *state;
    let (channel, found) = (seat as u32, &mut state.seats[seat]);
    out.push(attaching(channel, &found.token, Some(found.book.cursor())));
    for (decision, index) in found.book.again(&mut state.tally) {
        out.push(answer(channel, decision, index));
    }
}

fn attaching(channel: u32, token: &str, after: Option<u32>) -> wire::PlayRequestItem {
    let viewer = Some(wire::attach::Viewer::SeatToken(token.to_owned()));
    item(channel, Say::Attach(wire::Attach { viewer, after, wants: Some(wants()) }))
}

/// Enters what the server says into the accounts, and prepares what is said to that.
fn hear(world: &World, message: wire::PlayResponse, outbox: &mut Outbox, rng: &mut ChaCha8Rng) {
    let mut again = Vec::new();
    {
        let mut state = world.state();
        for said in message.items {
            let seat = said.channel as usize;
            let next = hear_item(&mut state, seat, said.item, rng);
            match next {
                Next::Nothing => {}
                Next::Answer { decision, index } => outbox.now.push(answer(said.channel, decision, index)),
                Next::AnswerLater { decision, index } => {
                    outbox.later.push(answer(said.channel, decision, index));
                }
                Next::AttachLater => again.push(seat),
                Next::AttachAnew => {
                    let token = &state.seats[seat].token;
                    outbox.now.push(attaching(said.channel, token, None));
                }
                Next::Leave => state.leave(seat),
            }
        }
    }
    for seat in again {
        attach(world, seat, &mut outbox.later);
    }
    world.changed();
}

fn hear_item(state: &mut crate::world::State, seat: usize, item: Option<Hear>, rng: &mut ChaCha8Rng) -> Next {
    let (tally, book) = (&mut state.tally, &mut state.seats[seat].book);
    if book.is_done() {
        return Next::Nothing;
    }
    match item {
        Some(Hear::Update(update)) => {
            book.update(&update, tally);
            if book.spoilt { Next::Leave } else { Next::Nothing }
        }
        Some(Hear::Decision(decision)) => book.decision(&decision, tally, |count| rng.next_u32() % count),
        Some(Hear::Answered(answered)) => book.answered(&answered, tally),
        Some(Hear::Closed(closed)) => book.closed(&closed, tally),
        Some(Hear::Snapshot(snapshot)) => book.snapshot(snapshot.number, tally),
        Some(Hear::Presence(_) | Hear::TimeLeft(_) | Hear::SeatGiven(_)) | None => Next::Nothing,
    }
}
