//! Failures: exit code, one line that says what to do, no secrets, in both languages.

use parlor_engine::GameId;
use serde_json::Value;

use crate::games::{LANGUAGES, play_line_mode};
use crate::support::{CommandOutput, Parlor, PipedProcess, Server};

/// Ids of all games, as error messages list them.
pub(crate) fn game_ids() -> String {
    GameId::published().map(|game| game.info().id).collect::<Vec<_>>().join(", ")
}

/// Runs a command in both languages and with --json; asserts the exit code, a single line, and the
/// machine-readable reason.
pub(crate) fn assert_fails(parlor: &Parlor, args: &[&str], code: i32, reason: &str, [en, de]: [&str; 2]) {
    let check = |done: &CommandOutput, expected: &str| {
        assert_eq!((done.code, done.stdout.as_str()), (code, ""), "{done:?}");
        assert_eq!(done.stderr.lines().count(), 1, "{done:?}");
        assert!(
            done.stderr.starts_with("parlor: ") && done.stderr.contains(expected),
            "{done:?} lacks {expected:?}"
        );
        assert!(!done.stderr.contains("swordfish"), "{done:?}");
    };
    check(&parlor.run(&[args, &["--lang", "en"]].concat()), en);
    check(&parlor.run(&[args, &["--lang", "de"]].concat()), de);
    let done = parlor.run(&[args, &["--json", "--lang", "en"]].concat());
    let line: Value = serde_json::from_str(&done.stderr).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    assert_eq!((done.code, done.stdout.as_str()), (code, ""), "{done:?}");
    assert_eq!(
        (&line["error"]["reason"], &line["error"]["exit_code"]),
        (&reason.into(), &code.into()),
        "{line}"
    );
}

#[test]
fn unreachable_server_exits_3() {
    // A port that is never assigned dynamically.
    let parlor = Parlor::with_server("http://127.0.0.1:1");
    for args in [
        &["games"][..],
        &["tables"],
        &["show", "t"],
        &["watch", "t"],
        &["replay", "t"],
        &["bot", "greedy", "--game", "gap"],
        &["bench"],
    ] {
        assert_fails(&parlor, args, 3, "UNREACHABLE", ["--server", "nicht zu erreichen"]);
    }
    for args in [&["play", "gap"][..], &["play", "--seat-token", "pls_swordfish"]] {
        let done = parlor.run(args);
        assert_eq!((done.code, done.stderr.lines().count()), (3, 1), "{done:?}");
    }
    let done = Parlor::with_server("gopher://nowhere").run(&["games"]);
    assert_eq!(done.code, 2, "{done:?}");
}

#[test]
fn missing_credentials_exit_4() {
    let (server, keys) = Server::with_keys();
    let anonymous = Parlor::with_server(&server.url());
    assert_fails(
        &anonymous,
        &["create", "gap"],
        4,
        "CREDENTIALS_MISSING",
        ["PARLOR_CLI_API_KEY", "API-Schlüssel"],
    );
    let wrong = Parlor::with_server(&server.url())
        .with_variable("PARLOR_CLI_API_KEY", "plr_swordfish0123456789012345678901234567890123456");
    assert_fails(
        &wrong,
        &["create", "gap"],
        4,
        "KEY_INVALID",
        ["PARLOR_CLI_API_KEY", "kennt diesen API-Schlüssel nicht"],
    );
    let player = Parlor::with_server(&server.url()).with_variable("PARLOR_CLI_API_KEY", &keys.player);
    assert_fails(&player, &["create", "gap"], 4, "SCOPE_MISSING", ["tables", "tables"]);
    let owner = Parlor::with_server(&server.url()).with_variable("PARLOR_CLI_API_KEY", &keys.owner);
    let table = owner.json(&["create", "gap"]);
    let id = table["table_id"].as_str().unwrap();
    let other = Parlor::with_server(&server.url()).with_variable("PARLOR_CLI_API_KEY", &keys.other);
    assert_fails(&other, &["cancel", id], 4, "NOT_OWNER", ["owner", "Eigentümer"]);
    let token = "pls_swordfish";
    assert_fails(&anonymous, &["resign", "--seat-token", token], 4, "TOKEN_INVALID", ["token", "Token"]);
    let file = owner.home().join("key");
    std::fs::write(&file, format!("{}\n", keys.owner)).unwrap();
    anonymous.json(&["create", "gap", "--api-key-file", file.to_str().unwrap()]);
}

#[test]
fn unknown_names_exit_5() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let table = parlor.json(&["create", "gap"]);
    let id = table["table_id"].as_str().unwrap();
    assert_fails(&parlor, &["rules", "chess"], 5, "GAME_NOT_FOUND", ["parlor games", "parlor games"]);
    assert_fails(&parlor, &["bench", "--game", "chess"], 5, "GAME_NOT_FOUND", [&game_ids(), &game_ids()]);
    assert_fails(&parlor, &["games", "chess"], 5, "GAME_NOT_FOUND", [&game_ids(), &game_ids()]);
    assert_fails(&parlor, &["create", "chess"], 5, "GAME_NOT_FOUND", [&game_ids(), &game_ids()]);
    // A well-formed id of no table.
    let none = format!("{}{}", &id[..id.len() - 1], if id.ends_with('0') { '1' } else { '0' });
    for args in
        [&["show", &none][..], &["join", &none], &["cancel", &none], &["watch", &none], &["replay", &none]]
    {
        assert_fails(&parlor, args, 5, "TABLE_NOT_FOUND", ["parlor tables", "parlor tables"]);
    }
    assert_fails(
        &parlor,
        &["join", id, "--seat", "3"],
        5,
        "SEAT_NOT_FOUND",
        ["parlor show", "Sitze zählen ab 0"],
    );
    let args = ["create", "gap", "--seat", "bot:deepblue", "--seat", "open"];
    assert_fails(&parlor, &args, 5, "HOUSE_BOT_NOT_FOUND", ["parlor bots", "parlor bots"]);
}

#[test]
fn refused_requests_exit_6() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let make = |args: &[&str]| {
        let created = parlor.json(&[&["create", "gap"], args].concat());
        created["table_id"].as_str().unwrap().to_owned()
    };
    let table = make(&["--players", "3"]);
    parlor.json(&["join", &table, "--seat", "1"]);
    assert_fails(&parlor, &["join", &table, "--seat", "1"], 6, "SEAT_TAKEN", ["taken", "besetzt"]);
    let kept = make(&["--seat", "user:1", "--seat", "user:2"]);
    assert_fails(
        &parlor,
        &["join", &kept],
        6,
        "NO_SEAT_FREE",
        ["kept for somebody else", "kein Sitz für dich frei"],
    );
    let full = make(&["--seat", "open", "--seat", "open"]);
    parlor.json(&["join", &full]);
    parlor.json(&["join", &full]);
    assert_fails(&parlor, &["join", &full], 6, "TABLE_STARTED", ["parlor watch", "schon begonnen"]);
    assert_fails(&parlor, &["replay", &full], 6, "TABLE_NOT_OVER", ["parlor watch", "parlor watch"]);
    assert_fails(&parlor, &["rematch", &full], 6, "TABLE_NOT_OVER", ["not over", "noch gespielt"]);
    parlor.json(&["cancel", &full]);
    assert_fails(&parlor, &["join", &full], 6, "TABLE_OVER", ["parlor show", "zu Ende"]);
    let args = ["create", "five_three_five", "--request-id", "same"];
    parlor.json(&["create", "gap", "--request-id", "same"]);
    assert_fails(&parlor, &args, 6, "REQUEST_ID_REUSED", ["request", "Anfrage-Id"]);
}

#[test]
fn invalid_values_exit_2() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for (args, en, de) in [
        (&["create", "gap", "--option", "target=many"][..], "target cannot be", "target kann nicht"),
        (&["create", "gap", "--option", "colour=3"], "target, rounds", "target, rounds"),
        (
            &["create", "gap", "--option", "target=15", "--option", "rounds=2"],
            "exclude",
            "schließen einander aus",
        ),
        (&["create", "no_dice", "--option", "a=1"], "no options", "keine Optionen"),
        (&["create", "gap", "--players", "9"], "2 to 6", "2 bis 6"),
        (&["games", "--client-cert", "/none"], "--client-key", "--client-key"),
        (&["games", "--ca", "/none"], "/none", "/none"),
    ] {
        for (lang, expected) in [("en", en), ("de", de)] {
            let done = parlor.run(&[args, &["--lang", lang]].concat());
            assert_eq!((done.code, done.stderr.lines().count()), (2, 1), "{done:?}");
            assert!(done.stderr.contains(expected), "{done:?}");
        }
    }
    for (args, expected) in [
        (&["play", "gap", "--with", "greedy,greedy", "--players", "2"][..], "room for 1 bots"),
        (&["play", "gap", "--seat", "2"], "no seat 2"),
        (&["play", "gap", "--players", "7"], "2 to 6"),
    ] {
        let done = parlor.run(args);
        assert_eq!(done.code, 2, "{done:?}");
        assert!(done.stderr.contains(expected), "{done:?}");
    }
    assert_eq!(parlor.json(&["tables"])["tables"], serde_json::json!([]), "no table may be created");
}

/// Long-running commands fail at once if they cannot start.
#[test]
fn long_running_commands_fail_at_once_if_they_cannot_start() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let table = parlor.json(&["create", "gap", "--seat", "bot:greedy", "--seat", "user:1"]);
    let full = table["table_id"].as_str().unwrap();
    let over = parlor.json(&["create", "gap"])["table_id"].as_str().unwrap().to_owned();
    parlor.json(&["cancel", &over]);
    let none = "01hf7yat000w3ge1r70w3ge1r7";
    for (args, code) in [
        (&["play", "--join", full][..], 6),
        (&["play", "--join", &over], 6),
        (&["play", "--join", none], 5),
        (&["play", "--seat-token", "pls_swordfish"], 4),
        (&["play", "chess"], 5),
        (&["play", "gap", "--with", "deepblue"], 5),
        (&["bot", "greedy", "--table", full], 6),
        (&["bot", "greedy", "--table", none], 5),
        (&["bot", "greedy", "--seat-token", "pls_swordfish"], 4),
        (&["bot", "greedy", "--game", "chess"], 5),
        (&["watch", none], 5),
        (&["watch", "--token", "plv_swordfish"], 4),
        (&["replay", none], 5),
    ] {
        let done = parlor.run(args);
        assert_eq!((done.code, done.stderr.lines().count()), (code, 1), "{done:?}");
        assert!(!done.stderr.contains("swordfish"), "{done:?}");
    }
}

/// A bot with several tables plays those it can join, and reports the failure of the other one.
#[test]
fn bot_plays_the_other_tables_if_one_fails() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let make = |seat: &str| {
        let args = ["create", "gap", "--option", "rounds=1", "--seat", "bot:greedy", "--seat", seat];
        parlor.json(&args)["table_id"].as_str().unwrap().to_owned()
    };
    let (full, free, other) = (make("user:1"), make("open"), make("open"));
    let done =
        parlor.run(&["bot", "random", "--table", &full, "--table", &free, "--table", &other, "--lang", "en"]);
    assert_eq!((done.code, done.stderr.lines().count()), (6, 1), "{done:?}");
    assert!(done.stdout.contains(&free) && done.stdout.contains(&other), "{done:?}");
}

#[test]
fn cancelled_table_ends_the_game() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let mut pipes = PipedProcess::start(&parlor, &["play", "gap", "--plain", "--lang", "en"]);
    play_line_mode(&mut pipes, &LANGUAGES[0], 1);
    let tables = parlor.json(&["tables", "--state", "playing"]);
    parlor.ok(&["cancel", tables["tables"][0]["table_id"].as_str().unwrap(), "--note", "rain"]);
    let (code, out, err) = pipes.end();
    assert_eq!((code, err), (0, Vec::<String>::new()), "{out:#?}");
    assert!(out.iter().any(|line| line.contains("cancelled") && line.contains("rain")), "{out:#?}");
}

/// The owner revokes the seat during play: the player gets a message and exit code 4.
#[test]
fn revoked_seat_token_exits_4() {
    for take_away in [&["token", "(table)", "--seat", "0"], &["replace", "(table)", "0", "greedy"]] {
        let server = Server::start();
        let parlor = Parlor::with_server(&server.url());
        let mut pipes = PipedProcess::start(&parlor, &["play", "gap", "--plain", "--lang", "en"]);
        play_line_mode(&mut pipes, &LANGUAGES[0], 1);
        let tables = parlor.json(&["tables", "--state", "playing"]);
        let id = tables["tables"][0]["table_id"].as_str().unwrap();
        parlor.ok(&take_away.map(|word| if word == "(table)" { id } else { word }));
        let (code, out, err) = pipes.end();
        assert_eq!(code, 4, "{out:#?} {err:#?}");
        assert!(err.iter().any(|line| line.starts_with("parlor: ")), "{err:#?}");
    }
}
