//! Live view of a running tournament: standings and a progress bar on a terminal, lines on change in a pipe.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use parlor_cli::lang::localise;
use parlor_cli::tournament_text;
use parlor_engine::Lang;
use parlor_sdk::{Client, wire};

use super::render;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// Follows a tournament to the end. A stop signal leaves it running on the server, and prints how to follow
/// it again.
pub(super) async fn run(
    client: &Client,
    tournament: &str,
    is_new: bool,
    context: &Context,
) -> Result<Exit, Failure> {
    let live = !context.json && stderr().is_terminal();
    if is_new && !context.json {
        context.note(&context.localise(
            || format!("Tournament {tournament} is running. Ctrl-C leaves it running."),
            || format!("Turnier {tournament} läuft. Strg-C lässt es weiterlaufen."),
        ));
    }
    let mut board = live.then(|| LiveStandings::new(context.lang));
    let mut followed = client.follow_tournament(tournament);
    let mut last: Option<wire::Standings> = None;
    loop {
        let update = match context.stop.unless_stopped(followed.next()).await {
            Ok(update) => update?,
            Err(exit) => {
                if let Some(board) = board {
                    board.leave();
                }
                context.note(&context.localise(
                    || {
                        format!(
                            "The tournament keeps running. Follow it with: parlor tournament follow {tournament}"
                        )
                    },
                    || format!("Es geht ohne dich weiter. Zurück mit: parlor tournament follow {tournament}"),
                ));
                return Ok(exit);
            }
        };
        let Some(update) = update else { break };
        if context.json {
            context.out.json_line(&crate::output::to_json(&update))?;
        }
        let Some(standings) = update.standings else { continue };
        match &mut board {
            Some(board) => board.show(&standings),
            None if !context.json => {
                let line = render::progress_line(&standings, context.lang);
                let changed =
                    last.as_ref().is_none_or(|last| render::progress_line(last, context.lang) != line);
                if changed {
                    context.note(&line);
                }
            }
            None => {}
        }
        last = Some(standings);
    }
    if let Some(board) = board {
        board.clear();
    }
    if let Some(standings) = last.filter(|_| !context.json) {
        context.out.lines(render::standings_lines(&standings, context.lang))?;
        if is_new {
            context.note(&context.localise(
                || format!("HTML report: parlor tournament report {tournament} --html report.html"),
                || format!("Als Seite: parlor tournament report {tournament} --html report.html"),
            ));
        }
    }
    Ok(Exit::Ok)
}

/// Standings and progress bar, drawn on standard error. Each line is drawn separately, so that an overlong
/// one is truncated, not wrapped: wrapped lines could not be redrawn.
struct LiveStandings {
    lang: Lang,
    all: MultiProgress,
    table: Vec<ProgressBar>,
    bar: ProgressBar,
}

impl LiveStandings {
    fn new(lang: Lang) -> LiveStandings {
        // Each line counts as one draw; a draw that is rate-limited away would leave the old line in place.
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(100));
        let bar = all.add(ProgressBar::new(0));
        bar.set_style(style("{spinner} [{wide_bar}] {pos}/{len} {msg}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        LiveStandings { lang, all, table: Vec::new(), bar }
    }

    fn show(&mut self, standings: &wire::Standings) {
        let (height, width) = console_size();
        let lines = render::live_lines(standings, self.lang, (width, height));
        // A line that is not needed any more would stay as it was.
        for line in self.table.drain(lines.len().min(self.table.len())..) {
            self.all.remove(&line);
        }
        while self.table.len() < lines.len() {
            let line = self.all.insert_before(&self.bar, ProgressBar::new_spinner());
            line.set_style(style("{wide_msg}"));
            self.table.push(line);
        }
        for (line, text) in self.table.iter().zip(lines) {
            line.set_message(text);
        }
        self.bar.set_length(standings.tables_expected.into());
        self.bar.set_position(standings.tables_over.into());
        let tables = localise(self.lang, "tables", "Tische");
        let left = tournament_text::time_left(standings, self.lang);
        self.bar.set_message(left.map_or_else(|| tables.to_owned(), |left| format!("{tables}, {left}")));
    }
}

/// Rows and columns of the terminal.
fn console_size() -> (usize, usize) {
    crossterm::terminal::size().map_or((24, 80), |(columns, rows)| (rows.into(), columns.into()))
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is valid")
}

impl LiveStandings {
    /// Leaves the drawn lines in place: the echoed ^C has moved them, so they cannot be redrawn.
    fn leave(self) {
        self.bar.disable_steady_tick();
        self.all.set_draw_target(ProgressDrawTarget::hidden());
        // A closed terminal is ignored.
        let _ = writeln!(stderr());
    }

    /// Clears the lines, to make room for the final standings.
    fn clear(self) {
        self.bar.disable_steady_tick();
        let _ = self.all.clear();
        // Prevents a redraw when the bars are dropped one by one.
        self.all.set_draw_target(ProgressDrawTarget::hidden());
    }
}
