//! CORS: the web origins that may call the API.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::config::Origins;

/// Time for which browsers may cache a preflight response.
const MAX_AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// Response headers with the gRPC status, readable by the page.
const STATUS_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("grpc-status"),
    HeaderName::from_static("grpc-message"),
    HeaderName::from_static("grpc-status-details-bin"),
];

/// Allows these origins to call and to read the status of their calls. Calls carry no cookies, so a page
/// gains no access that its user did not give it.
pub(super) fn layer(origins: &Origins) -> CorsLayer {
    let allowed = if origins.allows_any() {
        AllowOrigin::any()
    } else {
        let named = origins.as_slice().iter();
        // Settings accept only origins that are valid header values.
        AllowOrigin::list(named.filter_map(|origin| HeaderValue::from_str(origin).ok()))
    };
    CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(STATUS_HEADERS)
        .max_age(MAX_AGE)
}
