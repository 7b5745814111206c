//! Type-erased games: one enum for each associated type of [`Game`], generated from the catalogue.

use rand_core::Rng;

use crate::text::{Lang, Localise, RichText, TextBuilder, display_in_english};
use crate::{
    Audience, Board, Chance, EventSink, Game, GameId, ImpossibleView, Outcome, Refusal, Seat, Seats,
    SetupError, ShuffleId, Viewer, for_all_games,
};

/// Initial capacity of lists of legal actions: enough for most decisions.
const LEGAL_CAPACITY: usize = 16;

/// Generates the type-erased enum of one associated type of [`Game`].
macro_rules! any {
    ($any:ident, $part:ident, $doc:literal, $derive:meta, $($variant:ident: $module:ident::$game:ident),*) => {
        #[doc = $doc]
        #[$derive]
        #[expect(missing_docs, reason = "the variants are the games")]
        pub enum $any {
            $($variant(<crate::$module::$game as Game>::$part),)*
        }

        // The concrete path, not the associated type: other crates implement conversions to these enums as
        // well, and the compiler must see that the source types differ.
        $(impl From<crate::$module::$part> for $any {
            fn from(part: crate::$module::$part) -> $any {
                $any::$variant(part)
            }
        })*

        impl $any {
            /// The game it belongs to.
            #[must_use]
            pub const fn game(&self) -> GameId {
                match self {
                    $($any::$variant(_) => GameId::$variant,)*
                }
            }
        }

        impl Localise for $any {
            fn write_text(&self, out: &mut TextBuilder) {
                match self {
                    $($any::$variant(part) => part.write_text(out),)*
                }
            }
        }

        display_in_english!($any);
    };
}

macro_rules! erased {
    ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
        any!(AnyOptions, Options, "The options of any game.", derive(Clone, Copy, PartialEq, Eq, Debug),
            $($variant: $module::$game),*);
        any!(AnyAction, Action, "An action of any game.", derive(Clone, Copy, PartialEq, Eq, Hash, Debug),
            $($variant: $module::$game),*);
        any!(AnyEvent, Event, "An event of any game.", derive(Clone, Copy, PartialEq, Eq, Debug),
            $($variant: $module::$game),*);
        any!(AnyView, View, "A view of any game.", derive(Clone, PartialEq, Eq, Debug),
            $($variant: $module::$game),*);

        /// A game in progress, of any game.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "the variants are the games")]
        pub enum AnyGame {
            // Boxed, because a server holds many games and the largest is four times the size of the
            // smallest.
            $($variant(Box<crate::$module::$game>),)*
        }

        impl AnyGame {
            /// Sets up a table of the game that the options belong to. See [`Game::new`].
            pub fn new(
                rules_version: u32,
                options: AnyOptions,
                players: u8,
                chance: Chance,
                events: &mut impl EventSink<AnyEvent>,
            ) -> Result<AnyGame, SetupError> {
                match options {
                    $(AnyOptions::$variant(options) =>
                        <crate::$module::$game>::new(rules_version, options, players, chance, &mut ErasingSink(events))
                            .map(|game| AnyGame::$variant(Box::new(game))),)*
                }
            }

            /// Sets up a table with held windows. See [`Game::new_with_held_windows`].
            pub fn new_with_held_windows(
                rules_version: u32,
                options: AnyOptions,
                players: u8,
                chance: Chance,
                events: &mut impl EventSink<AnyEvent>,
            ) -> Result<AnyGame, SetupError> {
                match options {
                    $(AnyOptions::$variant(options) =>
                        <crate::$module::$game>::new_with_held_windows(rules_version, options, players, chance, &mut ErasingSink(events))
                            .map(|game| AnyGame::$variant(Box::new(game))),)*
                }
            }

            /// The game's id.
            #[must_use]
            pub const fn id(&self) -> GameId {
                match self {
                    $(AnyGame::$variant(_) => GameId::$variant,)*
                }
            }

            /// See [`Game::players`].
            #[must_use]
            pub fn players(&self) -> u8 {
                match self {
                    $(AnyGame::$variant(game) => game.players(),)*
                }
            }

            /// See [`Game::to_act`].
            #[must_use]
            pub fn to_act(&self) -> Seats {
                match self {
                    $(AnyGame::$variant(game) => game.to_act(),)*
                }
            }

            /// See [`Game::legal_actions`].
            #[must_use]
            pub fn legal_actions(&self, seat: Seat) -> Vec<AnyAction> {
                match self {
                    $(AnyGame::$variant(game) => {
                        let mut legal = Vec::with_capacity(LEGAL_CAPACITY);
                        game.legal_actions(seat, &mut legal);
                        legal.into_iter().map(AnyAction::$variant).collect()
                    })*
                }
            }

            /// The legal action at this index. See [`Game::legal_actions`].
            #[must_use]
            pub fn legal_action(&self, seat: Seat, index: usize) -> Option<AnyAction> {
                match self {
                    $(AnyGame::$variant(game) => {
                        let mut legal = Vec::with_capacity(LEGAL_CAPACITY);
                        game.legal_actions(seat, &mut legal);
                        legal.get(index).copied().map(AnyAction::$variant)
                    })*
                }
            }

            /// The index of an action in the list of legal actions, if it is legal. See
            /// [`Game::legal_actions`].
            #[must_use]
            pub fn legal_index(&self, seat: Seat, action: AnyAction) -> Option<usize> {
                match (self, action) {
                    $((AnyGame::$variant(game), AnyAction::$variant(action)) => {
                        let mut legal = Vec::with_capacity(LEGAL_CAPACITY);
                        game.legal_actions(seat, &mut legal);
                        legal.iter().position(|listed| *listed == action)
                    })*
                    #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                    _ => None,
                }
            }

            /// See [`Game::apply`]. Actions of another game are refused.
            pub fn apply(
                &mut self,
                seat: Seat,
                action: AnyAction,
                events: &mut impl EventSink<AnyEvent>,
            ) -> Result<(), Refusal> {
                match (self, action) {
                    $((AnyGame::$variant(game), AnyAction::$variant(action)) =>
                        game.apply(seat, action, &mut ErasingSink(events)),)*
                    #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                    _ => Err(Refusal::OTHER_GAME),
                }
            }

            /// See [`Game::view`].
            #[must_use]
            pub fn view(&self, viewer: Viewer) -> AnyView {
                match self {
                    $(AnyGame::$variant(game) => AnyView::$variant(game.view(viewer)),)*
                }
            }

            /// See [`Game::default_action`].
            #[must_use]
            pub fn default_action(&self, seat: Seat) -> Option<AnyAction> {
                match self {
                    $(AnyGame::$variant(game) => game.default_action(seat).map(AnyAction::$variant),)*
                }
            }

            /// See [`Game::sample`].
            pub fn sample(view: &AnyView, rng: &mut impl Rng) -> Result<AnyGame, ImpossibleView> {
                match view {
                    $(AnyView::$variant(view) => <crate::$module::$game>::sample(view, rng)
                        .map(|game| AnyGame::$variant(Box::new(game))),)*
                }
            }

            /// See [`Game::outcome`].
            #[must_use]
            pub fn outcome(&self) -> Option<Outcome> {
                match self {
                    $(AnyGame::$variant(game) => game.outcome(),)*
                }
            }

            /// See [`Game::has_secret_decision`].
            #[must_use]
            pub fn has_secret_decision(&self, seat: Seat) -> bool {
                match self {
                    $(AnyGame::$variant(game) => game.has_secret_decision(seat),)*
                }
            }

            /// See [`Game::has_secret_decisions`].
            #[must_use]
            pub fn has_secret_decisions(&self) -> bool {
                match self {
                    $(AnyGame::$variant(game) => game.has_secret_decisions(),)*
                }
            }

            /// See [`Game::public_to_act`].
            #[must_use]
            pub fn public_to_act(&self) -> Seats {
                match self {
                    $(AnyGame::$variant(game) => game.public_to_act(),)*
                }
            }

            /// See [`Game::window_is_held`].
            #[must_use]
            pub fn window_is_held(&self) -> bool {
                match self {
                    $(AnyGame::$variant(game) => game.window_is_held(),)*
                }
            }

            /// See [`Game::close_window`].
            pub fn close_window(&mut self, events: &mut impl EventSink<AnyEvent>) {
                match self {
                    $(AnyGame::$variant(game) => game.close_window(&mut ErasingSink(events)),)*
                }
            }
        }

        impl AnyView {
            /// The viewer.
            #[must_use]
            pub fn viewer(&self) -> Viewer {
                match self {
                    $(AnyView::$variant(view) => view.viewer,)*
                }
            }

            /// See [`Game::board`]. Actions of another game touch nothing.
            #[must_use]
            pub fn board(&self, actions: &[AnyAction], lang: Lang) -> Board {
                match self {
                    $(AnyView::$variant(view) => {
                        let own = |action: &AnyAction| match action {
                            AnyAction::$variant(action) => Some(*action),
                            #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                            _ => None,
                        };
                        let actions: Vec<_> = actions.iter().filter_map(own).collect();
                        <crate::$module::$game as Game>::board(view, &actions, lang)
                    })*
                }
            }

            /// See [`Game::write_action`]. The text of an action of another game is the action alone.
            #[must_use]
            pub fn action_text(&self, action: &AnyAction, lang: Lang) -> RichText {
                let mut out = TextBuilder::new(lang, self.viewer());
                match (self, action) {
                    $((AnyView::$variant(view), AnyAction::$variant(action)) =>
                        <crate::$module::$game as Game>::write_action(view, action, &mut out),)*
                    #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                    _ => action.write_text(&mut out),
                }
                out.finish()
            }

            /// See [`Game::write_question`].
            #[must_use]
            pub fn question(&self, lang: Lang) -> RichText {
                let mut out = TextBuilder::new(lang, self.viewer());
                match self {
                    $(AnyView::$variant(view) => <crate::$module::$game as Game>::write_question(view, &mut out),)*
                }
                out.finish()
            }

            /// See [`Game::apply_event`]. Events of another game are ignored.
            pub fn apply_event(&mut self, event: &AnyEvent) {
                match (self, event) {
                    $((AnyView::$variant(view), AnyEvent::$variant(event)) =>
                        <crate::$module::$game as Game>::apply_event(view, event),)*
                    #[allow(unreachable_patterns, reason = "reachable once there are two games")]
                    _ => {}
                }
            }
        }
    };
}

for_all_games!(erased);

/// Adapts a sink of any game's events to the events of one game.
struct ErasingSink<'a, S>(&'a mut S);

impl<E: Into<AnyEvent>, S: EventSink<AnyEvent>> EventSink<E> for ErasingSink<'_, S> {
    fn emit(&mut self, to: Audience, event: E) {
        self.0.emit(to, event.into());
    }

    fn record_shuffle(&mut self, name: ShuffleId, codes: impl Iterator<Item = u8>) {
        self.0.record_shuffle(name, codes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Recorder;

    fn new_game(id: GameId, recorder: &mut Recorder<AnyEvent>) -> AnyGame {
        let (version, options) = (id.info().rules_version, id.default_options());
        AnyGame::new(version, options, 2, Chance::seeded([1; 32]), recorder).expect("a valid set-up")
    }

    #[test]
    fn erased_game_forwards_events_and_shuffles() {
        for id in GameId::ALL {
            let mut recorder = Recorder::new();
            let game = new_game(*id, &mut recorder);
            let Recorder { events, shuffles } = recorder;
            assert!(!events.is_empty() && events.iter().all(|(_, event)| event.game() == *id));
            assert!(shuffles.iter().any(|(name, codes)| *name == ShuffleId::deal(0) && !codes.is_empty()));
            assert_eq!((game.id(), game.players()), (*id, 2));
        }
    }

    #[test]
    fn legal_action_and_legal_index_are_inverse() {
        let mut other_actions = Vec::new();
        for id in GameId::ALL {
            let game = new_game(*id, &mut Recorder::new());
            for seat in Seat::all(2) {
                let legal = game.legal_actions(seat);
                for (index, action) in legal.iter().enumerate() {
                    assert_eq!(game.legal_action(seat, index), Some(*action));
                    assert_eq!(game.legal_index(seat, *action), Some(index));
                }
                assert_eq!(game.legal_action(seat, legal.len()), None);
                assert!(other_actions.iter().all(|other| game.legal_index(seat, *other).is_none()));
            }
            other_actions.extend(Seat::all(2).flat_map(|seat| game.legal_actions(seat)));
        }
        assert!(!other_actions.is_empty());
    }

    /// Also checks that windows are not held by default.
    #[test]
    fn only_no_dice_has_secret_decisions() {
        for id in GameId::ALL {
            let game = new_game(*id, &mut Recorder::new());
            assert!(!game.window_is_held());
            let has_secret_decision = game.to_act().iter().any(|seat| game.has_secret_decision(seat));
            assert!(!has_secret_decision || *id == GameId::NoDice, "{id:?}");
            assert_eq!(game.has_secret_decisions(), *id == GameId::NoDice, "{id:?}");
        }
    }
}
