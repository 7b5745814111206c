//! Messages to the agent: seat assignments, updates, decisions.

use parlor_cli::load::now;
use parlor_sdk::wire;
use wire::stream_item::Item;

use super::super::seat_state::has_final_update;
use super::super::table::{Disruption, RefereedTable};
use super::super::texts;
use super::CheckRunner;
use super::reconnect::Disconnect;

impl CheckRunner<'_> {
    /// All items to send now.
    pub(super) fn collect_items(&mut self) -> Vec<wire::StreamItem> {
        let mut items = std::mem::take(&mut self.replies);
        let wants = self.hello.wants.unwrap_or_default();
        for index in 0..self.tables.len() {
            let Some(table) = self.tables.get_mut(index) else { continue };
            let seats: Vec<u32> = table
                .seats
                .iter()
                .filter(|(_, seat_state)| !seat_state.closed)
                .map(|(seat, _)| *seat)
                .collect();
            for seat in seats {
                let known =
                    self.channels.iter().find(|(_, at)| **at == (index, seat)).map(|(channel, _)| *channel);
                let channel = known.unwrap_or_else(|| {
                    self.last_channel += 1;
                    self.channels.insert(self.last_channel, (index, seat));
                    let (table_id, game) = (table.id.clone(), table.game_id().to_owned());
                    let given = wire::SeatGiven { table_id, seat, game, tournament_id: String::new() };
                    items.push(wire::StreamItem {
                        channel: self.last_channel,
                        item: Some(Item::SeatGiven(given)),
                    });
                    self.last_channel
                });
                let mut send = |item| items.push(wire::StreamItem { channel, item });
                send_pending(table, seat, wants, &mut self.pending_disconnect, &mut send);
                // An expired clock may just have decided; its update goes into the same message.
                send_pending(table, seat, wants, &mut self.pending_disconnect, &mut send);
            }
        }
        items
    }
}

/// Sends everything that a seat has not received on this stream.
fn send_pending(
    table: &mut RefereedTable,
    seat: u32,
    wants: wire::Wants,
    disconnect: &mut Option<Disconnect>,
    send: &mut impl FnMut(Option<Item>),
) {
    let with_wanted_parts = |update: &wire::Update| {
        let mut update = update.clone();
        texts::add_to_update(&mut update, &wants);
        if !wants.events.unwrap_or(true) {
            update.events.clear();
        }
        if !wants.update_views() {
            update.view = None;
        }
        Item::Update(update)
    };
    let snapshot = table.snapshot(seat);
    let Some(seat_state) = table.seats.get_mut(&seat).filter(|seat_state| !seat_state.closed) else { return };
    match seat_state.sent {
        None => send(Some(Item::Snapshot(Box::new(snapshot)))),
        Some(sent) => {
            for update in seat_state.updates.iter().skip(sent as usize) {
                send(Some(with_wanted_parts(update)));
            }
        }
    }
    // A snapshot holds no result: after a snapshot, the last update reports the end.
    let last_number = seat_state.updates.len() as u32;
    if seat_state.sent.is_none() && has_final_update(seat_state) {
        send(seat_state.updates.last().map(with_wanted_parts));
    }
    seat_state.sent = Some(last_number);
    if has_final_update(seat_state) {
        send(Some(Item::Closed(wire::ChannelClosed { number: last_number, ..Default::default() })));
        seat_state.closed = true;
        return;
    }
    let Some(open) = seat_state.open.as_mut().filter(|_| !seat_state.decision_sent) else { return };
    seat_state.decision_sent = true;
    open.sent_at = Some(now());
    let mut decision = open.decision.clone();
    texts::add_to_decision(&mut decision, &open.legal, &wants);
    // The view of an update or of the snapshot is not sent again.
    let has_view =
        wants.update_views() && seat_state.resumed_after.is_none_or(|after| after < decision.after);
    if has_view || !wants.decision_views.unwrap_or(true) {
        decision.view = None;
    }
    if !wants.legal_actions.unwrap_or(true) {
        decision.legal_actions.clear();
    }
    let mut times = 1;
    match table.disruption {
        Some(Disruption::AskTwice) => {
            times = 2;
            table.disruption = None;
        }
        Some(Disruption::Unknown) => {
            send(None);
            table.disruption = None;
        }
        Some(Disruption::CutWhenAsked) => {
            *disconnect = Some(Disconnect::Cut);
            table.disruption = None;
        }
        _ => {}
    }
    *seat_state.times_sent.entry(decision.id).or_default() += times;
    for _ in 0..times {
        send(Some(Item::Decision(decision.clone())));
    }
    if table.disruption == Some(Disruption::ExpireClock) {
        table.disruption = None;
        table.expire_clock(seat);
    }
}
