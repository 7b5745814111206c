//! The `parlor-server` binary: parses the command line and runs the command.

use std::process::ExitCode;

use clap::Parser;
use parlor_server::{config::Cli, program};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    program::main(&Cli::parse())
}
