//! Items that a table sends to its viewers: updates, prompts, presence, time left and snapshots.

use parlor_engine::{Seat, Viewer};

use crate::clock::Moment;
use crate::shard::subscription::Subscription;
use crate::shard::table_actor::TableActor;
use crate::stream::notifications::Notifications;
use crate::table::{Holder, Step, Table};
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
        for subscription in self.subscriptions.iter().filter(|subscription| subscription.viewer.is(seat)) {
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
        let is_recipient = |subscription: &&Subscription, notifications: &Notifications| {
            subscription.wants.time_left
                && (audience == TimeAudience::All || notifications.contains(subscription))
        };
        if !self.subscriptions.iter().any(|subscription| is_recipient(&subscription, notifications)) {
            return;
        }
        if let Some(left) = self.clocks.all_times_left(&self.table, now) {
            let left = StreamItem::TimeLeft(left);
            for subscription in &self.subscriptions {
                if is_recipient(&subscription, notifications) {
                    notifications.push(subscription, &left);
                }
            }
        }
    }

    /// Updates the presence of all seats, which changed at `since`, and notifies the subscriptions that want it.
    pub(crate) fn update_presence(&mut self, since: Moment, now: Moment) {
        let mut changed = false;
        for seat in Seat::all(self.table.players()) {
            let connected = self.subscriptions.iter().any(|subscription| subscription.viewer.is(seat));
            if self.clocks.set_connected(&self.table, seat, connected, since, now) {
                changed = true;
                let presence = self.presence(seat, now);
                for subscription in
                    self.subscriptions.iter().filter(|subscription| subscription.wants.time_left)
                {
                    subscription.send(&StreamItem::Presence(presence));
                }
            }
        }
        // The times after a public step are told with it.
        if changed && !self.is_publicly_pending() {
            let mut notifications = Notifications::new(self.codecs.items, &self.subscriptions);
            self.add_time_left(TimeAudience::All, now, &mut notifications);
            notifications.send(&self.subscriptions, None);
        }
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
            summary: self.table.summary(),
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
