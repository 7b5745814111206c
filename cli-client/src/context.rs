//! State shared by all commands: settings, language, connection, output.

use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::Duration;

use parlor_engine::Lang;
use parlor_sdk::Client;

use crate::config::{Environment, Settings};
use crate::errors::Failure;
use crate::output::Output;
use crate::signal::StopSignal;

/// Delay before the waiting notice is printed.
const WAIT_NOTICE_DELAY: Duration = Duration::from_millis(700);

/// Execution context of a command.
#[derive(Clone)]
pub(crate) struct Context {
    /// Resolved settings.
    pub(crate) settings: Settings,
    /// Process environment.
    pub(crate) environment: Environment,
    /// Output language.
    pub(crate) lang: Lang,
    /// Print JSON.
    pub(crate) json: bool,
    /// Standard output.
    pub(crate) out: Output,
    /// Stop signal of the process.
    pub(crate) stop: StopSignal,
}

impl Context {
    pub(crate) fn new(settings: Settings, environment: Environment, json: bool, stop: StopSignal) -> Context {
        Context { lang: settings.lang, settings, environment, json, out: Output, stop }
    }

    /// Connects to the server.
    pub(crate) async fn connect(&self) -> Result<Client, Failure> {
        let server = &self.settings.server;
        if self.settings.sends_key_in_plaintext() {
            self.note(&self.localise(
                || format!("parlor: warning: the API key is sent to {server} unencrypted; use https:// if possible"),
                || format!("parlor: Warnung: Der API-Schlüssel geht unverschlüsselt an {server}; nimm https://, wenn es geht"),
            ));
        }
        self.settings.connect().await
    }

    /// The text in the output language.
    pub(crate) fn localise(&self, en: impl FnOnce() -> String, de: impl FnOnce() -> String) -> String {
        match self.lang {
            Lang::En => en(),
            Lang::De => de(),
        }
    }

    /// Awaits `work`, and prints a notice on a terminal if it takes longer than [`WAIT_NOTICE_DELAY`].
    pub(crate) async fn with_wait_notice<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        match tokio::time::timeout(WAIT_NOTICE_DELAY, &mut work).await {
            Ok(done) => done,
            Err(_) => {
                let server = &self.settings.server;
                self.progress(
                    &self.localise(
                        || format!("Waiting for {server} ..."),
                        || format!("Warte auf {server} ..."),
                    ),
                );
                work.await
            }
        }
    }

    /// Prints a progress line to standard error if that is a terminal.
    pub(crate) fn progress(&self, text: &str) {
        let mut err = io::stderr();
        if err.is_terminal() {
            // A failed write loses nothing of value.
            let _ = writeln!(err, "{text}");
        }
    }

    /// Prints a line to standard error, terminal or not.
    pub(crate) fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }
}
