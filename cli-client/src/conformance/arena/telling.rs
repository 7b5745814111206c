//! What the agent is told: seats, what happened there, and what it is asked.

use parlor_cli::load::now;
use parlor_sdk::wire;
use wire::stream_item::Item;

use super::super::table::{Table, Twist, has_seen_the_end};
use super::Arena;
use super::breaks::Break;

impl Arena<'_> {
    /// All that is to be sent now.
    pub(super) fn collect(&mut self) -> Vec<wire::StreamItem> {
        let mut items = std::mem::take(&mut self.replies);
        let wants = self.who.wants.unwrap_or(wire::Wants {
            events: true,
            decision_views: true,
            legal_actions: true,
            ..Default::default()
        });
        for index in 0..self.tables.len() {
            let Some(table) = self.tables.get_mut(index) else { continue };
            let seats: Vec<u32> =
                table.places.iter().filter(|(_, place)| !place.closed).map(|(seat, _)| *seat).collect();
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
                let mut say = |item| items.push(wire::StreamItem { channel, item });
                catch_up(table, seat, wants, &mut self.due, &mut say);
                // The clock may just have decided, which is told in the same message.
                catch_up(table, seat, wants, &mut self.due, &mut say);
            }
        }
        items
    }
}

/// Says what a seat has not been told yet.
fn catch_up(
    table: &mut Table,
    seat: u32,
    wants: wire::Wants,
    due: &mut Option<Break>,
    say: &mut impl FnMut(Option<Item>),
) {
    let snapshot = table.snapshot(seat);
    let Some(place) = table.places.get_mut(&seat).filter(|place| !place.closed) else { return };
    match place.sent {
        None => say(Some(Item::Snapshot(Box::new(snapshot)))),
        Some(sent) => {
            for update in place.updates.iter().skip(sent as usize) {
                let mut update = update.clone();
                if !wants.events {
                    update.events.clear();
                }
                say(Some(Item::Update(update)));
            }
        }
    }
    // A snapshot holds no result: whoever gets one is told of the end by the last update.
    let told = place.updates.len() as u32;
    if place.sent.is_none() && has_seen_the_end(place) {
        say(place.updates.last().cloned().map(Item::Update));
    }
    place.sent = Some(told);
    if has_seen_the_end(place) {
        say(Some(Item::Closed(wire::ChannelClosed { number: told, ..Default::default() })));
        place.closed = true;
        return;
    }
    let Some(open) = place.open.as_mut().filter(|_| !place.asked) else { return };
    place.asked = true;
    open.since = Some(now());
    let mut decision = open.decision.clone();
    if !wants.decision_views {
        decision.view = None;
    }
    if !wants.legal_actions {
        decision.legal_actions.clear();
    }
    let mut times = 1;
    match table.twist {
        Some(Twist::AskTwice) => {
            times = 2;
            table.twist = None;
        }
        Some(Twist::Unknown) => {
            say(None);
            table.twist = None;
        }
        Some(Twist::CutWhenAsked) => {
            *due = Some(Break::Cut);
            table.twist = None;
        }
        _ => {}
    }
    *place.times_sent.entry(decision.id).or_default() += times;
    for _ in 0..times {
        say(Some(Item::Decision(decision.clone())));
    }
    if table.twist == Some(Twist::RunOut) {
        table.twist = None;
        table.run_out(seat);
    }
}
