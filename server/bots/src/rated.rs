//! What a bot knows of a game beyond its rules: which actions look good, and when points are made.

use std::borrow::Cow;

use parlor_engine::{Game, Points, Seat, Viewer};

/// A game that bots have an opinion about. One file a game carries it out.
///
/// All arithmetic is `+ - * /` and `sqrt`, which every machine does alike: no `exp`, no `ln`, so that a decision can
/// be made again elsewhere.
pub trait Rated: Game {
    /// A playout stops after so many actions, and counts the points made until then.
    const HORIZON: u32;

    /// How far ratings are off, in points: the larger, the more a search looks at actions that are rated lower.
    const DOUBT: f32;

    /// Whose view it is.
    fn viewer(view: &Self::View) -> Viewer;

    /// The view as it was when the seat was asked, of one that is asked. Where several are asked at once, others may have
    /// answered since; a choice must not hang on who was quicker, or a server that asks again after a crash would get
    /// another one.
    fn as_asked(view: &Self::View) -> Cow<'_, Self::View> {
        Cow::Borrowed(view)
    }

    /// Rates each action for the seat, whose view it is: the higher, the better, in points as far as one can tell.
    ///
    /// Writes one rating for each action into `ratings`, which is emptied first. The actions are legal and the view
    /// is possible; where they are not, the ratings mean nothing, but nothing panics.
    fn rate(view: &Self::View, seat: Seat, legal: &[Self::Action], ratings: &mut Vec<f32>);

    /// The points that an event tells of.
    fn points(event: &Self::Event) -> Option<Points>;

    /// Whether a round ends with this event, and with it what a playout is about.
    fn ends_round(event: &Self::Event) -> bool;

    /// Whether others do not see this action when it is done.
    fn is_unseen(action: &Self::Action) -> bool;
}
