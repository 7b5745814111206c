//! A tournament while it is played: on a terminal standings that move and a bar, in a pipe lines when something changed.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use parlor_engine::Lang;
use parlor_sdk::{Client, wire};

use super::board::{self, say};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// Follows a tournament to its end. Ctrl-C leaves it running on the server, and says how to come back.
pub(super) async fn run(
    client: &Client,
    tournament: &str,
    is_new: bool,
    context: &Context,
) -> Result<Exit, Failure> {
    let lively = !context.json && stderr().is_terminal();
    if is_new && !context.json {
        context.note(&context.say(
            || format!("Tournament {tournament} runs. Ctrl-C leaves it running."),
            || format!("Turnier {tournament} läuft. Strg-C lässt es weiterlaufen."),
        ));
    }
    let mut board = lively.then(|| Board::new(context.lang));
    let mut followed = client.follow_tournament(tournament);
    let mut last: Option<wire::Standings> = None;
    loop {
        let news = match context.stop.unless(followed.next()).await {
            Ok(news) => news?,
            Err(exit) => {
                if let Some(board) = board {
                    board.leave();
                }
                context.note(&context.say(
                    || {
                        format!(
                            "It goes on without you. Come back with: parlor tournament follow {tournament}"
                        )
                    },
                    || format!("Es geht ohne dich weiter. Zurück mit: parlor tournament follow {tournament}"),
                ));
                return Ok(exit);
            }
        };
        let Some(news) = news else { break };
        if context.json {
            context.out.json_line(&crate::output::to_json(&news))?;
        }
        let Some(standings) = news.standings else { continue };
        match &mut board {
            Some(board) => board.show(&standings),
            None if !context.json => {
                let line = board::progress(&standings, context.lang);
                let changed = last.as_ref().is_none_or(|last| board::progress(last, context.lang) != line);
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
        context.out.lines(board::standings(&standings, context.lang))?;
        if is_new {
            context.note(&context.say(
                || format!("As a page: parlor tournament report {tournament} --html report.html"),
                || format!("Als Seite: parlor tournament report {tournament} --html report.html"),
            ));
        }
    }
    Ok(Exit::Ok)
}

/// The standings and the bar, on standard error. Every line of the standings is drawn by itself, so that one that is wider
/// than the terminal is cut and not wrapped: what is wrapped could not be drawn over.
struct Board {
    lang: Lang,
    all: MultiProgress,
    table: Vec<ProgressBar>,
    bar: ProgressBar,
}

impl Board {
    fn new(lang: Lang) -> Board {
        // Every line counts as a drawing, and one that is left out stands there as it was.
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(100));
        let bar = all.add(ProgressBar::new(0));
        bar.set_style(style("{spinner} [{wide_bar}] {pos}/{len} {msg}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Board { lang, all, table: Vec::new(), bar }
    }

    fn show(&mut self, standings: &wire::Standings) {
        let lines = board::standings(standings, self.lang);
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
        self.bar.set_message(say(self.lang, "tables", "Tische"));
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is sound")
}

impl Board {
    /// Leaves what is there. The ^C of a terminal has moved it, so that it cannot be drawn over any more.
    fn leave(self) {
        self.bar.disable_steady_tick();
        self.all.set_draw_target(ProgressDrawTarget::hidden());
        // If the terminal is gone, there is nobody to see it.
        let _ = writeln!(stderr());
    }

    /// Clears the screen for the standings that are printed at the end.
    fn clear(self) {
        self.bar.disable_steady_tick();
        let _ = self.all.clear();
        // Nor is anything drawn again when the lines end, one by one.
        self.all.set_draw_target(ProgressDrawTarget::hidden());
    }
}
