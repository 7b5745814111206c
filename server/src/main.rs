//! The binary: reads the command line, does what it asks, and says in one line what went wrong.

use std::process::ExitCode;

use clap::Parser;
use parlor_server::{config::Cli, program};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    program::main(&Cli::parse())
}
