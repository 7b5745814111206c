//! Items that a table sends to its viewers: updates, prompts, presence, time left and snapshots.

use parlor_engine::{Seat, Seats, Viewer};

use crate::clock::Moment;
use crate::shard::commit::TurnContext;
use crate::shard::subscription::Subscription;
use crate::shard::table_actor::TableActor;
use crate::stream::notifications::Notifications;
use crate::table::{Holder, Step, Table, TableSummary};
use crate::{DecisionPrompt, Presence, Snapshot, StreamItem, ViewerUpdate, Wants};

/// Recipients of the time left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeAudience {
    All,
    /// Only subscriptions that receive another item of the same change: to all others its existence may be
    /// secret.
    Notified,
}

impl TableActor {
    /// Adds the prompt of a seat's open decision for its players.
    pub(super) fn add_prompt(&self, seat: Seat, now: Moment, notifications: &mut Notifications) {
        for subscription in self.subscriptions.of_seat(seat) {
            if let Some(prompt) = self.decision_prompt(seat, subscription, now) {
                notifications.push(subscription, &StreamItem::Decision(&prompt));
            }
        }
    }

    /// Prompt of a seat's open decision. It has no view if the channel has sent the same one already.
    pub(crate) fn decision_prompt(
        &self,
        seat: Seat,
        subscription: &Subscription,
        now: Moment,
    ) -> Option<DecisionPrompt> {
        let viewer = Viewer::Seat(seat);
        let id = self.table.seats()[seat.index()].open?;
        let legal = self.table.legal_actions(seat);
        let default = self.table.game().and_then(|game| game.default_action(seat));
        let secret = self.table.is_secret(seat);
        let left = self.clocks.time_left(&self.table, seat, now);
        let after = self.table.numbers().get(viewer);
        let decision_views = subscription.wants.decision_views && !subscription.has_view_after(after);
        let wants = Wants { decision_views, ..subscription.wants };
        Some(DecisionPrompt {
            id,
            after,
            view: wants.needs_decision_view().then(|| self.table.view(viewer)).flatten(),
            wants,
            seed_given: self.table.has_given_seed(),
            default_index: legal.iter().position(|action| Some(*action) == default).unwrap_or_default()
                as u32,
            legal,
            time_left: left.map(|left| left.decision),
            bank_left: left.filter(|_| !secret).map(|left| left.bank),
            secret,
        })
    }

    /// Adds the time left for the audience, for subscriptions that want it.
    pub(super) fn add_time_left(
        &self,
        audience: TimeAudience,
        now: Moment,
        notifications: &mut Notifications,
    ) {
        let wants_time = || self.subscriptions.iter().filter(|subscription| subscription.wants.time_left);
        let only_notified = audience == TimeAudience::Notified;
        let mut recipients = wants_time().filter(|other| !only_notified || notifications.contains(other));
        if recipients.next().is_some()
            && let Some(left) = self.clocks.all_times_left(&self.table, now)
        {
            notifications.push_to_all(wants_time(), only_notified, &StreamItem::TimeLeft(left));
        }
    }

    /// Updates the presence of a seat, which may have changed at `since`. A change is announced at the end of the turn.
    pub(crate) fn update_presence(&mut self, turn: &mut TurnContext, seat: Seat, since: Moment) {
        let connected = self.subscriptions.of_seat(seat).next().is_some();
        if self.clocks.set_connected(&self.table, seat, connected, since, turn.now) {
            turn.presence_changed.push(self.id());
        }
    }

    /// Announces the players who came or went in this turn, once each, to the subscriptions that want it.
    pub(crate) fn announce_presence(&mut self, now: Moment) {
        let is_connected = |seat: &Seat| self.clocks.is_connected(*seat);
        let connected = Seat::all(self.table.players()).filter(is_connected).fold(Seats::NONE, Seats::with);
        let announced = std::mem::replace(&mut self.announced, connected);
        if announced == connected {
            return;
        }
        let mut notifications = Notifications::new(self.codecs.items, self.subscriptions.len());
        for seat in Seat::all(self.table.players()) {
            if announced.contains(seat) != connected.contains(seat) {
                let wants = self.subscriptions.iter().filter(|subscription| subscription.wants.time_left);
                notifications.push_to_all(wants, false, &StreamItem::Presence(self.presence(seat, now)));
            }
        }
        // The times after a public step are told with it.
        if !self.is_publicly_pending() {
            self.add_time_left(TimeAudience::All, now, &mut notifications);
        }
        notifications.send(&self.subscriptions, None);
    }

    fn presence(&self, seat: Seat, now: Moment) -> Presence {
        let grace_left = self.table.is_timed().then(|| self.clocks.grace_left(&self.table, seat, now));
        Presence { seat, connected: self.clocks.is_connected(seat), grace_left }
    }

    /// Current state of the table for one viewer.
    pub(crate) fn snapshot(&self, viewer: Viewer, wants: Wants, now: Moment) -> Snapshot {
        let is_player = |seat: &Seat| {
            matches!(self.table.seats()[seat.index()].holder, Holder::Player { .. } | Holder::Agent { .. })
        };
        let players = Seat::all(self.table.players()).filter(is_player);
        Snapshot {
            number: self.table.numbers().get(viewer),
            viewer,
            summary: TableSummary { waiting_for: self.durable_waiting_for(), ..self.table.summary() },
            view: self.table.view(viewer),
            presence: players.map(|seat| self.presence(seat, now)).collect(),
            time_left: self.clocks.all_times_left(&self.table, now),
            wants,
        }
    }
}

/// Adds the update of one step for one subscription.
pub(super) fn add_update(
    table: &Table,
    step: &Step,
    subscription: &Subscription,
    notifications: &mut Notifications,
) {
    let number = table.numbers().get(subscription.viewer);
    let Subscription { viewer, wants, .. } = *subscription;
    let Some(update) = step.update(viewer, number) else { return };
    let view = if wants.needs_update_view() { table.view(viewer) } else { None };
    let (seed_given, timed) = (table.has_given_seed(), table.is_timed());
    let viewer_update = ViewerUpdate { update, viewer, view, wants, seed_given, timed };
    notifications.push(subscription, &StreamItem::Update(&viewer_update));
}
