//! Signals and interrupts: the terminal is restored, the seat can be resumed, and the program prints how.

use crate::games::{LANGUAGES, LanguageTexts, play_line_mode, play_on_screen};
use crate::support::{Key, Parlor, PipedProcess, Server, Terminal};

/// The token in a text such as "Go on with: parlor play --seat-token pls_...".
fn seat_token(text: &str) -> String {
    let (_, rest) = text.rsplit_once("--seat-token ").unwrap_or_else(|| panic!("no token in {text}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

/// Starts a game on the screen, and waits for the player's turn.
fn start_game(parlor: &Parlor, words: &LanguageTexts) -> Terminal {
    let args = ["play", "gap", "--option", "rounds=1", "--lang", words.lang, "--pace", "0s"];
    let mut terminal = Terminal::start(parlor, &args);
    play_on_screen(&mut terminal, words, 2);
    terminal.wait("another move", |seen| seen.current().contains(words.asked).then_some(()));
    terminal
}

#[test]
fn interrupted_screen_game_is_resumed_by_seat_token() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for words in &LANGUAGES {
        type Interrupt = fn(&mut Terminal);
        let interrupts: [(Interrupt, u32); 3] = [
            (|terminal| terminal.press(Key::CtrlC), 130),
            (|terminal| terminal.signal("INT"), 130),
            (|terminal| terminal.signal("TERM"), 143),
        ];
        for (interrupt, code) in interrupts {
            let mut terminal = start_game(&parlor, words);
            interrupt(&mut terminal);
            assert_eq!(terminal.end(), code, "{}", words.lang);
            let token = terminal.inspect(|seen| {
                assert!(seen.restored, "{}", seen.current());
                seat_token(seen.current())
            });
            let mut resumed = Terminal::start(
                &parlor,
                &["play", "--seat-token", &token, "--lang", words.lang, "--pace", "0s"],
            );
            play_on_screen(&mut resumed, words, usize::MAX);
            resumed.press(Key::Enter);
            assert_eq!(resumed.end(), 0);
            assert!(resumed.inspect(|seen| seen.was_shown(words.over)));
        }
    }
}

#[test]
fn quitting_by_q_exits_0() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let mut terminal = start_game(&parlor, &LANGUAGES[0]);
    terminal.press(Key::Char('q'));
    // A new decision closes the confirmation, and the key opens it resumed.
    loop {
        let screens_seen = terminal.screens_seen;
        let asked = terminal.wait("the question whether to leave, or the end", |seen| {
            let new = seen.screens.get(screens_seen..).unwrap_or_default();
            let asked = new.iter().rposition(|screen| screen.contains("Leave the table?"));
            asked.map(|place| Some(screens_seen + place + 1)).or(seen.ended.map(|_| None))
        });
        match asked {
            Some(up_to) => terminal.screens_seen = up_to,
            None => break,
        }
        terminal.press(Key::Char('q'));
    }
    assert_eq!(terminal.end(), 0);
    assert!(terminal.inspect(|seen| seen.restored && seat_token(seen.current()).starts_with("pls_")));
}

#[test]
fn interrupted_line_mode_game_is_resumed_by_seat_token() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let words = &LANGUAGES[0];
    type Leave = fn(&mut PipedProcess);
    let ways: [(Leave, i32); 4] = [
        (|pipes| pipes.signal("INT"), 130),
        (|pipes| pipes.signal("TERM"), 143),
        (|pipes| pipes.type_line("q"), 0),
        (PipedProcess::close_input, 0),
    ];
    for (leave, expected) in ways {
        let args = ["play", "gap", "--option", "rounds=1", "--plain", "--lang", "en"];
        let mut pipes = PipedProcess::start(&parlor, &args);
        play_line_mode(&mut pipes, words, 1);
        leave(&mut pipes);
        let (code, _, err) = pipes.end();
        assert_eq!(code, expected, "{err:?}");
        let token = seat_token(&err.concat());
        let mut resumed =
            PipedProcess::start(&parlor, &["play", "--seat-token", &token, "--plain", "--lang", "en"]);
        play_line_mode(&mut resumed, words, usize::MAX);
        let (code, out, _) = resumed.end();
        assert_eq!(code, 0);
        assert!(out.iter().any(|line| line.contains(words.ended)), "{out:#?}");
    }
}

/// Without a screen, the terminal itself turns Ctrl-C into a signal.
#[test]
fn ctrl_c_interrupts_line_mode_in_a_terminal() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let mut terminal = Terminal::start(&parlor, &["play", "gap", "--plain", "--lang", "en"]);
    terminal.wait_for(LANGUAGES[0].prompt);
    terminal.press(Key::CtrlC);
    assert_eq!(terminal.end(), 130);
    assert!(terminal.inspect(|seen| seat_token(seen.current()).starts_with("pls_")));
}

#[test]
fn watching_and_waiting_bots_stop_on_sigint() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created = parlor.json(&["create", "gap"]);
    let id = created["table_id"].as_str().unwrap();
    let watching = PipedProcess::start(&parlor, &["--json", "watch", id]);
    watching.wait("the snapshot", |lines| lines.first().map(|_| ()));
    watching.signal("INT");
    assert_eq!(watching.end().0, 130);

    let mut terminal = Terminal::start(&parlor, &["watch", id, "--lang", "en"]);
    terminal.wait_for("Waiting until all seats are taken.");
    terminal.press(Key::CtrlC);
    assert_eq!(terminal.end(), 130);
    assert!(terminal.inspect(|seen| seen.restored));

    // A bot waiting for the other player.
    let bot = Terminal::start(&parlor, &["bot", "greedy", "--table", id, "--lang", "en"]);
    // It has its token once it has attached, which the presence in a snapshot shows.
    let is_attached = || {
        let watching = PipedProcess::start(&parlor, &["--json", "watch", id]);
        let is_attached = watching.wait("the snapshot", |lines| {
            lines.first().map(|line| line.replace(' ', "").contains("\"connected\":true"))
        });
        watching.signal("INT");
        watching.end();
        is_attached.expect("a snapshot")
    };
    assert!((0..1000).any(|_| is_attached()), "the bot does not attach");
    bot.signal("INT");
    assert_eq!(bot.end(), 130);
    let command = bot.inspect(|seen| seen.current().to_owned());
    assert!(command.contains("parlor bot greedy") && seat_token(&command).starts_with("pls_"), "{command}");
}
