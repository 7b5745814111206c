//! Whole games, on the screen of a terminal and in line mode through pipes, in both languages.

use parlor_engine::GameId;

use crate::failures::{assert_fails, game_ids};
use crate::support::{Key, Parlor, PipedProcess, ScreenHistory, Server, Terminal};

/// Expected texts of one language: key hint of a decision, and end of the table.
pub(crate) struct LanguageTexts {
    pub(crate) lang: &'static str,
    pub(crate) asked: &'static str,
    pub(crate) over: &'static str,
    /// Key hint at the end of a round.
    pub(crate) round: &'static str,
    /// Prompt and end of the game in line mode.
    pub(crate) prompt: &'static str,
    pub(crate) ended: &'static str,
}

pub(crate) const LANGUAGES: [LanguageTexts; 2] = [
    LanguageTexts {
        lang: "en",
        asked: "Enter play",
        over: "The table is over.",
        round: "any key: next round",
        prompt: "Your move (#number, name or ?):",
        ended: "The game was played to its end.",
    },
    LanguageTexts {
        lang: "de",
        asked: "Enter spielt",
        over: "Der Tisch ist zu Ende.",
        round: "jede Taste: nächste Runde",
        prompt: "Dein Zug (#Nummer, Name oder ?):",
        ended: "Das Spiel ist zu Ende gespielt.",
    },
];

/// Settings of a server that also offers the games for tests.
const TEST_GAMES: &str = "[testing]\ngames = true\n";

/// Arguments of a short game of each kind.
fn short_games() -> impl Iterator<Item = Vec<&'static str>> {
    GameId::ALL.iter().map(|game| {
        let id = game.info().id;
        match game {
            GameId::Gap => vec![id, "--option", "rounds=2"],
            GameId::FiveThreeFive => vec![id, "--with", "greedy,random"],
            _ => vec![id],
        }
    })
}

/// Next step of a player on the screen.
enum Next {
    /// A frame not yet seen prompts for a move; holds the number of frames seen with it.
    Play(usize),
    /// The table is over.
    Over,
}

/// Plays the selected move on the screen until the table is over or `enough` moves were sent.
///
/// Enter is pressed once for each new frame with a prompt. If the program has moved on by then, it plays the
/// next move or is ignored; it leaves only where the table is over, which was then on the screen.
pub(crate) fn play_on_screen(terminal: &mut Terminal, words: &LanguageTexts, enough: usize) {
    for _ in 0..enough {
        let screens_seen = terminal.screens_seen;
        let next = terminal.wait("a move to play, or the end", |seen: &ScreenHistory| {
            if seen.was_shown(words.over) {
                return Some(Next::Over);
            }
            let new = seen.screens.get(screens_seen..).unwrap_or_default();
            let waits = |screen: &String| screen.contains(words.asked) || screen.contains(words.round);
            let asked = new.iter().rposition(waits)?;
            Some(Next::Play(screens_seen + asked + 1))
        });
        match next {
            Next::Play(up_to) => {
                terminal.screens_seen = up_to;
                terminal.press(Key::Enter);
            }
            Next::Over => return,
        }
    }
}

/// Plays the first move in line mode until the program ends or `enough` moves were sent.
pub(crate) fn play_line_mode(pipes: &mut PipedProcess, words: &LanguageTexts, enough: usize) {
    for _ in 0..enough {
        let asked = pipes.answered + 1;
        let count = |lines: &[String]| lines.iter().filter(|line| line.contains(words.prompt)).count();
        if pipes.wait("a prompt", |lines| (count(lines) >= asked).then_some(())).is_none() {
            return;
        }
        pipes.answered = asked;
        pipes.type_line("#1");
    }
}

#[test]
fn every_game_is_played_on_the_screen_in_both_languages() {
    let server = Server::with_settings(TEST_GAMES);
    let parlor = Parlor::with_server(&server.url());
    for words in &LANGUAGES {
        for game in short_games() {
            let args = [&["play", "--lang", words.lang, "--seed", "7", "--pace", "0s"][..], &game].concat();
            let mut terminal = Terminal::start(&parlor, &args);
            play_on_screen(&mut terminal, words, usize::MAX);
            terminal.press(Key::Enter);
            assert_eq!(terminal.end(), 0, "{args:?}");
            terminal.inspect(|seen| {
                assert!(seen.was_shown(words.over), "{args:?}");
                assert!(seen.restored, "{args:?}");
                // The standings stay in the terminal.
                assert!(
                    seen.current().contains("1. ") && seen.current().contains("(bot)"),
                    "{args:?}: {}",
                    seen.current()
                );
            });
        }
    }
    let finished = parlor.json(&["tables", "--state", "finished", "--all"]);
    assert_eq!(finished["tables"].as_array().unwrap().len(), LANGUAGES.len() * GameId::ALL.len());
}

#[test]
fn every_game_is_played_in_line_mode_in_both_languages() {
    let server = Server::with_settings(TEST_GAMES);
    let parlor = Parlor::with_server(&server.url());
    for words in &LANGUAGES {
        for game in short_games() {
            let args = [&["play", "--plain", "--lang", words.lang, "--seed", "11"][..], &game].concat();
            let mut pipes = PipedProcess::start(&parlor, &args);
            play_line_mode(&mut pipes, words, usize::MAX);
            let (code, out, err) = pipes.end();
            assert_eq!((code, err), (0, Vec::<String>::new()), "{args:?}: {out:#?}");
            assert!(out.iter().any(|line| line.contains(words.ended)), "{args:?}: {out:#?}");
            let away = ["(away)", "(weg)"];
            assert!(
                !out.iter().any(|line| away.iter().any(|word| line.contains(word))),
                "{args:?}: {out:#?}"
            );
        }
    }
}

/// The label of the selected move, without its number.
pub(crate) fn selected_move(screen: &str) -> Option<&str> {
    screen.lines().find_map(|line| {
        let (_, chosen) =
            line.split('>').find_map(|piece| piece.trim_start().strip_prefix('#')?.split_once(' '))?;
        Some(chosen.split('│').next()?.trim())
    })
}

/// The 8 of Five Three Five is typed as `8`, and move number 8 as `#8`.
#[test]
fn typed_number_is_a_card_and_not_the_number_of_a_move() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let game = ["five_three_five", "--with", "greedy", "--seed", "7", "--clock", "none", "--lang", "en"];

    let mut pipes = PipedProcess::start(&parlor, &[&["play", "--plain"][..], &game].concat());
    pipes.wait("a prompt", |lines| lines.iter().any(|line| line.contains(LANGUAGES[0].prompt)).then_some(()));
    let number_8 = pipes
        .wait("move number 8", |lines| {
            Some(lines.iter().find_map(|line| line.trim().strip_prefix("#8 "))?.to_owned())
        })
        .expect("a list of moves");
    assert_ne!(number_8, "lead 8", "the two would not differ");
    pipes.type_line("8");
    pipes.wait("an 8 that is led", |lines| lines.iter().any(|line| line == "You lead 8.").then_some(()));
    pipes.type_line("q");
    assert_eq!(pipes.end().0, 0);

    let mut terminal = Terminal::start(&parlor, &[&["play"][..], &game].concat());
    terminal.wait_for(LANGUAGES[0].asked);
    for key in ['#', '8'] {
        terminal.press(Key::Char(key));
    }
    terminal.wait("move number 8", |seen| (selected_move(seen.current())? == number_8).then_some(()));
    for key in [Key::Backspace, Key::Backspace, Key::Char('8')] {
        terminal.press(key);
    }
    terminal.wait("the 8", |seen| (selected_move(seen.current())? == "lead 8").then_some(()));
    terminal.press(Key::Enter);
    terminal.wait_for("You lead 8.");
}

#[test]
fn test_games_need_a_setting_of_the_server() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for args in [["create", "high_card"], ["games", "high_card"]] {
        assert_fails(&parlor, &args, 5, "GAME_NOT_FOUND", [&game_ids(), &game_ids()]);
    }
    assert_fails(&parlor, &["rules", "high_card"], 5, "GAME_NOT_FOUND", ["parlor games", "parlor games"]);
}

/// One player creates a table and joins it by its id; the other joins, too.
#[test]
fn two_people_play_at_one_table() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let words = &LANGUAGES[0];
    let created = parlor.json(&["create", "gap", "--option", "rounds=1", "--clock", "none"]);
    let id = created["table_id"].as_str().unwrap();
    let mut ada =
        Terminal::start(&parlor, &["play", "--join", id, "--name", "Ada", "--lang", "en", "--pace", "0s"]);
    ada.wait_for("Waiting until all seats are taken.");
    // Bob has seats of his own.
    let bobs = Parlor::with_server(&server.url());
    let mut bob =
        PipedProcess::start(&bobs, &["play", "--join", id, "--name", "Bob", "--plain", "--lang", "en"]);
    std::thread::scope(|scope| {
        scope.spawn(|| play_on_screen(&mut ada, words, usize::MAX));
        scope.spawn(|| play_line_mode(&mut bob, words, usize::MAX));
    });
    ada.press(Key::Enter);
    assert_eq!(ada.end(), 0);
    let (code, out, err) = bob.end();
    assert_eq!(code, 0, "{out:#?} {err:#?}");
    assert!(ada.inspect(|seen| seen.was_shown("Bob") && seen.was_shown(words.over)));
    assert!(out.iter().any(|line| line.contains("Ada")), "{out:#?}");
}

#[test]
fn finished_game_is_replayed_forwards_and_backwards() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created = parlor.json(&[
        "create",
        "gap",
        "--option",
        "rounds=1",
        "--seat",
        "bot:greedy",
        "--seat",
        "bot:random",
    ]);
    let id = created["table_id"].as_str().unwrap();
    parlor.ok(&["--json", "watch", id]);
    let mut terminal = Terminal::start(&parlor, &["replay", id, "--lang", "en"]);
    terminal.wait_for("step 0 of ");
    terminal.press(Key::Right);
    terminal.wait_for("step 1 of ");
    terminal.press(Key::Right);
    terminal.wait_for("step 2 of ");
    terminal.press(Key::Left);
    terminal.wait("step 1 again", |seen| {
        let steps = seen.screens.iter().filter_map(|screen| screen.split_once("step ")?.1.chars().next());
        let mut steps: Vec<char> = steps.collect();
        steps.dedup();
        steps.ends_with(&['0', '1', '2', '1']).then_some(())
    });
    terminal.press(Key::End);
    terminal.wait("the result", |seen| seen.current().contains("The result").then_some(()));
    terminal.press(Key::Home);
    terminal.wait("the beginning", |seen| seen.current().contains("step 0 of ").then_some(()));
    terminal.press(Key::Char('q'));
    assert_eq!(terminal.end(), 0);
    assert!(terminal.inspect(|seen| seen.restored));
}

#[test]
fn table_is_watched_on_the_screen() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created =
        parlor.json(&["create", "gap", "--option", "rounds=1", "--seat", "bot:greedy", "--seat", "open"]);
    let id = created["table_id"].as_str().unwrap();
    let mut terminal = Terminal::start(&parlor, &["watch", id, "--lang", "en", "--pace", "0s"]);
    terminal.wait_for("Waiting until all seats are taken.");
    parlor.ok(&["bot", "random", "--table", id]);
    terminal.wait_for(LANGUAGES[0].over);
    terminal.press(Key::Enter);
    assert_eq!(terminal.end(), 0);
}
