//! This binary as a server: the real one, or the control that acknowledges too early.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Parser;
use parlor_host::clock::SystemClock;
use parlor_server::config::{Cli, Settings, Sources};
use parlor_server::identity::{ApiKeys, KeySet, ServerKey, SigningKeys};
use parlor_server::program;
use parlor_server::transport::{Server, ServerDependencies};
use parlor_store::{SqliteLog, SqliteOptions};
use tokio::signal::unix::{SignalKind, signal};

use crate::early_ack::EarlyAckLog;

/// Runs `parlor-server` with these arguments.
pub(crate) fn serve(arguments: &[String]) -> ExitCode {
    program::main(&parse(arguments))
}

/// Runs the server on a log that acknowledges before it writes.
pub(crate) async fn serve_early(arguments: &[String]) -> Result<ExitCode> {
    let settings = Settings::load(&Sources::from_process(parse(arguments).flags))?;
    let file = settings.store_file().context("the control needs a store in a file")?;
    let parts = ServerDependencies {
        clock: Arc::new(SystemClock::new()),
        server_key: ServerKey::load_or_create(&settings.data)?,
        signing_keys: Arc::new(SigningKeys::load_or_create(&settings.data)?),
        log: Arc::new(EarlyAckLog::over(Arc::new(SqliteLog::open(&file, SqliteOptions::default())?))),
        keys: Arc::new(ApiKeys::new(KeySet::new(settings.keys.clone())?)),
    };
    let mut terminate = signal(SignalKind::terminate())?;
    let running = Server::start(&settings, parts).await?;
    let address = running.address().context("the server listens nowhere")?;
    println!("the control listens on {address} (it acknowledges before it commits)");
    terminate.recv().await;
    running.stop().await;
    Ok(ExitCode::SUCCESS)
}

fn parse(arguments: &[String]) -> Cli {
    Cli::parse_from(std::iter::once("parlor-server").chain(arguments.iter().map(String::as_str)))
}
