//! A server for the tests of the terminal client: `parlor-server`, linked with the same library, which also
//! ends when its standard input is closed. It therefore never outlives the test that has started it.

use std::{io, process, thread};

use clap::Parser;
use parlor_server::config::Cli;

fn main() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        process::abort();
    });
    parlor_server::program::main(&Cli::parse());
}
