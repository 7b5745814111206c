//! The trait that draws a game, and its dispatch over all games.

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyView, BoardSeat, Game, Lang, Localise, NoEvents, Refusal, Seat,
    ZoneKind, for_all_games,
};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
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

    /// Order in which the moves are listed, as indices of the legal actions.
    fn order(_view: &Self::View, legal: &[Self::Action]) -> Vec<usize> {
        (0..legal.len()).collect()
    }

    /// The card that an action plays, if the list can be narrowed to one card.
    fn card(_action: &Self::Action, _lang: Lang) -> Option<String> {
        None
    }

    /// An action with its card elsewhere on the table, or turned; `None` for one that has no place.
    fn replaced(_view: &Self::View, _action: &Self::Action, _step: PlaceStep) -> Option<Self::Action> {
        None
    }

    /// Actions that a player may look for, legal or not: one that is not is explained by the rule it breaks.
    fn candidates(_view: &Self::View) -> Vec<Self::Action> {
        Vec::new()
    }

    /// Reports whether a round begins with an event.
    fn begins_round(_event: &Self::Event) -> bool {
        false
    }

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

/// Change of the place of a card.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceStep {
    /// To the right and down, in the smallest steps of the table.
    Move(i16, i16),
    /// A quarter turn.
    Turn,
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

            /// Order in which the moves are listed, as indices of the legal actions.
            pub(crate) fn order(self, legal: &[AnyAction]) -> Vec<usize> {
                match self.0 {
                    $(AnyView::$variant(view) => {
                        let legal: Vec<_> = legal.iter().filter_map(|action| match action {
                            AnyAction::$variant(action) => Some(*action),
                            #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                            _ => None,
                        }).collect();
                        <parlor_engine::$module::$game>::order(view, &legal)
                    })*
                }
            }

            /// An action with its card elsewhere on the table, or turned.
            pub(crate) fn replaced(self, action: &AnyAction, step: PlaceStep) -> Option<AnyAction> {
                match (self.0, action) {
                    $((AnyView::$variant(view), AnyAction::$variant(action)) =>
                        <parlor_engine::$module::$game>::replaced(view, action, step).map(AnyAction::$variant),)*
                    #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                    _ => None,
                }
            }

            /// Actions that a player may look for, legal or not.
            pub(crate) fn candidates(self) -> Vec<AnyAction> {
                match self.0 {
                    $(AnyView::$variant(view) => <parlor_engine::$module::$game>::candidates(view)
                        .into_iter().map(AnyAction::$variant).collect(),)*
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

macro_rules! events_and_cards {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
        /// Reports whether a round begins with an event.
        pub(crate) fn begins_round(event: &AnyEvent) -> bool {
            match event {
                $(AnyEvent::$variant(event) => <parlor_engine::$module::$game>::begins_round(event),)*
            }
        }

        /// The card that an action plays, if the list can be narrowed to one card.
        pub(crate) fn card_of(action: &AnyAction, lang: Lang) -> Option<String> {
            match action {
                $(AnyAction::$variant(action) => <parlor_engine::$module::$game>::card(action, lang),)*
            }
        }
    };
}

for_all_games!(events_and_cards);

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

    /// The rule that an action of the viewer breaks; `None` if it is legal.
    ///
    /// A refusal depends on nothing that the viewer does not know, so it is that of any game with this view.
    pub(crate) fn refusal(self, action: &AnyAction) -> Option<Refusal> {
        let seat = self.0.viewer().seat()?;
        let mut game = AnyGame::sample(self.0, &mut ChaCha8Rng::seed_from_u64(0)).ok()?;
        game.apply(seat, *action, &mut NoEvents).err()
    }

    /// Label of each action: its text, with its effect.
    pub(crate) fn action_labels(self, legal: &[AnyAction], lang: Lang, names: &SeatNames) -> Vec<String> {
        let label = |action: &AnyAction| names.render(&action.rich_text(lang, self.0.viewer()));
        let mut labels: Vec<String> = legal.iter().map(label).collect();
        self.add_effects(legal, &mut labels, lang);
        labels
    }
}
