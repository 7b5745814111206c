//! Help, version and usage errors.

use crate::support::{Parlor, Server};

/// All commands, in the order of the help.
const COMMANDS: [&str; 32] = [
    "play",
    "watch",
    "replay",
    "record",
    "verify",
    "keys",
    "games",
    "rules",
    "bots",
    "agent",
    "agents",
    "tables",
    "show",
    "create",
    "join",
    "invite",
    "rematch",
    "resign",
    "replace",
    "token",
    "cancel",
    "delete",
    "follow",
    "bot",
    "mcp",
    "tournament",
    "bench",
    "conformance",
    "new-bot",
    "completions",
    "man",
    "help",
];

#[test]
fn every_command_has_help_text() {
    let parlor = Parlor::without_server();
    let whole = parlor.ok(&["--help"]);
    insta::assert_snapshot!("parlor", whole);
    insta::assert_snapshot!("parlor_short", parlor.ok(&["-h"]));
    let listed: Vec<&str> = whole
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(listed, COMMANDS);
    for command in COMMANDS.into_iter().filter(|command| *command != "help") {
        insta::assert_snapshot!(command, parlor.ok(&[command, "-h"]));
    }
}

/// The flags of the connection are explained once, by `parlor --help`.
#[test]
fn help_of_a_command_is_about_the_command() {
    let parlor = Parlor::without_server();
    let whole = parlor.ok(&["--help"]);
    for flag in ["--api-key-file", "--client-cert", "--server-name", "--timeout", "--config"] {
        assert!(whole.contains(flag), "{flag}");
        for command in [&["show", "--help"][..], &["tournament", "run", "--help"], &["show", "-h"]] {
            let text = parlor.ok(command);
            assert!(!text.contains(flag), "{command:?} has {flag}");
            assert!(text.contains("--server") && text.contains("parlor --help"), "{text}");
        }
    }
    // They are accepted all the same.
    assert_eq!(parlor.run(&["rules", "gap", "--timeout", "soon"]).code, 2);
    for (command, expected) in [
        (&["help", "resign"][..], "Resign a seat"),
        (&["help", "tournament", "run"], "follow it to the end"),
        (&["help"], "Commands:"),
    ] {
        assert!(parlor.ok(command).contains(expected), "{command:?}");
    }
}

#[test]
fn json_flag_is_offered_and_accepted_only_where_it_works() {
    let parlor = Parlor::without_server();
    for command in ["play", "mcp", "completions", "man"] {
        assert!(!parlor.ok(&[command, "--help"]).contains("--json"), "{command}");
    }
    assert!(parlor.ok(&["show", "--help"]).contains("--json"));
    for args in [&["--json", "completions", "bash"][..], &["--json", "man"], &["--json", "play", "gap"]] {
        let done = parlor.run(args);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
        assert!(done.stderr.contains("has no --json"), "{done:?}");
    }
}

/// As the table of exit codes says.
#[test]
fn missing_file_of_a_tournament_is_not_found() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    for command in ["run", "create"] {
        let done = parlor.run(&["tournament", command, "nosuch.toml"]);
        assert_eq!(done.code, 5, "{done:?}");
        assert!(done.stderr.contains("nosuch.toml"), "{done:?}");
    }
}

#[test]
fn version_flag_prints_the_package_version() {
    assert_eq!(
        Parlor::without_server().ok(&["--version"]),
        format!("parlor {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_are_generated_for_every_shell() {
    let parlor = Parlor::without_server();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = parlor.ok(&["completions", shell]);
        for word in ["replay", "seat-token", "api-key-file"] {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    assert_eq!(parlor.run(&["completions", "cmd.exe"]).code, 2);
}

#[test]
fn manual_pages_are_printed_and_written() {
    let parlor = Parlor::without_server();
    let page = parlor.ok(&["man"]);
    assert!(page.contains(".TH parlor 1") && page.contains("tournament"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_str().unwrap();
    assert_eq!(parlor.ok(&["man", "--to", to]), "");
    for page in ["parlor.1", "parlor-play.1", "parlor-tournament-run.1"] {
        assert!(folder.path().join(page).exists(), "{page}");
    }
    let done = parlor.run(&["man", "--to", "/no/such/folder"]);
    assert!(done.code == 2 && done.stderr.contains("name a folder that exists"), "{done:?}");
}

#[test]
fn usage_errors_are_explained_without_secrets() {
    let parlor = Parlor::without_server();
    for (args, expected) in [
        (&[][..], "Usage: parlor"),
        (&["dance"], "dance"),
        (&["play"], "no game given"),
        (&["rules"], "required"),
        (&["play", "gap", "--join", "t"], "cannot be used with"),
        (&["tables", "--state", "asleep"], "asleep"),
        (&["tables", "--limit", "0"], "1..=100"),
        (&["create", "gap", "--seat", "greedy"], "bot:NAME"),
        (&["create", "gap", "--clock", "soon"], "30s"),
        (&["create", "gap", "--seed", "x"], "hexadecimal"),
        (&["create", "gap", "--option", "target"], "target=30"),
        (&["bot", "deepblue", "--game", "gap"], "deepblue"),
        (&["bot", "greedy"], "--table"),
        (&["bench", "--tables", "0"], "1..=100000"),
        (&["bench", "--rate", "0"], "0"),
        (&["bench", "--warm-up", "long"], "30s"),
        (&["bench", "--server-pid", "4294967295"], "4294967295"),
        (&["games", "--lang", "fr"], "en and de"),
        (&["show", "pls_swordfish", "pls_swordfish"], "unexpected argument 'pls_...'"),
        (&["resign"], "--seat-token"),
        (&["--json", "play", "gap"], "no --json"),
    ] {
        let done = parlor.run(args);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
        assert!(done.stderr.contains(expected), "{done:?}");
        assert!(!done.stderr.contains("swordfish"), "{done:?}");
    }
}
