//! `parlor completions`: prints shell completions.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// Print shell completions, such as `parlor completions bash >
/// ~/.local/share/bash-completion/completions/parlor`
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Shell
    shell: Shell,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "parlor", &mut script);
    context.out.line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Ok)
}
