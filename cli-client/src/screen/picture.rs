//! What a game looks like: the one trait that each game's screen has, and the way from any game to it.

use parlor_engine::{AnyAction, AnyView, Game, Lang, Seat, Seats, for_all_games};
use ratatui::text::Line;

use super::ink::Ink;

/// How a game is shown. Everything is made from a view, so that nothing else can be seen.
pub trait Picture: Game {
    /// Whether the picture of the table makes use of all the room that it is given.
    const FILLS: bool = false;

    /// Where the game is, such as "round 2 of 4".
    fn stage(view: &Self::View, lang: Lang) -> String;

    /// Whom the game waits for, as everyone sees it.
    fn turn(view: &Self::View) -> Seats;

    /// How many cards a seat holds.
    fn cards(view: &Self::View, seat: Seat) -> u8;

    /// The points of a seat.
    fn points(view: &Self::View, seat: Seat) -> i32;

    /// What there is to say about a seat in a word of at most seven letters, such as "passed".
    fn mark(view: &Self::View, seat: Seat, lang: Lang) -> Option<&'static str>;

    /// What the viewer is asked, as a sentence.
    fn question(view: &Self::View, lang: Lang) -> String;

    /// A line for each action, with what comes of it.
    fn labels(view: &Self::View, legal: &[Self::Action], lang: Lang) -> Vec<String>;

    /// The viewer's cards in pieces that can stand side by side, with those of the action marked.
    fn hand(view: &Self::View, chosen: Option<&Self::Action>, ink: Ink) -> Vec<Line<'static>>;

    /// The table, with what the action would change.
    fn table(view: &Self::View, chosen: Option<&Self::Action>, ink: Ink, room: Room) -> Vec<Line<'static>>;
}

/// The room for a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// How many columns there are.
    pub width: u16,
    /// How many rows there are.
    pub height: u16,
    /// How far the picture was moved by hand, to the right and down, if it is one that can be.
    pub moved: (i16, i16),
}

macro_rules! pictures {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
        /// The picture of whichever game a view is of. See [`Picture`].
        impl Shown<'_> {
            pub(crate) fn fills(self) -> bool {
                match self.0 {
                    $(AnyView::$variant(_) => <parlor_engine::$module::$game as Picture>::FILLS,)*
                }
            }

            pub(crate) fn stage(self, lang: Lang) -> String {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::stage(view, lang),)*
                }
            }

            pub(crate) fn turn(self) -> Seats {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::turn(view),)*
                }
            }

            pub(crate) fn cards(self, seat: Seat) -> u8 {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::cards(view, seat),)*
                }
            }

            pub(crate) fn points(self, seat: Seat) -> i32 {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::points(view, seat),)*
                }
            }

            pub(crate) fn mark(self, seat: Seat, lang: Lang) -> Option<&'static str> {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::mark(view, seat, lang),)*
                }
            }

            pub(crate) fn question(self, lang: Lang) -> String {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::question(view, lang),)*
                }
            }

            /// Actions of other games, which no table offers, have no line.
            pub(crate) fn labels(self, legal: &[AnyAction], lang: Lang) -> Vec<String> {
                match self.0 {
                    $(AnyView::$variant(view) => {
                        let legal: Vec<_> = legal.iter().filter_map(|action| match action {
                            AnyAction::$variant(action) => Some(*action),
                            #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                            _ => None,
                        }).collect();
                        <parlor_engine::$module::$game>::labels(view, &legal, lang)
                    })*
                }
            }

            pub(crate) fn hand(self, chosen: Option<&AnyAction>, ink: Ink) -> Vec<Line<'static>> {
                match (self.0, chosen) {
                    $((AnyView::$variant(view), Some(AnyAction::$variant(chosen))) =>
                        <parlor_engine::$module::$game>::hand(view, Some(chosen), ink),)*
                    $((AnyView::$variant(view), _) => <parlor_engine::$module::$game>::hand(view, None, ink),)*
                }
            }

            pub(crate) fn table(self, chosen: Option<&AnyAction>, ink: Ink, room: Room) -> Vec<Line<'static>> {
                match (self.0, chosen) {
                    $((AnyView::$variant(view), Some(AnyAction::$variant(chosen))) =>
                        <parlor_engine::$module::$game>::table(view, Some(chosen), ink, room),)*
                    $((AnyView::$variant(view), _) =>
                        <parlor_engine::$module::$game>::table(view, None, ink, room),)*
                }
            }
        }
    };
}

/// A view that is to be shown.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a>(pub(crate) &'a AnyView);

for_all_games!(pictures);
