//! The trait that draws a game, and its dispatch over all games.

use parlor_engine::{AnyAction, AnyView, BoardSeat, Game, Lang, Localise, Seat, ZoneKind, for_all_games};
use ratatui::text::Line;

use super::style::Theme;
use crate::table::SeatNames;

/// Renderer of a game. Everything is derived from a view, so that nothing hidden can be shown.
pub trait GameRenderer: Game {
    /// Set if the drawn table uses all of its viewport.
    const FILLS_VIEWPORT: bool = false;

    /// Progress of the game, such as "round 2 of 4".
    fn stage(view: &Self::View, lang: Lang) -> String;

    /// Short note on a seat, at most seven characters, such as "passed".
    fn badge(view: &Self::View, seat: Seat, lang: Lang) -> Option<&'static str>;

    /// Completes the label of each action, which is its text, by the effect that the view foretells.
    fn add_effects(_view: &Self::View, _legal: &[Self::Action], _labels: &mut [String], _lang: Lang) {}

    /// The viewer's hand in pieces that are laid out side by side; cards of the selected action are marked.
    fn hand(view: &Self::View, selected: Option<&Self::Action>, theme: Theme) -> Vec<Line<'static>>;

    /// The table, with a preview of the selected action.
    fn table(
        view: &Self::View,
        selected: Option<&Self::Action>,
        theme: Theme,
        viewport: Viewport,
        names: &SeatNames,
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

            pub(crate) fn badge(self, seat: Seat, lang: Lang) -> Option<&'static str> {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::badge(view, seat, lang),)*
                }
            }

            fn add_effects(self, legal: &[AnyAction], labels: &mut [String], lang: Lang) {
                match self.0 {
                    $(AnyView::$variant(view) => {
                        let legal: Vec<_> = legal.iter().filter_map(|action| match action {
                            AnyAction::$variant(action) => Some(*action),
                            #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                            _ => None,
                        }).collect();
                        <parlor_engine::$module::$game>::add_effects(view, &legal, labels, lang);
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

            pub(crate) fn table(
                self,
                selected: Option<&AnyAction>,
                theme: Theme,
                viewport: Viewport,
                names: &SeatNames,
            ) -> Vec<Line<'static>> {
                match (self.0, selected) {
                    $((AnyView::$variant(view), Some(AnyAction::$variant(selected))) =>
                        <parlor_engine::$module::$game>::table(view, Some(selected), theme, viewport, names),)*
                    $((AnyView::$variant(view), _) =>
                        <parlor_engine::$module::$game>::table(view, None, theme, viewport, names),)*
                }
            }
        }
    };
}

/// Renders a view of any game.
#[derive(Clone, Copy)]
pub(crate) struct ViewRenderer<'a>(pub(crate) &'a AnyView);

for_all_games!(renderers);

/// A seat as the player list shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SeatStatus {
    pub(crate) seat: Seat,
    /// Number of cards in the hand.
    pub(crate) cards: u32,
    pub(crate) points: i32,
    /// True if everyone may see the game wait for the seat.
    pub(crate) acts: bool,
}

impl ViewRenderer<'_> {
    /// The seats, in order.
    pub(crate) fn seats(self) -> Vec<SeatStatus> {
        let board = self.0.board(&[], Lang::default());
        let cards = |seat: Seat| {
            let hands = board.zones.iter().filter(|zone| zone.kind == ZoneKind::Hand);
            let own = hands.filter(|zone| zone.owner == Some(seat));
            own.map(|zone| zone.cards.len() as u32 + zone.unknown).sum()
        };
        let status = |seat: &BoardSeat| SeatStatus {
            seat: seat.seat,
            cards: cards(seat.seat),
            points: seat.points,
            acts: seat.to_act,
        };
        board.seats.iter().map(status).collect()
    }

    /// The question that the viewer's decision asks.
    pub(crate) fn question(self, lang: Lang, names: &SeatNames) -> String {
        names.render(&self.0.question(lang))
    }

    /// Label of each action: its text, with its effect.
    pub(crate) fn action_labels(self, legal: &[AnyAction], lang: Lang, names: &SeatNames) -> Vec<String> {
        let label = |action: &AnyAction| names.render(&action.rich_text(lang, self.0.viewer()));
        let mut labels: Vec<String> = legal.iter().map(label).collect();
        self.add_effects(legal, &mut labels, lang);
        labels
    }
}
