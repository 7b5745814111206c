//! The suite that every game must pass.

use rand_chacha::ChaCha8Rng;

use crate::{Game, Viewer};

/// What the suite must know of a game beyond its rules. Implemented in the tests of each game.
pub(crate) trait Testable: Game {
    /// More actions than any game of it can have.
    const MAX_ACTIONS: usize;

    /// Options to test: the default, and the ends of every range.
    fn options() -> Vec<Self::Options>;

    /// The codes of all cards wherever they are, in any order.
    fn census(&self) -> Vec<u8>;

    /// Deals anew, directly in the state, what the viewer cannot know of hands and of cards laid aside. Piles that
    /// are still to be drawn keep their order, so that chance brings both games the same cards.
    fn redeal(&mut self, viewer: Viewer, rng: &mut ChaCha8Rng);

    /// What the event shows that its audience could not know before.
    fn reveals(event: &Self::Event) -> Reveals;

    /// Whether others learn nothing of the action's content.
    fn is_private(_action: &Self::Action) -> bool {
        false
    }

    /// An action, legal or not: any value of the type can come.
    fn any_action(rng: &mut ChaCha8Rng) -> Self::Action;

    /// Changes one thing in a view; any value of the type can come.
    fn spoil(view: &mut Self::View, rng: &mut ChaCha8Rng);
}

/// What an event shows that its audience could not know before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reveals {
    /// Nothing but what somebody chose to do.
    Nothing,
    /// The next cards of a pile.
    Pile,
    /// Cards that were in another's hand, or a new deal.
    Hands,
}
