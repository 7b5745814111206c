//! The last view of a subscription: the server does not send it again with the decision about it.

use crate::wire;

/// The last view received, if views are wanted both with updates and with decisions.
pub(super) struct LastView {
    is_kept: bool,
    /// The view, and the number of the update or snapshot it came with.
    view: Option<(u32, Box<wire::GameView>)>,
}

impl LastView {
    pub(super) fn new(wants: Option<wire::Wants>) -> LastView {
        let wants = wants.unwrap_or_default();
        LastView { is_kept: wants.update_views() && wants.decision_views.unwrap_or(true), view: None }
    }

    /// Keeps the view of an update or snapshot.
    pub(super) fn keep(&mut self, number: u32, view: Option<&wire::GameView>) {
        if let Some(view) = view.filter(|_| self.is_kept) {
            self.view = Some((number, Box::new(view.clone())));
        }
    }

    /// Adds the view that the server left out of a decision.
    pub(super) fn restore(&self, decision: &mut wire::Decision) {
        if decision.view.is_none()
            && let Some((number, view)) = &self.view
            && *number == decision.after
        {
            decision.view = Some(view.clone());
        }
    }
}
