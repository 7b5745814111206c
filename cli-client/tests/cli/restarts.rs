//! Server crash and restart on the same store during a game: the game resumes.

use std::thread;

use parlor_testkit::Proxy;

use crate::games::{LANGUAGES, play_line_mode, play_on_screen};
use crate::support::{Key, Parlor, PipedProcess, Server, Terminal};

/// Kills the server behind the proxy, runs `meanwhile`, and starts a new one in its place.
pub(crate) fn crash_and_restart(server: &mut Server, proxy: &Proxy, meanwhile: impl FnOnce()) {
    server.kill();
    meanwhile();
    server.restart();
    proxy.set_upstream(server.address());
}

#[test]
fn screen_game_resumes_after_a_server_crash() {
    let mut server = Server::start();
    let proxy = Proxy::start_on_thread(server.address());
    let parlor = Parlor::with_server(&proxy.url());
    for words in &LANGUAGES {
        let args = ["play", "gap", "--option", "rounds=2", "--lang", words.lang, "--pace", "0s"];
        let mut terminal = Terminal::start(&parlor, &args);
        play_on_screen(&mut terminal, words, 3);
        let lost = if words.lang == "de" { "Die Verbindung ist weg." } else { "The connection was lost." };
        crash_and_restart(&mut server, &proxy, || terminal.wait_for(lost));
        play_on_screen(&mut terminal, words, usize::MAX);
        terminal.press(Key::Enter);
        assert_eq!(terminal.end(), 0);
        assert!(terminal.inspect(|seen| seen.was_shown(words.over)));
    }
    let tables = parlor.json(&["tables", "--state", "finished"]);
    assert_eq!(tables["tables"].as_array().unwrap().len(), LANGUAGES.len());
}

#[test]
fn line_mode_game_resumes_after_a_server_crash() {
    let mut server = Server::start();
    let proxy = Proxy::start_on_thread(server.address());
    let parlor = Parlor::with_server(&proxy.url());
    let words = &LANGUAGES[0];
    let args = ["play", "gap", "--option", "rounds=2", "--plain", "--lang", "en"];
    let mut pipes = PipedProcess::start(&parlor, &args);
    play_line_mode(&mut pipes, words, 3);
    crash_and_restart(&mut server, &proxy, || {
        pipes.wait("the loss", |lines| {
            lines.iter().any(|line| line.contains("The connection was lost.")).then_some(())
        });
    });
    play_line_mode(&mut pipes, words, usize::MAX);
    let (code, out, err) = pipes.end();
    assert_eq!(code, 0, "{out:#?} {err:#?}");
    assert!(out.iter().any(|line| line.contains(words.ended)), "{out:#?}");
}

#[test]
fn bots_and_watchers_resume_after_a_server_crash() {
    let mut server = Server::start();
    let proxy = Proxy::start_on_thread(server.address());
    let parlor = Parlor::with_server(&proxy.url());
    let created = parlor.json(&["create", "no_dice", "--clock", "none"]);
    let id = created["table_id"].as_str().unwrap();
    let watching = PipedProcess::start(&parlor, &["--json", "watch", id]);
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
        assert!(moves(4).is_some(), "the game ended before the crash");
        crash_and_restart(&mut server, &proxy, || ());
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
