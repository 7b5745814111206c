//! What every command needs: the settings, the language, the way to the server, and where to print.

use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::Duration;

use parlor_engine::Lang;
use parlor_sdk::Client;

use crate::config::{Environment, Settings};
use crate::errors::Failure;
use crate::output::Output;
use crate::signal::Stop;

/// After how long a wait is said to be one.
const LONG: Duration = Duration::from_millis(700);

/// What every command needs.
pub(crate) struct Context {
    /// The settings.
    pub(crate) settings: Settings,
    /// The environment.
    pub(crate) environment: Environment,
    /// The language.
    pub(crate) lang: Lang,
    /// Whether to print JSON.
    pub(crate) json: bool,
    /// Where to print.
    pub(crate) out: Output,
    /// Whether to stop.
    pub(crate) stop: Stop,
}

impl Context {
    pub(crate) fn new(settings: Settings, environment: Environment, json: bool, stop: Stop) -> Context {
        Context { lang: settings.lang, settings, environment, json, out: Output, stop }
    }

    /// Connects to the server.
    pub(crate) async fn client(&self) -> Result<Client, Failure> {
        let server = &self.settings.server;
        if self.settings.shows_its_key() {
            self.note(&self.say(
                || format!("parlor: warning: the API key goes to {server} unencrypted; use https:// if it can"),
                || format!("parlor: Warnung: Der API-Schlüssel geht unverschlüsselt an {server}; nimm https://, wenn es geht"),
            ));
        }
        self.settings.connect().await
    }

    /// A text in the language of the settings.
    pub(crate) fn say(&self, en: impl FnOnce() -> String, de: impl FnOnce() -> String) -> String {
        match self.lang {
            Lang::En => en(),
            Lang::De => de(),
        }
    }

    /// Waits for the server and, if it takes long and somebody looks on, says so.
    pub(crate) async fn waiting<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        match tokio::time::timeout(LONG, &mut work).await {
            Ok(done) => done,
            Err(_) => {
                let server = &self.settings.server;
                self.progress(
                    &self.say(|| format!("Waiting for {server} ..."), || format!("Warte auf {server} ...")),
                );
                work.await
            }
        }
    }

    /// Tells somebody who looks on what is going on. Standard output is not for this.
    pub(crate) fn progress(&self, what: &str) {
        let mut err = io::stderr();
        if err.is_terminal() {
            // If it cannot be told, nothing is lost.
            let _ = writeln!(err, "{what}");
        }
    }

    /// Tells what a person must know beside the output, whether a terminal is there or not.
    pub(crate) fn note(&self, what: &str) {
        let _ = writeln!(io::stderr(), "{what}");
    }
}
