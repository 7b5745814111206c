//! `run`: the server from its settings to its shutdown.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context, bail};
use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::runtime::{Builder, Runtime};

use super::{
    database, keys, print,
    signals::{ServerSignal, Signals},
    startup_message::StartupMessage,
    store,
    systemd::{self, notify},
};
use crate::{
    config::{Settings, Sources, Store},
    identity::{ApiKeys, KeySet, ServerKey, SharedKeys, SigningKeys},
    telemetry::Telemetry,
    transport::{RunningServer, Server, ServerDependencies},
};
use parlor_host::clock::SystemClock;
use parlor_store::{Log, MemoryLog, PgLog, PgOptions, SharedValues, SqliteLog, SqliteOptions};

/// Runs the server until a stop signal.
pub(super) fn run(sources: &Sources) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(sources)?;
    let runtime = Builder::new_multi_thread().enable_all().thread_name("parlor").build();
    let runtime: Runtime = runtime.context("the runtime cannot be started")?;
    let ended = runtime.block_on(serve(sources, &settings));
    // Remaining blocking tasks are abandoned.
    runtime.shutdown_background();
    ended
}

async fn serve(sources: &Sources, settings: &Settings) -> anyhow::Result<ExitCode> {
    let telemetry = Telemetry::start(settings)?;
    // Before anything else, so that a signal during start-up is handled too.
    let mut signals = Signals::listen().context("signals cannot be listened for")?;
    let keys = Arc::new(ApiKeys::new(KeySet::new(settings.keys.clone())?));
    let OpenStore { log, server_key, signing_keys, fenced } = open_store(settings).await?;
    store::ensure_known_games(settings, log.listed_games().await?)?;
    let parts = ServerDependencies {
        clock: Arc::new(SystemClock::new()),
        log: log.clone(),
        keys: keys.clone(),
        server_key,
        signing_keys: Arc::new(signing_keys),
    };
    let mut running = Server::start(settings, parts).await?;

    let address = running.address().context("the server listens nowhere")?;
    // The actual port, if the settings have port 0.
    let settings = &Settings { listen: address, ..settings.clone() };
    for warning in settings.warnings() {
        tracing::warn!("{warning}");
    }
    print(StartupMessage { settings, metrics: running.metrics_address() });
    tracing::info!(%address, "the server is up");
    notify(systemd::READY);

    let end = wait_until_stopped(&mut running, &mut signals, fenced, || keys::reload(sources, &keys)).await;
    notify(systemd::STOPPING);
    if matches!(end, End::Fenced) {
        tracing::error!("another server has taken over the database; stopping");
        running.stop().await;
    } else if matches!(end, End::Signal) {
        tracing::info!("stopping; a second signal stops at once");
        tokio::select! {
            () = running.stop() => {}
            () = wait_for_second_stop(&mut signals) => exit_at_once(),
        }
    }
    log.close().await;
    telemetry.stop().await;
    match end {
        End::Signal => Ok(ExitCode::SUCCESS),
        End::Listener => bail!("the server could no longer listen: see its log, and start it again"),
        End::Fenced => bail!(
            "another parlor-server has taken over {}: one server at a time uses a database, so stop the other one first",
            store::store_name(settings)
        ),
    }
}

/// Reason for which the server ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// A signal to stop.
    Signal,
    /// It could no longer listen.
    Listener,
    /// Another server has taken over its store.
    Fenced,
}

/// A store with the keys of its server.
struct OpenStore {
    log: Arc<dyn Log>,
    server_key: ServerKey,
    signing_keys: SigningKeys,
    /// Completes when another server has taken over.
    fenced: BoxFuture<'static, ()>,
}

/// Opens the store, the server key and the signing keys.
async fn open_store(settings: &Settings) -> anyhow::Result<OpenStore> {
    let queue = settings.limits.commit_queue.get() as usize;
    let fenced = || std::future::pending().boxed();
    match (&settings.store, settings.store_file()) {
        (Store::Sqlite(_), Some(file)) => {
            // Also creates the data folder.
            let server_key = ServerKey::load_or_create(&settings.data)?;
            let signing_keys = SigningKeys::load_or_create(&settings.data)?;
            warn_of_shared_folder(&settings.data);
            let log = SqliteLog::open(&file, SqliteOptions { queue, ..SqliteOptions::default() })?;
            Ok(OpenStore { log: Arc::new(log), server_key, signing_keys, fenced: fenced() })
        }
        (Store::Postgres(url), _) => {
            let address = database::address(settings, url)?;
            let keys = SharedKeys::load(&SharedValues::open(&address).await?, &settings.data).await?;
            let readers = settings.postgres.readers.get() as usize;
            let options = PgOptions { queue, readers, ..PgOptions::default() };
            let log = PgLog::open(address, &host_name(), options).await?;
            let fenced = log.fenced().boxed();
            let SharedKeys { server_key, signing_keys } = keys;
            Ok(OpenStore { log: Arc::new(log), server_key, signing_keys, fenced })
        }
        // A store in memory needs no persistent keys.
        (Store::Memory | Store::Sqlite(_), _) => Ok(OpenStore {
            log: Arc::new(MemoryLog::new()),
            server_key: ServerKey::generate()?,
            signing_keys: SigningKeys::generate()?,
            fenced: fenced(),
        }),
    }
}

/// Name of this machine, for the rows that the server has in a database.
fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String = name.trim().chars().take(64).collect();
    if name.is_empty() { String::from("parlor-server") } else { name }
}

/// Warns if other users can open an existing data folder. Its files are private, and the folder may be one that the
/// operator shares on purpose, so its permissions are left alone.
fn warn_of_shared_folder(folder: &Path) {
    let mode = fs::metadata(folder).map_or(0, |metadata| metadata.permissions().mode() & 0o7777);
    if mode & 0o077 != 0 {
        let folder = folder.display();
        tracing::warn!("other users can open the data folder {folder} (mode {mode:o}): chmod 700 it");
    }
}

/// Waits for a reason to stop.
async fn wait_until_stopped(
    running: &mut RunningServer,
    signals: &mut Signals,
    mut fenced: BoxFuture<'static, ()>,
    reload: impl Fn(),
) -> End {
    loop {
        tokio::select! {
            () = running.ended() => return End::Listener,
            () = &mut fenced => return End::Fenced,
            signal = signals.next() => match signal {
                ServerSignal::Reload => reload(),
                ServerSignal::Stop(_) => return End::Signal,
            }
        }
    }
}

/// Waits for another signal to stop.
async fn wait_for_second_stop(signals: &mut Signals) {
    while signals.next().await == ServerSignal::Reload {}
}

#[expect(clippy::disallowed_methods, reason = "a second stop signal means: exit without waiting")]
fn exit_at_once() {
    tracing::warn!("second stop signal: exiting at once");
    std::process::exit(1);
}
