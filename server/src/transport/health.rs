//! Health of the services (`grpc.health.v1`): SERVING until the shutdown.

use std::sync::{Arc, Mutex, PoisonError};

use tonic::server::NamedService;
use tonic_health::{
    ServingStatus,
    pb::health_server::HealthServer,
    server::{HealthReporter, HealthService},
};

/// Health reporter for all services.
#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    reporter: HealthReporter,
    /// The reported services. The server as a whole, "", is always reported and not in the list.
    services: Arc<Mutex<Vec<&'static str>>>,
}

impl Health {
    /// The gRPC health service.
    pub(super) fn service(&self) -> HealthServer<HealthService> {
        HealthServer::new(HealthService::from_health_reporter(self.reporter.clone()))
    }

    /// Reports a service as SERVING.
    pub(super) async fn set_serving<S: NamedService>(&self, _service: &S) {
        self.services.lock().unwrap_or_else(PoisonError::into_inner).push(S::NAME);
        self.reporter.set_serving::<S>().await;
    }

    /// Reports all services as NOT_SERVING and ends the streams of `Watch` calls.
    pub(super) async fn shut_down(&self) {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner).clone();
        services.push("");
        for service in &services {
            self.reporter.set_service_status(service, ServingStatus::NotServing).await;
        }
        let mut reporter = self.reporter.clone();
        for service in &services {
            // Watchers receive the last status, then the end of the stream.
            reporter.clear_service_status(service).await;
        }
    }
}
