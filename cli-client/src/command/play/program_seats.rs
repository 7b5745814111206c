//! Programs as opponents at a table of one's own (`--with exec:COMMAND`): each plays a reserved seat in a process of its own.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parlor_cli::line_protocol::{Notice, NoticeSink, ProcessModel, ProgramSettings, Programs};
use parlor_sdk::{Client, Error, FinishedTable, JoinTable, SeatToken};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::command::program;
use crate::context::Context;
use crate::errors::{Failure, redact_secrets};

/// Notices that are kept while a screen is shown; older ones are dropped.
const MAX_NOTICES: usize = 20;
/// Time for the last line of a program.
const END_TIME: Duration = Duration::from_secs(2);

/// A program and its seat number.
#[derive(Clone)]
pub(super) struct ProgramOpponent {
    pub(super) seat: u32,
    pub(super) command: String,
}

impl ProgramOpponent {
    /// User id that its seat is reserved for.
    pub(super) fn user_id(&self) -> String {
        format!("parlor-cli-exec-{}", self.seat)
    }
}

/// The seats that programs play in the background.
#[derive(Default)]
pub(super) struct ProgramSeats {
    seats: Vec<ProgramSeat>,
    opponents: Vec<ProgramOpponent>,
    /// Notices, printed when the screen is left.
    notices: Arc<Mutex<VecDeque<String>>>,
}

struct ProgramSeat {
    command: String,
    token: SeatToken,
    programs: Programs,
    task: JoinHandle<Result<FinishedTable, Error>>,
}

impl ProgramSeats {
    /// Joins the reserved seats, and starts the programs.
    pub(super) async fn join(
        client: &Client,
        table: &str,
        game: &str,
        opponents: Vec<ProgramOpponent>,
        context: &Context,
    ) -> Result<ProgramSeats, Failure> {
        let mut joined = ProgramSeats { opponents: opponents.clone(), ..ProgramSeats::default() };
        for opponent in opponents {
            let name = program::short_name(&opponent.command);
            let join = JoinTable::new(table).user_id(opponent.user_id()).display_name(&name);
            let token = client.join_table(join).await?.token;
            let programs = Programs::start(ProgramSettings {
                command: opponent.command.clone(),
                model: ProcessModel::Shared,
                games: vec![game.to_owned()],
                lang: context.lang,
                patience: program::DEFAULT_PATIENCE_TIME,
                notices: joined.collect_notices(name, context),
            });
            let (session, mut bot, seat) = (client.session(), programs.bot(), token.clone());
            let task = tokio::spawn(async move { session.play(seat, &mut bot).await });
            joined.seats.push(ProgramSeat { command: opponent.command, token, programs, task });
        }
        Ok(joined)
    }

    fn collect_notices(&self, name: String, context: &Context) -> NoticeSink {
        let (notices, lang) = (Arc::clone(&self.notices), context.lang);
        NoticeSink::new(move |notice: Notice| {
            let mut notices = notices.lock().unwrap_or_else(PoisonError::into_inner);
            if notices.len() == MAX_NOTICES {
                notices.pop_front();
            }
            notices.push_back(redact_secrets(notice.text(&name).get(lang)));
        })
    }

    /// Ends the programs, and prints their notices. Prints how to go on with their seats, unless the table is over.
    /// Returns the opponents, for a rematch.
    pub(super) async fn leave(self, table_is_over: bool, context: &Context) -> Vec<ProgramOpponent> {
        for ProgramSeat { command, token, programs, mut task } in self.seats {
            let ended = table_is_over && timeout(END_TIME, &mut task).await.is_ok();
            task.abort();
            programs.close().await;
            if !ended && !table_is_over {
                let resume = program::resume_command(&program::exec_argument(&command), &[token], context);
                context.note(&context.localise(
                    || format!("The program's seat stays its own. Go on with: {resume}"),
                    || format!("Der Sitz bleibt beim Programm. Weiter geht es mit: {resume}"),
                ));
            }
        }
        for notice in self.notices.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            context.note(notice);
        }
        self.opponents
    }
}
