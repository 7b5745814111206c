//! What a player is asked: the view, the legal actions and the ids, from a server or from a game in this process.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

#[cfg(feature = "engine")]
use parlor_engine::{AnyAction, AnyView};
#[cfg(feature = "engine")]
use parlor_proto::convert;

use crate::wire;

/// What a player is asked. It is the same for a decision of a server and for one of a game in this process, and a clone
/// costs nothing.
#[derive(Clone)]
pub struct Question(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) table_id: Arc<str>,
    pub(crate) seat: u32,
    pub(crate) id: u32,
    pub(crate) after: u32,
    pub(crate) legal_count: u32,
    pub(crate) default: Default,
    pub(crate) time_left_ms: Option<u32>,
    pub(crate) bank_left_ms: Option<u32>,
    pub(crate) hidden: bool,
    pub(crate) view: Both<wire::GameView, EngineView>,
    pub(crate) legal: Both<Vec<wire::GameAction>, EngineActions>,
}

/// What the clock plays.
pub(crate) enum Default {
    Index(u32),
    #[cfg(feature = "local")]
    Action(AnyAction),
}

#[cfg(feature = "engine")]
pub(crate) type EngineView = Result<AnyView, convert::WrongField>;
#[cfg(feature = "engine")]
pub(crate) type EngineActions = Result<Vec<AnyAction>, convert::WrongField>;
#[cfg(not(feature = "engine"))]
pub(crate) type EngineView = std::convert::Infallible;
#[cfg(not(feature = "engine"))]
pub(crate) type EngineActions = std::convert::Infallible;

/// Something in the form of the wire, in the form of the engine, or in both: the other form is made when it is first
/// asked for, so that nobody pays for what is not read.
pub(crate) struct Both<W, E> {
    wire: OnceLock<W>,
    #[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "only the wire has forms then"))]
    engine: OnceLock<E>,
}

impl<W, E> Both<W, E> {
    pub(crate) fn none() -> Both<W, E> {
        Both { wire: OnceLock::new(), engine: OnceLock::new() }
    }

    pub(crate) fn of_wire(wire: W) -> Both<W, E> {
        Both { wire: OnceLock::from(wire), engine: OnceLock::new() }
    }

    #[cfg(feature = "local")]
    pub(crate) fn of_engine(engine: E) -> Both<W, E> {
        Both { wire: OnceLock::new(), engine: OnceLock::from(engine) }
    }

    /// The form of the wire, made from the other one if there is one.
    #[cfg(feature = "engine")]
    fn wire(&self, convert: impl FnOnce(&E) -> Option<W>) -> Option<&W> {
        if let Some(wire) = self.wire.get() {
            return Some(wire);
        }
        let wire = convert(self.engine.get()?)?;
        Some(self.wire.get_or_init(|| wire))
    }

    /// The form of the engine, made from the other one if there is one.
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
    pub(crate) fn new(inner: Inner) -> Question {
        Question(Arc::new(inner))
    }

    /// What a server asks a seat.
    pub(crate) fn from_wire(table_id: Arc<str>, seat: u32, decision: wire::Decision) -> Question {
        Question(Arc::new(Inner {
            table_id,
            seat,
            id: decision.id,
            after: decision.after,
            legal_count: decision.legal_count,
            default: Default::Index(decision.default_index),
            time_left_ms: decision.time_left_ms,
            bank_left_ms: decision.bank_left_ms,
            hidden: decision.hidden,
            view: decision.view.map_or_else(Both::none, |view| Both::of_wire(*view)),
            legal: Both::of_wire(decision.legal_actions),
        }))
    }

    /// The id of the table. A game in this process has an empty one.
    #[must_use]
    pub fn table_id(&self) -> &str {
        &self.0.table_id
    }

    /// The seat that is asked.
    #[must_use]
    pub fn seat(&self) -> u32 {
        self.0.seat
    }

    /// The id of the decision, counted for this seat: the first is 1.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// The number of the last update before it: it is asked about the game after that update.
    #[must_use]
    pub fn after(&self) -> u32 {
        self.0.after
    }

    /// All that the player knows; none if the seat was taken without wanting views.
    #[must_use]
    pub fn view(&self) -> Option<&wire::GameView> {
        #[cfg(feature = "engine")]
        return self.0.view.wire(|view| view.as_ref().ok().map(|view| view.clone().into()));
        #[cfg(not(feature = "engine"))]
        self.0.view.wire.get()
    }

    /// All that the player can do, each once, in the order that the game documents; empty if the seat was taken without
    /// wanting them.
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

    /// How many legal actions there are: at least 1.
    #[must_use]
    pub fn legal_count(&self) -> usize {
        self.0.legal_count as usize
    }

    /// The place in the list of what the clock plays when it runs out: a choice that is always legal.
    #[must_use]
    pub fn default_index(&self) -> usize {
        match &self.0.default {
            Default::Index(index) => *index as usize,
            #[cfg(feature = "local")]
            Default::Action(default) => {
                let legal = self.engine_actions_or_none();
                let place = legal.and_then(|legal| legal.iter().position(|action| action == default));
                place.unwrap_or_default()
            }
        }
    }

    /// How much of the time for this decision was left when it was sent; none if there is no limit.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.0.time_left_ms.map(|ms| Duration::from_millis(ms.into()))
    }

    /// How much of the seat's bank was left, which is used up after the time for the decision; none if there is no
    /// limit, and for a hidden decision.
    #[must_use]
    pub fn bank_left(&self) -> Option<Duration> {
        self.0.bank_left_ms.map(|ms| Duration::from_millis(ms.into()))
    }

    /// Whether nobody else learns that this seat is asked.
    #[must_use]
    pub fn hidden(&self) -> bool {
        self.0.hidden
    }

    #[cfg(feature = "engine")]
    pub(crate) fn engine_view_or_none(&self) -> Option<&EngineView> {
        self.0.view.engine(|view| view.clone().try_into())
    }

    #[cfg(feature = "engine")]
    pub(crate) fn engine_actions_or_wrong(&self) -> Option<&EngineActions> {
        self.0.legal.engine(|legal| legal.iter().map(|action| action.clone().try_into()).collect())
    }

    #[cfg(feature = "local")]
    pub(crate) fn engine_actions_or_none(&self) -> Option<&[AnyAction]> {
        self.engine_actions_or_wrong()?.as_ref().ok().map(Vec::as_slice)
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
