//! Heuristics of a game for bots: ratings of actions, and the scoring events of a playout.

use std::borrow::Cow;

use parlor_engine::{Game, Points, Seat, Viewer};

/// A game with a heuristic for bots. Implemented in one file per game.
///
/// Implementations use only `+ - * /` and `sqrt`, which are exact on every machine, and no `exp` or `ln`, so
/// that a decision can be reproduced elsewhere.
pub trait Heuristic: Game {
    /// Maximum number of actions of a playout. Points scored until then count.
    const MAX_PLAYOUT_ACTIONS: u32;

    /// Typical error of ratings, in points. The larger it is, the more a search explores lower-rated actions.
    const RATING_UNCERTAINTY: f32;

    /// The viewer of a view.
    fn viewer(view: &Self::View) -> Viewer;

    /// The view of a seat at the moment it was asked. Where several seats are asked at once, others may have
    /// answered since. A choice must not depend on the order of answers: a server that asks again after a
    /// crash must get the same one.
    fn view_when_asked(view: &Self::View) -> Cow<'_, Self::View> {
        Cow::Borrowed(view)
    }

    /// Rates each action for the seat of the view: estimated points, higher is better.
    ///
    /// Clears `ratings` and writes one rating for each action. For illegal actions or impossible views the
    /// ratings are meaningless, but the function does not panic.
    fn rate(view: &Self::View, seat: Seat, legal: &[Self::Action], ratings: &mut Vec<f32>);

    /// Points scored in an event.
    fn points(event: &Self::Event) -> Option<Points>;

    /// True if the event ends a round, and so a playout.
    fn ends_round(event: &Self::Event) -> bool;

    /// True if other seats do not see this action.
    fn is_hidden(action: &Self::Action) -> bool;
}
