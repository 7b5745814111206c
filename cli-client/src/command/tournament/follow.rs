//! A tournament while it is played: on a terminal standings that move and a bar, in a pipe lines when something changed.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
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
    let board = lively.then(|| Board::new(context.lang));
    let mut followed = client.follow_tournament(tournament);
    let mut last: Option<wire::Standings> = None;
    loop {
        let news = match context.stop.unless(followed.next()).await {
            Ok(news) => news?,
            Err(exit) => {
                drop(board);
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
        match &board {
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
    drop(board);
    if let Some(standings) = last.filter(|_| !context.json) {
        context.out.lines(board::standings(&standings, context.lang))?;
    }
    Ok(Exit::Ok)
}

/// The standings and the bar, on standard error.
struct Board {
    lang: Lang,
    all: MultiProgress,
    table: ProgressBar,
    bar: ProgressBar,
}

impl Board {
    fn new(lang: Lang) -> Board {
        let all = MultiProgress::new();
        let table = all.add(ProgressBar::new_spinner());
        table.set_style(ProgressStyle::with_template("{msg}").expect("the template is sound"));
        let bar = all.add(ProgressBar::new(0));
        let template = "{spinner} [{wide_bar}] {pos}/{len} {msg}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is sound"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Board { lang, all, table, bar }
    }

    fn show(&self, standings: &wire::Standings) {
        self.table.set_message(board::standings(standings, self.lang).join("\n"));
        self.bar.set_length(standings.tables_expected.into());
        self.bar.set_position(standings.tables_over.into());
        self.bar.set_message(say(self.lang, "tables", "Tische"));
    }
}

/// What is left on the screen are the standings that are printed afterwards.
impl Drop for Board {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        self.table.finish_and_clear();
        // If the terminal is gone, there is nothing to clear.
        let _ = self.all.clear();
    }
}
