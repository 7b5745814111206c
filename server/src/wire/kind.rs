//! The small enumerations: where a table is in its life, who may see it, how a seat plays, who decided.

use parlor_proto::convert::field::{WrongField, one_of};
use parlor_proto::v1;

use crate::agents::Trouble;
use crate::table::{Conduct, DecidedBy, State, Visibility};

impl From<State> for v1::TableState {
    fn from(state: State) -> v1::TableState {
        match state {
            State::Open => v1::TableState::Open,
            State::Playing => v1::TableState::Playing,
            State::Finished => v1::TableState::Finished,
            State::Cancelled => v1::TableState::Cancelled,
            State::Expired => v1::TableState::Expired,
            State::Faulted => v1::TableState::Faulted,
        }
    }
}

impl From<Visibility> for v1::Visibility {
    fn from(visibility: Visibility) -> v1::Visibility {
        match visibility {
            Visibility::Public => v1::Visibility::Public,
            Visibility::Private => v1::Visibility::Private,
        }
    }
}

/// Who may see a table. It must be said.
pub(crate) fn visibility(value: i32, field: &str) -> Result<Visibility, WrongField> {
    one_of(value, field, |visibility| match visibility {
        v1::Visibility::Unspecified => None,
        v1::Visibility::Public => Some(Visibility::Public),
        v1::Visibility::Private => Some(Visibility::Private),
    })
}

impl From<Conduct> for v1::SeatFinish {
    fn from(conduct: Conduct) -> v1::SeatFinish {
        match conduct {
            Conduct::PlayedOut => v1::SeatFinish::PlayedOut,
            Conduct::TimedOut => v1::SeatFinish::TimedOut,
            Conduct::Resigned => v1::SeatFinish::Resigned,
            Conduct::Disconnected => v1::SeatFinish::Disconnected,
            Conduct::SetAside => v1::SeatFinish::SetAside,
        }
    }
}

/// How a seat plays.
pub(crate) fn conduct(value: i32, field: &str) -> Result<Conduct, WrongField> {
    one_of(value, field, |finish| match finish {
        v1::SeatFinish::Unspecified => None,
        v1::SeatFinish::PlayedOut => Some(Conduct::PlayedOut),
        v1::SeatFinish::TimedOut => Some(Conduct::TimedOut),
        v1::SeatFinish::Resigned => Some(Conduct::Resigned),
        v1::SeatFinish::Disconnected => Some(Conduct::Disconnected),
        v1::SeatFinish::SetAside => Some(Conduct::SetAside),
    })
}

impl From<DecidedBy> for v1::DecidedBy {
    fn from(by: DecidedBy) -> v1::DecidedBy {
        match by {
            DecidedBy::Player => v1::DecidedBy::Player,
            DecidedBy::Clock => v1::DecidedBy::Clock,
            DecidedBy::Forfeit => v1::DecidedBy::Forfeit,
            DecidedBy::HouseBot => v1::DecidedBy::HouseBot,
        }
    }
}

impl From<Trouble> for v1::SetAsideReason {
    fn from(trouble: Trouble) -> v1::SetAsideReason {
        match trouble {
            Trouble::TimedOut => v1::SetAsideReason::TimedOut,
            Trouble::BrokeOff => v1::SetAsideReason::BrokeOff,
            Trouble::BrokeRules => v1::SetAsideReason::BrokeRules,
            Trouble::TooSlow => v1::SetAsideReason::TooSlow,
        }
    }
}

/// Why an agent was set aside.
pub(crate) fn trouble(value: i32, field: &str) -> Result<Trouble, WrongField> {
    one_of(value, field, |reason| match reason {
        v1::SetAsideReason::Unspecified => None,
        v1::SetAsideReason::TimedOut => Some(Trouble::TimedOut),
        v1::SetAsideReason::BrokeOff => Some(Trouble::BrokeOff),
        v1::SetAsideReason::BrokeRules => Some(Trouble::BrokeRules),
        v1::SetAsideReason::TooSlow => Some(Trouble::TooSlow),
    })
}

/// Who decided.
pub(crate) fn decided_by(value: i32, field: &str) -> Result<DecidedBy, WrongField> {
    one_of(value, field, |by| match by {
        v1::DecidedBy::Unspecified => None,
        v1::DecidedBy::Player => Some(DecidedBy::Player),
        v1::DecidedBy::Clock => Some(DecidedBy::Clock),
        v1::DecidedBy::Forfeit => Some(DecidedBy::Forfeit),
        v1::DecidedBy::HouseBot => Some(DecidedBy::HouseBot),
    })
}

/// Why a seat can no longer win.
pub(crate) fn forfeit(value: i32, field: &str) -> Result<Conduct, WrongField> {
    let conduct = conduct(value, field)?;
    if conduct.is_forfeit() { Ok(conduct) } else { Err(WrongField::at(field, "must be that of a forfeit")) }
}
