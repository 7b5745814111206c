//! A server that cheats: it chooses its seeds when it knows the players' entropy. See `parlor_host::test_hooks`. Ends when its
//! standard input is closed, like `test_server`.

use std::{io, process, thread};

use clap::Parser;
use parlor_server::config::Cli;

fn main() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        process::abort();
    });
    parlor_host::test_hooks::grind_server_seeds();
    parlor_server::program::main(&Cli::parse());
}
