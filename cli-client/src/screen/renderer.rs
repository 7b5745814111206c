//! The trait that draws a game, and its dispatch over all games.

use parlor_engine::{AnyAction, AnyView, Game, Lang, Seat, Seats, for_all_games};
use ratatui::text::Line;

use super::style::Theme;

/// Renderer of a game. Everything is derived from a view, so that nothing hidden can be shown.
pub trait GameRenderer: Game {
    /// Set if the drawn table uses all of its viewport.
    const FILLS_VIEWPORT: bool = false;

    /// Progress of the game, such as "round 2 of 4".
    fn stage(view: &Self::View, lang: Lang) -> String;

    /// Seats whose decision the game waits for, as publicly visible.
    fn acting_seats(view: &Self::View) -> Seats;

    /// Number of cards in a seat's hand.
    fn card_count(view: &Self::View, seat: Seat) -> u8;

    /// Points of a seat.
    fn points(view: &Self::View, seat: Seat) -> i32;

    /// Short note on a seat, at most seven characters, such as "passed".
    fn badge(view: &Self::View, seat: Seat, lang: Lang) -> Option<&'static str>;

    /// Prompt for the viewer's decision, as a sentence.
    fn prompt(view: &Self::View, lang: Lang) -> String;

    /// Label of each action, including its effect.
    fn action_labels(view: &Self::View, legal: &[Self::Action], lang: Lang) -> Vec<String>;

    /// The viewer's hand in pieces that are laid out side by side; cards of the selected action are marked.
    fn hand(view: &Self::View, selected: Option<&Self::Action>, theme: Theme) -> Vec<Line<'static>>;

    /// The table, with a preview of the selected action.
    fn table(
        view: &Self::View,
        selected: Option<&Self::Action>,
        theme: Theme,
        viewport: Viewport,
    ) -> Vec<Line<'static>>;
}

/// Area for a drawn table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Viewport {
    /// Width in columns.
    pub width: u16,
    /// Height in rows.
    pub height: u16,
    /// Scroll offset to the right and down, for tables that can be moved.
    pub offset: (i16, i16),
}

macro_rules! renderers {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
        /// Dispatch to the [`GameRenderer`] of the view's game.
        impl ViewRenderer<'_> {
            pub(crate) fn fills_viewport(self) -> bool {
                match self.0 {
                    $(AnyView::$variant(_) => <parlor_engine::$module::$game as GameRenderer>::FILLS_VIEWPORT,)*
                }
            }

            pub(crate) fn stage(self, lang: Lang) -> String {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::stage(view, lang),)*
                }
            }

            pub(crate) fn acting_seats(self) -> Seats {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::acting_seats(view),)*
                }
            }

            pub(crate) fn card_count(self, seat: Seat) -> u8 {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::card_count(view, seat),)*
                }
            }

            pub(crate) fn points(self, seat: Seat) -> i32 {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::points(view, seat),)*
                }
            }

            pub(crate) fn badge(self, seat: Seat, lang: Lang) -> Option<&'static str> {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::badge(view, seat, lang),)*
                }
            }

            pub(crate) fn prompt(self, lang: Lang) -> String {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::prompt(view, lang),)*
                }
            }

            /// Actions of other games, which no table offers, get no label.
            pub(crate) fn action_labels(self, legal: &[AnyAction], lang: Lang) -> Vec<String> {
                match self.0 {
                    $(AnyView::$variant(view) => {
                        let legal: Vec<_> = legal.iter().filter_map(|action| match action {
                            AnyAction::$variant(action) => Some(*action),
                            #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                            _ => None,
                        }).collect();
                        <parlor_engine::$module::$game>::action_labels(view, &legal, lang)
                    })*
                }
            }

            pub(crate) fn hand(self, selected: Option<&AnyAction>, theme: Theme) -> Vec<Line<'static>> {
                match (self.0, selected) {
                    $((AnyView::$variant(view), Some(AnyAction::$variant(selected))) =>
                        <parlor_engine::$module::$game>::hand(view, Some(selected), theme),)*
                    $((AnyView::$variant(view), _) => <parlor_engine::$module::$game>::hand(view, None, theme),)*
                }
            }

            pub(crate) fn table(self, selected: Option<&AnyAction>, theme: Theme, viewport: Viewport) -> Vec<Line<'static>> {
                match (self.0, selected) {
                    $((AnyView::$variant(view), Some(AnyAction::$variant(selected))) =>
                        <parlor_engine::$module::$game>::table(view, Some(selected), theme, viewport),)*
                    $((AnyView::$variant(view), _) =>
                        <parlor_engine::$module::$game>::table(view, None, theme, viewport),)*
                }
            }
        }
    };
}

/// Renders a view of any game.
#[derive(Clone, Copy)]
pub(crate) struct ViewRenderer<'a>(pub(crate) &'a AnyView);

for_all_games!(renderers);
