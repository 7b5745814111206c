//! [`Update`]: one numbered change of a table, as one viewer sees it.

use std::fmt;

#[cfg(feature = "local")]
pub(crate) use local::{LocalDecision, LocalStep, LocalUpdate, StepPhase};

use crate::wire;

/// One numbered change of a table, as one viewer sees it. Server tables and games in this process use the
/// same type.
#[derive(Clone)]
pub struct Update {
    number: u32,
    body: Body,
}

#[derive(Clone)]
enum Body {
    Wire(Box<wire::Update>),
    #[cfg(feature = "local")]
    Local(LocalUpdate),
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
        decided: Option<LocalDecision>,
    ) -> Update {
        Update { number, body: Body::Local(LocalUpdate::new(viewer, step, decided)) }
    }

    /// Number, counted per viewer from 1 without gaps.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Events of the table, in order: seats taken, the start, clocks, the end.
    #[must_use]
    pub fn table_events(&self) -> &[wire::TableEvent] {
        &self.wire().table_events
    }

    /// The decision of this seat that was made, by the player, the clock or a bot.
    #[must_use]
    pub fn decided(&self) -> Option<&wire::Decided> {
        self.wire().decided.as_ref()
    }

    /// Events of the game, in order. Empty if the seat was attached without `events`.
    #[must_use]
    pub fn events(&self) -> &[wire::GameEvent] {
        &self.wire().events
    }

    /// The viewer's view after this update. `None` unless the seat was attached with `update_views`.
    #[must_use]
    pub fn view(&self) -> Option<&wire::GameView> {
        self.wire().view.as_deref()
    }

    /// The texts of the update. `None` unless the seat was attached with `texts`.
    #[must_use]
    pub fn texts(&self) -> Option<&wire::UpdateTexts> {
        self.wire().texts.as_ref()
    }

    /// The board after this update. `None` unless the seat was attached with `board`.
    #[must_use]
    pub fn board(&self) -> Option<&wire::Board> {
        self.wire().board.as_ref()
    }

    /// The wire message.
    #[must_use]
    pub fn wire(&self) -> &wire::Update {
        match &self.body {
            Body::Wire(update) => update,
            #[cfg(feature = "local")]
            Body::Local(local) => local.wire(self.number),
        }
    }

    /// Events of the game as the engine's type, in order.
    ///
    /// # Errors
    ///
    /// [`Reason::UnknownReply`](crate::Reason::UnknownReply) if an event is newer than this crate.
    #[cfg(feature = "engine")]
    pub fn engine_events(&self) -> Result<Vec<parlor_engine::AnyEvent>, crate::Error> {
        match &self.body {
            Body::Wire(update) => {
                let events = update.events.iter().map(|event| event.clone().try_into());
                events
                    .collect::<Result<_, _>>()
                    .map_err(|wrong| crate::engine::unsupported_value("an event", &wrong))
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

/// Updates of games in this process: engine types, converted to wire messages on demand.
#[cfg(feature = "local")]
mod local {
    use std::sync::{Arc, OnceLock};

    use parlor_engine::{AnyAction, AnyEvent, Audience, Viewer};

    use crate::wire;

    /// Effects of one decision, for all viewers.
    #[derive(Default)]
    pub(crate) struct LocalStep {
        pub(crate) events: Vec<(Audience, AnyEvent)>,
        pub(crate) phase: StepPhase,
    }

    /// Phase of the game that a step belongs to.
    #[derive(Default)]
    pub(crate) enum StepPhase {
        Start,
        #[default]
        Middle,
        Over(Arc<wire::TableResult>),
    }

    impl StepPhase {
        /// True if every seat gets an update for it.
        pub(crate) fn concerns_every_seat(&self) -> bool {
            !matches!(self, StepPhase::Middle)
        }

        fn event(&self) -> Option<wire::TableEvent> {
            let event = match self {
                StepPhase::Start => wire::table_event::Event::Started(wire::TableStarted { shuffle: None }),
                StepPhase::Middle => return None,
                StepPhase::Over(result) => wire::table_event::Event::Over(wire::TableOver {
                    result: Some(result.as_ref().clone()),
                    shuffle: None,
                }),
            };
            Some(wire::TableEvent { event: Some(event) })
        }
    }

    /// The viewer's own decision.
    #[derive(Clone, Copy)]
    pub(crate) struct LocalDecision {
        pub(crate) decision_id: u32,
        pub(crate) action: AnyAction,
        pub(crate) index: u32,
    }

    /// A step as one viewer sees it.
    #[derive(Clone)]
    pub(crate) struct LocalUpdate {
        viewer: Viewer,
        step: Arc<LocalStep>,
        decided: Option<LocalDecision>,
        wire: OnceLock<Box<wire::Update>>,
    }

    impl LocalUpdate {
        pub(super) fn new(
            viewer: Viewer,
            step: Arc<LocalStep>,
            decided: Option<LocalDecision>,
        ) -> LocalUpdate {
            LocalUpdate { viewer, step, decided, wire: OnceLock::new() }
        }

        /// Events visible to the viewer.
        pub(super) fn events(&self) -> impl Iterator<Item = AnyEvent> + '_ {
            let visible = self.step.events.iter().filter(|(to, _)| to.includes(self.viewer));
            visible.map(|(_, event)| *event)
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
                    table_events: self.step.phase.event().into_iter().collect(),
                    decided,
                    events: self.events().map(Into::into).collect(),
                    ..Default::default()
                })
            })
        }
    }
}
