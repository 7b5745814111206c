//! Programs as entrants of a tournament: `exec:COMMAND` connects a program as an agent while the tournament runs.

use parlor_cli::line_protocol::{ProcessModel, ProgramSettings};
use parlor_cli::tournament_file::ProgramEntrant;
use parlor_sdk::{AgentSettings, Client};

use crate::command::agent::{credentials, program_agent::ProgramAgent};
use crate::command::program::{self, ErrorOutput, notices, quoted};
use crate::context::Context;
use crate::errors::Failure;

/// Tables that a program plays at once.
const MAX_TABLES: u32 = 64;

/// The connected programs of a tournament.
#[derive(Default)]
pub(super) struct ConnectedPrograms(Vec<(ProgramEntrant, ProgramAgent)>);

impl ConnectedPrograms {
    /// Connects all programs.
    pub(super) async fn connect(
        entrants: Vec<ProgramEntrant>,
        game: &str,
        client: &Client,
        context: &Context,
    ) -> Result<ConnectedPrograms, Failure> {
        let mut connected = ConnectedPrograms::default();
        for entrant in entrants {
            let mut settings = AgentSettings::new(&entrant.name).max_tables(MAX_TABLES);
            if let Some(key) = credentials::agent_key(&entrant.name, None, context)? {
                settings = settings.key(key);
            }
            let program = ProgramSettings {
                command: entrant.command.clone(),
                model: ProcessModel::Shared,
                games: vec![game.to_owned()],
                lang: context.lang,
                patience: program::DEFAULT_PATIENCE_TIME,
                notices: notices(&entrant.name, ErrorOutput::Hidden, context)?,
            };
            let mut agent = ProgramAgent::start(client, &entrant.name, settings, program)?;
            agent.connected().await?;
            connected.0.push((entrant, agent));
        }
        Ok(connected)
    }

    /// Waits until a program fails for good.
    pub(super) async fn failed(&mut self) -> Failure {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        let failures = self.0.iter_mut().map(|(_, agent)| Box::pin(agent.failed()));
        futures_util::future::select_all(failures).await.0
    }

    /// Ends the programs.
    pub(super) async fn close(self) {
        for (_, agent) in self.0 {
            agent.close().await;
        }
    }

    /// Prints the commands that go on with the programs, for a tournament that is left.
    pub(super) fn print_resume_commands(&self, context: &Context) {
        for (ProgramEntrant { name, command }, _) in &self.0 {
            let command = quoted(command);
            context.note(&context.localise(
                || format!("{name} has ended and its clock runs. Go on with: parlor agent {name} --exec {command}"),
                || format!("{name} ist beendet, und seine Uhr läuft. Weiter geht es mit: parlor agent {name} --exec {command}"),
            ));
        }
    }
}
