//! The one trait of every game.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use rand_core::Rng;

use crate::{
    Audience, Chance, Colours, ImpossibleView, Outcome, Refusal, Say, Seat, Seats, SetupError, Shuffle, Text,
    Viewer,
};

/// What is the same for every table of a game.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// The name for programs, such as `habe_fertig`.
    pub id: &'static str,
    /// The name for people.
    pub name: Text,
    /// One sentence about the game.
    pub summary: Text,
    /// The fewest players.
    pub min_players: u8,
    /// The most players.
    pub max_players: u8,
    /// The version of the rules that the engine plays. The same version, options, chance and actions give the same
    /// game, byte for byte.
    pub rules_version: u32,
    /// The rules, as Markdown.
    pub rules: Text,
}

impl GameInfo {
    /// Checks what every game checks before it looks at its options.
    pub(crate) fn check(&self, rules_version: u32, players: u8) -> Result<(), SetupError> {
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
}

/// A game in progress: a plain value that can be cloned, compared and thrown away.
///
/// It is the fold of its rules version, options, chance and actions. It does no I/O, has no clock, and nothing that a
/// caller can pass in makes it panic.
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
    /// What can be chosen when a table is made. The default is what most people play.
    type Options: Copy + Eq + Debug + Default + Say + Send + Sync;
    /// What a player can do. Every value of the type is an action that some game might offer.
    type Action: Copy + Eq + Hash + Debug + Display + Say + Send + Sync;
    /// What happened, as one audience learns it.
    type Event: Copy + Eq + Debug + Display + Say + Send + Sync;
    /// All that one viewer knows: enough to play well without having seen the game so far.
    type View: Clone + Eq + Debug + Display + Say + Send + Sync;

    /// What is the same for every table.
    const INFO: GameInfo;

    /// Sets up a table and deals. Seats are numbered clockwise, and seat 0 begins.
    fn new(
        rules_version: u32,
        options: Self::Options,
        players: u8,
        chance: Chance,
        events: &mut impl Events<Self::Event>,
    ) -> Result<Self, SetupError>;

    /// How many play.
    fn players(&self) -> u8;

    /// The seats whose decision the game waits for: more than one when all choose at once, none when it is over. In a
    /// game with [held windows](Game::new_held), also none while a window is open in which nobody is asked any more.
    ///
    /// This is for the host alone. A viewer learns from its view whom the game may be seen to wait for.
    fn to_act(&self) -> Seats;

    /// Writes all that the seat can do into `out`, which is emptied first: each action once, in the order that the
    /// game documents. A seat that is not asked has none.
    fn legal_actions(&self, seat: Seat, out: &mut Vec<Self::Action>);

    /// Does the action, or refuses it with the reason and changes nothing.
    fn apply(
        &mut self,
        seat: Seat,
        action: Self::Action,
        events: &mut impl Events<Self::Event>,
    ) -> Result<(), Refusal>;

    /// All that the viewer knows. A seat that is not at the table sees what a spectator sees.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// Brings a view up to date with an event that its viewer was told of. Following every event from any view on
    /// gives the view that the game would give.
    fn follow(view: &mut Self::View, event: &Self::Event);

    /// What a clock that has run out plays for the seat; nothing if the seat is not asked.
    fn default_action(&self, seat: Seat) -> Option<Self::Action>;

    /// A whole game that agrees with the view, drawn evenly from all deals that agree with it. What chance brings
    /// after this moment is fresh.
    fn sample(view: &Self::View, rng: &mut impl Rng) -> Result<Self, ImpossibleView>;

    /// The result, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// The colours of a table of so many players, if the rules treat all of them alike: then the same game can be dealt with
    /// its colours changed about. See [`Chance::relabelled`].
    #[must_use]
    fn colours(_players: u8) -> Option<Colours> {
        None
    }

    /// Whether nobody else may learn that this seat is being asked.
    fn is_secret(&self, _seat: Seat) -> bool {
        false
    }

    /// The seats that everybody may see the game wait for. Unlike [`to_act`](Game::to_act) this depends on nothing that
    /// is hidden: while somebody is asked in secret, it is whoever would be asked if nobody was.
    fn waits_for(&self) -> Seats {
        self.to_act().iter().filter(|seat| !self.is_secret(*seat)).collect()
    }

    /// Sets up a table like [`new`](Game::new), but with *held windows*: every moment at which somebody may be asked in
    /// secret waits for [`close_window`](Game::close_window), whether anybody is asked or not. A host that lets each of
    /// them last equally long hides from everyone, also from those who have to wait, whether others were asked.
    ///
    /// The deal is that of `new`. A game that asks nobody in secret has no windows, and nothing is different.
    fn new_held(
        rules_version: u32,
        options: Self::Options,
        players: u8,
        chance: Chance,
        events: &mut impl Events<Self::Event>,
    ) -> Result<Self, SetupError> {
        Self::new(rules_version, options, players, chance, events)
    }

    /// Whether a window is open that only [`close_window`](Game::close_window) ends, whoever has answered in it.
    ///
    /// Like [`to_act`](Game::to_act), this is for the host alone.
    fn window_is_held(&self) -> bool {
        false
    }

    /// Ends the window that is held: those who have not answered decline, and the game goes on as when all have
    /// answered. Perhaps the next window opens at once. Where none is held, nothing happens.
    fn close_window(&mut self, _events: &mut impl Events<Self::Event>) {}
}

/// Where a game puts its events.
pub trait Events<E> {
    /// Something happened, and this audience learns it in this form.
    fn tell(&mut self, to: Audience, event: E);

    /// Cards were shuffled into this order, front first. This is for records: no viewer may see it.
    fn shuffled(&mut self, _name: Shuffle, _codes: impl Iterator<Item = u8>) {}
}

/// Nobody listens: for playouts.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl<E> Events<E> for NoEvents {
    #[inline]
    fn tell(&mut self, _: Audience, _: E) {}
}

/// Every event with its audience, in the order of what happened.
impl<E> Events<E> for Vec<(Audience, E)> {
    fn tell(&mut self, to: Audience, event: E) {
        self.push((to, event));
    }
}
