//! Which web pages may call: browsers ask before they let a page call another origin, and hide what is not allowed.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::config::Origins;

/// How long a browser may remember the answer.
const MAX_AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// The headers that hold how a call ended.
const STATUS: [HeaderName; 3] = [
    HeaderName::from_static("grpc-status"),
    HeaderName::from_static("grpc-message"),
    HeaderName::from_static("grpc-status-details-bin"),
];

/// Lets these origins call, and see how their calls end. Calls carry no cookies, so a page gets nothing by this that
/// its user did not give it.
pub(super) fn layer(origins: &Origins) -> CorsLayer {
    let allowed = if origins.allows_any() {
        AllowOrigin::any()
    } else {
        let named = origins.as_slice().iter();
        // The settings let nothing through that is not plain text.
        AllowOrigin::list(named.filter_map(|origin| HeaderValue::from_str(origin).ok()))
    };
    CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(STATUS)
        .max_age(MAX_AGE)
}
