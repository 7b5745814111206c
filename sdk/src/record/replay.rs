//! Replay of a record: the updates one viewer received, step by step, with the view after each.

use parlor_engine::{AnyEvent, AnyView, Audience, Viewer};
use parlor_proto::convert::{self, InvalidField};

use super::format::RecordError;
use crate::{Update, wire};
use wire::record_telling::{Audience as To, Told};
use wire::table_event::Event;

/// One step of a record, as a viewer saw it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ReplayStep {
    /// Index of the step.
    pub step: usize,
    /// Time of the step, in milliseconds since the table was created.
    pub after_ms: u32,
    /// The update the viewer received, with the view after it once the game had started.
    pub update: Update,
}

/// Iterator over the updates that one viewer received.
///
/// ```
/// use parlor_sdk::record::{Replay, viewers};
/// # use parlor_sdk::wire;
///
/// # fn example(record: &wire::Record) -> Result<(), Box<dyn std::error::Error>> {
/// for viewer in viewers(record) {
///     for moment in Replay::new(record, viewer)? {
///         let moment = moment?;
///         println!("{viewer:?} after {} ms: {:?}", moment.after_ms, moment.update.events());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Replay<'a> {
    record: &'a wire::Record,
    viewer: Viewer,
    step: usize,
    number: u32,
    first: Option<AnyView>,
    view: Option<AnyView>,
}

/// Viewers that a record covers: all seats and a spectator, or one viewer.
#[must_use]
pub fn viewers(record: &wire::Record) -> Vec<Viewer> {
    match record.viewer {
        Some(viewer) => Viewer::try_from(viewer).into_iter().collect(),
        None => Viewer::all(u8::try_from(record.seats.len()).unwrap_or(u8::MAX)).collect(),
    }
}

impl<'a> Replay<'a> {
    /// Replays a record as this viewer saw it.
    ///
    /// # Errors
    ///
    /// The record does not cover this viewer, or its views cannot be read.
    pub fn new(record: &'a wire::Record, viewer: Viewer) -> Result<Replay<'a>, RecordError> {
        let index = viewers(record).iter().position(|known| *known == viewer);
        let index = index.ok_or_else(|| RecordError::new("the record does not cover this viewer"))?;
        let first = record.views.get(index).cloned().map(AnyView::try_from).transpose();
        let first = first.map_err(|wrong| field_error("views", index, &wrong))?;
        Ok(Replay { record, viewer, step: 0, number: 0, first, view: None })
    }

    /// The table at its end: occupants, settings and result.
    #[must_use]
    pub fn table(&self) -> wire::Table {
        let wire::Record { table_id, game, rules_version, options, clock, shuffle, .. } = self.record.clone();
        wire::Table {
            table_id,
            game,
            rules_version,
            options,
            seats: self.record.seats.iter().map(table_seat).collect(),
            clock,
            shuffle,
            create_time: self.record.create_time,
            start_time: self.record.start_time,
            end_time: self.record.end_time,
            result: self.record.result.clone(),
            rematch_of: self.record.rematch_of.clone(),
            ..Default::default()
        }
    }

    /// The step as the viewer saw it; `None` if it was not visible.
    fn visible_step(&mut self, step: usize) -> Result<Option<ReplayStep>, RecordError> {
        let found = &self.record.steps[step];
        let seat = self.viewer.seat().map(convert::seat_number);
        // A viewer is not shown the defaults for which its seat was not asked.
        let is_shown =
            |decision: &&wire::RecordDecision| Some(decision.seat) == seat && decision.decision_id != 0;
        let decided = found.decided.iter().find(is_shown);
        let is_asked = seat.is_some_and(|seat| found.asked.contains(&seat));
        let mut update = wire::Update { decided: decided.map(decided_message), ..Default::default() };
        let mut is_visible = false;
        for telling in &found.told {
            if !self.is_visible(telling).map_err(|wrong| field_error("steps", step, &wrong))? {
                continue;
            }
            is_visible = true;
            match &telling.told {
                Some(Told::Game(event)) => update.events.push(event.clone()),
                Some(Told::Table(event)) => update.table_events.push(event.clone()),
                None => {}
            }
        }
        if !is_visible && !is_asked && update.decided.is_none() {
            return Ok(None);
        }
        let starts = update.table_events.iter().any(|event| matches!(event.event, Some(Event::Started(_))));
        self.fold_events(starts, &update.events).map_err(|wrong| field_error("steps", step, &wrong))?;
        let seed_given = self.record.shuffle.as_ref().is_some_and(|shuffle| shuffle.seed_given);
        let view = self.view.clone().map(|view| wire::GameView { seed_given, ..view.into() });
        update.view = view.map(Box::new);
        self.number += 1;
        update.number = self.number;
        Ok(Some(ReplayStep { step, after_ms: found.after_ms, update: Update::from_wire(update) }))
    }

    fn fold_events(&mut self, starts: bool, events: &[wire::GameEvent]) -> Result<(), InvalidField> {
        match &mut self.view {
            Some(view) => {
                for event in events {
                    view.apply_event(&AnyEvent::try_from(event.clone())?);
                }
            }
            // The initial view includes the first events, if the viewer receives any.
            None if starts => self.view.clone_from(&self.first),
            None => {}
        }
        Ok(())
    }

    fn is_visible(&self, telling: &wire::RecordTelling) -> Result<bool, InvalidField> {
        let to = match &telling.audience {
            None => return Ok(true),
            Some(To::Everyone(_)) => Audience::Everyone,
            Some(To::Only(seat)) => Audience::Only(convert::seat(*seat, "only")?),
            Some(To::AllBut(seats)) => Audience::AllBut(convert::seats(seats.seats.clone(), "all_but")?),
        };
        Ok(to.includes(self.viewer))
    }
}

impl Iterator for Replay<'_> {
    type Item = Result<ReplayStep, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.step < self.record.steps.len() {
            let step = self.step;
            self.step += 1;
            if let Some(moment) = self.visible_step(step).transpose() {
                return Some(moment);
            }
        }
        None
    }
}

fn field_error(list: &str, index: usize, wrong: &InvalidField) -> RecordError {
    RecordError::new(format!("{list}[{index}]: {wrong}"))
}

fn decided_message(decision: &wire::RecordDecision) -> wire::Decided {
    wire::Decided {
        decision_id: decision.decision_id,
        action: decision.action.clone(),
        by: decision.by,
        think_ms: decision.think_ms,
        bank_left_ms: decision.bank_left_ms,
        index: decision.index,
    }
}

fn table_seat(seat: &wire::RecordSeat) -> wire::TableSeat {
    use wire::record_seat::Occupant as RecordOccupant;
    use wire::table_seat::Occupant;
    let occupant = match seat.occupant.clone() {
        None => Occupant::Open(wire::OpenSeat {}),
        Some(RecordOccupant::Player(player)) => {
            Occupant::Player(wire::PlayerSeat { user_id: String::new(), display_name: player.display_name })
        }
        Some(RecordOccupant::HouseBot(bot)) => Occupant::HouseBot(bot),
        Some(RecordOccupant::Agent(agent)) => Occupant::Agent(agent),
    };
    wire::TableSeat { seat: seat.seat, occupant: Some(occupant), ..Default::default() }
}
