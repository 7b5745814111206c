//! The simulated network: server host, clock, client connections, and the fault injector.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use hyper_util::rt::TokioIo;
use parlor_engine::below;
use parlor_host::clock::{Clock, Moment, Sleep};
use parlor_server::config::Settings;
use parlor_server::identity::{ApiKeys, KeySet, ServerKey, SigningKeys};
use parlor_server::transport::{AcceptedConnection, Server, ServerDependencies};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use tonic::transport::{Channel, Endpoint, Uri};
use turmoil::Sim;
use turmoil::net::{TcpListener, TcpStream};

use crate::disk::Disk;

const SERVER: &str = "server";
const PORT: u16 = 7766;
/// Upper bound of a simulation, in simulated time.
const SIMULATION_LIMIT: Duration = Duration::from_secs(900);
/// Timeout of a response, and of a silent stream, after which a client reconnects.
pub(crate) const CLIENT_TIMEOUT: Duration = Duration::from_secs(3);

/// A clock on simulated time.
#[derive(Clone, Copy, Debug)]
struct SimulatedClock;

impl Clock for SimulatedClock {
    fn now_ms(&self) -> u64 {
        1_767_225_600_000 + turmoil::sim_elapsed().unwrap_or_default().as_millis() as u64
    }

    fn now(&self) -> Moment {
        Moment::START + turmoil::sim_elapsed().unwrap_or_default()
    }

    fn sleep_until(&self, deadline: Moment) -> Sleep {
        let clock = *self;
        Box::pin(async move { tokio::time::sleep(deadline.since(clock.now())).await })
    }
}

/// A random duration between `from` and `to` milliseconds.
pub(crate) fn random_duration(from: u32, to: u32, rng: &mut ChaCha8Rng) -> Duration {
    Duration::from_millis(u64::from(from + below(to - from, rng)))
}

/// A network with a server on this disk, which syncs at random intervals.
pub(crate) fn network<'a>(seed: u64, disk: &Disk) -> Sim<'a> {
    let mut sim = turmoil::Builder::new()
        .simulation_duration(SIMULATION_LIMIT)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(15))
        .tcp_capacity(4096)
        .rng_seed(seed)
        .build();
    let disk = disk.clone();
    sim.host(SERVER, move || serve(disk.clone(), seed));
    sim
}

async fn serve(disk: Disk, seed: u64) -> turmoil::Result {
    let syncing = disk.clone();
    tokio::spawn(async move {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        loop {
            let (min, max) = syncing.sync_interval_ms();
            tokio::time::sleep(random_duration(min, max, &mut rng)).await;
            syncing.sync();
        }
    });
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
    let incoming = stream::unfold(listener, |listener| async {
        let (io, address) = listener.accept().await.expect("a connection");
        Some((AcceptedConnection { io, address: Some(address) }, listener))
    });
    let parts = ServerDependencies {
        clock: Arc::new(SimulatedClock),
        log: disk.open(),
        keys: Arc::new(ApiKeys::new(KeySet::new(Vec::new()).expect("no keys"))),
        server_key: ServerKey::from_bytes([7; 32]),
        signing_keys: Arc::new(SigningKeys::from_bytes([8; 32])),
    };
    let mut running = Server::start_on(&Settings::default(), parts, incoming).await?;
    running.ended().await;
    Ok(())
}

/// Connects to the server; `None` if that fails within [`CLIENT_TIMEOUT`].
pub(crate) async fn connect() -> Option<Channel> {
    let connector = tower::service_fn(|_: Uri| async {
        Ok::<_, std::io::Error>(TokioIo::new(TcpStream::connect((SERVER, PORT)).await?))
    });
    let endpoint = Endpoint::from_static("http://server:7766");
    tokio::time::timeout(CLIENT_TIMEOUT, endpoint.connect_with_connector(connector)).await.ok()?.ok()
}

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// The server crashes and restarts.
    Crash,
    /// Packets between the server and a client are lost for a while.
    Partition,
    /// Packets between them are delayed for a while.
    Hold,
}

/// Injects a number of faults, one after the other.
pub(crate) struct FaultInjector<'a> {
    rng: ChaCha8Rng,
    disk: &'a Disk,
    clients: Vec<String>,
    remaining: usize,
    /// The active fault, its client, and its end.
    active: Option<(Fault, String, Duration)>,
    /// Start of the next fault.
    next: Duration,
    pub(crate) crashes: usize,
}

impl<'a> FaultInjector<'a> {
    pub(crate) fn new(
        seed: u64,
        disk: &'a Disk,
        clients: Vec<String>,
        remaining: usize,
    ) -> FaultInjector<'a> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1);
        let next = random_duration(50, 1500, &mut rng);
        FaultInjector { rng, disk, clients, remaining, active: None, next, crashes: 0 }
    }

    /// Starts and ends the faults that are due.
    pub(crate) fn step(&mut self, sim: &mut Sim<'_>) {
        match &self.active {
            Some((fault, client, until)) if *until <= sim.elapsed() => {
                match fault {
                    Fault::Crash => sim.bounce(SERVER),
                    Fault::Partition => sim.repair(SERVER, client.as_str()),
                    Fault::Hold => sim.release(SERVER, client.as_str()),
                }
                self.active = None;
                self.next = sim.elapsed() + random_duration(50, 700, &mut self.rng);
            }
            None if self.next <= sim.elapsed() && self.remaining > 0 => {
                self.remaining -= 1;
                let fault = [Fault::Crash, [Fault::Partition, Fault::Hold][below(2, &mut self.rng) as usize]]
                    [self.remaining % 2];
                let client = self.clients[below(self.clients.len() as u32, &mut self.rng) as usize].clone();
                let duration = match fault {
                    Fault::Crash => {
                        self.crashes += 1;
                        sim.crash(SERVER);
                        self.disk.crash();
                        random_duration(20, 800, &mut self.rng)
                    }
                    Fault::Partition => {
                        sim.partition(SERVER, client.as_str());
                        random_duration(50, 4000, &mut self.rng)
                    }
                    Fault::Hold => {
                        sim.hold(SERVER, client.as_str());
                        random_duration(50, 4000, &mut self.rng)
                    }
                };
                self.active = Some((fault, client, sim.elapsed() + duration));
            }
            Some(_) | None => {}
        }
    }
}
