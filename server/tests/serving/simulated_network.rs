//! The server on a simulated network: `Server::start_on` accepts connections of any transport.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use futures_util::stream;
use hyper_util::rt::TokioIo;
use parlor_engine::GameId;
use parlor_host::clock::ManualClock;
use parlor_proto::v1::{self, catalogue_service_client::CatalogueServiceClient};
use parlor_server::transport::{AcceptedConnection, Server};
use tonic::transport::{Endpoint, Uri};
use tower::service_fn;
use turmoil::net::{TcpListener, TcpStream};

use crate::support::{parts, settings};

#[test]
fn calls_over_a_simulated_network() {
    let mut sim = turmoil::Builder::new().simulation_duration(Duration::from_secs(600)).build();
    sim.host("server", || async {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 7766)).await?;
        let incoming = stream::unfold(listener, |listener| async {
            let (io, address) = listener.accept().await.expect("a connection");
            Some((AcceptedConnection { io, address: Some(address) }, listener))
        });
        let settings = settings();
        let parts = parts(&settings, Arc::new(ManualClock::new()));
        let mut running = Server::start_on(&settings, parts, incoming).await?;
        assert_eq!((running.address(), running.metrics_address()), (None, None));
        running.ended().await;
        Ok(())
    });
    sim.client("client", async {
        let connector = service_fn(|_: Uri| async {
            Ok::<_, std::io::Error>(TokioIo::new(TcpStream::connect("server:7766").await?))
        });
        let channel = Endpoint::from_static("http://server:7766").connect_with_connector(connector).await?;
        let mut catalogue = CatalogueServiceClient::new(channel);
        let listed = catalogue.list_games(v1::ListGamesRequest {}).await?;
        assert_eq!(listed.into_inner().games.len(), GameId::published().count());
        Ok(())
    });
    sim.run().expect("the simulation");
}
