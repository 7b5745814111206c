//! The simulated world: a server, a network between it and its clients, time, and what goes wrong.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use hyper_util::rt::TokioIo;
use parlor_engine::below;
use parlor_server::clock::{Clock, Moment, Sleep};
use parlor_server::config::Settings;
use parlor_server::identity::{KeySet, Keys, ServerKey};
use parlor_server::serve::{Accepted, Parts, Server};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use tonic::transport::{Channel, Endpoint, Uri};
use turmoil::Sim;
use turmoil::net::{TcpListener, TcpStream};

use crate::disk::Disk;

const SERVER: &str = "server";
const PORT: u16 = 7766;
/// Nobody needs as long as this, by the simulated clock.
const LONGEST: Duration = Duration::from_secs(900);
/// How long an answer is waited for, and how long a stream may be silent, before a client comes back anew.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// Simulated time.
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

/// A random time, in milliseconds.
pub(crate) fn some_time(from: u32, to: u32, rng: &mut ChaCha8Rng) -> Duration {
    Duration::from_millis(u64::from(from + below(to - from, rng)))
}

/// A network with a server on this disk, which syncs every now and then.
pub(crate) fn world<'a>(seed: u64, disk: &Disk) -> Sim<'a> {
    let mut sim = turmoil::Builder::new()
        .simulation_duration(LONGEST)
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
            let (least, most) = syncing.sync_takes();
            tokio::time::sleep(some_time(least, most, &mut rng)).await;
            syncing.sync();
        }
    });
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
    let incoming = stream::unfold(listener, |listener| async {
        let (io, address) = listener.accept().await.expect("a connection");
        Some((Accepted { io, address: Some(address) }, listener))
    });
    let parts = Parts {
        clock: Arc::new(SimulatedClock),
        log: disk.open(),
        keys: Arc::new(Keys::new(KeySet::new(Vec::new()).expect("no keys"))),
        server_key: ServerKey::from_bytes([7; 32]),
    };
    let mut running = Server::start_on(&Settings::default(), parts, incoming).await?;
    running.ended().await;
    Ok(())
}

/// A connection to the server, if there is one within a while.
pub(crate) async fn connect() -> Option<Channel> {
    let connector = tower::service_fn(|_: Uri| async {
        Ok::<_, std::io::Error>(TokioIo::new(TcpStream::connect((SERVER, PORT)).await?))
    });
    let endpoint = Endpoint::from_static("http://server:7766");
    tokio::time::timeout(PATIENCE, endpoint.connect_with_connector(connector)).await.ok()?.ok()
}

/// What can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// The server's machine fails, and comes back.
    Crash,
    /// Whatever is sent between the server and a client is lost for a while.
    Cut,
    /// Whatever is sent between them waits for a while.
    Hold,
}

/// Faults, one after the other, until there have been enough.
pub(crate) struct Trouble<'a> {
    rng: ChaCha8Rng,
    disk: &'a Disk,
    clients: Vec<String>,
    left: usize,
    /// The fault that is on, whom it concerns, and when it ends.
    now: Option<(Fault, String, Duration)>,
    /// When the next one begins.
    next: Duration,
    pub(crate) crashes: usize,
}

impl<'a> Trouble<'a> {
    pub(crate) fn new(seed: u64, disk: &'a Disk, clients: Vec<String>, left: usize) -> Trouble<'a> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1);
        let next = some_time(50, 1500, &mut rng);
        Trouble { rng, disk, clients, left, now: None, next, crashes: 0 }
    }

    /// Lets begin and end what is due.
    pub(crate) fn stir(&mut self, sim: &mut Sim<'_>) {
        match &self.now {
            Some((fault, client, until)) if *until <= sim.elapsed() => {
                match fault {
                    Fault::Crash => sim.bounce(SERVER),
                    Fault::Cut => sim.repair(SERVER, client.as_str()),
                    Fault::Hold => sim.release(SERVER, client.as_str()),
                }
                self.now = None;
                self.next = sim.elapsed() + some_time(50, 700, &mut self.rng);
            }
            None if self.next <= sim.elapsed() && self.left > 0 => {
                self.left -= 1;
                let fault = [Fault::Crash, [Fault::Cut, Fault::Hold][below(2, &mut self.rng) as usize]]
                    [self.left % 2];
                let client = self.clients[below(self.clients.len() as u32, &mut self.rng) as usize].clone();
                let lasts = match fault {
                    Fault::Crash => {
                        self.crashes += 1;
                        sim.crash(SERVER);
                        self.disk.crash();
                        some_time(20, 800, &mut self.rng)
                    }
                    Fault::Cut => {
                        sim.partition(SERVER, client.as_str());
                        some_time(50, 4000, &mut self.rng)
                    }
                    Fault::Hold => {
                        sim.hold(SERVER, client.as_str());
                        some_time(50, 4000, &mut self.rng)
                    }
                };
                self.now = Some((fault, client, sim.elapsed() + lasts));
            }
            Some(_) | None => {}
        }
    }
}
