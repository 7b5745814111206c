//! How fast a caller may ask, and how much it may have under way on one connection.
//!
//! A key has a bucket of its own; callers without one share that of their address. A call holds a place on its connection
//! until its response has ended.

use std::{
    net::IpAddr,
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use tonic::body::Body;
use tower::{Layer, Service};

use super::{Answer, identity::CallerIdentity, on_complete, refused};
use crate::{
    config,
    grpc::peer::Peer,
    identity::{Caller, KeyId},
};
use parlor_host::clock::Clock;
use parlor_host::limits::{CountGuard, Counter, LimitExceeded, LimitedResource, Rate, RateLimiter};

/// Whose bucket a request takes a token from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Payer {
    Key(KeyId),
    Household(IpAddr),
    /// On a network without addresses, a connection is all there is.
    Connection(u64),
}

/// Holds callers to their limits.
#[derive(Clone, Debug)]
pub struct Limit(Arc<Limits>);

#[derive(Debug)]
struct Limits {
    settings: config::Limits,
    rates: RateLimiter<Payer>,
    streams: Counter<u64>,
}

impl Limit {
    /// Limits as the settings have them, none of them used.
    #[must_use]
    pub fn new(settings: &config::Limits, clock: Arc<dyn Clock>) -> Limit {
        let callers = settings.callers.get() as usize;
        Limit(Arc::new(Limits {
            settings: settings.clone(),
            rates: RateLimiter::new(clock, callers),
            streams: Counter::new(LimitedResource::Streams, callers),
        }))
    }
}

impl Limits {
    /// A key's own rate comes with a burst in the same proportion.
    fn rate(&self, caller: Option<&Caller>) -> Rate {
        let (usual, burst) = (self.settings.requests_per_second.get(), self.settings.request_burst.get());
        match caller.and_then(Caller::requests_per_second) {
            None => Rate::new(usual, burst),
            Some(own) => {
                let burst = u64::from(burst) * u64::from(own.get()) / u64::from(usual);
                Rate::new(own.get(), u32::try_from(burst).unwrap_or(u32::MAX))
            }
        }
    }

    /// Takes a token for the request, and a place on its connection.
    fn take(&self, request: &Request<Body>) -> Result<Option<CountGuard<u64>>, LimitExceeded> {
        let peer = request.extensions().get::<Peer>();
        let caller = match request.extensions().get::<CallerIdentity>() {
            // On a server without keys everyone has the same: there it is the address that counts.
            Some(CallerIdentity::Known(caller)) if caller.has_key() => Some(caller),
            _ => None,
        };
        let payer = match (caller, peer) {
            (Some(caller), _) => Payer::Key(caller.key()),
            (None, Some(peer)) => {
                peer.household().map_or(Payer::Connection(peer.connection), Payer::Household)
            }
            (None, None) => Payer::Connection(0),
        };
        self.rates.take(&payer, self.rate(caller))?;
        let most = self.settings.streams_per_connection.get();
        peer.map(|peer| self.streams.hold(&peer.connection, most)).transpose()
    }
}

impl<S> Layer<S> for Limit {
    type Service = Limiting<S>;

    fn layer(&self, inner: S) -> Limiting<S> {
        Limiting { inner, limits: self.0.clone() }
    }
}

/// The service of [`Limit`].
#[derive(Clone, Debug)]
pub struct Limiting<S> {
    inner: S,
    limits: Arc<Limits>,
}

impl<S> Service<Request<Body>> for Limiting<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Future: Send + 'static>,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Answer<S::Error> {
        let held = match self.limits.take(&request) {
            Ok(held) => held,
            Err(exhausted) => return Box::pin(async move { Ok(refused(exhausted)) }),
        };
        let answer = self.inner.call(request);
        Box::pin(async move { Ok(on_complete::keep(answer.await?, held)) })
    }
}

#[cfg(test)]
mod tests {
    use std::{net::SocketAddr, time::Duration};

    use http_body_util::{BodyExt, Full};
    use tonic::Status;
    use tonic_types::StatusExt;

    use super::super::{
        identity::{Admit, Identify},
        tests::{Echo, request, status},
    };
    use super::*;
    use crate::{
        config::Count,
        identity::{ApiKeys, KeySet, NewKey, Scope},
    };
    use parlor_host::clock::ManualClock;

    struct Served {
        clock: ManualClock,
        limit: Limit,
        keys: Arc<ApiKeys>,
        anna: String,
    }

    fn served(requests_per_second: Count<1, 1_000_000>, streams: Count<1, 10_000>) -> Served {
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
        let limit = Limit::new(&settings, Arc::new(clock.clone()));
        Served { clock, limit, keys, anna: anna.text.reveal().clone() }
    }

    impl Served {
        async fn call(&self, peer: Option<Peer>, key: Option<&str>) -> Response<Body> {
            let mut request = request("/parlor.v1.CatalogueService/ListGames");
            if let Some(key) = key {
                request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
            }
            if let Some(peer) = peer {
                request.extensions_mut().insert(peer);
            }
            let handler = Echo(|_| Response::new(Body::new(Full::from("message"))));
            let layers = (Identify::new(self.keys.clone()), self.limit.clone(), Admit);
            tower::ServiceExt::oneshot(layers.layer(handler), request).await.unwrap()
        }

        /// The reason for which a call is refused; none if it is not.
        async fn refused(&self, peer: Option<Peer>, key: Option<&str>) -> Option<String> {
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
        let served = served(Count::new(1), Count::new(100));
        assert_eq!(served.refused(at(1, "192.0.2.1:1"), None).await, None);
        assert_eq!(served.refused(at(2, "192.0.2.1:2"), None).await, None);
        assert_eq!(
            served.refused(at(3, "192.0.2.1:3"), None).await,
            limited(),
            "another port is no other caller"
        );
        assert_eq!(served.refused(at(4, "192.0.2.2:1"), None).await, None);
        served.clock.advance(Duration::from_secs(1));
        assert_eq!(served.refused(at(3, "192.0.2.1:3"), None).await, None);
        let response = served.call(at(3, "192.0.2.1:3"), None).await;
        let details = status(&response).unwrap().get_error_details();
        assert_eq!(details.retry_info().unwrap().retry_delay, Some(Duration::from_secs(1)));
    }

    #[tokio::test]
    async fn a_key_has_its_own_bucket_wherever_it_comes_from() {
        let served = served(Count::new(10), Count::new(100));
        let anna = Some(served.anna.as_str());
        // Its quota is a tenth of the usual one, and so is its burst.
        for connection in 0..2 {
            assert_eq!(served.refused(at(connection, "192.0.2.1:1"), anna).await, None);
        }
        assert_eq!(served.refused(at(3, "192.0.2.9:1"), anna).await, limited());
        assert_eq!(served.refused(at(4, "192.0.2.1:1"), None).await, None, "others are not concerned");
    }

    #[tokio::test]
    async fn whoever_tries_keys_pays_for_each() {
        let served = served(Count::new(1), Count::new(100));
        let wrong = Some("plr_guess");
        let invalid = Some("KEY_INVALID".to_owned());
        assert_eq!(served.refused(at(1, "192.0.2.1:1"), wrong).await, invalid);
        assert_eq!(served.refused(at(1, "192.0.2.1:1"), wrong).await, invalid);
        assert_eq!(served.refused(at(1, "192.0.2.1:1"), wrong).await, limited());
        assert_eq!(served.refused(at(1, "192.0.2.1:1"), Some(&served.anna)).await, None);
    }

    #[tokio::test]
    async fn a_call_holds_its_place_until_its_response_has_ended() {
        let served = served(Count::new(1000), Count::new(2));
        let one = served.call(at(1, "192.0.2.1:1"), None).await;
        let other = served.call(at(1, "192.0.2.1:1"), None).await;
        let full = Some("TOO_MANY_STREAMS".to_owned());
        assert_eq!(served.refused(at(1, "192.0.2.1:1"), None).await, full);
        assert_eq!(served.refused(at(2, "192.0.2.1:1"), None).await, None, "another connection");
        one.into_body().collect().await.unwrap();
        let again = served.call(at(1, "192.0.2.1:1"), None).await;
        assert!(status(&again).is_none());
        assert_eq!(served.refused(at(1, "192.0.2.1:1"), None).await, full);
        drop((again, other));
        assert_eq!(served.refused(at(1, "192.0.2.1:1"), None).await, None);
    }

    #[tokio::test]
    async fn a_network_without_addresses_has_limits_too() {
        let served = served(Count::new(1), Count::new(100));
        let peer = Some(Peer { connection: 1, address: None });
        assert_eq!(served.refused(peer, None).await, None);
        assert_eq!(served.refused(peer, None).await, None);
        assert_eq!(served.refused(peer, None).await, limited());
        assert_eq!(served.refused(None, None).await, None);
    }
}
