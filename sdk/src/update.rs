//! What happened at a table, as one viewer learns it.

use std::fmt;
#[cfg(feature = "local")]
use std::sync::OnceLock;

use crate::wire;

/// What happened at a table, as one viewer learns it: the same for a table of a server and for a game in this process.
#[derive(Clone)]
pub struct Update {
    number: u32,
    body: Body,
}

#[derive(Clone)]
enum Body {
    Wire(Box<wire::Update>),
    #[cfg(feature = "local")]
    Local(Box<Local>),
}

/// What happened in a game of this process, in the form of the engine, and in that of the wire if somebody asks.
#[cfg(feature = "local")]
#[derive(Clone)]
pub(crate) struct Local {
    pub(crate) events: Vec<parlor_engine::AnyEvent>,
    pub(crate) decided: Option<LocalDecided>,
    pub(crate) wire: OnceLock<wire::Update>,
}

/// A decision of the viewer's in a game of this process.
#[cfg(feature = "local")]
#[derive(Clone, Copy)]
pub(crate) struct LocalDecided {
    pub(crate) decision_id: u32,
    pub(crate) action: parlor_engine::AnyAction,
    pub(crate) index: u32,
}

impl Update {
    pub(crate) fn from_wire(update: wire::Update) -> Update {
        Update { number: update.number, body: Body::Wire(Box::new(update)) }
    }

    #[cfg(feature = "local")]
    pub(crate) fn local(
        number: u32,
        events: Vec<parlor_engine::AnyEvent>,
        decided: Option<LocalDecided>,
    ) -> Update {
        Update { number, body: Body::Local(Box::new(Local { events, decided, wire: OnceLock::new() })) }
    }

    /// The number, counted for this viewer: the first is 1, and none is left out.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// What happened at the table, in order: seats taken, the start, clocks, the end.
    #[must_use]
    pub fn table_events(&self) -> &[wire::TableEvent] {
        &self.wire().table_events
    }

    /// A decision of this seat was decided, by whoever did it.
    #[must_use]
    pub fn decided(&self) -> Option<&wire::Decided> {
        self.wire().decided.as_ref()
    }

    /// What happened in the game, in order; empty if the seat was taken without wanting events.
    #[must_use]
    pub fn events(&self) -> &[wire::GameEvent] {
        &self.wire().events
    }

    /// All that the viewer knows after this update; none unless the seat was taken with wanting that.
    #[must_use]
    pub fn view(&self) -> Option<&wire::GameView> {
        self.wire().view.as_deref()
    }

    /// The message, as it is on the wire.
    #[must_use]
    pub fn wire(&self) -> &wire::Update {
        match &self.body {
            Body::Wire(update) => update,
            #[cfg(feature = "local")]
            Body::Local(local) => local.wire.get_or_init(|| local.to_wire(self.number)),
        }
    }

    /// What happened in the game, as the engine's events, in order.
    #[cfg(feature = "engine")]
    pub fn engine_events(&self) -> Result<Vec<parlor_engine::AnyEvent>, crate::Error> {
        match &self.body {
            Body::Wire(update) => {
                let events = update.events.iter().map(|event| event.clone().try_into());
                events.collect::<Result<_, _>>().map_err(|wrong| crate::engine::unknown("an event", &wrong))
            }
            #[cfg(feature = "local")]
            Body::Local(local) => Ok(local.events.clone()),
        }
    }
}

#[cfg(feature = "local")]
impl Local {
    fn to_wire(&self, number: u32) -> wire::Update {
        let decided = self.decided.map(|decided| wire::Decided {
            decision_id: decided.decision_id,
            action: Some(decided.action.into()),
            by: wire::DecidedBy::Player.into(),
            think_ms: 0,
            bank_left_ms: None,
            index: decided.index,
        });
        let events = self.events.iter().map(|event| (*event).into()).collect();
        wire::Update { number, table_events: Vec::new(), decided, events, view: None }
    }
}

impl fmt::Debug for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wire().fmt(f)
    }
}

impl PartialEq for Update {
    fn eq(&self, other: &Update) -> bool {
        self.wire() == other.wire()
    }
}
