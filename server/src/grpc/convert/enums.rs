//! Enumerations: languages, table states, visibility, seat finishes, deciders, suspension reasons.

use parlor_engine::Lang;
use parlor_host::agents::SuspensionReason;
use parlor_host::table::{DecidedBy, SeatFinish, State, Visibility};
use parlor_proto::convert::field::{InvalidField, one_of};
use parlor_proto::v1;

use super::ToMessage;

/// Decodes a language; the unset value is English.
pub(crate) fn language(value: i32, field: &str) -> Result<Lang, InvalidField> {
    one_of(value, field, |language: v1::Language| Some(language.into()))
}

impl ToMessage<v1::TableState> for State {
    fn to_message(&self) -> v1::TableState {
        match self {
            State::Open => v1::TableState::Open,
            State::Playing => v1::TableState::Playing,
            State::Finished => v1::TableState::Finished,
            State::Cancelled => v1::TableState::Cancelled,
            State::Expired => v1::TableState::Expired,
            State::Faulted => v1::TableState::Faulted,
            State::Starting => v1::TableState::Starting,
        }
    }
}

impl ToMessage<v1::Visibility> for Visibility {
    fn to_message(&self) -> v1::Visibility {
        match self {
            Visibility::Public => v1::Visibility::Public,
            Visibility::Private => v1::Visibility::Private,
        }
    }
}

/// Decodes a visibility; the unset value is public.
pub(super) fn visibility_or_public(value: i32) -> Result<Visibility, InvalidField> {
    if value == 0 { Ok(Visibility::Public) } else { visibility(value, "visibility") }
}

/// Decodes a visibility, which must be set.
pub(crate) fn visibility(value: i32, field: &str) -> Result<Visibility, InvalidField> {
    one_of(value, field, |visibility| match visibility {
        v1::Visibility::Unspecified => None,
        v1::Visibility::Public => Some(Visibility::Public),
        v1::Visibility::Private => Some(Visibility::Private),
    })
}

impl ToMessage<v1::SeatFinish> for SeatFinish {
    fn to_message(&self) -> v1::SeatFinish {
        match self {
            SeatFinish::PlayedOut => v1::SeatFinish::PlayedOut,
            SeatFinish::TimedOut => v1::SeatFinish::TimedOut,
            SeatFinish::Resigned => v1::SeatFinish::Resigned,
            SeatFinish::Disconnected => v1::SeatFinish::Disconnected,
            SeatFinish::SetAside => v1::SeatFinish::SetAside,
        }
    }
}

/// Decodes a seat finish, which must be set.
pub(crate) fn finish(value: i32, field: &str) -> Result<SeatFinish, InvalidField> {
    one_of(value, field, |finish| match finish {
        v1::SeatFinish::Unspecified => None,
        v1::SeatFinish::PlayedOut => Some(SeatFinish::PlayedOut),
        v1::SeatFinish::TimedOut => Some(SeatFinish::TimedOut),
        v1::SeatFinish::Resigned => Some(SeatFinish::Resigned),
        v1::SeatFinish::Disconnected => Some(SeatFinish::Disconnected),
        v1::SeatFinish::SetAside => Some(SeatFinish::SetAside),
    })
}

impl ToMessage<v1::DecidedBy> for DecidedBy {
    fn to_message(&self) -> v1::DecidedBy {
        match self {
            DecidedBy::Player => v1::DecidedBy::Player,
            DecidedBy::Clock => v1::DecidedBy::Clock,
            DecidedBy::Forfeit => v1::DecidedBy::Forfeit,
            DecidedBy::HouseBot => v1::DecidedBy::HouseBot,
        }
    }
}

impl ToMessage<v1::SetAsideReason> for SuspensionReason {
    fn to_message(&self) -> v1::SetAsideReason {
        match self {
            SuspensionReason::TimedOut => v1::SetAsideReason::TimedOut,
            SuspensionReason::BrokeOff => v1::SetAsideReason::BrokeOff,
            SuspensionReason::BrokeRules => v1::SetAsideReason::BrokeRules,
            SuspensionReason::TooSlow => v1::SetAsideReason::TooSlow,
        }
    }
}

/// Decodes a seat finish that is a forfeit.
pub(crate) fn forfeit(value: i32, field: &str) -> Result<SeatFinish, InvalidField> {
    let finish = finish(value, field)?;
    if finish.is_forfeit() { Ok(finish) } else { Err(InvalidField::at(field, "must be that of a forfeit")) }
}
