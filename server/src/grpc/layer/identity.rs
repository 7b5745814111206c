//! Authentication of callers by the API key, or the owner token of a table, in the metadata: `authorization: Bearer KEY`.
//!
//! A request without a key continues without a [`Caller`]; the handler decides whether it needs one. An
//! invalid key is refused in every call. [`IdentityLayer`] verifies the key, [`AdmissionLayer`] refuses
//! invalid ones; the limits are between them, so that guessing keys is rate-limited.

use std::{
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use futures_util::future::Either;
use http::{HeaderMap, Request, Response, header::AUTHORIZATION};
use tonic::body::Body;
use tower::{Layer, Service};
use tracing::{Span, field::display};

use super::error_response;
use crate::grpc::Failure;
use crate::identity::{ApiKeyError, ApiKeys, Caller, ServerKey, TableOwner, TokenKind};

/// The result of verifying the key of a request, kept in its extensions between the two layers.
#[derive(Clone, Debug)]
pub(super) enum CallerIdentity {
    /// A valid key, or any caller on a server without keys.
    Known(Caller),
    /// The holder of a table's owner token.
    TableOwner(TableOwner),
    /// No key.
    Anonymous,
    /// An invalid key or owner token.
    Invalid(Failure),
}

/// The key in the metadata, if there is one.
fn api_key(headers: &HeaderMap) -> Result<Option<&str>, ApiKeyError> {
    let Some(value) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().map_err(|_| ApiKeyError::Malformed)?;
    let (scheme, key) = text.split_once(' ').ok_or(ApiKeyError::Malformed)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(Some(key.trim())) } else { Err(ApiKeyError::Malformed) }
}

/// Verifies the API key of a request.
#[derive(Clone, Debug)]
pub struct IdentityLayer {
    keys: Arc<ApiKeys>,
    server_key: ServerKey,
}

impl IdentityLayer {
    /// Verifies API keys against these, and owner tokens with the server key.
    #[must_use]
    pub const fn new(keys: Arc<ApiKeys>, server_key: ServerKey) -> IdentityLayer {
        IdentityLayer { keys, server_key }
    }

    fn identify(&self, headers: &HeaderMap) -> CallerIdentity {
        let key = api_key(headers);
        // A server without keys ignores owner tokens like keys: there everyone owns every table.
        if let Ok(Some(token)) = key
            && token.starts_with(TokenKind::Owner.prefix())
            && !self.keys.is_empty()
        {
            return match self.server_key.verify_owner_token(token) {
                Ok(table) => CallerIdentity::TableOwner(TableOwner(table)),
                Err(error) => CallerIdentity::Invalid(error.into()),
            };
        }
        match key.and_then(|key| self.keys.identify(key)) {
            Ok(caller) => CallerIdentity::Known(caller),
            Err(ApiKeyError::Missing) => CallerIdentity::Anonymous,
            Err(error) => CallerIdentity::Invalid(error.into()),
        }
    }
}

impl<S> Layer<S> for IdentityLayer {
    type Service = IdentityService<S>;

    fn layer(&self, inner: S) -> IdentityService<S> {
        IdentityService { inner, layer: self.clone() }
    }
}

/// The service of [`IdentityLayer`].
#[derive(Clone, Debug)]
pub struct IdentityService<S> {
    inner: S,
    layer: IdentityLayer,
}

impl<S: Service<Request<Body>>> Service<Request<Body>> for IdentityService<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> S::Future {
        let identity = self.layer.identify(request.headers());
        if let CallerIdentity::Known(caller) = &identity {
            Span::current().record("key", display(caller.key()));
        }
        // Handlers and logs must not see the key.
        request.headers_mut().remove(AUTHORIZATION);
        request.extensions_mut().insert(identity);
        self.inner.call(request)
    }
}

/// Adds the [`Caller`] to the extensions of a request, or refuses it if its key is invalid.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionLayer;

impl<S> Layer<S> for AdmissionLayer {
    type Service = AdmissionService<S>;

    fn layer(&self, inner: S) -> AdmissionService<S> {
        AdmissionService { inner }
    }
}

/// The service of [`AdmissionLayer`].
#[derive(Clone, Debug)]
pub struct AdmissionService<S> {
    inner: S,
}

impl<S: Service<Request<Body>, Response = Response<Body>>> Service<Request<Body>> for AdmissionService<S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        match request.extensions_mut().remove::<CallerIdentity>() {
            Some(CallerIdentity::Invalid(error)) => {
                return Either::Right(ready(Ok(error_response(error))));
            }
            Some(CallerIdentity::Known(caller)) => {
                request.extensions_mut().insert(caller);
            }
            Some(CallerIdentity::TableOwner(owner)) => {
                request.extensions_mut().insert(owner);
            }
            Some(CallerIdentity::Anonymous) | None => {}
        }
        Either::Left(self.inner.call(request))
    }
}

#[cfg(test)]
mod tests {
    use tonic::{Code, Status};
    use tonic_types::StatusExt;
    use tower::ServiceExt;

    use super::super::tests::{TestHandler, request, status};
    use super::*;
    use crate::identity::{KeySet, NewKey, Scope};

    /// The owner of the caller as the handler sees it (`None`: anonymous), or the reason of the refusal.
    async fn caller(keys: &Arc<ApiKeys>, authorization: Option<&[u8]>) -> Result<Option<String>, String> {
        let mut request = request("/parlor.v1.TableService/GetTable");
        if let Some(value) = authorization {
            request.headers_mut().insert(AUTHORIZATION, value.try_into().unwrap());
        }
        let handler = TestHandler(|request: Request<Body>| {
            assert!(request.headers().get(AUTHORIZATION).is_none(), "the key is removed");
            let owner = request.extensions().get::<Caller>().map(|caller| caller.owner().to_string());
            let mut response = Response::new(Body::empty());
            response.extensions_mut().insert(owner);
            response
        });
        let service = IdentityLayer::new(keys.clone(), ServerKey::from_bytes([7; 32]))
            .layer(AdmissionLayer.layer(handler));
        let response = service.oneshot(request).await.unwrap();
        match response.extensions().get::<Option<String>>() {
            Some(owner) => Ok(owner.clone()),
            None => {
                let status: Status = status(&response).unwrap();
                assert_eq!(status.code(), Code::Unauthenticated);
                Err(status.get_error_details().error_info().unwrap().reason.clone())
            }
        }
    }

    #[tokio::test]
    async fn api_key_identifies_the_caller_and_invalid_keys_are_refused() {
        let key = NewKey::generate("anna".parse().unwrap(), vec![Scope::Play], None, None).unwrap();
        let keys = Arc::new(ApiKeys::new(KeySet::new(vec![key.entry.clone()]).unwrap()));
        let text = key.text.reveal();
        let anna = Ok(Some("anna".to_owned()));
        assert_eq!(caller(&keys, Some(format!("Bearer {text}").as_bytes())).await, anna);
        assert_eq!(caller(&keys, Some(format!("bearer  {text}").as_bytes())).await, anna);
        assert_eq!(caller(&keys, None).await, Ok(None), "the handler decides");
        let other = NewKey::generate("ben".parse().unwrap(), vec![Scope::Play], None, None).unwrap();
        let other = other.text.reveal();
        let wrong = [format!("Bearer {other}"), format!("Basic {text}"), text.clone(), "Bearer ".into()];
        for wrong in wrong {
            assert_eq!(caller(&keys, Some(wrong.as_bytes())).await, Err("KEY_INVALID".to_owned()), "{wrong}");
        }
        assert_eq!(caller(&keys, Some(b"Bearer \xff")).await, Err("KEY_INVALID".to_owned()));
    }

    #[tokio::test]
    async fn server_without_keys_accepts_every_caller() {
        let keys = Arc::new(ApiKeys::new(KeySet::default()));
        let local = Ok(Some("local".to_owned()));
        assert_eq!(caller(&keys, None).await, local);
        assert_eq!(caller(&keys, Some(b"Bearer whatever")).await, local);
    }
}
