//! A server that is killed in the middle of a game and started again on the same store: the game goes on.

use std::thread;

use crate::games::{LANGUAGES, play_in_lines, play_on};
use crate::support::{Key, Parlor, Pipes, Proxy, Server, Terminal};

/// Kills the server behind the proxy, and lets another one take its place when it is told to.
fn crash(server: &mut Server, proxy: &Proxy, meanwhile: impl FnOnce()) {
    server.kill();
    meanwhile();
    server.start_again();
    proxy.turn_to(server.address());
}

#[test]
fn a_game_on_a_screen_goes_on_after_a_crash_of_the_server() {
    let mut server = Server::start();
    let proxy = Proxy::to(server.address());
    let parlor = Parlor::of(&proxy.url());
    for words in &LANGUAGES {
        let args = ["play", "gap", "--option", "rounds=2", "--lang", words.lang];
        let mut terminal = Terminal::start(&parlor, &args);
        play_on(&mut terminal, words, 3);
        let lost = if words.lang == "de" { "Die Verbindung ist weg." } else { "The connection was lost." };
        crash(&mut server, &proxy, || terminal.wait_for(lost));
        play_on(&mut terminal, words, usize::MAX);
        terminal.press(Key::Enter);
        assert_eq!(terminal.end(), 0);
        assert!(terminal.look(|seen| seen.ever(words.over)));
    }
    let tables = parlor.json(&["tables", "--state", "finished"]);
    assert_eq!(tables["tables"].as_array().unwrap().len(), LANGUAGES.len());
}

#[test]
fn a_game_in_lines_goes_on_after_a_crash_of_the_server() {
    let mut server = Server::start();
    let proxy = Proxy::to(server.address());
    let parlor = Parlor::of(&proxy.url());
    let words = &LANGUAGES[0];
    let args = ["play", "gap", "--option", "rounds=2", "--plain", "--lang", "en"];
    let mut pipes = Pipes::start(&parlor, &args);
    play_in_lines(&mut pipes, words, 3);
    crash(&mut server, &proxy, || {
        pipes.wait("the loss", |lines| {
            lines.iter().any(|line| line.contains("The connection was lost.")).then_some(())
        });
    });
    play_in_lines(&mut pipes, words, usize::MAX);
    let (code, out, err) = pipes.end();
    assert_eq!(code, 0, "{out:#?} {err:#?}");
    assert!(out.iter().any(|line| line.contains(words.ended)), "{out:#?}");
}

#[test]
fn bots_and_watchers_go_on_after_a_crash_of_the_server() {
    let mut server = Server::start();
    let proxy = Proxy::to(server.address());
    let parlor = Parlor::of(&proxy.url());
    let made = parlor.json(&["create", "no_dice", "--clock", "none"]);
    let id = made["table_id"].as_str().unwrap();
    let watching = Pipes::start(&parlor, &["--json", "watch", id]);
    let moves = |count: usize| {
        watching.wait("moves", |lines| {
            let updates = lines.iter().filter(|line| line.starts_with(r#"{"update""#)).count();
            (updates >= count).then_some(())
        })
    };
    thread::scope(|scope| {
        let bots = ["greedy", "random"].map(|bot| {
            let parlor = &parlor;
            scope.spawn(move || parlor.run(&["bot", bot, "--table", id]))
        });
        assert!(moves(4).is_some(), "the game ended before anything could happen to it");
        crash(&mut server, &proxy, || ());
        for bot in bots {
            let done = bot.join().unwrap();
            assert_eq!(done.code, 0, "{done:?}");
        }
    });
    let (code, lines, err) = watching.end();
    assert_eq!(code, 0, "{err:?}");
    let numbers: Vec<u64> = lines
        .iter()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter_map(|line| line["update"]["number"].as_u64())
        .collect();
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{numbers:?}");
    assert_eq!(parlor.json(&["show", id])["state"], "TABLE_STATE_FINISHED");
}
