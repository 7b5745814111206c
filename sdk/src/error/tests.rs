//! Conversion of gRPC statuses to errors.

use std::collections::HashMap;

use parlor_proto::v1::table_service_client::TableServiceClient;
use tonic::transport::Endpoint;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::*;

fn status(code: Code, reason: &str, domain: &str) -> Status {
    let details = ErrorDetails::with_error_info(reason, domain, HashMap::new());
    Status::with_error_details(code, "a sentence", details)
}

#[test]
fn every_wire_reason_round_trips_and_has_advice() {
    let wire_reasons: Vec<_> =
        Reason::ALL.iter().filter_map(|reason| Some((*reason, reason.to_wire()?))).collect();
    assert!(wire_reasons.len() >= 34, "{}", wire_reasons.len());
    for (reason, wire) in wire_reasons {
        assert_eq!(Reason::from_wire(wire), Some(reason));
        let name = wire.as_str_name().strip_prefix("ERROR_REASON_").unwrap();
        assert_eq!(Error::from_status(&status(Code::Unknown, name, "parlor.v1")).reason(), reason);
    }
    for reason in Reason::ALL {
        assert!(!reason.advice().is_empty() && !reason.advice().contains('\n'), "{reason:?}");
    }
    assert_eq!(Reason::from_wire(wire::ErrorReason::Unspecified), None);
}

#[test]
fn error_info_of_a_foreign_domain_or_unknown_reason_is_ignored() {
    let error = Error::from_status(&status(Code::NotFound, "TABLE_NOT_FOUND", "example.org"));
    assert_eq!(error.reason(), Reason::Other);
    let error = Error::from_status(&status(Code::Unavailable, "SOMETHING_NEW", "parlor.v1"));
    assert_eq!((error.reason(), error.is_temporary()), (Reason::Unreachable, true));
}

#[test]
fn error_details_are_decoded() {
    let metadata = HashMap::from([(String::from("scope"), String::from("seeded_tables"))]);
    let mut details = ErrorDetails::with_error_info("SCOPE_MISSING", "parlor.v1", metadata);
    details.add_bad_request_violation("seats", "must have 2 to 4 entries, not 9");
    details.set_retry_info(Some(Duration::from_millis(1500)));
    let error = Error::from_status(&Status::with_error_details(Code::PermissionDenied, "no", details));
    assert_eq!((error.reason(), error.missing_scope()), (Reason::ScopeMissing, Some("seeded_tables")));
    assert_eq!(error.retry_after(), Some(Duration::from_millis(1500)));
    assert_eq!((error.fields()[0].field.as_str(), error.fields().len()), ("seats", 1));
    assert_eq!(error.to_string(), "no; seats: must have 2 to 4 entries, not 9");
}

#[test]
fn display_does_not_repeat_a_field_quoted_in_the_message() {
    let mut details = ErrorDetails::with_error_info("INVALID_FIELD", "parlor.v1", HashMap::new());
    details.add_bad_request_violation("seats", "must be set");
    let error =
        Error::from_status(&Status::with_error_details(Code::InvalidArgument, "seats: must be set", details));
    assert_eq!(error.to_string(), "seats: must be set");
}

#[test]
fn client_side_timeout_is_deadline_exceeded() {
    let status = Status::from_error(Box::new(tonic::TimeoutExpired(())));
    assert_eq!(status.code(), Code::Cancelled);
    assert_eq!(Error::from_status(&status).reason(), Reason::DeadlineExceeded);
    assert_eq!(Error::from_status(&Status::deadline_exceeded("late")).reason(), Reason::DeadlineExceeded);
    // Any other cancellation is not a timeout.
    assert_eq!(Error::from_status(&Status::cancelled("by hand")).reason(), Reason::Other);
}

#[test]
fn statuses_without_error_info_map_by_code() {
    for (code, reason) in [
        (Code::Unavailable, Reason::Unreachable),
        (Code::Unauthenticated, Reason::CredentialsMissing),
        (Code::PermissionDenied, Reason::Forbidden),
        (Code::Unimplemented, Reason::Unsupported),
        (Code::ResourceExhausted, Reason::RateLimited),
        (Code::Internal, Reason::Other),
    ] {
        let error = Error::from_status(&Status::new(code, "two\nlines"));
        assert_eq!((error.reason(), error.to_string()), (reason, "two lines".to_owned()));
    }
    assert!(!Error::from_status(&Status::new(Code::Internal, "")).to_string().is_empty());
}

#[tokio::test]
async fn connection_refused_is_unreachable_with_the_cause() {
    let address = format!("http://{}", parlor_testkit::unused_address());
    let channel = Endpoint::from_shared(address).unwrap().connect_lazy();
    let status =
        TableServiceClient::new(channel).get_table(wire::GetTableRequest::default()).await.unwrap_err();
    let error = Error::from_status(&status);
    assert_eq!(error.reason(), Reason::Unreachable);
    assert!(error.message().contains("refused"), "the cause is named: {error}");
}

#[test]
fn refused_answers_keep_rule_field_and_text() {
    let refusal = wire::AnswerRefusal {
        reason: wire::ErrorReason::IllegalAction.into(),
        rule: "gap.lower".into(),
        field: "action.gap.card".into(),
        text: Some(wire::Text { en: "Too low.".into(), de: "Zu niedrig.".into() }),
    };
    let answered = |status: wire::AnswerStatus, refusal| wire::Answered {
        status: status.into(),
        refusal,
        action: Some(wire::GameAction::default()),
        ..Default::default()
    };
    let error = Error::from_refused_answer(answered(wire::AnswerStatus::Refused, Some(refusal)));
    assert_eq!((error.reason(), error.rule()), (Reason::IllegalAction, Some("gap.lower")));
    assert_eq!(
        (error.to_string().as_str(), error.fields()[0].field.as_str()),
        ("Too low.", "action.gap.card")
    );
    assert_eq!(error.refusal().unwrap().text.as_ref().unwrap().de, "Zu niedrig.");
    let error = Error::from_refused_answer(answered(wire::AnswerStatus::Conflict, None));
    assert_eq!((error.reason(), error.rule()), (Reason::DecidedOtherwise, None));
    assert!(error.decided().is_some());
}
