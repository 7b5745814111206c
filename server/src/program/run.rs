//! Running the server, from its settings to its end.

use std::{process::ExitCode, sync::Arc};

use anyhow::{Context, bail};
use tokio::runtime::{Builder, Runtime};

use super::{
    greeting::Greeting,
    keys,
    notify::{self, notify},
    print,
    signals::{Signals, Told},
};
use crate::{
    clock::SystemClock,
    config::{Settings, Sources, Store},
    identity::{KeySet, Keys, ServerKey},
    log::{Log, MemoryLog, Options, SqliteLog},
    serve::{Parts, Running, Server},
    telemetry::Telemetry,
};

/// Runs until it is told to stop.
pub(super) fn run(sources: &Sources) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(sources)?;
    let runtime = Builder::new_multi_thread().enable_all().thread_name("parlor").build();
    let runtime: Runtime = runtime.context("the runtime cannot be started")?;
    let ended = runtime.block_on(serve(sources, &settings));
    // Whatever still waits for something waits in vain.
    runtime.shutdown_background();
    ended
}

async fn serve(sources: &Sources, settings: &Settings) -> anyhow::Result<ExitCode> {
    let telemetry = Telemetry::start(settings)?;
    // From the beginning: whoever stops the server while it starts is heard too.
    let mut signals = Signals::listen().context("signals cannot be listened for")?;
    let keys = Arc::new(Keys::new(KeySet::new(settings.keys.clone())?));
    let (log, server_key) = open(settings)?;
    let parts =
        Parts { clock: Arc::new(SystemClock::new()), log: log.clone(), keys: keys.clone(), server_key };
    let mut running = Server::start(settings, parts).await?;

    let address = running.address().context("the server listens nowhere")?;
    // The port that it is, where any would do.
    let settings = &Settings { listen: address, ..settings.clone() };
    for warning in settings.warnings() {
        tracing::warn!("{warning}");
    }
    print(Greeting { settings, metrics: running.metrics_address() });
    tracing::info!(%address, "the server is up");
    notify(notify::READY);

    let told = until_stopped(&mut running, &mut signals, || keys::reload(sources, &keys)).await;
    notify(notify::STOPPING);
    if told.is_some() {
        tracing::info!("stopping; a second signal stops at once");
        tokio::select! {
            () = running.stop() => {}
            () = second(&mut signals) => at_once(),
        }
    }
    log.close().await;
    telemetry.stop().await;
    match told {
        Some(_) => Ok(ExitCode::SUCCESS),
        None => bail!("the server could no longer listen: see its log, and start it again"),
    }
}

/// The store and the server key.
fn open(settings: &Settings) -> anyhow::Result<(Arc<dyn Log>, ServerKey)> {
    match (&settings.store, settings.store_file()) {
        (Store::Sqlite(_), Some(file)) => {
            // It makes the data folder too.
            let server_key = ServerKey::load_or_create(&settings.data)?;
            let queue = settings.limits.commit_queue.get() as usize;
            let log = SqliteLog::open(&file, Options { queue, ..Options::default() })?;
            Ok((Arc::new(log), server_key))
        }
        // What is kept nowhere needs no key that lasts.
        (Store::Memory | Store::Sqlite(_), _) => Ok((Arc::new(MemoryLog::new()), ServerKey::fresh()?)),
    }
}

/// Waits for the signal to stop; none if the server ended by itself.
async fn until_stopped(running: &mut Running, signals: &mut Signals, reload: impl Fn()) -> Option<Told> {
    loop {
        tokio::select! {
            () = running.ended() => return None,
            told = signals.next() => match told {
                Told::Reload => reload(),
                Told::Stop(_) => return Some(told),
            }
        }
    }
}

/// Waits until the server is told to stop once more.
async fn second(signals: &mut Signals) {
    while signals.next().await == Told::Reload {}
}

#[expect(clippy::disallowed_methods, reason = "whoever says stop twice does not want to wait for anything")]
fn at_once() {
    tracing::warn!("told to stop again: stopping at once");
    std::process::exit(1);
}
