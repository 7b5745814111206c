//! Whole games: on the screen of a terminal, and in lines through pipes, in both languages.

use crate::support::{Key, Parlor, Pipes, Seen, Server, Terminal};

/// What stands on the screen when the player is asked, and when the table is over.
pub(crate) struct Words {
    pub(crate) lang: &'static str,
    pub(crate) asked: &'static str,
    pub(crate) over: &'static str,
    /// The line that asks in line mode, and the one that says how it ended.
    pub(crate) prompt: &'static str,
    pub(crate) ended: &'static str,
}

pub(crate) const LANGUAGES: [Words; 2] = [
    Words {
        lang: "en",
        asked: "Enter play",
        over: "The table is over.",
        prompt: "Your move (number, name or ?):",
        ended: "The game was played to its end.",
    },
    Words {
        lang: "de",
        asked: "Enter spielt",
        over: "Der Tisch ist zu Ende.",
        prompt: "Dein Zug (Nummer, Name oder ?):",
        ended: "Das Spiel ist zu Ende gespielt.",
    },
];

/// How a short game of each kind is asked for.
const GAMES: [&[&str]; 4] =
    [&["habe_fertig"], &["gap", "--option", "rounds=1"], &["flush", "--with", "greedy,random"], &["no_dice"]];

/// What a player on a screen does next.
enum Next {
    /// There is a picture that the player has not looked at, which asks for a move.
    Play(usize),
    /// The table is over.
    Over,
}

/// Plays on the screen, always the move that is chosen, until the table is over or `enough` moves were sent.
///
/// Enter is pressed once for each new picture that asks. If the program has gone on by the time it comes, it plays the
/// next move, or is ignored; only where the table is over it leaves, and then that was on the screen.
pub(crate) fn play_on(terminal: &mut Terminal, words: &Words, enough: usize) {
    for _ in 0..enough {
        let looked_at = terminal.looked_at;
        let next = terminal.wait("a move to play, or the end", |seen: &Seen| {
            if seen.ever(words.over) {
                return Some(Next::Over);
            }
            let new = seen.screens.get(looked_at..).unwrap_or_default();
            let asked = new.iter().rposition(|screen| screen.contains(words.asked))?;
            Some(Next::Play(looked_at + asked + 1))
        });
        match next {
            Next::Play(up_to) => {
                terminal.looked_at = up_to;
                terminal.press(Key::Enter);
            }
            Next::Over => return,
        }
    }
}

/// Plays in lines, always the first move, until the program ends.
pub(crate) fn play_in_lines(pipes: &mut Pipes, words: &Words, enough: usize) {
    for _ in 0..enough {
        let asked = pipes.answered + 1;
        let count = |lines: &[String]| lines.iter().filter(|line| line.contains(words.prompt)).count();
        if pipes.wait("a prompt", |lines| (count(lines) >= asked).then_some(())).is_none() {
            return;
        }
        pipes.answered = asked;
        pipes.type_line("1");
    }
}

#[test]
fn every_game_is_played_on_a_screen_in_both_languages() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    for words in &LANGUAGES {
        for game in GAMES {
            let args = [&["play", "--lang", words.lang, "--seed", "7"], game].concat();
            let mut terminal = Terminal::start(&parlor, &args);
            play_on(&mut terminal, words, usize::MAX);
            terminal.press(Key::Enter);
            assert_eq!(terminal.end(), 0, "{args:?}");
            terminal.look(|seen| {
                assert!(seen.ever(words.over), "{args:?}");
                assert!(seen.restored, "{args:?}");
                // What stays in the terminal: who came where.
                assert!(
                    seen.now().contains("1. ") && seen.now().contains("(bot)"),
                    "{args:?}: {}",
                    seen.now()
                );
            });
        }
    }
    let finished = parlor.json(&["tables", "--state", "finished", "--all"]);
    assert_eq!(finished["tables"].as_array().unwrap().len(), LANGUAGES.len() * GAMES.len());
}

#[test]
fn every_game_is_played_in_lines_in_both_languages() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    for words in &LANGUAGES {
        for game in GAMES {
            let args = [&["play", "--plain", "--lang", words.lang, "--seed", "11"], game].concat();
            let mut pipes = Pipes::start(&parlor, &args);
            play_in_lines(&mut pipes, words, usize::MAX);
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

/// Two people at one table: one makes it and joins by its id, the other joins too.
#[test]
fn two_people_play_at_one_table() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let words = &LANGUAGES[0];
    let made = parlor.json(&["create", "gap", "--option", "rounds=1", "--clock", "none"]);
    let id = made["table_id"].as_str().unwrap();
    let mut ada = Terminal::start(&parlor, &["play", "--join", id, "--name", "Ada", "--lang", "en"]);
    ada.wait_for("Waiting until all seats are taken.");
    let mut bob = Pipes::start(&parlor, &["play", "--join", id, "--name", "Bob", "--plain", "--lang", "en"]);
    std::thread::scope(|scope| {
        scope.spawn(|| play_on(&mut ada, words, usize::MAX));
        scope.spawn(|| play_in_lines(&mut bob, words, usize::MAX));
    });
    ada.press(Key::Enter);
    assert_eq!(ada.end(), 0);
    let (code, out, err) = bob.end();
    assert_eq!(code, 0, "{out:#?} {err:#?}");
    assert!(ada.look(|seen| seen.ever("Bob") && seen.ever(words.over)));
    assert!(out.iter().any(|line| line.contains("Ada")), "{out:#?}");
}

#[test]
fn a_game_that_is_over_is_replayed_forwards_and_backwards() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let made = parlor.json(&[
        "create",
        "gap",
        "--option",
        "rounds=1",
        "--seat",
        "bot:greedy",
        "--seat",
        "bot:random",
    ]);
    let id = made["table_id"].as_str().unwrap();
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
    terminal.wait("the result", |seen| seen.now().contains("The result").then_some(()));
    terminal.press(Key::Home);
    terminal.wait("the beginning", |seen| seen.now().contains("step 0 of ").then_some(()));
    terminal.press(Key::Char('q'));
    assert_eq!(terminal.end(), 0);
    assert!(terminal.look(|seen| seen.restored));
}

#[test]
fn a_table_is_watched_on_a_screen() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let made =
        parlor.json(&["create", "gap", "--option", "rounds=1", "--seat", "bot:greedy", "--seat", "open"]);
    let id = made["table_id"].as_str().unwrap();
    let mut terminal = Terminal::start(&parlor, &["watch", id, "--lang", "en"]);
    terminal.wait_for("Waiting until all seats are taken.");
    parlor.ok(&["bot", "random", "--table", id]);
    terminal.wait_for(LANGUAGES[0].over);
    terminal.press(Key::Enter);
    assert_eq!(terminal.end(), 0);
}
