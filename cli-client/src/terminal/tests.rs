//! Event loops without a terminal: keys and messages from channels, drawn into a buffer.

use std::sync::{Arc, Mutex};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use parlor_engine::{GameId, Viewer};
use ratatui::backend::TestBackend;

use super::*;
use crate::screen::Theme;
use crate::testing::TestTable;

const THEME: Theme = Theme { lang: Lang::En, colours: false };

fn key(code: KeyCode) -> io::Result<Event> {
    Ok(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn buffer() -> Terminal<TestBackend> {
    Terminal::new(TestBackend::new(80, 24)).unwrap()
}

/// Serves a table over channels until the display is closed.
fn serve(
    mut table: TestTable,
    mut first: Vec<TableMessage>,
) -> (TableChannels, tokio::task::JoinHandle<TestTable>) {
    let (sender, incoming) = mpsc::channel(1024);
    let (answers, mut answered) = mpsc::channel::<Answer>(1);
    let task = tokio::spawn(async move {
        first.extend(table.play_opponents());
        for one in first {
            if sender.send(one).await.is_err() {
                return table;
            }
        }
        while let Some(Answer { decision, index }) = answered.recv().await {
            for one in table.answer(decision, index) {
                if sender.send(one).await.is_err() {
                    return table;
                }
            }
        }
        table
    });
    (TableChannels { incoming, answers }, task)
}

/// A stream of key presses.
fn keys(codes: Vec<KeyCode>) -> impl Stream<Item = io::Result<Event>> {
    futures_util::stream::iter(codes.into_iter().map(key))
}

#[tokio::test]
async fn screen_loop_plays_a_whole_game() {
    let mut table = TestTable::new(GameId::Gap, 2, 1);
    let first = table.start();
    let (channels, task) = serve(table, first);
    // Presses Enter until the table is over and once more: an answer is not sent twice, so extra presses do
    // no harm.
    let enter = futures_util::stream::repeat_with(|| key(KeyCode::Enter));
    let paced = enter.then(|key| async {
        // Lets the table task run between two keys.
        tokio::task::yield_now().await;
        key
    });
    let mut terminal = buffer();
    let screen = run_screen(&mut terminal, Screen::new(THEME), paced, channels).await.unwrap();
    assert!(screen.state().result().is_some(), "Enter leaves only when the table is over");
    let table = task.await.unwrap();
    assert!(table.game.outcome().is_some());
    assert!(format!("{:?}", terminal.backend().buffer()).contains("You came "));
}

#[tokio::test]
async fn screen_loop_ends_on_leave_end_of_input_and_input_error() {
    let start = || {
        let mut table = TestTable::new(GameId::FiveThreeFive, 3, 1);
        let first = table.start();
        serve(table, first).0
    };
    let quit = keys(vec![KeyCode::Char('q'), KeyCode::Char('q')]);
    run_screen(&mut buffer(), Screen::new(THEME), quit, start()).await.unwrap();
    run_screen(&mut buffer(), Screen::new(THEME), keys(vec![]), start()).await.unwrap();
    let broken = futures_util::stream::iter([Err(io::Error::other("the terminal is gone"))]);
    let error = run_screen(&mut buffer(), Screen::new(THEME), broken, start()).await.err().unwrap();
    assert_eq!(error.to_string(), "the terminal is gone");
}

#[tokio::test]
async fn screen_loop_shows_a_closed_message_channel() {
    let (sender, incoming) = mpsc::channel(1);
    let (answers, _answered) = mpsc::channel(1);
    drop(sender);
    // Enter has no effect until the loop has seen the closed channel; then it leaves.
    let enter = futures_util::stream::repeat_with(|| key(KeyCode::Enter));
    let channels = TableChannels { incoming, answers };
    let screen = run_screen(&mut buffer(), Screen::new(THEME), enter, channels).await.unwrap();
    assert!(screen.state().closed);
}

/// Output that can be read from outside.
#[derive(Clone, Default)]
struct SharedOutput(Arc<Mutex<Vec<u8>>>);

impl SharedOutput {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Input that repeats one line for ever.
struct RepeatingInput(&'static [u8]);

impl io::Read for RepeatingInput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(into.len());
        into[..count].copy_from_slice(&self.0[..count]);
        Ok(count)
    }
}

#[tokio::test]
async fn piped_lines_play_a_whole_game() {
    let mut table = TestTable::new(GameId::Gap, 2, 1);
    let first = table.start();
    let (channels, task) = serve(table, first);
    let printed = SharedOutput::default();
    let input = io::BufReader::with_capacity(3, RepeatingInput(b"#1\n"));
    let line_mode =
        play_line_mode(Lang::En, channels, InputSource::Piped, input, printed.clone()).await.unwrap();
    assert!(line_mode.is_over());
    assert!(task.await.unwrap().game.outcome().is_some());
    let text = printed.text();
    assert!(text.contains("Round 1: ") && text.contains(" 1st with "), "{text}");
    assert!(
        !text.contains("You are not asked anything now."),
        "a line was handled before its decision:\n{text}"
    );
}

#[tokio::test]
async fn end_of_input_ends_playing_but_not_watching() {
    let mut table = TestTable::new(GameId::FiveThreeFive, 3, 1);
    let first = table.start();
    let (sender, incoming) = mpsc::channel(64);
    let (answers, _answered) = mpsc::channel(1);
    for one in first {
        sender.send(one).await.unwrap();
    }
    let printed = SharedOutput::default();
    let channels = TableChannels { incoming, answers };
    let line_mode =
        play_line_mode(Lang::En, channels, InputSource::Piped, io::empty(), printed.clone()).await.unwrap();
    assert!(!line_mode.is_over() && printed.text().contains("Lead one to three cards."));
    drop(sender);

    let mut table = TestTable::with_viewer(GameId::FiveThreeFive, 2, 1, Viewer::Spectator);
    let first = table.start();
    let (channels, _task) = serve(table, first);
    let printed = SharedOutput::default();
    let line_mode =
        play_line_mode(Lang::En, channels, InputSource::Interactive, io::empty(), printed.clone())
            .await
            .unwrap();
    assert!(line_mode.is_over() && printed.text().contains(" 1st with "));
}
