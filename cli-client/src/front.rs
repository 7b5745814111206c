//! Where a table is shown: on a screen that is drawn, or in lines.

use std::io::{self, BufReader, IsTerminal};

use parlor_cli::screen::{Ink, Replay, Screen, Step};
use parlor_cli::table::{Incoming, Situation, Snapshot};
use parlor_cli::terminal::{self, Link, Typed};

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

/// How a table is shown.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FrontArgs {
    /// Lines of text instead of a screen, as for pipes and screen readers; this is also so where no screen can be drawn
    #[arg(long)]
    pub(crate) plain: bool,
}

/// How it was left.
pub(crate) enum Left {
    /// The table is over, and the viewer has seen it.
    Over,
    /// The viewer has gone, and the table goes on.
    Gone,
    /// Somebody told the program to stop.
    Stopped(Exit),
}

impl FrontArgs {
    fn draws(self, context: &Context) -> bool {
        !self.plain && terminal::can_draw(|name| context.environment.variable(name)?.into_string().ok())
    }

    fn ink(context: &Context) -> Ink {
        Ink::from_environment(context.lang, |name| context.environment.variable(name)?.into_string().ok())
    }

    /// Shows a table until it is over or the viewer leaves.
    pub(crate) async fn show(self, link: Link, context: &Context) -> Result<Left, Failure> {
        if !self.draws(context) {
            let typed = if io::stdin().is_terminal() { Typed::ByHand } else { Typed::Beforehand };
            let input = BufReader::new(io::stdin());
            let lines = terminal::play_in_lines(context.lang, link, typed, input, io::stdout());
            return tokio::select! {
                biased;
                exit = context.stop.told() => Ok(Left::Stopped(exit)),
                plain = lines => Ok(left(plain?.situation())),
            };
        }
        tokio::select! {
            biased;
            exit = context.stop.told() => Ok(Left::Stopped(exit)),
            screen = terminal::play(Screen::new(FrontArgs::ink(context)), link) => {
                let screen = screen?;
                // The screen is gone, and with it how the game ended.
                context.out.lines(standings(screen.situation()))?;
                Ok(if screen.was_interrupted() {
                    Left::Stopped(Exit::Interrupted)
                } else {
                    left(screen.situation())
                })
            }
        }
    }

    /// Shows a game that is over.
    pub(crate) async fn replay(
        self,
        begin: Snapshot,
        steps: Vec<Step>,
        context: &Context,
    ) -> Result<Exit, Failure> {
        if !self.draws(context) {
            return in_lines(begin, steps, context);
        }
        let replay = Replay::new(FrontArgs::ink(context), begin, steps);
        tokio::select! {
            biased;
            exit = context.stop.told() => Ok(exit),
            shown = terminal::replay(replay) => {
                Ok(if shown?.screen().was_interrupted() { Exit::Interrupted } else { Exit::Ok })
            }
        }
    }
}

fn in_lines(begin: Snapshot, steps: Vec<Step>, context: &Context) -> Result<Exit, Failure> {
    let mut plain = parlor_cli::plain::Plain::new(context.lang);
    context.out.lines(plain.take(Incoming::Snapshot(Box::new(begin))))?;
    for Step { update, .. } in steps {
        context.out.lines(plain.take(Incoming::Update(Box::new(update))))?;
    }
    Ok(Exit::Ok)
}

fn left(situation: &Situation) -> Left {
    if situation.closed || situation.result().is_some() { Left::Over } else { Left::Gone }
}

/// Who came where, best first; nothing unless the game was played to its end.
fn standings(situation: &Situation) -> Vec<String> {
    let mut scores = situation.result().map(|result| result.seats.clone()).unwrap_or_default();
    scores.sort_by_key(|score| (score.place, score.seat));
    let mut columns = Columns::bare();
    for score in scores {
        columns.row([format!("{}.", score.place), situation.name(score.seat), score.points.to_string()]);
    }
    columns.lines()
}
