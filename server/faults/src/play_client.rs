//! A playing client: many seats over one Play stream, which is reopened whenever it breaks.
//!
//! It uses the protobuf messages directly instead of the SDK, which hides duplicates: every message of the
//! server is checked against the ledgers.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parlor_proto::v1 as wire;
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use wire::play_request_item::Item as RequestItem;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as ResponseItem;

use crate::ledger::Next;
use crate::run::{Run, rng_for};
use crate::server_address::RETRY_DELAY;

/// Maximum number of items in a message.
const MAX_ITEMS: usize = 1024;

/// Time after which players at leisure answer, at the latest.
const THINKING_TIME: Duration = Duration::from_millis(200);

/// Items to send now, and after a delay.
#[derive(Default)]
struct Outgoing {
    now: Vec<wire::PlayRequestItem>,
    later: Vec<wire::PlayRequestItem>,
}

/// Stream contents requested by the clients: events only.
pub(crate) fn wants() -> wire::Wants {
    wire::Wants { decision_views: Some(false), legal_actions: Some(false), ..wire::Wants::default() }
}

fn item(channel: u32, item: RequestItem) -> wire::PlayRequestItem {
    wire::PlayRequestItem { channel, item: Some(item) }
}

fn answer(channel: u32, decision: u32, index: u32) -> wire::PlayRequestItem {
    let choice = Some(wire::answer::Choice::Index(index));
    item(channel, RequestItem::Answer(wire::Answer { decision_id: decision, choice, think_ms: None }))
}

/// Plays the seats from the receiver without end.
pub(crate) async fn play(run: Arc<Run>, number: usize, mut seats: mpsc::Receiver<usize>) {
    let mut rng = rng_for(run.seed, "choices", number);
    loop {
        // A failed or broken connection is retried; violations show in the ledgers.
        let _error = play_once(&run, number, &mut seats, &mut rng).await;
        tokio::time::sleep(RETRY_DELAY).await;
    }
}

/// Counts a stream as open until it is dropped.
struct OpenStream<'a>(&'a Run);

impl<'a> OpenStream<'a> {
    fn new(run: &'a Run) -> OpenStream<'a> {
        run.state().open_streams += 1;
        OpenStream(run)
    }
}

impl Drop for OpenStream<'_> {
    fn drop(&mut self) {
        self.0.state().open_streams -= 1;
        self.0.changed();
    }
}

async fn play_once(
    run: &Run,
    number: usize,
    seats: &mut mpsc::Receiver<usize>,
    rng: &mut ChaCha8Rng,
) -> anyhow::Result<()> {
    let channel = run.server.connect().await?;
    let _opened = OpenStream::new(run);
    let (to_server, requests) = mpsc::channel(16);
    let mut client = PlayServiceClient::new(channel);
    let opening = client.play(ReceiverStream::new(requests));
    let mut outgoing = Outgoing::default();
    let mut attached = attach_all(run, number, &mut outgoing);
    send_all(run, &to_server, &mut outgoing).await?;
    let mut responses = opening.await?.into_inner();
    let is_at_leisure = run.state().latencies.is_some();
    let mut retry = tokio::time::interval(if is_at_leisure { THINKING_TIME } else { RETRY_DELAY });
    loop {
        tokio::select! {
            biased;
            permit = to_server.reserve(), if !outgoing.now.is_empty() => {
                permit?.send(next_request(run, &mut outgoing));
            }
            seat = seats.recv() => match seat {
                // A seat that arrived without a stream was attached with all others.
                Some(seat) if attached.insert(seat) => attach(run, seat, &mut outgoing.now),
                Some(_) => {}
                None => return Ok(()),
            },
            message = responses.message() => {
                let Some(message) = message? else { return Ok(()) };
                let is_ending = message.ending.is_some();
                handle_message(run, message, &mut outgoing, rng);
                if is_ending {
                    return Ok(());
                }
            }
            _ = retry.tick(), if !outgoing.later.is_empty() => {
                let mut due = std::mem::take(&mut outgoing.later);
                outgoing.now.append(&mut due);
            }
        }
    }
}

/// Sends all items that are due.
async fn send_all(
    run: &Run,
    to_server: &mpsc::Sender<wire::PlayRequest>,
    outgoing: &mut Outgoing,
) -> anyhow::Result<()> {
    while !outgoing.now.is_empty() {
        to_server.send(next_request(run, outgoing)).await?;
    }
    Ok(())
}

fn next_request(run: &Run, outgoing: &mut Outgoing) -> wire::PlayRequest {
    let count = outgoing.now.len().min(MAX_ITEMS);
    let items: Vec<_> = outgoing.now.drain(..count).collect();
    let mut state = run.state();
    for item in &items {
        if let Some(RequestItem::Answer(answer)) = &item.item {
            let seat = item.channel as usize;
            state.seats[seat].ledger.sent(answer.decision_id);
            state.latencies.iter_mut().for_each(|latencies| latencies.sent(seat, answer.decision_id));
        }
    }
    wire::PlayRequest { items }
}

/// Attaches all seats of this stream at their cursors, and returns them.
fn attach_all(run: &Run, number: usize, outgoing: &mut Outgoing) -> HashSet<usize> {
    let seats: HashSet<usize> = {
        let state = run.state();
        let mine = state.seats.iter().enumerate().filter(|(_, seat)| seat.stream == number);
        mine.filter(|(_, seat)| !seat.ledger.is_done()).map(|(place, _)| place).collect()
    };
    for seat in &seats {
        attach(run, *seat, &mut outgoing.now);
    }
    seats
}

/// Attaches a seat, and resends its unacknowledged and its last acknowledged answer.
fn attach(run: &Run, seat: usize, out: &mut Vec<wire::PlayRequestItem>) {
    let mut state = run.state();
    let state = &mut *state;
    let (channel, found) = (seat as u32, &mut state.seats[seat]);
    out.push(attach_item(channel, &found.token, Some(found.ledger.cursor())));
    for (decision, index) in found.ledger.answers_to_resend(&mut state.counts) {
        out.push(answer(channel, decision, index));
    }
}

fn attach_item(channel: u32, token: &str, after: Option<u32>) -> wire::PlayRequestItem {
    let viewer = Some(wire::attach::Viewer::SeatToken(token.to_owned()));
    item(channel, RequestItem::Attach(wire::Attach { viewer, after, wants: Some(wants()) }))
}

/// Checks a server message against the ledgers, and queues the responses.
fn handle_message(run: &Run, message: wire::PlayResponse, outgoing: &mut Outgoing, rng: &mut ChaCha8Rng) {
    let mut to_attach = Vec::new();
    {
        let mut state = run.state();
        for item in message.items {
            let seat = item.channel as usize;
            let next = handle_item(&mut state, seat, item.item, rng);
            match next {
                Next::Nothing => {}
                Next::Answer { decision, index } if state.latencies.is_none() => {
                    outgoing.now.push(answer(item.channel, decision, index));
                }
                Next::Answer { decision, index } | Next::AnswerLater { decision, index } => {
                    outgoing.later.push(answer(item.channel, decision, index));
                }
                Next::AttachLater => to_attach.push(seat),
                Next::AttachAnew => {
                    let token = &state.seats[seat].token;
                    outgoing.now.push(attach_item(item.channel, token, None));
                }
                Next::Leave => state.leave(seat),
            }
        }
    }
    for seat in to_attach {
        attach(run, seat, &mut outgoing.later);
    }
    run.changed();
}

fn handle_item(
    state: &mut crate::run::RunState,
    seat: usize,
    item: Option<ResponseItem>,
    rng: &mut ChaCha8Rng,
) -> Next {
    let (counts, ledger) = (&mut state.counts, &mut state.seats[seat].ledger);
    if ledger.is_done() {
        return Next::Nothing;
    }
    match item {
        Some(ResponseItem::Update(update)) => {
            ledger.update(&update, counts);
            if ledger.failed { Next::Leave } else { Next::Nothing }
        }
        Some(ResponseItem::Decision(decision)) => {
            ledger.decision(&decision, counts, |count| rng.next_u32() % count)
        }
        Some(ResponseItem::Answered(answered)) => {
            state.latencies.iter_mut().for_each(|latencies| latencies.answered(seat, answered.decision_id));
            ledger.answered(&answered, counts)
        }
        Some(ResponseItem::Closed(closed)) => ledger.closed(&closed, counts),
        Some(ResponseItem::Snapshot(snapshot)) => ledger.snapshot(snapshot.number, counts),
        Some(
            ResponseItem::Presence(_)
            | ResponseItem::TimeLeft(_)
            | ResponseItem::SeatGiven(_)
            | ResponseItem::EntropyAsked(_)
            | ResponseItem::Revealed(_),
        )
        | None => Next::Nothing,
    }
}
