//! CallerIdentity calls: the API key in the metadata, `authorization: Bearer KEY`.
//!
//! A request without a key goes on without a [`Caller`]: whether one is needed is for the handler to say. A key that is
//! given must be good, whatever the call. Finding out and refusing are two steps, with the limits between them, so that
//! whoever tries keys pays for each.

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

use super::refused;
use crate::identity::{ApiKeyError, ApiKeys, Caller};

/// What the key of a request says about who calls, until it is admitted.
#[derive(Clone, Debug)]
pub(super) enum CallerIdentity {
    /// Somebody with a good key, or anybody on a server without keys.
    Known(Caller),
    /// Somebody without a key.
    Nobody,
    /// Somebody with a key that is no good.
    Refused(ApiKeyError),
}

/// The key in the metadata; none if there is none.
fn key(headers: &HeaderMap) -> Result<Option<&str>, ApiKeyError> {
    let Some(value) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().map_err(|_| ApiKeyError::Malformed)?;
    let (scheme, key) = text.split_once(' ').ok_or(ApiKeyError::Malformed)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(Some(key.trim())) } else { Err(ApiKeyError::Malformed) }
}

/// Finds out who calls.
#[derive(Clone, Debug)]
pub struct Identify(Arc<ApiKeys>);

impl Identify {
    /// Looks callers up in these keys.
    #[must_use]
    pub const fn new(keys: Arc<ApiKeys>) -> Identify {
        Identify(keys)
    }

    fn who(&self, headers: &HeaderMap) -> CallerIdentity {
        match key(headers).and_then(|key| self.0.identify(key)) {
            Ok(caller) => CallerIdentity::Known(caller),
            Err(ApiKeyError::Missing) => CallerIdentity::Nobody,
            Err(refused) => CallerIdentity::Refused(refused),
        }
    }
}

impl<S> Layer<S> for Identify {
    type Service = Identifying<S>;

    fn layer(&self, inner: S) -> Identifying<S> {
        Identifying { inner, identify: self.clone() }
    }
}

/// The service of [`Identify`].
#[derive(Clone, Debug)]
pub struct Identifying<S> {
    inner: S,
    identify: Identify,
}

impl<S: Service<Request<Body>>> Service<Request<Body>> for Identifying<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> S::Future {
        let who = self.identify.who(request.headers());
        if let CallerIdentity::Known(caller) = &who {
            Span::current().record("key", display(caller.key()));
        }
        // No handler and no log sees the key itself.
        request.headers_mut().remove(AUTHORIZATION);
        request.extensions_mut().insert(who);
        self.inner.call(request)
    }
}

/// Lets the request in with its [`Caller`], or refuses a key that is no good.
#[derive(Clone, Copy, Debug)]
pub struct Admit;

impl<S> Layer<S> for Admit {
    type Service = Admitting<S>;

    fn layer(&self, inner: S) -> Admitting<S> {
        Admitting { inner }
    }
}

/// The service of [`Admit`].
#[derive(Clone, Debug)]
pub struct Admitting<S> {
    inner: S,
}

impl<S: Service<Request<Body>, Response = Response<Body>>> Service<Request<Body>> for Admitting<S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        match request.extensions_mut().remove::<CallerIdentity>() {
            Some(CallerIdentity::Refused(why)) => return Either::Right(ready(Ok(refused(why)))),
            Some(CallerIdentity::Known(caller)) => {
                request.extensions_mut().insert(caller);
            }
            Some(CallerIdentity::Nobody) | None => {}
        }
        Either::Left(self.inner.call(request))
    }
}

#[cfg(test)]
mod tests {
    use tonic::{Code, Status};
    use tonic_types::StatusExt;
    use tower::ServiceExt;

    use super::super::tests::{Echo, request, status};
    use super::*;
    use crate::identity::{KeySet, NewKey, Scope};

    /// CallerIdentity the handler is told calls: `None` is nobody. Or the reason for which the call never came there.
    async fn calls(keys: &Arc<ApiKeys>, authorization: Option<&[u8]>) -> Result<Option<String>, String> {
        let mut request = request("/parlor.v1.TableService/GetTable");
        if let Some(value) = authorization {
            request.headers_mut().insert(AUTHORIZATION, value.try_into().unwrap());
        }
        let handler = Echo(|request: Request<Body>| {
            assert!(request.headers().get(AUTHORIZATION).is_none(), "the key goes no further");
            let owner = request.extensions().get::<Caller>().map(|caller| caller.owner().to_string());
            let mut response = Response::new(Body::empty());
            response.extensions_mut().insert(owner);
            response
        });
        let service = Identify::new(keys.clone()).layer(Admit.layer(handler));
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
    async fn a_key_says_who_calls() {
        let key = NewKey::generate("anna".parse().unwrap(), vec![Scope::Play], None, None).unwrap();
        let keys = Arc::new(ApiKeys::new(KeySet::new(vec![key.entry.clone()]).unwrap()));
        let text = key.text.reveal();
        let anna = Ok(Some("anna".to_owned()));
        assert_eq!(calls(&keys, Some(format!("Bearer {text}").as_bytes())).await, anna);
        assert_eq!(calls(&keys, Some(format!("bearer  {text}").as_bytes())).await, anna);
        assert_eq!(calls(&keys, None).await, Ok(None), "the handler decides");
        let other = NewKey::generate("ben".parse().unwrap(), vec![Scope::Play], None, None).unwrap();
        let other = other.text.reveal();
        let wrong = [format!("Bearer {other}"), format!("Basic {text}"), text.clone(), "Bearer ".into()];
        for wrong in wrong {
            assert_eq!(calls(&keys, Some(wrong.as_bytes())).await, Err("KEY_INVALID".to_owned()), "{wrong}");
        }
        assert_eq!(calls(&keys, Some(b"Bearer \xff")).await, Err("KEY_INVALID".to_owned()));
    }

    #[tokio::test]
    async fn a_server_without_keys_knows_everyone() {
        let keys = Arc::new(ApiKeys::new(KeySet::default()));
        let local = Ok(Some("local".to_owned()));
        assert_eq!(calls(&keys, None).await, local);
        assert_eq!(calls(&keys, Some(b"Bearer whatever")).await, local);
    }
}
