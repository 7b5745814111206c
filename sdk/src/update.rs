//! What happened at a table, as one viewer learns it.

use std::fmt;

#[cfg(feature = "local")]
pub(crate) use local::{Local, LocalDecided, LocalStep, Moment};

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
    Local(Local),
}

impl Update {
    pub(crate) fn from_wire(update: wire::Update) -> Update {
        Update { number: update.number, body: Body::Wire(Box::new(update)) }
    }

    #[cfg(feature = "local")]
    pub(crate) fn local(
        number: u32,
        viewer: parlor_engine::Viewer,
        step: std::sync::Arc<LocalStep>,
        decided: Option<LocalDecided>,
    ) -> Update {
        Update { number, body: Body::Local(Local::new(viewer, step, decided)) }
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
            Body::Local(local) => local.wire(self.number),
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
            Body::Local(local) => Ok(local.events().collect()),
        }
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

/// Updates of games in this process: in the form of the engine, and in that of the wire if somebody asks.
#[cfg(feature = "local")]
mod local {
    use std::sync::{Arc, OnceLock};

    use parlor_engine::{AnyAction, AnyEvent, Audience, Viewer};

    use crate::wire;

    /// What one decision led to, for all viewers.
    #[derive(Default)]
    pub(crate) struct LocalStep {
        pub(crate) events: Vec<(Audience, AnyEvent)>,
        pub(crate) moment: Moment,
    }

    /// What a step is to the table.
    #[derive(Default)]
    pub(crate) enum Moment {
        Start,
        #[default]
        Middle,
        Over(Arc<wire::TableResult>),
    }

    impl Moment {
        /// Whether everyone at the table is told of it.
        pub(crate) fn is_for_all(&self) -> bool {
            !matches!(self, Moment::Middle)
        }

        fn event(&self) -> Option<wire::TableEvent> {
            let event = match self {
                Moment::Start => wire::table_event::Event::Started(wire::TableStarted { shuffle: None }),
                Moment::Middle => return None,
                Moment::Over(result) => wire::table_event::Event::Over(wire::TableOver {
                    result: Some(result.as_ref().clone()),
                    shuffle: None,
                }),
            };
            Some(wire::TableEvent { event: Some(event) })
        }
    }

    /// A decision of the viewer's.
    #[derive(Clone, Copy)]
    pub(crate) struct LocalDecided {
        pub(crate) decision_id: u32,
        pub(crate) action: AnyAction,
        pub(crate) index: u32,
    }

    /// A step as one viewer learns it.
    #[derive(Clone)]
    pub(crate) struct Local {
        viewer: Viewer,
        step: Arc<LocalStep>,
        decided: Option<LocalDecided>,
        wire: OnceLock<Box<wire::Update>>,
    }

    impl Local {
        pub(super) fn new(viewer: Viewer, step: Arc<LocalStep>, decided: Option<LocalDecided>) -> Local {
            Local { viewer, step, decided, wire: OnceLock::new() }
        }

        /// What the viewer is told of.
        pub(super) fn events(&self) -> impl Iterator<Item = AnyEvent> + '_ {
            let told = self.step.events.iter().filter(|(to, _)| to.includes(self.viewer));
            told.map(|(_, event)| *event)
        }

        pub(super) fn wire(&self, number: u32) -> &wire::Update {
            self.wire.get_or_init(|| {
                let decided = self.decided.map(|decided| wire::Decided {
                    decision_id: decided.decision_id,
                    action: Some(decided.action.into()),
                    by: wire::DecidedBy::Player.into(),
                    think_ms: 0,
                    bank_left_ms: None,
                    index: decided.index,
                });
                Box::new(wire::Update {
                    number,
                    table_events: self.step.moment.event().into_iter().collect(),
                    decided,
                    events: self.events().map(Into::into).collect(),
                    view: None,
                })
            })
        }
    }
}
