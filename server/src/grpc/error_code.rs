//! gRPC status codes of the error reasons of the API. `proto/parlor/v1/error.proto` documents the reasons; a
//! test compares the two.

use parlor_proto::v1::ErrorReason;
use tonic::Code;

/// The domain of every `google.rpc.ErrorInfo` of this server.
pub const ERROR_DOMAIN: &str = "parlor.v1";

/// The status code of a reason.
#[must_use]
pub const fn status_code(reason: ErrorReason) -> Code {
    use ErrorReason as Reason;
    match reason {
        Reason::Unspecified => Code::Unknown,
        Reason::InvalidField | Reason::Protocol => Code::InvalidArgument,
        Reason::CredentialsMissing | Reason::KeyInvalid | Reason::TokenInvalid | Reason::TokenExpired => {
            Code::Unauthenticated
        }
        Reason::ScopeMissing | Reason::NotOwner | Reason::AgentNameTaken => Code::PermissionDenied,
        Reason::GameNotFound
        | Reason::TableNotFound
        | Reason::SeatNotFound
        | Reason::HouseBotNotFound
        | Reason::DecisionNotFound
        | Reason::AgentNotFound
        | Reason::TournamentNotFound
        | Reason::EntrantNotFound
        | Reason::GroupNotFound
        | Reason::InviteNotFound => Code::NotFound,
        Reason::RequestIdReused => Code::AlreadyExists,
        Reason::NoSeatFree
        | Reason::SeatTaken
        | Reason::SeatVacant
        | Reason::TableNotStarted
        | Reason::TableStarted
        | Reason::TableOver
        | Reason::TableNotOver
        | Reason::IllegalAction
        | Reason::DecidedOtherwise
        | Reason::AgentUnavailable
        | Reason::TournamentState
        | Reason::DealNotOver
        | Reason::EntropyMismatch
        | Reason::InviteRevoked
        | Reason::InviteExpired
        | Reason::InviteSpent => Code::FailedPrecondition,
        Reason::CursorTooOld => Code::OutOfRange,
        Reason::CursorAhead | Reason::TableDamaged => Code::DataLoss,
        Reason::RateLimited
        | Reason::TooManyTables
        | Reason::TooManyStreams
        | Reason::TooManyInvites
        | Reason::MessageTooLarge
        | Reason::TooSlow => Code::ResourceExhausted,
        Reason::StoreUnavailable | Reason::ServerStopping => Code::Unavailable,
        Reason::ServerFault => Code::Internal,
        Reason::AgentReplaced => Code::Aborted,
    }
}

/// The name of a reason in an `ErrorInfo`, such as `TABLE_NOT_FOUND`.
#[must_use]
pub fn reason_name(reason: ErrorReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("ERROR_REASON_").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    /// Every value of `ErrorReason` with its comment in the .proto file.
    fn documented_reasons() -> Vec<(ErrorReason, String)> {
        let set = FileDescriptorSet::decode(parlor_proto::FILE_DESCRIPTOR_SET).unwrap();
        let file = set.file.iter().find(|file| file.name() == "parlor/v1/error.proto").unwrap();
        let values = &file.enum_type[0].value;
        let info = file.source_code_info.as_ref().unwrap();
        let comment = |index: i32| {
            // Path of a value: field 5 of the file (enum_type), element 0, its field 2 (value), element
            // `index`.
            let location = info.location.iter().find(|location| location.path == [5, 0, 2, index]);
            location.unwrap().leading_comments().trim().to_owned()
        };
        let reason = |number| ErrorReason::try_from(number).unwrap();
        (0..).zip(values).map(|(index, value)| (reason(value.number()), comment(index))).collect()
    }

    /// The comment of each reason begins with its status code, so that clients find it in the .proto file.
    #[test]
    fn every_reason_is_documented_with_its_status_code() {
        let documented = documented_reasons();
        assert!(documented.len() > 30, "{} reasons", documented.len());
        for (reason, comment) in documented {
            if reason == ErrorReason::Unspecified {
                continue;
            }
            let status = comment.split(':').next().unwrap();
            let expected = format!("{:?}", status_code(reason));
            assert_eq!(status.replace('_', "").to_lowercase(), expected.to_lowercase(), "{reason:?}");
        }
    }

    #[test]
    fn reason_names_have_no_prefix() {
        assert_eq!(reason_name(ErrorReason::TableNotFound), "TABLE_NOT_FOUND");
        assert_eq!(reason_name(ErrorReason::RateLimited), "RATE_LIMITED");
    }
}
