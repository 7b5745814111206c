//! Agents from the command line: a strategy of the house connects, is listed, is given a seat, and plays.

use std::sync::Arc;
use std::thread;

use serde_json::Value;

use super::support::{Parlor, Server};

/// The agent of this name, as soon as it is listed in this state.
pub(crate) fn until_listed(parlor: &Parlor, name: &str, state: &str) -> Value {
    // Each look starts a program, which takes its time: together they are much more than a minute.
    for _ in 0..1000 {
        let listed = parlor.json(&["agents", "--state", state]);
        if let Some(agent) = listed["agents"].as_array().unwrap().iter().find(|agent| agent["name"] == name) {
            return agent.clone();
        }
    }
    panic!("{name} is never {state}")
}

#[test]
fn a_strategy_plays_as_an_agent() {
    let server = Server::start();
    let parlor = Arc::new(Parlor::of(&server.url()));
    assert!(parlor.ok(&["agents"]).contains("parlor bot greedy --agent"), "it says what to do");
    let runs = Arc::clone(&parlor);
    let bot = thread::spawn(move || {
        runs.run(&["bot", "greedy", "--agent", "ada", "--games", "gap", "--at-once", "3", "--tables", "1"])
    });
    let agent = until_listed(&parlor, "ada", "here");
    assert_eq!((&agent["version"], &agent["max_tables"]), (&"greedy".into(), &3.into()));
    let refused = parlor.run(&["create", "flush", "--seat", "agent:ada", "--seat", "bot:random"]);
    assert_eq!(refused.code, 6, "it does not play flush: {refused:?}");
    let table = parlor.json(&["create", "gap", "--seat", "agent:ada", "--seat", "bot:random"]);
    let done = bot.join().unwrap();
    assert_eq!(done.code, 0, "{done:?}");
    let id = table["table_id"].as_str().unwrap();
    for expected in ["ada is connected: up to 3 tables", &format!("Table {id}: seat 0 of gap"), "place"] {
        assert!(done.stdout.contains(expected), "{done:?}");
    }
    let agent = until_listed(&parlor, "ada", "gone");
    assert_eq!(agent["times"]["refused"], 0);
    assert!(parlor.ok(&["agents", "--lang", "de"]).contains("weg"));
    // The secret was made once, and the name belongs to it.
    let key = parlor.home().join(".config/parlor/agents/ada.key");
    assert!(std::fs::read_to_string(key).unwrap().starts_with("pla_"));
    let stranger = Parlor::of(&server.url());
    let done = stranger.run(&["--json", "bot", "random", "--agent", "ada"]);
    assert_eq!(done.code, 4, "{done:?}");
    assert!(done.stderr.contains("AGENT_NAME_TAKEN"), "{done:?}");
}

#[test]
fn what_cannot_be_an_agent_is_said() {
    let parlor = Parlor::alone();
    for args in [
        &["bot", "greedy", "--agent", "ada", "--games", "chess"][..],
        &["bot", "greedy", "--game", "gap", "--games", "gap"],
        &["bot", "greedy", "--agent", "ada", "--game", "gap"],
        &["bot", "greedy", "--agent", "../ada"],
    ] {
        let done = parlor.run(args);
        assert_eq!(done.code, 2, "{done:?}");
    }
}
