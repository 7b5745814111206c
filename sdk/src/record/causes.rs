//! What can have happened in a step of a record: so far as it does not follow from what happened before.

use parlor_engine::{AnyAction, Seat};
use parlor_proto::convert;

use super::fold::Fold;
use super::holders::player_seat;
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// What happened, so far as it does not follow from what happened before.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Cause {
    /// Somebody took a seat.
    Joined { seat: Seat, occupant: Occupant },
    /// The last seat was taken.
    Started,
    /// A seat decided.
    Acted { seat: Seat, index: usize, think_ms: u32, reported_ms: Option<u32> },
    /// The clock of a seat ran out. If that was once too often: why it says that the seat forfeits.
    ClockRanOut { seat: Seat, think_ms: u32, why: wire::SeatFinish },
    /// A window of constant length ended.
    WindowClosed,
    /// A seat gave up, or was given up.
    Forfeited { seat: Seat, why: wire::SeatFinish },
    /// A house bot took a seat over.
    Replaced { seat: Seat, bot: String },
    /// A seat that had forfeited was asked.
    Default { seat: Seat },
    /// The table was ended from outside.
    Ended { reason: wire::EndReason, note: String },
    /// Nothing that anybody is told.
    Nothing,
}

/// What can have happened, by what the step says.
pub(super) fn causes(fold: &Fold<'_>, found: &wire::RecordStep) -> Vec<Cause> {
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
        causes.extend(seat(decision.seat).map(|seat| decided(fold, seat, decision)).into_iter().flatten());
    }
    if fold.window_is_held() {
        causes.push(Cause::WindowClosed);
    }
    if found.told.is_empty() && found.decided.is_empty() && found.asked.is_empty() {
        causes.push(Cause::Nothing);
    }
    causes
}

/// What a decision can have come from: the action it names, or the index.
fn decided(fold: &Fold<'_>, seat: Seat, decision: &wire::RecordDecision) -> Vec<Cause> {
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

/// Whatever can happen in the game now, as far as it is known how.
pub(super) fn all_causes(fold: &Fold<'_>, like: Option<&wire::RecordDecision>) -> Vec<Cause> {
    if let Some(seat) = fold.next_forfeited() {
        return vec![Cause::Default { seat }];
    }
    let think_ms = like.map_or(0, |decision| decision.think_ms);
    let reported_ms = like.and_then(|decision| decision.reported_ms);
    let mut causes = vec![Cause::Started, Cause::WindowClosed];
    for seat in fold.to_act().iter() {
        let actions = 0..fold.legal_actions(seat).len();
        causes.extend(actions.map(|index| Cause::Acted { seat, index, think_ms, reported_ms }));
        causes.push(Cause::ClockRanOut { seat, think_ms, why: wire::SeatFinish::TimedOut });
    }
    causes
}
