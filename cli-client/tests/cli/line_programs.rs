//! Programs that read and write lines as agents of a real server: `parlor agent --exec`, with the program
//! `tests/programs/line_bot.rs`.

use std::fs;
use std::path::Path;

use parlor_testkit::{Proxy, TIMEOUT, example_program};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::agents::wait_until_listed;
use crate::restarts::crash_and_restart;
use crate::support::{Parlor, PipedProcess, Server};

/// The command of a program, and the folder in which it records its lines and its environment.
pub(crate) struct LineBot {
    pub(crate) command: String,
    folder: TempDir,
}

impl LineBot {
    pub(crate) fn new(behaviour: &str) -> LineBot {
        let folder = tempfile::tempdir().unwrap();
        let program = example_program("parlor-cli", "line_bot");
        let command = format!("{} {behaviour} {}", program.display(), folder.path().display());
        LineBot { command, folder }
    }

    /// Text of a recorded file.
    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).unwrap()
    }

    /// Lines that the program has read, each valid by the schema.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/line-protocol.schema.json");
        let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let lines: Vec<Value> =
            self.read("lines").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for line in &lines {
            assert!(validator.is_valid(line), "{}", line.to_string().chars().take(500).collect::<String>());
        }
        lines
    }
}

/// Lines of a type.
pub(crate) fn of_type<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

/// Starts an agent, and waits until it is connected.
fn start_agent(parlor: &Parlor, bot: &LineBot, more: &[&str]) -> PipedProcess {
    let agent = PipedProcess::start(parlor, &[&["agent", "ada", "--exec", &bot.command], more].concat());
    let connected = agent.wait("the connection", |lines| {
        lines.iter().any(|line| line.contains("is connected") || line.contains("ist verbunden")).then_some(())
    });
    assert!(connected.is_some(), "{:?}", agent.end());
    agent
}

/// Creates a table for the agent and a house bot, and returns its id.
fn create_table(parlor: &Parlor, game: &str, more: &[&str]) -> String {
    let args = [&["create", game, "--seat", "agent:ada", "--seat", "bot:random"], more].concat();
    parlor.json(&args)["table_id"].as_str().unwrap().to_owned()
}

#[test]
fn program_plays_every_game_in_both_languages() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for (lang, behaviour, model) in [("en", "good", &[][..]), ("de", "action", &["--per-table"])] {
        let bot = LineBot::new(behaviour);
        let games = ["habe_fertig", "gap", "five_three_five", "no_dice"];
        let more = [&["--lang", lang, "--stop-after", "4"], model].concat();
        let agent = start_agent(&parlor, &bot, &more);
        let tables = games.map(|game| create_table(&parlor, game, &["--clock", "none"]));
        let (code, out, err) = agent.end();
        assert_eq!((code, &err[..]), (0, &[][..]), "{out:?}");
        let lines = bot.lines();
        let processes = if model.is_empty() { 1 } else { 4 };
        assert_eq!(of_type(&lines, "hello").len(), processes);
        assert_eq!(of_type(&lines, "hello")[0]["language"], lang);
        let starts = of_type(&lines, "start");
        assert_eq!(starts.len(), 4);
        assert!(starts.iter().all(|start| start["names"] == json!(["ada", "random"])), "{starts:?}");
        let ends = of_type(&lines, "end");
        for table in &tables {
            let end = ends.iter().find(|end| end["table"] == table.as_str()).unwrap();
            assert_eq!((&end["reason"], &end["record"]), (&json!("END_REASON_PLAYED_OUT"), &json!(table)));
            assert_eq!(end["results"].as_array().unwrap().len(), 2);
            let own = if lang == "en" { "You come" } else { "Du belegst" };
            assert!(end["texts"].to_string().contains(own), "{end}");
            parlor.ok(&["record", "get", table]);
        }
    }
    assert_eq!(wait_until_listed(&parlor, "ada", "gone")["times"]["refused"], 0);
}

/// Each decision is answered once at the server, although the program fails in every way.
#[test]
fn failures_of_the_program_are_reported_and_cost_no_decision() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for (behaviour, patience, expected) in [
        ("dies-once", "10m", "ada has ended (exit status: 3)"),
        ("hangs-once", "5s", "ada has not answered for 5s"),
        ("rubbish-once", "10m", "ada wrote a line that is no answer"),
        ("illegal-once", "10m", "ada answered what is not among the"),
    ] {
        let bot = LineBot::new(behaviour);
        let log = parlor.home().join(format!("{behaviour}.log"));
        let more = ["--patience", patience, "--stop-after", "1", "--log", log.to_str().unwrap()];
        let agent = start_agent(&parlor, &bot, &more);
        let table = create_table(&parlor, "gap", &["--option", "rounds=1", "--clock", "none"]);
        let (code, out, err) = agent.end();
        assert_eq!(code, 0, "{out:?} {err:?}");
        assert!(
            err[0].contains(expected) && err[0].contains("asked its open decisions (1) again"),
            "{err:?}"
        );
        assert!(fs::read_to_string(&log).unwrap().contains(expected));
        if behaviour == "dies-once" {
            assert!(err[1].ends_with("ada| giving up at decision 2"), "{err:?}");
        }
        let lines = bot.lines();
        let repeated = of_type(&lines, "decision").iter().filter(|line| line["decision"] == 2).count();
        // On a busy machine, a program that has done nothing wrong may exhaust a short patience, too.
        assert!(repeated == 2 || repeated > 2 && behaviour == "hangs-once", "{behaviour}: {repeated}");
        let shown = parlor.json(&["show", &table]);
        assert_eq!(shown["result"]["reason"], "END_REASON_PLAYED_OUT", "{shown}");
    }
    assert_eq!(wait_until_listed(&parlor, "ada", "gone")["times"]["refused"], 0);
}

#[test]
fn interrupted_agent_goes_on_with_its_seats() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let bot = LineBot::new("hangs");
    let agent = start_agent(&parlor, &bot, &[]);
    let table = create_table(&parlor, "gap", &["--option", "rounds=1", "--clock", "none"]);
    wait_for_file(&bot.folder.path().join("lines"), "\"decision\":2,");
    agent.signal("INT");
    assert_eq!(agent.end().0, 130);
    let bot = LineBot::new("good");
    let agent = start_agent(&parlor, &bot, &["--stop-after", "1"]);
    let (code, out, err) = agent.end();
    assert_eq!(code, 0, "{out:?} {err:?}");
    let lines = bot.lines();
    assert_eq!(of_type(&lines, "end")[0]["table"], table.as_str());
    assert_eq!(of_type(&lines, "decision")[0]["decision"], 2, "the first answer was kept");
}

#[test]
fn program_plays_on_after_a_restart_of_the_server() {
    let mut server = Server::start();
    let proxy = Proxy::start_on_thread(server.address());
    let parlor = Parlor::with_server(&proxy.url());
    let bot = LineBot::new("slow");
    let agent = start_agent(&parlor, &bot, &["--stop-after", "1"]);
    create_table(&parlor, "gap", &["--option", "rounds=1", "--clock", "none"]);
    wait_for_file(&bot.folder.path().join("lines"), "\"decision\":3,");
    crash_and_restart(&mut server, &proxy, || {});
    let (code, out, err) = agent.end();
    assert_eq!(code, 0, "{out:?} {err:?}");
    let lines = bot.lines();
    assert_eq!((of_type(&lines, "hello").len(), of_type(&lines, "end").len()), (1, 1));
}

/// 100 tables at once over one process.
#[test]
fn one_process_plays_a_hundred_tables() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let bot = LineBot::new("good");
    let more = ["--tables", "100", "--games", "gap", "--stop-after", "100"];
    let agent = start_agent(&parlor, &bot, &more);
    let cup = "game = 'gap'\nformat = 'round_robin'\ngroups = 50\nmax_tables = 100\n\
               entrants = ['agent:ada', 'bot:random']\npatience = '10h'\n[options]\nrounds = 1\n[clock]\ndecision = 'none'\n";
    let file = crate::tournaments::write_setup(&parlor, cup);
    parlor.ok(&["tournament", "run", &file]);
    let (code, out, err) = agent.end();
    assert_eq!((code, &err[..]), (0, &[][..]), "{out:?}");
    let lines = bot.lines();
    assert_eq!((of_type(&lines, "hello").len(), of_type(&lines, "end").len()), (1, 100));
}

#[test]
fn program_gets_no_secret() {
    let (server, keys) = Server::with_keys();
    let parlor = Parlor::with_server(&server.url()).with_variable("PARLOR_CLI_API_KEY", &keys.owner);
    let bot = LineBot::new("dies-once");
    let agent = start_agent(&parlor, &bot, &["--stop-after", "1"]);
    create_table(&parlor, "gap", &["--option", "rounds=1", "--clock", "none"]);
    let (code, out, err) = agent.end();
    assert_eq!(code, 0, "{out:?} {err:?}");
    let environment = bot.read("environment");
    assert!(environment.contains("HOME\n") && !environment.contains("PARLOR_CLI_"), "{environment}");
    let seen = [bot.read("lines"), out.concat(), err.concat()].concat();
    for prefix in ["plr_", "pls_", "plv_", "pla_", "pli_", "plo_"] {
        assert!(!seen.contains(prefix), "{prefix}");
    }
}

#[test]
fn unusable_program_ends_the_agent() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let done = parlor.run(&["agent", "ada", "--exec", "./there-is-no-such-bot"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stderr.contains("not found") && done.stderr.contains("without an answer"), "{done:?}");
    assert_eq!(parlor.run(&["agent", "ada", "--exec", "true", "--games", "chess"]).code, 2);
}

/// Waits until a file contains a text.
fn wait_for_file(path: &Path, text: &str) {
    let (sender, never) = std::sync::mpsc::sync_channel::<()>(1);
    let step = std::time::Duration::from_millis(20);
    for _ in 0..TIMEOUT.as_millis() / step.as_millis() {
        if fs::read_to_string(path).is_ok_and(|content| content.contains(text)) {
            return;
        }
        // A pause between two looks, not a wait for the program.
        let _ = never.recv_timeout(step);
    }
    drop(sender);
    panic!("{} never contains {text}", path.display());
}
