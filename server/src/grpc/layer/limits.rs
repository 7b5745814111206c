//! Rate limit of callers, the limit of concurrent calls on one connection, and the limits that streams share.
//!
//! Each API key has its own token bucket; callers without a key share the bucket of their network address. A
//! call counts towards the limit of its connection until its response is complete.

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Request, Response};
use tonic::body::Body;
use tower::{Layer, Service};

use parlor_host::clock::Clock;
use parlor_host::limits::{
    AttachAllowance, ByteBudgets, CallerKey, CountGuard, Counter, LimitExceeded, LimitedBytes,
    LimitedResource, Rate, RateLimiter, StreamAllowance,
};

use super::{LayerFuture, error_response, identity::CallerIdentity, on_complete};
use crate::{config, grpc::peer::Peer, identity::Caller};

/// Time after which a call over the rate is refused. A client that repeats its calls as soon as they are refused makes the
/// fewer of them.
const REFUSAL_DELAY: Duration = Duration::from_millis(100);

/// Enforces the limits of callers.
#[derive(Clone, Debug)]
pub struct LimitLayer(Arc<CallerLimits>);

#[derive(Debug)]
struct CallerLimits {
    settings: config::Limits,
    rates: RateLimiter<CallerKey>,
    attach_rates: Arc<RateLimiter<CallerKey>>,
    streams: Counter<u64>,
    connection_bytes: ByteBudgets<u64>,
    caller_bytes: ByteBudgets<CallerKey>,
}

/// The limits that a stream of this request shares with others, in the extensions of a request.
#[derive(Clone, Debug)]
struct StreamLimits {
    limits: Arc<CallerLimits>,
    caller: CallerKey,
    connection: Option<u64>,
    attach_rate: Rate,
}

impl StreamLimits {
    /// The allowance of a new stream.
    fn allowance(&self) -> StreamAllowance {
        let StreamLimits { limits, caller, connection, attach_rate } = self;
        let of_connection = connection.map(|connection| limits.connection_bytes.budget(connection));
        let budgets = of_connection.into_iter().chain([limits.caller_bytes.budget(*caller)]).collect();
        let attaches = AttachAllowance::new(limits.attach_rates.clone(), *caller, *attach_rate);
        StreamAllowance { budgets, attaches: Some(attaches) }
    }
}

/// The allowance of a stream that this request opens.
pub(in crate::grpc) fn stream_allowance<T>(request: &tonic::Request<T>) -> StreamAllowance {
    let limits = request.extensions().get::<StreamLimits>();
    limits.map(StreamLimits::allowance).unwrap_or_default()
}

impl LimitLayer {
    /// CallerLimits from the settings.
    #[must_use]
    pub fn new(settings: &config::Limits, clock: Arc<dyn Clock>) -> LimitLayer {
        let callers = settings.callers.get() as usize;
        LimitLayer(Arc::new(CallerLimits {
            settings: settings.clone(),
            rates: RateLimiter::new(clock.clone(), callers),
            attach_rates: Arc::new(RateLimiter::new(clock, callers)),
            streams: Counter::new(LimitedResource::Streams, callers),
            connection_bytes: ByteBudgets::new(settings.connection_bytes.bytes(), LimitedBytes::Connection),
            caller_bytes: ByteBudgets::new(settings.caller_bytes.bytes(), LimitedBytes::Caller),
        }))
    }
}

impl CallerLimits {
    /// A rate of a caller with its burst. For a key with its own rate of requests, both are in the same proportion.
    fn rate(&self, caller: Option<&Caller>, per_second: u32, burst: u32) -> Rate {
        let default = self.settings.requests_per_second.get();
        let own = caller.and_then(Caller::requests_per_second).map_or(default, config::Count::get);
        let scaled = |count: u32| {
            u32::try_from(u64::from(count) * u64::from(own) / u64::from(default)).unwrap_or(u32::MAX)
        };
        Rate::new(scaled(per_second), scaled(burst))
    }

    /// Takes a token for the request and counts it on its connection. Adds the limits of streams to the request.
    fn acquire(
        self: &Arc<Self>,
        request: &mut Request<Body>,
    ) -> Result<Option<CountGuard<u64>>, LimitExceeded> {
        let peer = request.extensions().get::<Peer>().copied();
        let caller = match request.extensions().get::<CallerIdentity>() {
            // On a server without keys all callers have the same identity, so the address is limited.
            Some(CallerIdentity::Known(caller)) if caller.has_key() => Some(caller),
            _ => None,
        };
        let key = match (caller, peer) {
            (Some(caller), _) => CallerKey::ApiKey(caller.key().number()),
            (None, Some(peer)) => {
                peer.network_address().map_or(CallerKey::Connection(peer.connection), CallerKey::Network)
            }
            (None, None) => CallerKey::Connection(0),
        };
        let config::Limits { requests_per_second, request_burst, attaches_per_second, attach_burst, .. } =
            &self.settings;
        let rate = self.rate(caller, requests_per_second.get(), request_burst.get());
        let attach_rate = self.rate(caller, attaches_per_second.get(), attach_burst.get());
        self.rates.take(&key, rate)?;
        let connection = peer.map(|peer| peer.connection);
        let stream_limits = StreamLimits { limits: self.clone(), caller: key, connection, attach_rate };
        request.extensions_mut().insert(stream_limits);
        let max_streams = self.settings.streams_per_connection.get();
        peer.map(|peer| self.streams.hold(&peer.connection, max_streams)).transpose()
    }
}

impl<S> Layer<S> for LimitLayer {
    type Service = LimitService<S>;

    fn layer(&self, inner: S) -> LimitService<S> {
        LimitService { inner, limits: self.0.clone() }
    }
}

/// The service of [`LimitLayer`].
#[derive(Clone, Debug)]
pub struct LimitService<S> {
    inner: S,
    limits: Arc<CallerLimits>,
}

impl<S> Service<Request<Body>> for LimitService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Future: Send + 'static>,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = LayerFuture<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> LayerFuture<S::Error> {
        let guard = match self.limits.acquire(&mut request) {
            Ok(guard) => guard,
            Err(error) => {
                return Box::pin(async move {
                    if matches!(error, LimitExceeded::Rate { .. }) {
                        tokio::time::sleep(REFUSAL_DELAY).await;
                    }
                    Ok(error_response(error))
                });
            }
        };
        let response = self.inner.call(request);
        Box::pin(async move { Ok(on_complete::hold_until_complete(response.await?, guard)) })
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use http_body_util::{BodyExt, Full};
    use tonic::Status;
    use tonic_types::StatusExt;

    use parlor_host::clock::ManualClock;

    use super::super::{
        identity::{AdmissionLayer, IdentityLayer},
        tests::{TestHandler, request, status},
    };
    use super::*;
    use crate::{
        config::Count,
        identity::{ApiKeys, KeySet, NewKey, Scope, ServerKey},
    };

    struct LimitedServer {
        clock: ManualClock,
        limit: LimitLayer,
        keys: Arc<ApiKeys>,
        anna: String,
    }

    fn limited_server(requests_per_second: Count<1, 1_000_000>, streams: Count<1, 10_000>) -> LimitedServer {
        let settings = config::Limits {
            requests_per_second,
            request_burst: Count::new(requests_per_second.get() * 2),
            streams_per_connection: streams,
            ..config::Limits::default()
        };
        let clock = ManualClock::new();
        let quota = Some(Count::new(1));
        let anna = NewKey::generate("anna".parse().unwrap(), vec![Scope::Play], None, quota).unwrap();
        let keys = Arc::new(ApiKeys::new(KeySet::new(vec![anna.entry]).unwrap()));
        let limit = LimitLayer::new(&settings, Arc::new(clock.clone()));
        LimitedServer { clock, limit, keys, anna: anna.text.reveal().clone() }
    }

    impl LimitedServer {
        async fn call(&self, peer: Option<Peer>, key: Option<&str>) -> Response<Body> {
            let mut request = request("/parlor.v1.CatalogueService/ListGames");
            if let Some(key) = key {
                request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
            }
            if let Some(peer) = peer {
                request.extensions_mut().insert(peer);
            }
            let handler = TestHandler(|_| Response::new(Body::new(Full::from("message"))));
            let layers = (
                IdentityLayer::new(self.keys.clone(), ServerKey::from_bytes([7; 32])),
                self.limit.clone(),
                AdmissionLayer,
            );
            tower::ServiceExt::oneshot(layers.layer(handler), request).await.unwrap()
        }

        /// The reason of the refusal of a call; `None` if it is accepted.
        async fn refusal(&self, peer: Option<Peer>, key: Option<&str>) -> Option<String> {
            let response = self.call(peer, key).await;
            status(&response).map(|status| reason(&status))
        }
    }

    fn reason(status: &Status) -> String {
        status.get_error_details().error_info().unwrap().reason.clone()
    }

    fn at(connection: u64, address: &str) -> Option<Peer> {
        let address: SocketAddr = address.parse().unwrap();
        Some(Peer { connection, address: Some(address) })
    }

    fn limited() -> Option<String> {
        Some("RATE_LIMITED".to_owned())
    }

    #[tokio::test]
    async fn callers_without_a_key_share_the_bucket_of_their_address() {
        let server = limited_server(Count::new(1), Count::new(100));
        assert_eq!(server.refusal(at(1, "192.0.2.1:1"), None).await, None);
        assert_eq!(server.refusal(at(2, "192.0.2.1:2"), None).await, None);
        assert_eq!(
            server.refusal(at(3, "192.0.2.1:3"), None).await,
            limited(),
            "a different port is the same caller"
        );
        assert_eq!(server.refusal(at(4, "192.0.2.2:1"), None).await, None);
        server.clock.advance(Duration::from_secs(1));
        assert_eq!(server.refusal(at(3, "192.0.2.1:3"), None).await, None);
        let response = server.call(at(3, "192.0.2.1:3"), None).await;
        let details = status(&response).unwrap().get_error_details();
        assert_eq!(details.retry_info().unwrap().retry_delay, Some(Duration::from_secs(1)));
    }

    #[tokio::test]
    async fn api_key_has_its_own_bucket_for_all_addresses() {
        let server = limited_server(Count::new(10), Count::new(100));
        let anna = Some(server.anna.as_str());
        // The quota of the key is a tenth of the default, and so is its burst.
        for connection in 0..2 {
            assert_eq!(server.refusal(at(connection, "192.0.2.1:1"), anna).await, None);
        }
        assert_eq!(server.refusal(at(3, "192.0.2.9:1"), anna).await, limited());
        assert_eq!(server.refusal(at(4, "192.0.2.1:1"), None).await, None, "other callers are unaffected");
    }

    #[tokio::test]
    async fn invalid_keys_count_towards_the_rate_limit() {
        let server = limited_server(Count::new(1), Count::new(100));
        let wrong = Some("plr_guess");
        let invalid = Some("KEY_INVALID".to_owned());
        assert_eq!(server.refusal(at(1, "192.0.2.1:1"), wrong).await, invalid);
        assert_eq!(server.refusal(at(1, "192.0.2.1:1"), wrong).await, invalid);
        assert_eq!(server.refusal(at(1, "192.0.2.1:1"), wrong).await, limited());
        assert_eq!(server.refusal(at(1, "192.0.2.1:1"), Some(&server.anna)).await, None);
    }

    #[tokio::test]
    async fn call_counts_as_a_stream_until_its_response_is_complete() {
        let server = limited_server(Count::new(1000), Count::new(2));
        let one = server.call(at(1, "192.0.2.1:1"), None).await;
        let other = server.call(at(1, "192.0.2.1:1"), None).await;
        let full = Some("TOO_MANY_STREAMS".to_owned());
        assert_eq!(server.refusal(at(1, "192.0.2.1:1"), None).await, full);
        assert_eq!(server.refusal(at(2, "192.0.2.1:1"), None).await, None, "another connection");
        one.into_body().collect().await.unwrap();
        let again = server.call(at(1, "192.0.2.1:1"), None).await;
        assert!(status(&again).is_none());
        assert_eq!(server.refusal(at(1, "192.0.2.1:1"), None).await, full);
        drop((again, other));
        assert_eq!(server.refusal(at(1, "192.0.2.1:1"), None).await, None);
    }

    #[tokio::test]
    async fn network_without_addresses_is_rate_limited_by_connection() {
        let server = limited_server(Count::new(1), Count::new(100));
        let peer = Some(Peer { connection: 1, address: None });
        assert_eq!(server.refusal(peer, None).await, None);
        assert_eq!(server.refusal(peer, None).await, None);
        assert_eq!(server.refusal(peer, None).await, limited());
        assert_eq!(server.refusal(None, None).await, None);
    }
}
