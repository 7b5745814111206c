//! An address that stays when the server behind it goes: connections are passed on to wherever the server is now.

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
    /// A proxy to this address.
    pub(crate) fn to(target: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let target = Arc::new(Mutex::new(target.to_owned()));
        let current = Arc::clone(&target);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let target = current.lock().unwrap().clone();
                // A server that is away refuses: the client sees a connection that closes at once.
                if let Ok(server) = TcpStream::connect(target) {
                    join(client, server);
                }
            }
        });
        Proxy { address, target }
    }

    /// The URL for clients.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Passes new connections on to another address.
    pub(crate) fn turn_to(&self, target: &str) {
        target.clone_into(&mut self.target.lock().unwrap());
    }
}

/// Passes bytes on, both ways, until one side closes.
fn join(client: TcpStream, server: TcpStream) {
    let (client_again, server_again) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || pass_on(client, server));
    thread::spawn(move || pass_on(server_again, client_again));
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 * 1024];
    let mut copy = || -> io::Result<bool> {
        let count = from.read(&mut buffer)?;
        to.write_all(&buffer[..count])?;
        Ok(count > 0)
    };
    while copy().is_ok_and(|more| more) {}
    // Either side may have gone before.
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
