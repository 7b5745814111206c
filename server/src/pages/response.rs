//! Responses for browsers: files, and errors as a page or a sentence. Each has the headers that keep a page from being
//! used against its user.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use tonic::body::Body;

use super::encoding::Encoding;
use super::files::PageFile;
use crate::config::Origins;

/// A year: the maximum that caches honour.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Kept, but looked after at every use.
const REVALIDATE: &str = "no-cache";
/// Errors may be over at any time.
const NEVER: &str = "no-store";

/// Type of sentences.
const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// Headers of all responses for browsers.
#[derive(Clone, Debug)]
pub(super) struct SecurityHeaders(HeaderMap);

impl SecurityHeaders {
    /// Allows these sites to embed the pages.
    pub(super) fn new(frame_ancestors: &Origins) -> SecurityHeaders {
        let ancestors = match frame_ancestors.as_slice() {
            [] => String::from("'none'"),
            sites => sites.join(" "),
        };
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
             worker-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
             frame-ancestors {ancestors}"
        );
        let mut headers = HeaderMap::new();
        // Settings accept only origins that are valid header values.
        let policy = HeaderValue::try_from(policy).expect("a policy of printable characters");
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        // The addresses of the pages name tables.
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        SecurityHeaders(headers)
    }

    fn respond(
        &self,
        status: StatusCode,
        cache: &'static str,
        body: Option<&'static [u8]>,
    ) -> Response<Body> {
        let body = body.map_or_else(Body::empty, |bytes| Body::new(Full::new(Bytes::from_static(bytes))));
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = self.0.clone();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        response
    }

    /// A file in the best encoding that the client accepts, or 304 if the client has it.
    pub(super) fn file(&self, file: &'static PageFile, request: &HeaderMap) -> Response<Body> {
        let cache = if file.is_asset() { FOR_EVER } else { REVALIDATE };
        let (encoding, content) = file.encoded(|encoding| encoding.is_accepted(request));
        let tag = file.entity_tag(encoding);
        let mut response = if has_entity(request, &tag) {
            let mut response = self.respond(StatusCode::NOT_MODIFIED, cache, None);
            response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
            response
        } else {
            self.content(StatusCode::OK, cache, file, (encoding, content))
        };
        let tag = HeaderValue::try_from(tag).expect("an entity tag in ASCII");
        response.headers_mut().insert(header::ETAG, tag);
        response
    }

    fn content(
        &self,
        status: StatusCode,
        cache: &'static str,
        file: &PageFile,
        (encoding, content): (Encoding, &'static [u8]),
    ) -> Response<Body> {
        let mut response = self.respond(status, cache, Some(content));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
        headers.insert(header::CONTENT_LENGTH, content.len().into());
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(name) = encoding.name() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        response
    }

    /// The page, which says by itself that it has no such view.
    pub(super) fn missing_page(&self, request: &HeaderMap) -> Response<Body> {
        let file = PageFile::index();
        let content = file.encoded(|encoding| encoding.is_accepted(request));
        self.content(StatusCode::NOT_FOUND, NEVER, file, content)
    }

    /// A sentence that is not cached.
    pub(super) fn sentence(&self, status: StatusCode, text: &'static str) -> Response<Body> {
        self.text(status, NEVER, text)
    }

    /// A text that is looked after at every use.
    pub(super) fn document(&self, text: &'static str) -> Response<Body> {
        self.text(StatusCode::OK, REVALIDATE, text)
    }

    fn text(&self, status: StatusCode, cache: &'static str, text: &'static str) -> Response<Body> {
        let mut response = self.respond(status, cache, Some(text.as_bytes()));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PLAIN_TEXT));
        headers.insert(header::CONTENT_LENGTH, text.len().into());
        response
    }
}

/// Reports whether `If-None-Match` names this entity tag. Weak tags count as well.
fn has_entity(request: &HeaderMap, tag: &str) -> bool {
    let values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|listed| listed == "*" || listed.strip_prefix("W/").unwrap_or(listed) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_none_match_is_a_list_of_tags() {
        let has = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::IF_NONE_MATCH, value.parse().unwrap());
            }
            has_entity(&headers, "\"1a2b-br\"")
        };
        for known in [
            &["\"1a2b-br\""][..],
            &["W/\"1a2b-br\""],
            &["\"x\", \"1a2b-br\""],
            &["*"],
            &["\"x\"", "\"1a2b-br\""],
        ] {
            assert!(has(known), "{known:?}");
        }
        for other in [&[][..], &[""], &["\"1a2b\""], &["1a2b-br"], &["\"1a2b-BR\""]] {
            assert!(!has(other), "{other:?}");
        }
    }
}
