//! `parlor man`: prints or writes manual pages.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::Cli;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  parlor man | man -l -\n  parlor man --to ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Write the pages of all commands to this folder instead
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let pages = Cli::command().disable_help_subcommand(true);
    if let Some(folder) = args.to {
        clap_mangen::generate_to(pages, &folder).map_err(|error| {
            let folder = folder.display();
            Failure::usage(
                format!("manual pages cannot be written to {folder} ({error}): name a folder that exists"),
                format!("Nach {folder} lassen sich keine Handbuchseiten schreiben ({error}): Nenne einen Ordner, den es gibt"),
            )
        })?;
        return Ok(Exit::Ok);
    }
    let mut page = Vec::new();
    // A vector takes everything.
    let _ = Man::new(pages).render(&mut page);
    context.out.line(String::from_utf8_lossy(&page).trim_end())?;
    Ok(Exit::Ok)
}
