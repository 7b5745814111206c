//! Setup message of a tournament from its file and the server's catalogue.

use std::fs::File;
use std::path::Path;

use parlor_cli::tournament_file::{ProgramEntrant, SetupFile};
use parlor_sdk::wire;

use super::super::{create, games, options};
use crate::command::record::file::read_failure;
use crate::config::read_limited;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// A setup file and its path.
pub(super) struct NamedFile {
    path: String,
    file: SetupFile,
}

/// Reads and parses a setup file; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<NamedFile, Failure> {
    let is_input = path == Path::new("-");
    let name = path.display().to_string();
    let bytes = if is_input {
        read_limited(std::io::stdin().lock(), "-")?
    } else {
        let file = File::open(path).map_err(|error| read_failure(&name, &error))?;
        read_limited(file, &name)?
    };
    let path = name;
    let file = SetupFile::parse(&bytes).map_err(|why| invalid_file(&path, &why))?;
    Ok(NamedFile { path, file })
}

fn invalid_file(path: &str, why: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "TOURNAMENT_FILE",
        format!("{path}: {why}; parlor tournament --help shows a whole file"),
        format!("{path}: {why}; parlor tournament --help zeigt eine ganze Datei"),
    )
}

impl NamedFile {
    /// Takes the programs out of the entrants, and puts agents in their place.
    pub(super) fn take_programs(&mut self) -> Vec<ProgramEntrant> {
        self.file.take_programs()
    }

    /// Id of the game.
    pub(super) fn game(&self) -> &str {
        &self.file.game
    }

    /// Builds the setup message of the request.
    pub(super) fn setup(
        self,
        known: Vec<wire::GameInfo>,
        context: &Context,
    ) -> Result<wire::TournamentSetup, Failure> {
        let NamedFile { path, file } = self;
        let game = games::find_game(known, &file.game)?;
        let chosen: Vec<(String, String)> =
            file.options.iter().map(|(name, value)| (name.clone(), option_text(value))).collect();
        let mut setup = wire::TournamentSetup {
            options: options::build_options(&game, &chosen, context)?,
            game: game.game.clone(),
            players: create::player_count(file.players, &game)?,
            ..Default::default()
        };
        file.fill_setup(&mut setup).map_err(|why| invalid_file(&path, &why))?;
        Ok(setup)
    }
}

/// An option value as `--option` accepts it.
fn option_text(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
