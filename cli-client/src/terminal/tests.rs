//! The loops, without a terminal: keys and news from channels, drawn into a buffer.

use std::sync::{Arc, Mutex};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use parlor_engine::{GameId, Viewer};
use ratatui::backend::TestBackend;

use super::*;
use crate::screen::Ink;
use crate::testing::House;

const INK: Ink = Ink { lang: Lang::En, colours: false };

fn key(code: KeyCode) -> io::Result<Event> {
    Ok(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn buffer() -> Terminal<TestBackend> {
    Terminal::new(TestBackend::new(80, 24)).unwrap()
}

/// A table on the other side of a link, which answers what it is told until nobody is there any more.
fn serve(mut house: House, mut first: Vec<Incoming>) -> (Link, tokio::task::JoinHandle<House>) {
    let (news, incoming) = mpsc::channel(1024);
    let (answers, mut answered) = mpsc::channel::<Answer>(1);
    let task = tokio::spawn(async move {
        first.extend(house.others_play());
        for one in first {
            if news.send(one).await.is_err() {
                return house;
            }
        }
        while let Some(Answer { decision, index }) = answered.recv().await {
            for one in house.answer(decision, index) {
                if news.send(one).await.is_err() {
                    return house;
                }
            }
        }
        house
    });
    (Link { incoming, answers }, task)
}

/// Keys that are pressed one after the other, each only when the screen before it has been drawn.
fn keys(codes: Vec<KeyCode>) -> impl Stream<Item = io::Result<Event>> {
    futures_util::stream::iter(codes.into_iter().map(key))
}

#[tokio::test]
async fn a_game_is_played_through_the_loop() {
    let mut house = House::new(GameId::Gap, 2, 1);
    let first = house.begin();
    let (link, task) = serve(house, first);
    // Enter until it is over and once more: an answer on its way is not sent twice, so too many do no harm.
    let enter = futures_util::stream::repeat_with(|| key(KeyCode::Enter));
    let paced = enter.then(|key| async {
        // Lets the table speak between two keys.
        tokio::task::yield_now().await;
        key
    });
    let mut terminal = buffer();
    let screen = run(&mut terminal, Screen::new(INK), paced, link).await.unwrap();
    assert!(screen.situation().result().is_some(), "Enter leaves only when the table is over");
    let house = task.await.unwrap();
    assert!(house.game.outcome().is_some());
    assert!(format!("{:?}", terminal.backend().buffer()).contains("The game was played to its end."));
}

#[tokio::test]
async fn leaving_and_the_end_of_the_keys_end_the_loop() {
    let begin = || {
        let mut house = House::new(GameId::Flush, 3, 1);
        let first = house.begin();
        serve(house, first).0
    };
    let quit = keys(vec![KeyCode::Char('q'), KeyCode::Char('q')]);
    run(&mut buffer(), Screen::new(INK), quit, begin()).await.unwrap();
    run(&mut buffer(), Screen::new(INK), keys(vec![]), begin()).await.unwrap();
    let broken = futures_util::stream::iter([Err(io::Error::other("no terminal any more"))]);
    let error = run(&mut buffer(), Screen::new(INK), broken, begin()).await.err().unwrap();
    assert_eq!(error.to_string(), "no terminal any more");
}

#[tokio::test]
async fn a_table_that_goes_away_is_shown_as_such() {
    let (news, incoming) = mpsc::channel(1);
    let (answers, _answered) = mpsc::channel(1);
    drop(news);
    // Enter does nothing before the loop has seen that the table is gone, and leaves afterwards.
    let enter = futures_util::stream::repeat_with(|| key(KeyCode::Enter));
    let link = Link { incoming, answers };
    let screen = run(&mut buffer(), Screen::new(INK), enter, link).await.unwrap();
    assert!(screen.situation().closed);
}

/// An output that can be read from outside.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An input that says the same line again and again.
struct Always(&'static [u8]);

impl io::Read for Always {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(into.len());
        into[..count].copy_from_slice(&self.0[..count]);
        Ok(count)
    }
}

#[tokio::test]
async fn lines_that_are_there_beforehand_play_a_whole_game() {
    let mut house = House::new(GameId::Gap, 2, 1);
    let first = house.begin();
    let (link, task) = serve(house, first);
    let printed = Printed::default();
    let input = io::BufReader::with_capacity(2, Always(b"1\n"));
    let plain = play_in_lines(Lang::En, link, Typed::Beforehand, input, printed.clone()).await.unwrap();
    assert!(plain.is_over());
    assert!(task.await.unwrap().game.outcome().is_some());
    let text = printed.text();
    assert!(text.contains("Round 1 scores") && text.contains("place 1: "), "{text}");
    assert!(!text.contains("You are not asked anything now."), "no line came too early:\n{text}");
}

#[tokio::test]
async fn the_end_of_the_input_ends_a_game_and_not_the_watching_of_one() {
    let mut house = House::new(GameId::Flush, 3, 1);
    let first = house.begin();
    let (news, incoming) = mpsc::channel(64);
    let (answers, _answered) = mpsc::channel(1);
    for one in first {
        news.send(one).await.unwrap();
    }
    let printed = Printed::default();
    let link = Link { incoming, answers };
    let plain = play_in_lines(Lang::En, link, Typed::Beforehand, io::empty(), printed.clone()).await.unwrap();
    assert!(!plain.is_over() && printed.text().contains("You lead"));
    drop(news);

    let mut house = House::seen_by(GameId::Flush, 2, 1, Viewer::Spectator);
    let first = house.begin();
    let (link, _task) = serve(house, first);
    let printed = Printed::default();
    let plain = play_in_lines(Lang::En, link, Typed::ByHand, io::empty(), printed.clone()).await.unwrap();
    assert!(plain.is_over() && printed.text().contains("place 1: "));
}
