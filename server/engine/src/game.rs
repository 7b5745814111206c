//! The [`Game`] trait, which every game implements, and the sinks that receive a game's events.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use rand_core::Rng;

use crate::error::ensure;
use crate::{
    Audience, Board, CardCode, CardLabel, Chance, ColourSymmetry, ImpossibleView, Lang, Localise, Outcome,
    Refusal, Seat, Seats, SetupError, ShuffleId, Text, TextBuilder, Viewer,
};

/// Static facts about a game, the same for every table.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// Machine-readable id, such as `habe_fertig`.
    pub id: &'static str,
    /// Display name.
    pub name: Text,
    /// One-sentence description.
    pub summary: Text,
    /// Minimum number of players.
    pub min_players: u8,
    /// Maximum number of players.
    pub max_players: u8,
    /// Version of the implemented rules. The same version, options, chance and actions give the same game,
    /// byte for byte.
    pub rules_version: u32,
    /// The full rules, as Markdown.
    pub rules: Text,
    /// True for a game that exists for tests. Servers offer it only with a setting of their own, and lists of
    /// games leave it out.
    pub test_only: bool,
}

impl GameInfo {
    /// Validates the rules version and the number of players, as every game does before it validates its
    /// options.
    pub(crate) fn check_setup(&self, rules_version: u32, players: u8) -> Result<(), SetupError> {
        if rules_version != self.rules_version {
            return Err(SetupError::RulesVersion {
                game: self.id,
                got: rules_version,
                known: self.rules_version,
            });
        }
        if !(self.min_players..=self.max_players).contains(&players) {
            let (min, max) = (self.min_players, self.max_players);
            return Err(SetupError::Players { game: self.id, got: players, min, max });
        }
        Ok(())
    }

    /// Validates the number of players and the viewer of a view, as every game does before anything else.
    pub(crate) fn check_view(&self, players: u8, viewer: Viewer) -> Result<(), ImpossibleView> {
        let in_range = (self.min_players..=self.max_players).contains(&players);
        ensure(in_range, "the number of players is out of range")?;
        ensure(viewer.at_table(players) == viewer, "the viewer is not at the table")
    }
}

/// A game in progress: a plain value that can be cloned, compared and thrown away.
///
/// The state is the fold of rules version, options, chance and actions. A game does no I/O and has no clock,
/// and no argument makes it panic.
///
/// ```
/// use parlor_engine::{Chance, Game, NoEvents, gap::Gap};
///
/// let mut game = Gap::new(1, Default::default(), 2, Chance::seeded([0; 32]), &mut NoEvents)?;
/// let mut legal = Vec::new();
/// while let Some(seat) = game.to_act().first() {
///     game.legal_actions(seat, &mut legal);
///     game.apply(seat, legal[0], &mut NoEvents)?;
/// }
/// assert!(game.outcome().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Game: Clone + Eq + Debug + Send + Sync + Sized + 'static {
    /// Options of a table. The default is the most common choice.
    type Options: Copy + Eq + Debug + Default + Localise + Send + Sync;
    /// Card that is dealt. Its codes stand for it in shuffles.
    type Card: CardCode + CardLabel;
    /// An action of a player. Every value of the type is legal in some position.
    type Action: Copy + Eq + Hash + Debug + Display + Localise + Send + Sync;
    /// An event in the form one audience receives.
    type Event: Copy + Eq + Debug + Display + Localise + Send + Sync;
    /// Everything one viewer knows: enough to play well without the history of the game.
    type View: Clone + Eq + Debug + Display + Localise + Send + Sync;

    /// Static facts about the game.
    const INFO: GameInfo;

    /// Sets up a table and deals. Seats are numbered clockwise, and seat 0 begins.
    fn new(
        rules_version: u32,
        options: Self::Options,
        players: u8,
        chance: Chance,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<Self, SetupError>;

    /// The number of players.
    fn players(&self) -> u8;

    /// The seats that have a decision to make: several if they choose simultaneously, none once the game is
    /// over. In a game with [held windows](Game::new_with_held_windows), also none while a held window is open and every
    /// asked seat has answered.
    ///
    /// For the host only: the set may reveal a secret decision. Views show only what their viewer may know.
    fn to_act(&self) -> Seats;

    /// Writes the legal actions of the seat into `out`, replacing its contents: each action once, in the
    /// order documented by the game. The list is empty for a seat without a decision.
    fn legal_actions(&self, seat: Seat, out: &mut Vec<Self::Action>);

    /// Applies the action, or refuses it with the rule it breaks and leaves the state unchanged.
    fn apply(
        &mut self,
        seat: Seat,
        action: Self::Action,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<(), Refusal>;

    /// The view of a viewer. A seat that is not at the table gets the view of a spectator.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// Updates a view with an event its viewer received. Applying every event to an earlier view gives the
    /// same view that [`view`](Game::view) returns now.
    fn apply_event(view: &mut Self::View, event: &Self::Event);

    /// The view as a board: zones of cards, and for each of the actions, in order, the cards and zones it
    /// touches. The board shows exactly what the view shows.
    fn board(view: &Self::View, actions: &[Self::Action], lang: Lang) -> Board;

    /// Appends an action with what it does in this position, such as the cards it takes or the points it scores.
    /// All legal actions of a decision have different texts.
    fn write_action(_view: &Self::View, action: &Self::Action, out: &mut TextBuilder) {
        action.write_text(out);
    }

    /// Appends the question that the viewer's decision asks, such as "Play a card, or pass."; nothing if the
    /// viewer has no decision.
    fn write_question(view: &Self::View, out: &mut TextBuilder);

    /// The action played when the seat's clock runs out; `None` for a seat without a decision.
    fn default_action(&self, seat: Seat) -> Option<Self::Action>;

    /// Samples a full game state consistent with the view, uniformly over all consistent deals, with fresh
    /// chance for everything that is still to be shuffled.
    ///
    /// # Errors
    ///
    /// [`ImpossibleView`] if the view contradicts itself or the rules.
    fn sample(view: &Self::View, rng: &mut impl Rng) -> Result<Self, ImpossibleView>;

    /// The result, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// The colours in play at a table of `players`, if the rules are symmetric in them: the same deal can
    /// then be played with permuted colours. See [`Chance::relabelled`].
    #[must_use]
    fn colour_symmetry(_players: u8) -> Option<ColourSymmetry> {
        None
    }

    /// Returns true if the seat has a decision whose existence is hidden from everyone else.
    fn has_secret_decision(&self, _seat: Seat) -> bool {
        false
    }

    /// Returns true if the rules have decisions whose existence is hidden, whether one is open now or not.
    fn has_secret_decisions(&self) -> bool {
        false
    }

    /// The seats that everyone may see the game wait for. Unlike [`to_act`](Game::to_act) it depends on no
    /// hidden information: during a secret decision it is the seat whose turn is next.
    fn public_to_act(&self) -> Seats {
        self.to_act().iter().filter(|seat| !self.has_secret_decision(*seat)).collect()
    }

    /// Sets up a table like [`new`](Game::new), but with *held windows*: every point at which a seat may have
    /// a secret decision waits for [`close_window`](Game::close_window), even if no seat has one. A host that
    /// keeps each window open for the same time hides from everyone, including the seats that wait, that
    /// other seats had a decision.
    ///
    /// The deal is the same as with `new`. A game without secret decisions ignores the difference.
    fn new_with_held_windows(
        rules_version: u32,
        options: Self::Options,
        players: u8,
        chance: Chance,
        events: &mut impl EventSink<Self::Event>,
    ) -> Result<Self, SetupError> {
        Self::new(rules_version, options, players, chance, events)
    }

    /// Returns true while a held window is open. Only [`close_window`](Game::close_window) ends it, even
    /// after every asked seat has answered.
    ///
    /// For the host only, like [`to_act`](Game::to_act).
    fn window_is_held(&self) -> bool {
        false
    }

    /// Closes the held window: seats that have not answered decline, and the game continues as after the last
    /// answer, possibly with the next window. Does nothing if no window is held.
    fn close_window(&mut self, _events: &mut impl EventSink<Self::Event>) {}
}

/// Refuses a seat that is not at the table or has no decision to make. Every [`Game::apply`] starts with it.
#[inline]
pub(crate) fn check_to_act<G: Game>(game: &G, seat: Seat) -> Result<(), Refusal> {
    if game.to_act().contains(seat) {
        return Ok(());
    }
    Err(if !seat.is_at_table(game.players()) {
        Refusal::NO_SUCH_SEAT
    } else if game.outcome().is_some() {
        Refusal::GAME_OVER
    } else {
        Refusal::NOT_ASKED
    })
}

/// A sink for the events of a game.
pub trait EventSink<E> {
    /// Receives an event in the form intended for this audience.
    fn emit(&mut self, to: Audience, event: E);

    /// Receives the order of a shuffle, front first. For records only: no viewer may see it.
    fn record_shuffle(&mut self, _name: ShuffleId, _codes: impl Iterator<Item = u8>) {}
}

/// An event sink that discards everything, for playouts.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl<E> EventSink<E> for NoEvents {
    #[inline]
    fn emit(&mut self, _: Audience, _: E) {}
}

/// Collects every event with its audience, in order.
impl<E> EventSink<E> for Vec<(Audience, E)> {
    fn emit(&mut self, to: Audience, event: E) {
        self.push((to, event));
    }
}
