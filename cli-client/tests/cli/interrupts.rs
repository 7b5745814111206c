//! Being told to stop: the terminal is as it was, the seat can be gone on with, and the program says how.

use crate::games::{LANGUAGES, Words, play_in_lines, play_on};
use crate::support::{Key, Parlor, Pipes, Server, Terminal};

/// The token in a text such as "Go on with: parlor play --seat-token pls_...".
fn token(text: &str) -> String {
    let (_, rest) = text.rsplit_once("--seat-token ").unwrap_or_else(|| panic!("no token in {text}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

/// Starts to play on a screen, and waits until it is the player's turn.
fn begin(parlor: &Parlor, words: &Words) -> Terminal {
    let args = ["play", "gap", "--option", "rounds=1", "--lang", words.lang];
    let mut terminal = Terminal::start(parlor, &args);
    play_on(&mut terminal, words, 2);
    terminal.wait("another move", |seen| seen.now().contains(words.asked).then_some(()));
    terminal
}

#[test]
fn a_seat_on_a_screen_is_left_and_gone_on_with() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    for words in &LANGUAGES {
        type Interrupt = fn(&mut Terminal);
        let interrupts: [(Interrupt, u32); 3] = [
            (|terminal| terminal.press(Key::CtrlC), 130),
            (|terminal| terminal.signal("INT"), 130),
            (|terminal| terminal.signal("TERM"), 143),
        ];
        for (interrupt, code) in interrupts {
            let mut terminal = begin(&parlor, words);
            interrupt(&mut terminal);
            assert_eq!(terminal.end(), code, "{}", words.lang);
            let token = terminal.look(|seen| {
                assert!(seen.restored, "{}", seen.now());
                token(seen.now())
            });
            let mut again = Terminal::start(&parlor, &["play", "--seat-token", &token, "--lang", words.lang]);
            play_on(&mut again, words, usize::MAX);
            again.press(Key::Enter);
            assert_eq!(again.end(), 0);
            assert!(again.look(|seen| seen.ever(words.over)));
        }
    }
}

#[test]
fn leaving_by_q_is_no_interrupt() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let mut terminal = begin(&parlor, &LANGUAGES[0]);
    terminal.press(Key::Char('q'));
    // A move that comes up in between takes the question away, and the key asks it again.
    loop {
        let looked_at = terminal.looked_at;
        let asked = terminal.wait("the question whether to leave, or the end", |seen| {
            let new = seen.screens.get(looked_at..).unwrap_or_default();
            let asked = new.iter().rposition(|screen| screen.contains("Leave the table?"));
            asked.map(|place| Some(looked_at + place + 1)).or(seen.ended.map(|_| None))
        });
        match asked {
            Some(up_to) => terminal.looked_at = up_to,
            None => break,
        }
        terminal.press(Key::Char('q'));
    }
    assert_eq!(terminal.end(), 0);
    assert!(terminal.look(|seen| seen.restored && token(seen.now()).starts_with("pls_")));
}

#[test]
fn a_seat_in_lines_is_left_and_gone_on_with() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let words = &LANGUAGES[0];
    type Leave = fn(&mut Pipes);
    let ways: [(Leave, i32); 4] = [
        (|pipes| pipes.signal("INT"), 130),
        (|pipes| pipes.signal("TERM"), 143),
        (|pipes| pipes.type_line("q"), 0),
        (Pipes::close_input, 0),
    ];
    for (leave, expected) in ways {
        let args = ["play", "gap", "--option", "rounds=1", "--plain", "--lang", "en"];
        let mut pipes = Pipes::start(&parlor, &args);
        play_in_lines(&mut pipes, words, 1);
        leave(&mut pipes);
        let (code, _, err) = pipes.end();
        assert_eq!(code, expected, "{err:?}");
        let token = token(&err.concat());
        let mut again = Pipes::start(&parlor, &["play", "--seat-token", &token, "--plain", "--lang", "en"]);
        play_in_lines(&mut again, words, usize::MAX);
        let (code, out, _) = again.end();
        assert_eq!(code, 0);
        assert!(out.iter().any(|line| line.contains(words.ended)), "{out:#?}");
    }
}

/// Without a screen the terminal itself turns Ctrl-C into a signal.
#[test]
fn lines_in_a_terminal_are_left_by_ctrl_c() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let mut terminal = Terminal::start(&parlor, &["play", "gap", "--plain", "--lang", "en"]);
    terminal.wait_for(LANGUAGES[0].prompt);
    terminal.press(Key::CtrlC);
    assert_eq!(terminal.end(), 130);
    assert!(terminal.look(|seen| token(seen.now()).starts_with("pls_")));
}

#[test]
fn watching_and_waiting_bots_stop_at_once() {
    let server = Server::start();
    let parlor = Parlor::of(&server.url());
    let made = parlor.json(&["create", "gap"]);
    let id = made["table_id"].as_str().unwrap();
    let watching = Pipes::start(&parlor, &["--json", "watch", id]);
    watching.wait("the snapshot", |lines| lines.first().map(|_| ()));
    watching.signal("INT");
    assert_eq!(watching.end().0, 130);

    let mut terminal = Terminal::start(&parlor, &["watch", id, "--lang", "en"]);
    terminal.wait_for("Waiting until all seats are taken.");
    terminal.press(Key::CtrlC);
    assert_eq!(terminal.end(), 130);
    assert!(terminal.look(|seen| seen.restored));

    // A bot that waits for the other player.
    let bot = Terminal::start(&parlor, &["bot", "greedy", "--table", id, "--lang", "en"]);
    let other = Pipes::start(&parlor, &["--json", "watch", id]);
    other.wait("the bot's name", |lines| lines.iter().any(|line| line.contains("\"greedy\"")).then_some(()));
    bot.signal("INT");
    assert_eq!(bot.end(), 130);
    let command = bot.look(|seen| seen.now().to_owned());
    assert!(command.contains("parlor bot greedy") && token(&command).starts_with("pls_"), "{command}");
}
