//! TCP proxy with a fixed address, whose target server can be replaced.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A proxy. Its threads end with the test program.
pub(crate) struct Proxy {
    address: String,
    target: Arc<Mutex<String>>,
}

impl Proxy {
    /// Starts a proxy to a target address.
    pub(crate) fn new(target: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let target = Arc::new(Mutex::new(target.to_owned()));
        let current = Arc::clone(&target);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let target = current.lock().unwrap().clone();
                // If the server is down, the client's connection is closed at once.
                if let Ok(server) = TcpStream::connect(target) {
                    forward_both_ways(client, server);
                }
            }
        });
        Proxy { address, target }
    }

    /// URL of the proxy.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes the target of new connections.
    pub(crate) fn set_target(&self, target: &str) {
        target.clone_into(&mut self.target.lock().unwrap());
    }
}

/// Forwards bytes in both directions until one side closes.
fn forward_both_ways(client: TcpStream, server: TcpStream) {
    let (client_again, server_again) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || forward(client, server));
    thread::spawn(move || forward(server_again, client_again));
}

fn forward(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 * 1024];
    let mut copy = || -> io::Result<bool> {
        let count = from.read(&mut buffer)?;
        to.write_all(&buffer[..count])?;
        Ok(count > 0)
    };
    while copy().is_ok_and(|more| more) {}
    // Either side may be closed already.
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
