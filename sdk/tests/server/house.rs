//! A server that can be stopped, killed and started again on the same store, behind an address that stays.

use std::sync::Arc;
use std::time::Duration;

use parlor_sdk::{Client, ClientBuilder};
use parlor_server::clock::SystemClock;
use parlor_server::config::Settings;
use parlor_server::identity::{KeySet, Keys, ServerKey};
use parlor_server::log::{LogError, Options, SqliteLog};
use parlor_server::serve::{Parts, Running, Server};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::net::Network;
use super::within;

pub(crate) struct House {
    pub(crate) settings: Settings,
    pub(crate) network: Arc<Network>,
    up: Option<(Runtime, Running)>,
    // The last to be dropped.
    _folder: TempDir,
}

impl House {
    pub(crate) async fn open() -> House {
        House::open_with(|_, _| {}).await
    }

    /// A server whose settings are changed like this; files can be put into the folder.
    pub(crate) async fn open_with(change: impl FnOnce(&mut Settings, &std::path::Path)) -> House {
        let folder = tempfile::tempdir().unwrap();
        let mut settings =
            Settings { metrics: None, data: folder.path().join("data"), ..Settings::default() };
        settings.listen.set_port(0);
        change(&mut settings, folder.path());
        let up = start(&settings).await;
        let network = Network::before(up.1.address().unwrap()).await;
        House { settings, network, up: Some(up), _folder: folder }
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        Client::builder(self.network.address()).deadline(Duration::from_secs(120))
    }

    pub(crate) async fn client(&self) -> Client {
        within(self.builder().connect()).await.unwrap()
    }

    /// Stops the server in good order, and starts it again.
    pub(crate) async fn restart(&mut self) {
        let (runtime, running) = self.up.take().unwrap();
        within(runtime.spawn(running.stop())).await.unwrap();
        runtime.shutdown_background();
        self.start_again().await;
    }

    /// Lets the server vanish in the middle of everything, and starts it again.
    pub(crate) async fn kill(&mut self) {
        let (runtime, running) = self.up.take().unwrap();
        runtime.shutdown_background();
        drop(running);
        self.start_again().await;
    }

    async fn start_again(&mut self) {
        let up = start(&self.settings).await;
        self.network.lead_to(up.1.address().unwrap());
        // Connections that were led to the server before would never break by themselves.
        self.network.cut();
        self.up = Some(up);
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some((runtime, running)) = self.up.take() {
            runtime.shutdown_background();
            drop(running);
        }
    }
}

/// A server on a runtime of its own, so that it can vanish as a whole.
async fn start(settings: &Settings) -> (Runtime, Running) {
    let server_key = ServerKey::load_or_create(&settings.data).unwrap();
    let log = open_log(settings).await;
    let parts = Parts {
        clock: Arc::new(SystemClock::new()),
        log: Arc::new(log),
        keys: Arc::new(Keys::new(KeySet::new(settings.keys.clone()).unwrap())),
        server_key,
    };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let settings = settings.clone();
    let starting = runtime.spawn(async move { Server::start(&settings, parts).await });
    let running = within(starting).await.unwrap().unwrap();
    (runtime, running)
}

/// Opens the store, as soon as the server before has let go of it.
async fn open_log(settings: &Settings) -> SqliteLog {
    let file = settings.store_file().unwrap();
    within(async {
        loop {
            match SqliteLog::open(&file, Options::default()) {
                Err(LogError::InUse { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
                log => return log.unwrap(),
            }
        }
    })
    .await
}
