//! What `grpc.health.v1` says of each service: serving, until the server stops.

use std::sync::{Arc, Mutex, PoisonError};

use tonic::server::NamedService;
use tonic_health::{
    ServingStatus,
    pb::health_server::HealthServer,
    server::{HealthReporter, HealthService},
};

/// The health of all services.
#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    reporter: HealthReporter,
    /// The services that were reported; "" is the server as a whole, and always there.
    services: Arc<Mutex<Vec<&'static str>>>,
}

impl Health {
    /// The service that tells clients.
    pub(super) fn service(&self) -> HealthServer<HealthService> {
        HealthServer::new(HealthService::from_health_reporter(self.reporter.clone()))
    }

    /// Says that a service takes calls.
    pub(super) async fn serving<S: NamedService>(&self, _service: &S) {
        self.services.lock().unwrap_or_else(PoisonError::into_inner).push(S::NAME);
        self.reporter.set_serving::<S>().await;
    }

    /// Says that the server stops, and ends the streams of those who watch.
    pub(super) async fn stopping(&self) {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner).clone();
        services.push("");
        for service in &services {
            self.reporter.set_service_status(service, ServingStatus::NotServing).await;
        }
        let mut reporter = self.reporter.clone();
        for service in &services {
            // Whoever watches is told the last status, and then that there are no more.
            reporter.clear_service_status(service).await;
        }
    }
}
