//! A program that is connected as an agent in the background, while the command does something else.

use std::sync::Arc;
use std::time::Duration;

use parlor_cli::line_protocol::{self, ProgramSettings, Programs};
use parlor_sdk::{AgentEvent, AgentRunner, AgentSettings, Client, Error};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::command::program;
use crate::errors::Failure;

/// Time for the decisions in progress when the agent is stopped.
const LEAVE_TIME: Duration = Duration::from_secs(5);

/// A connected program. Dropping it ends the program; its seats stay the agent's.
pub(crate) struct ProgramAgent {
    name: String,
    programs: Arc<Programs>,
    stop: Box<dyn Fn() + Send + Sync>,
    task: JoinHandle<Result<(), Error>>,
    is_connected: Option<oneshot::Receiver<()>>,
}

impl ProgramAgent {
    /// Starts the program, and connects it under a name in the background.
    pub(crate) fn start(
        client: &Client,
        name: &str,
        settings: AgentSettings,
        program: ProgramSettings,
    ) -> Result<ProgramAgent, Failure> {
        let settings = settings.wants(line_protocol::wants(program.lang)).games(&program.games);
        let programs = Arc::new(Programs::start(program));
        let makes_bots = Arc::clone(&programs);
        let agent = client.start_agent(settings, move |_| makes_bots.bot())?;
        let stop = Box::new(agent.stop_handle());
        let (connected, is_connected) = oneshot::channel();
        let task = tokio::spawn(run(agent, connected));
        Ok(ProgramAgent { name: name.to_owned(), programs, stop, task, is_connected: Some(is_connected) })
    }

    /// Waits until the agent is connected for the first time.
    pub(crate) async fn connected(&mut self) -> Result<(), Failure> {
        let Some(is_connected) = self.is_connected.take() else { return Ok(()) };
        tokio::select! {
            biased;
            Ok(()) = is_connected => Ok(()),
            failure = self.failed() => Err(failure),
        }
    }

    /// Waits until the server rejects the agent, or the program turns out to be unusable.
    pub(crate) async fn failed(&mut self) -> Failure {
        tokio::select! {
            fault = self.programs.unusable() => program::unusable(&self.name, &fault),
            outcome = &mut self.task => match outcome {
                Ok(Err(error)) => error.into(),
                _ => std::future::pending().await,
            }
        }
    }

    /// Waits until the program turns out to be unusable.
    pub(crate) async fn unusable(&self) -> Failure {
        program::unusable(&self.name, &self.programs.unusable().await)
    }

    /// Answers the decisions in progress, and ends the program.
    pub(crate) async fn close(mut self) {
        (self.stop)();
        if !self.task.is_finished() {
            // What is not answered by then stays open.
            let _ = timeout(LEAVE_TIME, &mut self.task).await;
        }
        self.task.abort();
        self.programs.close().await;
    }
}

impl Drop for ProgramAgent {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(mut agent: AgentRunner, connected: oneshot::Sender<()>) -> Result<(), Error> {
    let mut connected = Some(connected);
    while let Some(event) = agent.next().await? {
        if matches!(event, AgentEvent::Connected(_))
            && let Some(connected) = connected.take()
        {
            // The command may have been stopped.
            let _ = connected.send(());
        }
    }
    Ok(())
}
