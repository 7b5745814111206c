//! Table display: full-screen or line mode.

use std::io::{self, BufReader, IsTerminal};
use std::time::Duration;

use parlor_cli::screen::{Replay, Screen, Step, Theme};
use parlor_cli::table::{Snapshot, TableMessage, ViewerState};
use parlor_cli::terminal::{self, InputSource, TableChannels};

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

/// Display flags.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct DisplayArgs {
    /// Print lines of text instead of drawing a screen, as for pipes and screen readers [default: only if no
    /// screen can be drawn]
    #[arg(long)]
    pub(crate) plain: bool,
}

/// Pace of a live table.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PaceArgs {
    /// Time between the moves of other players on the screen, such as 1s; 0s shows them at once
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "600ms")]
    pace: Duration,
}

/// End of a display session.
pub(crate) enum DisplayOutcome {
    /// The table is over, and its result was shown.
    TableOver,
    /// The viewer left; the table continues.
    ViewerLeft,
    /// The table is over, and the player wants another game.
    Rematch,
    /// A stop signal arrived.
    Stopped(Exit),
}

impl DisplayArgs {
    fn uses_screen(self, context: &Context) -> bool {
        !self.plain
            && terminal::supports_screen(|name| context.environment.variable(name)?.into_string().ok())
    }

    fn theme(context: &Context) -> Theme {
        Theme::from_environment(context.lang, |name| context.environment.variable(name)?.into_string().ok())
    }

    /// Shows a table until it is over, the viewer leaves, or a stop signal arrives.
    pub(crate) async fn show(
        self,
        pace: PaceArgs,
        channels: TableChannels,
        context: &Context,
    ) -> Result<DisplayOutcome, Failure> {
        if !self.uses_screen(context) {
            let source =
                if io::stdin().is_terminal() { InputSource::Interactive } else { InputSource::Piped };
            let input = BufReader::new(io::stdin());
            let lines = terminal::play_line_mode(context.lang, channels, source, input, io::stdout());
            return tokio::select! {
                biased;
                exit = context.stop.received() => Ok(DisplayOutcome::Stopped(exit)),
                line_mode = lines => {
                    let line_mode = line_mode?;
                    context.out.lines(next_commands(line_mode.state(), context))?;
                    Ok(outcome(line_mode.state()))
                }
            };
        }
        let screen = Screen::new(DisplayArgs::theme(context))
            .with_pace(pace.pace)
            .with_server_flags(context.settings.server_flag().trim_end());
        tokio::select! {
            biased;
            exit = context.stop.received() => Ok(DisplayOutcome::Stopped(exit)),
            screen = terminal::play(screen, channels) => {
                let screen = screen?;
                // The screen is cleared on exit, so the result is printed again.
                context.out.lines(standing_lines(screen.state()))?;
                context.out.lines(next_commands(screen.state(), context))?;
                Ok(if screen.left_by_ctrl_c() {
                    DisplayOutcome::Stopped(Exit::Interrupted)
                } else if screen.wants_rematch() {
                    DisplayOutcome::Rematch
                } else {
                    outcome(screen.state())
                })
            }
        }
    }

    /// Shows a finished game.
    pub(crate) async fn replay(
        self,
        start: Snapshot,
        steps: Vec<Step>,
        context: &Context,
    ) -> Result<Exit, Failure> {
        if !self.uses_screen(context) {
            return replay_line_mode(start, steps, context);
        }
        let replay = Replay::new(DisplayArgs::theme(context), start, steps);
        tokio::select! {
            biased;
            exit = context.stop.received() => Ok(exit),
            shown = terminal::replay(replay) => {
                Ok(if shown?.screen().left_by_ctrl_c() { Exit::Interrupted } else { Exit::Ok })
            }
        }
    }
}

fn replay_line_mode(start: Snapshot, steps: Vec<Step>, context: &Context) -> Result<Exit, Failure> {
    let mut line_mode = parlor_cli::line_mode::LineMode::new(context.lang);
    context.out.lines(line_mode.apply(TableMessage::Snapshot(Box::new(start))))?;
    for Step { update, .. } in steps {
        context.out.lines(line_mode.apply(TableMessage::Update(Box::new(update))))?;
    }
    Ok(Exit::Ok)
}

fn outcome(state: &ViewerState) -> DisplayOutcome {
    if state.closed || state.result().is_some() {
        DisplayOutcome::TableOver
    } else {
        DisplayOutcome::ViewerLeft
    }
}

/// Commands that show and check a game that is over.
fn next_commands(state: &ViewerState, context: &Context) -> Vec<String> {
    let over =
        state.table.as_ref().filter(|table| table.result.as_ref().is_some_and(|it| !it.seats.is_empty()));
    over.map_or_else(Vec::new, |table| {
        parlor_cli::lang::next_commands(&table.id, &context.settings.server_flag(), context.lang)
    })
}

/// Final standings, best first; empty unless the game was played out.
fn standing_lines(state: &ViewerState) -> Vec<String> {
    let mut scores = state.result().map(|result| result.seats.clone()).unwrap_or_default();
    scores.sort_by_key(|score| (score.place, score.seat));
    let mut columns = Columns::without_headings();
    for score in scores {
        columns.row([format!("{}.", score.place), state.name(score.seat), score.points.to_string()]);
    }
    columns.lines()
}
