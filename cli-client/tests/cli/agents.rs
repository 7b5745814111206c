//! Agents: a house bot connects, is listed, is assigned a seat, and plays.

use std::sync::Arc;
use std::thread;

use serde_json::Value;

use super::support::{Parlor, Server};

/// Waits until the agent is listed in a state.
pub(crate) fn wait_until_listed(parlor: &Parlor, name: &str, state: &str) -> Value {
    // Each poll starts a process: together they take much more than a minute.
    for _ in 0..1000 {
        let listed = parlor.json(&["agents", "--state", state]);
        if let Some(agent) = listed["agents"].as_array().unwrap().iter().find(|agent| agent["name"] == name) {
            return agent.clone();
        }
    }
    panic!("{name} is never {state}")
}

#[test]
fn house_bot_plays_as_an_agent() {
    let server = Server::start();
    let parlor = Arc::new(Parlor::with_server(&server.url()));
    assert!(parlor.ok(&["agents"]).contains("parlor bot greedy --agent"), "an empty list prints a hint");
    let runs = Arc::clone(&parlor);
    let bot = thread::spawn(move || {
        runs.run(&["bot", "greedy", "--agent", "ada", "--games", "gap", "--at-once", "3", "--tables", "1"])
    });
    let agent = wait_until_listed(&parlor, "ada", "here");
    assert_eq!((&agent["version"], &agent["max_tables"]), (&"greedy".into(), &3.into()));
    let refused = parlor.run(&["create", "five_three_five", "--seat", "agent:ada", "--seat", "bot:random"]);
    assert_eq!(refused.code, 6, "it does not play five_three_five: {refused:?}");
    let table = parlor.json(&["create", "gap", "--seat", "agent:ada", "--seat", "bot:random"]);
    let done = bot.join().unwrap();
    assert_eq!(done.code, 0, "{done:?}");
    let id = table["table_id"].as_str().unwrap();
    for expected in ["ada is connected: up to 3 tables", &format!("Table {id}: seat 0 of gap"), "place"] {
        assert!(done.stdout.contains(expected), "{done:?}");
    }
    let agent = wait_until_listed(&parlor, "ada", "gone");
    assert_eq!(agent["times"]["refused"], 0);
    assert!(parlor.ok(&["agents", "--lang", "de"]).contains("weg"));
    // The key file was created once, and owns the name.
    let key = parlor.home().join(".config/parlor/agents/ada.key");
    assert!(std::fs::read_to_string(key).unwrap().starts_with("pla_"));
    let stranger = Parlor::with_server(&server.url());
    let done = stranger.run(&["--json", "bot", "random", "--agent", "ada"]);
    assert_eq!(done.code, 4, "{done:?}");
    assert!(done.stderr.contains("AGENT_NAME_TAKEN"), "{done:?}");
}

#[test]
fn invalid_agent_arguments_are_usage_errors() {
    let parlor = Parlor::without_server();
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
