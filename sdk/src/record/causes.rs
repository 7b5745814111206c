//! Possible causes of a step: the input that does not follow from earlier steps.

use parlor_engine::{AnyAction, Seat};
use parlor_proto::convert;

use super::fold::TableFold;
use super::occupants::player_seat;
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// The input of one step that does not follow from earlier steps.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Cause {
    /// A player joined.
    Joined { seat: Seat, occupant: Occupant },
    /// All seats were taken, and entropy is revealed.
    Starting,
    /// The game started.
    Started,
    /// A seat made a decision.
    Acted { seat: Seat, index: usize, think_ms: u32, reported_ms: Option<u32> },
    /// A seat's clock ran out. `why`: the reason recorded if it forfeits by that.
    ClockRanOut { seat: Seat, think_ms: u32, why: wire::SeatFinish },
    /// A window of constant length closed.
    WindowClosed,
    /// A seat resigned, or was resigned by the owner.
    Forfeited { seat: Seat, why: wire::SeatFinish },
    /// A house bot replaced a player.
    Replaced { seat: Seat, bot: String },
    /// A forfeited seat played its default.
    Default { seat: Seat },
    /// The table was cancelled, expired or faulted.
    Ended { reason: wire::EndReason, note: String },
    /// An entry without visible effect.
    NoEffect,
}

/// Candidate causes of a step, by its content.
pub(super) fn candidate_causes(fold: &TableFold<'_>, found: &wire::RecordStep) -> Vec<Cause> {
    if let Some(seat) = fold.next_forfeited() {
        return vec![Cause::Default { seat }];
    }
    let mut causes = Vec::new();
    let first = found.decided.first();
    let think_ms = first.map_or(0, |decision| decision.think_ms);
    let told = found.told.iter().filter_map(|telling| match &telling.told {
        Some(Told::Table(table)) => table.event.as_ref(),
        _ => None,
    });
    let seat = |number: u32| convert::seat(number, "seat").ok().filter(|seat| fold.has(*seat));
    let table_seat = |entry: &Option<wire::TableSeat>| {
        let entry = entry.as_ref()?;
        Some((seat(entry.seat)?, entry.occupant.clone()?))
    };
    let mut forfeited = None;
    for event in told {
        match event {
            Event::SeatJoined(joined) => {
                causes.extend(table_seat(&joined.seat).map(|(seat, occupant)| {
                    let occupant = match occupant {
                        Occupant::Player(player) => Occupant::Player(player_seat(player.display_name)),
                        other => other,
                    };
                    Cause::Joined { seat, occupant }
                }));
            }
            Event::Starting(_) => causes.push(Cause::Starting),
            Event::Started(_) => causes.push(Cause::Started),
            Event::ClockRanOut(clock) => {
                causes.extend(seat(clock.seat).map(|seat| Cause::ClockRanOut {
                    seat,
                    think_ms,
                    why: wire::SeatFinish::TimedOut,
                }));
            }
            Event::SeatForfeited(forfeit) => {
                forfeited = Some(forfeit.why());
                causes.extend(seat(forfeit.seat).map(|seat| Cause::Forfeited { seat, why: forfeit.why() }));
            }
            Event::SeatReplaced(replaced) => {
                if let Some((seat, Occupant::HouseBot(bot))) = table_seat(&replaced.seat) {
                    causes.push(Cause::Replaced { seat, bot: bot.name });
                }
            }
            Event::Over(over) => {
                let result = over.result.clone().unwrap_or_default();
                if result.reason() != wire::EndReason::PlayedOut {
                    causes.push(Cause::Ended { reason: result.reason(), note: result.note });
                }
            }
            Event::Rematch(_) => {}
        }
    }
    for cause in &mut causes {
        if let (Cause::ClockRanOut { why, .. }, Some(forfeited)) = (cause, forfeited) {
            *why = forfeited;
        }
    }
    for decision in &found.decided {
        causes.extend(
            seat(decision.seat).map(|seat| decision_causes(fold, seat, decision)).into_iter().flatten(),
        );
    }
    if fold.window_is_held() {
        causes.push(Cause::WindowClosed);
    }
    if found.told.is_empty() && found.decided.is_empty() && found.asked.is_empty() {
        causes.push(Cause::NoEffect);
    }
    causes
}

/// Candidate causes of a decision: the action it names, and its index.
fn decision_causes(fold: &TableFold<'_>, seat: Seat, decision: &wire::RecordDecision) -> Vec<Cause> {
    let (think_ms, reported_ms) = (decision.think_ms, decision.reported_ms);
    if decision.by() == wire::DecidedBy::Clock {
        let by_clock = Cause::ClockRanOut { seat, think_ms, why: wire::SeatFinish::TimedOut };
        return vec![by_clock];
    }
    let action = decision.action.clone().and_then(|action| AnyAction::try_from(action).ok());
    let legal = fold.legal_actions(seat);
    let named = legal.iter().position(|offered| Some(*offered) == action);
    let acted = |index| Cause::Acted { seat, index, think_ms, reported_ms };
    named.into_iter().chain([decision.index as usize]).map(acted).collect()
}

/// All causes possible in the current state of the game, with the times of a recorded decision.
pub(super) fn possible_causes(fold: &TableFold<'_>, like: Option<&wire::RecordDecision>) -> Vec<Cause> {
    if let Some(seat) = fold.next_forfeited() {
        return vec![Cause::Default { seat }];
    }
    let think_ms = like.map_or(0, |decision| decision.think_ms);
    let reported_ms = like.and_then(|decision| decision.reported_ms);
    let mut causes = vec![Cause::Starting, Cause::Started, Cause::WindowClosed];
    for seat in fold.to_act().iter() {
        let actions = 0..fold.legal_actions(seat).len();
        causes.extend(actions.map(|index| Cause::Acted { seat, index, think_ms, reported_ms }));
        causes.push(Cause::ClockRanOut { seat, think_ms, why: wire::SeatFinish::TimedOut });
    }
    causes
}
