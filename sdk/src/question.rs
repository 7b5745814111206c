//! Questions: the view, the legal actions and the ids that a player decides on, from a server or from a game
//! in this process.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

#[cfg(feature = "engine")]
use parlor_engine::{AnyAction, AnyView};
#[cfg(feature = "engine")]
use parlor_proto::convert;

use crate::wire;

/// One decision that a player has to make: the view, the legal actions and the time left. Server tables and
/// games in this process ask the same type. Clones are cheap: they share one allocation.
///
/// ```
/// use parlor_sdk::{Choice, Question};
///
/// /// Plays the last legal action, and the default one while time is short.
/// fn decide(question: &Question) -> Choice {
///     match question.time_left() {
///         Some(left) if left.as_millis() < 100 => Choice::Index(question.default_index()),
///         _ => Choice::Index(question.legal_count() - 1),
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Question(Arc<QuestionData>);

pub(crate) struct QuestionData {
    pub(crate) table_id: Arc<str>,
    pub(crate) seat: u32,
    pub(crate) id: u32,
    pub(crate) after: u32,
    pub(crate) legal_count: u32,
    pub(crate) default: DefaultAction,
    pub(crate) time_left_ms: Option<u32>,
    pub(crate) bank_left_ms: Option<u32>,
    pub(crate) hidden: bool,
    pub(crate) view: WireOrEngine<wire::GameView, EngineView>,
    pub(crate) legal: WireOrEngine<Vec<wire::GameAction>, EngineActions>,
    pub(crate) texts: Option<Box<wire::DecisionTexts>>,
    pub(crate) board: Option<Box<wire::Board>>,
}

/// The action that the clock plays when it runs out.
pub(crate) enum DefaultAction {
    Index(u32),
    #[cfg(feature = "local")]
    Engine(AnyAction),
}

#[cfg(feature = "engine")]
pub(crate) type EngineView = Result<AnyView, convert::InvalidField>;
#[cfg(feature = "engine")]
pub(crate) type EngineActions = Result<Vec<AnyAction>, convert::InvalidField>;
#[cfg(not(feature = "engine"))]
pub(crate) type EngineView = std::convert::Infallible;
#[cfg(not(feature = "engine"))]
pub(crate) type EngineActions = std::convert::Infallible;

/// A value as its wire message, as its engine type, or both. The missing form is converted on first use, so
/// an unread form costs nothing.
pub(crate) struct WireOrEngine<W, E> {
    wire: OnceLock<W>,
    #[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "read by the feature `engine` only"))]
    engine: OnceLock<E>,
}

impl<W, E> WireOrEngine<W, E> {
    pub(crate) fn empty() -> WireOrEngine<W, E> {
        WireOrEngine { wire: OnceLock::new(), engine: OnceLock::new() }
    }

    pub(crate) fn from_wire(wire: W) -> WireOrEngine<W, E> {
        WireOrEngine { wire: OnceLock::from(wire), engine: OnceLock::new() }
    }

    #[cfg(feature = "local")]
    pub(crate) fn from_engine(engine: E) -> WireOrEngine<W, E> {
        WireOrEngine { wire: OnceLock::new(), engine: OnceLock::from(engine) }
    }

    /// The wire message, converted from the engine type if needed.
    #[cfg(feature = "engine")]
    fn wire(&self, convert: impl FnOnce(&E) -> Option<W>) -> Option<&W> {
        if let Some(wire) = self.wire.get() {
            return Some(wire);
        }
        let wire = convert(self.engine.get()?)?;
        Some(self.wire.get_or_init(|| wire))
    }

    /// The engine type, converted from the wire message if needed.
    #[cfg(feature = "engine")]
    fn engine(&self, convert: impl FnOnce(&W) -> E) -> Option<&E> {
        if let Some(engine) = self.engine.get() {
            return Some(engine);
        }
        let engine = convert(self.wire.get()?);
        Some(self.engine.get_or_init(|| engine))
    }
}

impl Question {
    #[cfg(feature = "local")]
    pub(crate) fn new(inner: QuestionData) -> Question {
        Question(Arc::new(inner))
    }

    /// Wraps a decision message of a server. [`Seat`](crate::Seat) does it for every decision.
    pub fn from_wire(table_id: impl Into<Arc<str>>, seat: u32, decision: wire::Decision) -> Question {
        Question(Arc::new(QuestionData {
            table_id: table_id.into(),
            seat,
            id: decision.id,
            after: decision.after,
            legal_count: decision.legal_count,
            default: DefaultAction::Index(decision.default_index),
            time_left_ms: decision.time_left_ms,
            bank_left_ms: decision.bank_left_ms,
            hidden: decision.hidden,
            view: decision.view.map_or_else(WireOrEngine::empty, |view| WireOrEngine::from_wire(*view)),
            legal: WireOrEngine::from_wire(decision.legal_actions),
            texts: decision.texts.map(Box::new),
            board: decision.board.map(Box::new),
        }))
    }

    /// Id of the table; empty for a game in this process.
    #[must_use]
    pub fn table_id(&self) -> &str {
        &self.0.table_id
    }

    /// The seat that decides.
    #[must_use]
    pub fn seat(&self) -> u32 {
        self.0.seat
    }

    /// Id of the decision, counted per seat from 1.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// Number of the last update before the decision: the question refers to the state after it.
    #[must_use]
    pub fn after(&self) -> u32 {
        self.0.after
    }

    /// The player's view: everything it knows. `None` if the seat was attached without `decision_views`.
    #[must_use]
    pub fn view(&self) -> Option<&wire::GameView> {
        #[cfg(feature = "engine")]
        return self.0.view.wire(|view| view.as_ref().ok().map(|view| view.clone().into()));
        #[cfg(not(feature = "engine"))]
        self.0.view.wire.get()
    }

    /// All legal actions, each once, in the order that the game documents. Empty if the seat was attached
    /// without `legal_actions`.
    #[must_use]
    pub fn legal_actions(&self) -> &[wire::GameAction] {
        #[cfg(feature = "engine")]
        let actions = self.0.legal.wire(|legal| {
            legal.as_ref().ok().map(|legal| legal.iter().map(|action| (*action).into()).collect())
        });
        #[cfg(not(feature = "engine"))]
        let actions = self.0.legal.wire.get();
        actions.map(Vec::as_slice).unwrap_or_default()
    }

    /// The texts of the question, of each legal action and of the view. `None` if the seat was attached without
    /// `texts`, and in a game in this process, whose values have texts of their own.
    #[must_use]
    pub fn texts(&self) -> Option<&wire::DecisionTexts> {
        self.0.texts.as_deref()
    }

    /// The board, with the cards and zones that each legal action touches. `None` if the seat was attached
    /// without `board`, and in a game in this process.
    #[must_use]
    pub fn board(&self) -> Option<&wire::Board> {
        self.0.board.as_deref()
    }

    /// Number of legal actions, at least 1.
    #[must_use]
    pub fn legal_count(&self) -> usize {
        self.0.legal_count as usize
    }

    /// Index of the default action, which the clock plays when it runs out. Always legal.
    #[must_use]
    pub fn default_index(&self) -> usize {
        match &self.0.default {
            DefaultAction::Index(index) => *index as usize,
            #[cfg(feature = "local")]
            DefaultAction::Engine(default) => {
                let legal = self.known_actions();
                let place = legal.and_then(|legal| legal.iter().position(|action| action == default));
                place.unwrap_or_default()
            }
        }
    }

    /// Time left for this decision when it was sent; `None` without a clock.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.0.time_left_ms.map(|ms| Duration::from_millis(ms.into()))
    }

    /// Time left in the seat's bank, which is used once the time for the decision is up. `None` without a
    /// clock, and for a hidden decision.
    #[must_use]
    pub fn bank_left(&self) -> Option<Duration> {
        self.0.bank_left_ms.map(|ms| Duration::from_millis(ms.into()))
    }

    /// True if the existence of this decision is hidden from the other seats.
    #[must_use]
    pub fn hidden(&self) -> bool {
        self.0.hidden
    }

    #[cfg(feature = "engine")]
    pub(crate) fn converted_view(&self) -> Option<&EngineView> {
        self.0.view.engine(|view| view.clone().try_into())
    }

    #[cfg(feature = "engine")]
    pub(crate) fn converted_actions(&self) -> Option<&EngineActions> {
        self.0.legal.engine(|legal| legal.iter().map(|action| action.clone().try_into()).collect())
    }

    #[cfg(feature = "local")]
    pub(crate) fn known_actions(&self) -> Option<&[AnyAction]> {
        self.converted_actions()?.as_ref().ok().map(Vec::as_slice)
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("table_id", &self.0.table_id)
            .field("seat", &self.0.seat)
            .field("id", &self.0.id)
            .field("after", &self.0.after)
            .field("legal_count", &self.0.legal_count)
            .finish_non_exhaustive()
    }
}
