//! A real server that can be stopped, killed and restarted on the same store, behind a stable address.

use std::sync::Arc;
use std::time::Duration;

use parlor_host::clock::SystemClock;
use parlor_sdk::{Client, ClientBuilder};
use parlor_server::config::Settings;
use parlor_server::identity::{ApiKeys, KeySet, ServerKey, SigningKeys};
use parlor_server::transport::{RunningServer, Server, ServerDependencies};
use parlor_store::{LogError, SqliteLog, SqliteOptions};
use parlor_testkit::Proxy;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::with_timeout;

pub(crate) struct TestServer {
    pub(crate) settings: Settings,
    pub(crate) proxy: Arc<Proxy>,
    running: Option<(Runtime, RunningServer)>,
    // Dropped last.
    _folder: TempDir,
}

impl TestServer {
    pub(crate) async fn start() -> TestServer {
        TestServer::start_with(|_, _| {}).await
    }

    /// Starts a server with changed settings; files can be put into its folder.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Settings, &std::path::Path)) -> TestServer {
        let folder = tempfile::tempdir().unwrap();
        let mut settings =
            Settings { metrics: None, data: folder.path().join("data"), ..Settings::default() };
        settings.listen.set_port(0);
        settings.testing.games = true;
        change(&mut settings, folder.path());
        let running = start_server(&settings).await;
        let proxy = Arc::new(Proxy::start(running.1.address().unwrap()));
        TestServer { settings, proxy, running: Some(running), _folder: folder }
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        Client::builder(self.proxy.url()).deadline(Duration::from_secs(120))
    }

    pub(crate) async fn client(&self) -> Client {
        with_timeout(self.builder().connect()).await.unwrap()
    }

    /// Shuts the server down gracefully, and restarts it.
    pub(crate) async fn restart(&mut self) {
        let (runtime, running) = self.running.take().unwrap();
        with_timeout(runtime.spawn(running.stop())).await.unwrap();
        runtime.shutdown_background();
        self.start_again().await;
    }

    /// Kills the server abruptly, and restarts it.
    pub(crate) async fn kill(&mut self) {
        let (runtime, running) = self.running.take().unwrap();
        runtime.shutdown_background();
        drop(running);
        self.start_again().await;
    }

    async fn start_again(&mut self) {
        let running = start_server(&self.settings).await;
        self.proxy.set_upstream(running.1.address().unwrap());
        // Connections to the old server would never break by themselves.
        self.proxy.cut();
        self.running = Some(running);
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some((runtime, running)) = self.running.take() {
            runtime.shutdown_background();
            drop(running);
        }
    }
}

/// Starts a server on its own runtime, so that it can be killed as a whole.
async fn start_server(settings: &Settings) -> (Runtime, RunningServer) {
    let server_key = ServerKey::load_or_create(&settings.data).unwrap();
    let log = open_log(settings).await;
    let parts = ServerDependencies {
        clock: Arc::new(SystemClock::new()),
        log: Arc::new(log),
        keys: Arc::new(ApiKeys::new(KeySet::new(settings.keys.clone()).unwrap())),
        server_key,
        signing_keys: Arc::new(SigningKeys::load_or_create(&settings.data).unwrap()),
    };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let settings = settings.clone();
    let starting = runtime.spawn(async move { Server::start(&settings, parts).await });
    let running = with_timeout(starting).await.unwrap().unwrap();
    (runtime, running)
}

/// Opens the store once the previous server has released it.
async fn open_log(settings: &Settings) -> SqliteLog {
    let file = settings.store_file().unwrap();
    with_timeout(async {
        loop {
            match SqliteLog::open(&file, SqliteOptions::default()) {
                Err(LogError::InUse { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
                log => return log.unwrap(),
            }
        }
    })
    .await
}
