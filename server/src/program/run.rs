//! `run`: the server from its settings to its shutdown.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context, bail};
use tokio::runtime::{Builder, Runtime};

use super::{
    keys, print,
    signals::{ServerSignal, Signals},
    startup_message::StartupMessage,
    store,
    systemd::{self, notify},
};
use crate::{
    config::{Settings, Sources, Store},
    identity::{ApiKeys, KeySet, ServerKey, SigningKeys},
    telemetry::Telemetry,
    transport::{RunningServer, Server, ServerDependencies},
};
use parlor_host::clock::SystemClock;
use parlor_store::{Log, MemoryLog, SqliteLog, SqliteOptions};

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
    let (log, server_key, signing_keys) = open_store(settings)?;
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

    let signal = wait_until_stopped(&mut running, &mut signals, || keys::reload(sources, &keys)).await;
    notify(systemd::STOPPING);
    if signal.is_some() {
        tracing::info!("stopping; a second signal stops at once");
        tokio::select! {
            () = running.stop() => {}
            () = wait_for_second_stop(&mut signals) => exit_at_once(),
        }
    }
    log.close().await;
    telemetry.stop().await;
    match signal {
        Some(_) => Ok(ExitCode::SUCCESS),
        None => bail!("the server could no longer listen: see its log, and start it again"),
    }
}

/// Opens the store, the server key and the signing keys.
fn open_store(settings: &Settings) -> anyhow::Result<(Arc<dyn Log>, ServerKey, SigningKeys)> {
    match (&settings.store, settings.store_file()) {
        (Store::Sqlite(_), Some(file)) => {
            // Also creates the data folder.
            let server_key = ServerKey::load_or_create(&settings.data)?;
            let signing_keys = SigningKeys::load_or_create(&settings.data)?;
            warn_of_shared_folder(&settings.data);
            let queue = settings.limits.commit_queue.get() as usize;
            let log = SqliteLog::open(&file, SqliteOptions { queue, ..SqliteOptions::default() })?;
            Ok((Arc::new(log), server_key, signing_keys))
        }
        // A store in memory needs no persistent keys.
        (Store::Memory | Store::Sqlite(_), _) => {
            Ok((Arc::new(MemoryLog::new()), ServerKey::generate()?, SigningKeys::generate()?))
        }
    }
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

/// Waits for the signal to stop; `None` if the server ended by itself.
async fn wait_until_stopped(
    running: &mut RunningServer,
    signals: &mut Signals,
    reload: impl Fn(),
) -> Option<ServerSignal> {
    loop {
        tokio::select! {
            () = running.ended() => return None,
            signal = signals.next() => match signal {
                ServerSignal::Reload => reload(),
                ServerSignal::Stop(_) => return Some(signal),
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
