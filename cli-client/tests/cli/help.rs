//! Help, version and usage errors.

use crate::support::Parlor;

/// All commands, in the order of the help.
const COMMANDS: [&str; 25] = [
    "play",
    "watch",
    "replay",
    "record",
    "verify",
    "games",
    "rules",
    "bots",
    "agents",
    "tables",
    "show",
    "create",
    "join",
    "rematch",
    "resign",
    "replace",
    "token",
    "cancel",
    "delete",
    "follow",
    "bot",
    "tournament",
    "bench",
    "conformance",
    "completions",
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
    for command in COMMANDS {
        insta::assert_snapshot!(command, parlor.ok(&[command, "-h"]));
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
