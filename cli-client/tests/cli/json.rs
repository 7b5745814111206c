//! JSON output of the commands.

use parlor_engine::GameId;
use serde_json::{Value, json};

use crate::support::{Parlor, Server};

/// Field names of an object, in order.
fn field_names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("not an object: {value}")).keys().map(String::as_str).collect()
}

/// Parses every line as JSON.
fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn catalogue_json() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let games = parlor.json(&["games"]);
    assert_eq!(field_names(&games), ["games"]);
    let ids: Vec<&Value> = games["games"].as_array().unwrap().iter().map(|game| &game["game"]).collect();
    assert!(ids.into_iter().eq(GameId::published().map(|game| game.info().id)), "{games}");
    let gap = parlor.json(&["games", "gap"]);
    assert!(games["games"].as_array().unwrap().contains(&gap), "{games}");
    assert_eq!(
        field_names(&gap),
        ["game", "name", "summary", "min_players", "max_players", "rules_version", "options"]
    );
    assert_eq!(gap["options"][0]["name"], "target");
    let rules = parlor.json(&["rules", "gap", "--lang", "de"]);
    assert_eq!(field_names(&rules), ["markdown", "rules_version", "language"]);
    assert_eq!(rules["language"], "LANGUAGE_GERMAN");
    let bots = parlor.json(&["bots", "gap"]);
    assert_eq!(bots["bots"][1]["name"], "greedy");
}

#[test]
fn table_and_seat_json() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created = parlor.json(&[
        "create",
        "gap",
        "--option",
        "rounds=2",
        "--metadata",
        "cup=spring",
        "--clock",
        "none",
    ]);
    let id = created["table_id"].as_str().unwrap();
    assert_eq!((&created["game"], &created["state"]), (&json!("gap"), &json!("TABLE_STATE_OPEN")));
    assert_eq!(created["options"]["gap"]["rounds"], 2);
    assert_eq!(created["metadata"], json!({ "cup": "spring" }));
    assert_eq!(created["clock"]["decision_ms"], 0);
    assert_eq!(
        created["seats"][1],
        json!({ "seat": 1, "open": {}, "forfeited": "SEAT_FINISH_UNSPECIFIED", "entropy_withheld": false })
    );
    assert_eq!(parlor.json(&["show", id]), created);
    assert_eq!(parlor.json(&["tables"]), json!({ "tables": [created], "next_page_token": "" }));
    let joined = parlor.json(&["join", id, "--name", "Ada"]);
    assert_eq!(field_names(&joined), ["seat", "seat_token", "table"]);
    assert_eq!(joined["table"]["seats"][0]["player"]["display_name"], "Ada");
    let token = joined["seat_token"].as_str().unwrap();
    parlor.json(&["join", id]);
    assert_eq!(parlor.json(&["resign", "--seat-token", token]), json!({ "resigned": true }));
    let cancelled = parlor.json(&["cancel", id, "--note", "rain"]);
    assert_eq!(cancelled["state"], "TABLE_STATE_CANCELLED");
    assert_eq!(cancelled["result"]["note"], "rain");
    let again = parlor.json(&["rematch", id, "--rotate"]);
    assert_eq!((&again["rematch_of"], &again["options"]), (&json!(id), &created["options"]));
}

#[test]
fn owner_commands_json() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created = parlor.json(&["create", "gap", "--private"]);
    let id = created["table_id"].as_str().unwrap();
    let token = parlor.json(&["token", id]);
    assert_eq!(field_names(&token), ["spectator_token"]);
    let rail = token["spectator_token"].as_str().unwrap();
    let shown = parlor.json(&["show", id, "--token", rail]);
    assert_eq!(shown["visibility"], "VISIBILITY_PRIVATE");
    parlor.json(&["join", id]);
    let again = parlor.json(&["token", id, "--seat", "0"]);
    assert!(again["seat_token"].as_str().unwrap().starts_with("pls_"));
    let replaced = parlor.json(&["replace", id, "1", "greedy"]);
    assert_eq!(replaced["seats"][1]["house_bot"]["name"], "greedy");
    parlor.json(&["cancel", id]);
    assert_eq!(parlor.json(&["delete", id]), json!({ "deleted": true }));
    let events = json_lines(&parlor.ok(&["--json", "follow", "--after", "0", "--count", "6"]));
    let kinds: Vec<&str> = events.iter().map(|event| *field_names(event).last().unwrap()).collect();
    assert_eq!(kinds, ["created", "joined", "replaced", "started", "over", "deleted"]);
    assert!(events.iter().all(|event| event["table_id"] == id));
    let text = parlor.ok(&["follow", "--after", "0", "--count", "2", "--lang", "de"]);
    assert!(text.lines().count() == 2 && text.contains("gemacht"), "{text}");
}

/// A table of bots plays by itself; watching it waits for its end.
#[test]
fn watch_and_replay_json() {
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
    let watched = json_lines(&parlor.ok(&["--json", "watch", id]));
    assert_eq!(field_names(&watched[0]), ["snapshot"]);
    assert_eq!(watched[0]["snapshot"]["table"]["table_id"], id);
    let shown = parlor.json(&["show", id]);
    assert_eq!(shown["state"], "TABLE_STATE_FINISHED");
    assert_eq!(shown["result"]["reason"], "END_REASON_PLAYED_OUT");
    assert_eq!(
        field_names(&shown["result"]["seats"][0]),
        ["seat", "place", "points", "finish", "clocks_run_out", "think_ms", "away_ms"]
    );
    let replayed = json_lines(&parlor.ok(&["--json", "replay", id]));
    let numbers: Vec<u64> = replayed.iter().map(|line| line["update"]["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let last = replayed.last().unwrap()["update"]["table_events"].as_array().unwrap();
    assert!(last.iter().any(|event| event["over"]["result"] == shown["result"]), "{last:?}");
    // The watched updates equal the replayed ones, from the snapshot on.
    for update in watched.iter().filter(|line| !line["update"].is_null()) {
        let number = update["update"]["number"].as_u64().unwrap() as usize;
        assert_eq!(update["update"]["events"], replayed[number - 1]["update"]["events"]);
    }
    // Text output.
    let text = parlor.ok(&["replay", id, "--plain"]);
    assert!(text.contains("The game was played to its end."), "{text}");
    let text = parlor.ok(&["watch", id, "--lang", "de"]);
    assert!(text.contains(" belegt Platz 1 mit "), "{text}");
}

#[test]
fn bot_json() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let make = || {
        let created =
            parlor.json(&["create", "gap", "--option", "rounds=1", "--seat", "bot:greedy", "--seat", "open"]);
        created["table_id"].as_str().unwrap().to_owned()
    };
    let one = make();
    let played = parlor.json(&["bot", "random", "--table", &one]);
    assert_eq!(field_names(&played), ["table_id", "seat", "result"]);
    assert_eq!((&played["table_id"], &played["seat"]), (&json!(one), &json!(1)));
    assert_eq!(played["result"]["reason"], "END_REASON_PLAYED_OUT");
    let seats = parlor.json(&["show", &one]);
    assert_eq!(seats["seats"][1]["player"]["display_name"], "random");

    let mut expected = [make(), make(), make()];
    let played = json_lines(&parlor.ok(&[
        "--json",
        "bot",
        "greedy",
        "--game",
        "gap",
        "--tables",
        "3",
        "--at-once",
        "2",
    ]));
    let mut ids: Vec<&str> = played.iter().map(|line| line["table_id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ids, expected);

    let joined = parlor.json(&["join", &make()]);
    let text =
        parlor.ok(&["bot", "greedy", "--seat-token", joined["seat_token"].as_str().unwrap(), "--lang", "de"]);
    assert!(text.starts_with("Tisch ") && text.contains("Platz"), "{text}");
}

/// The seat is a flag, as with `parlor token`.
#[test]
fn owner_resigns_a_seat_by_its_number() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created = parlor.json(&["create", "gap", "--clock", "none"]);
    let id = created["table_id"].as_str().unwrap();
    for _ in 0..2 {
        parlor.json(&["join", id]);
    }
    assert_eq!(parlor.json(&["resign", id, "--seat", "0"]), json!({ "resigned": true }));
    assert_eq!(parlor.run(&["resign", id, "0"]).code, 2);
    assert_eq!(parlor.run(&["resign", "--seat", "0"]).code, 2);
}
