//! Programs that read and write lines without an agent of their own: as opponents, in tournaments, in `parlor conformance`.

use serde_json::Value;

use crate::games::{LANGUAGES, play_line_mode};
use crate::line_programs::{LineBot, of_type};
use crate::support::{Parlor, PipedProcess, Server};
use crate::tournaments::write_setup;

#[test]
fn person_plays_against_a_program() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let (words, bot) = (&LANGUAGES[0], LineBot::new("good"));
    let with = format!("greedy,exec:{}", bot.command);
    let args = ["play", "gap", "--with", &with, "--option", "rounds=1", "--plain", "--lang", "en"];
    let mut pipes = PipedProcess::start(&parlor, &args);
    play_line_mode(&mut pipes, words, usize::MAX);
    let (code, out, err) = pipes.end();
    assert_eq!((code, &err[..]), (0, &[][..]), "{out:#?}");
    assert!(out.iter().any(|line| line.contains(words.ended)), "{out:#?}");
    let lines = bot.lines();
    assert_eq!((of_type(&lines, "start").len(), of_type(&lines, "end").len()), (1, 1));
    assert_eq!(of_type(&lines, "start")[0]["seat"], 2);
}

/// Both seats can be resumed after Ctrl-C, by the commands that are printed.
#[test]
fn interrupted_game_against_a_program_is_resumed() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let (words, bot) = (&LANGUAGES[0], LineBot::new("good"));
    let with = format!("exec:{}", bot.command);
    let args = ["play", "gap", "--with", &with, "--option", "rounds=1", "--plain", "--lang", "en"];
    let mut pipes = PipedProcess::start(&parlor, &args);
    play_line_mode(&mut pipes, words, 1);
    pipes.signal("INT");
    let (code, _, err) = pipes.end();
    assert_eq!(code, 130, "{err:?}");
    let token = |command: &str| {
        let line = err.iter().find(|line| line.contains(command)).unwrap_or_else(|| panic!("{err:?}"));
        line.rsplit_once("--seat-token ").unwrap().1.to_owned()
    };
    let exec = format!("exec:{}", bot.command);
    let program = PipedProcess::start(&parlor, &["bot", &exec, "--seat-token", &token("parlor bot 'exec:")]);
    let args = ["play", "--seat-token", &token("parlor play"), "--plain", "--lang", "en"];
    let mut pipes = PipedProcess::start(&parlor, &args);
    play_line_mode(&mut pipes, words, usize::MAX);
    assert_eq!(pipes.end().0, 0);
    let (code, out, err) = program.end();
    assert_eq!(code, 0, "{out:?} {err:?}");
    assert!(out[0].contains("place"), "{out:?}");
}

#[test]
fn conformance_examines_a_program() {
    let parlor = Parlor::without_server();
    let bot = LineBot::new("good");
    let done = parlor.run(&[
        "--json",
        "conformance",
        "--listen",
        "127.0.0.1:0",
        "--games",
        "gap",
        "--tables",
        "8",
        "--patience",
        "60s",
        "--exec",
        &bot.command,
    ]);
    assert_eq!(done.code, 0, "{done:?}");
    let last: Value = serde_json::from_str(done.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["passed"], &last["failed"]), (&13.into(), &0.into()), "{done:?}");
    let lines = bot.lines();
    let texts = of_type(&lines, "decision").iter().all(|line| line["board"]["zones"].is_array());
    assert!(texts, "decisions have boards");

    let args = ["conformance", "--listen", "127.0.0.1:0", "--exec", "exit 3"];
    let done = parlor.run(&args);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stderr.contains("without an answer"), "{done:?}");
}

/// A whole tournament between two programs and a house bot in one command.
#[test]
fn tournament_runs_programs_by_itself() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let (first, second) = (LineBot::new("good"), LineBot::new("action"));
    let cup = format!(
        "game = 'gap'\nformat = 'round_robin'\ngroups = 2\n\
         entrants = ['exec:{}', 'exec:{}', 'bot:greedy']\npatience = '10h'\n[options]\nrounds = 1\n[clock]\n\
         decision = 'none'\n",
        first.command, second.command,
    );
    let file = write_setup(&parlor, &cup);
    let done = parlor.run(&["--json", "tournament", "run", &file]);
    assert_eq!(done.code, 0, "{done:?}");
    let last: Value = serde_json::from_str(done.stdout.lines().last().unwrap()).unwrap();
    let standings = &last["standings"];
    assert_eq!(
        (&standings["state"], &standings["tables_over"]),
        (&"TOURNAMENT_STATE_FINISHED".into(), &12.into())
    );
    for bot in [&first, &second] {
        assert_eq!(of_type(&bot.lines(), "end").len(), 8);
    }
    let agents = parlor.json(&["agents"]);
    let agents = agents["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 2);
    assert!(agents.iter().all(
        |agent| agent["name"].as_str().unwrap().starts_with("line_bot") && agent["times"]["refused"] == 0
    ));

    let created = parlor.run(&["tournament", "create", &file]);
    assert_eq!(created.code, 2, "{created:?}");
    assert!(created.stderr.contains("use run instead"), "{created:?}");
}

#[test]
fn interrupted_tournament_says_how_its_programs_go_on() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let bot = LineBot::new("hangs");
    let cup = format!(
        "game = 'gap'\nformat = 'round_robin'\ngroups = 1\npatience = '10h'\n\
         entrants = ['exec:{}', 'bot:greedy']\n[options]\nrounds = 1\n[clock]\ndecision = 'none'\n",
        bot.command,
    );
    let file = write_setup(&parlor, &cup);
    let running = PipedProcess::start(&parlor, &["--json", "tournament", "run", &file, "--lang", "en"]);
    let id = running.wait("the tournament", |lines| {
        let first: Value = serde_json::from_str(lines.first()?).ok()?;
        Some(first["tournament"]["tournament_id"].as_str()?.to_owned())
    });
    running.signal("INT");
    let (code, _, err) = running.end();
    assert_eq!(code, 130, "{err:?}");
    let resume =
        err.iter().find(|line| line.contains("parlor agent line_bot")).unwrap_or_else(|| panic!("{err:?}"));
    let name = resume.split("parlor agent ").nth(1).unwrap().split(' ').next().unwrap();
    let good = LineBot::new("good");
    let agent = PipedProcess::start(&parlor, &["agent", name, "--exec", &good.command, "--stop-after", "2"]);
    let (code, out, err) = agent.end();
    assert_eq!(code, 0, "{out:?} {err:?}");
    let followed = parlor.ok(&["tournament", "follow", &id.unwrap(), "--lang", "en"]);
    assert!(followed.contains("finished: 1 of 1 groups count"), "{followed}");
}

/// A program that fails for good ends its tournament.
#[test]
fn unusable_program_cancels_its_tournament() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let cup = "game = 'gap'\nformat = 'round_robin'\ngroups = 1\nentrants = ['exec:exit 3', 'bot:greedy']\n";
    let done = parlor.run(&["tournament", "run", &write_setup(&parlor, cup)]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stderr.contains("has ended (exit status: 3)"), "{done:?}");
}
