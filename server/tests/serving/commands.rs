//! Every command of the real program: output, exit codes and errors.

use bytes::Bytes;
use parlor_store::{
    Append, Listing, Log, LogKind, Millis, NewPlace, OwnerId, SqliteLog, SqliteOptions, TableId,
};
use std::os::unix::fs::DirBuilderExt as _;

use crate::support::Program;

/// Runs the program, asserts success, and returns standard output.
fn run_ok(program: &Program, arguments: &[&str]) -> String {
    let (code, output, error) = program.run(arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {output}{error}");
    output
}

/// Runs the program, asserts this exit code and an error of one line, and returns the error.
fn run_error(program: &Program, arguments: &[&str], expected: i32) -> String {
    let (code, output, error) = program.run(arguments);
    assert_eq!(code, Some(expected), "{arguments:?}: {output}{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    assert!(error.starts_with("parlor-server: "), "{error}");
    error
}

#[test]
fn example_config_is_valid() {
    let program = Program::new();
    let example = run_ok(&program, &["check-config", "--example"]);
    program.write("parlor.toml", &example);
    let output = run_ok(&program, &["check-config", "--config", "parlor.toml"]);
    assert!(output.contains("the settings are right"), "{output}");
    assert!(output.contains("note: no API key is configured: everyone on this machine"), "{output}");
}

#[test]
fn invalid_settings_are_reported_with_key_and_file() {
    let program = Program::new();
    program.write("parlor.toml", "[limits]\nmessage_byte = 3\n");
    for command in ["check-config", "run", "check-store"] {
        let error = run_error(&program, &[command, "--config", "parlor.toml"], 2);
        assert!(error.contains("limits.message_byte in parlor.toml: there is no such key"), "{error}");
    }
    let error = run_error(&program, &["--config", "none.toml"], 2);
    assert!(error.contains("none.toml cannot be read"), "{error}");
}

#[test]
fn non_loopback_address_needs_keys_and_tls_or_insecure() {
    let program = Program::new();
    for command in ["run", "check-config"] {
        let error = run_error(&program, &[command, "--listen", "0.0.0.0:0"], 2);
        assert!(
            error.contains("there are no API keys and no TLS") && error.contains("--insecure"),
            "{error}"
        );
    }
    let output = run_ok(&program, &["check-config", "--listen", "0.0.0.0:7766", "--insecure"]);
    assert!(output.contains("note: no TLS is configured"), "{output}");
    let running = program.start(&["--insecure", "--listen", "0.0.0.0:0"]);
    running.log.wait_for("no API key is configured: everyone who can reach it may do everything at 0.0.0.0:");
}

#[test]
fn server_without_api_keys_warns() {
    let running = Program::new().start(&[]);
    running
        .log
        .wait_for("no API key is configured: everyone on this machine may do everything at 127.0.0.1:");
    let first = running.stdout.wait_for("parlor-server ");
    assert!(first.contains("(no TLS, no API keys)"), "{first}");
    assert!(running.stdout.wait_for("terminal ").contains("parlor play gap --server http://127.0.0.1:"));
    assert_ne!(running.metrics(), running.address());
}

#[test]
fn port_in_use_is_reported() {
    let program = Program::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let quiet = ["--store", "memory", "--log-level", "error"];
    for (flag, other) in [("--listen", "--metrics"), ("--metrics", "--listen")] {
        let mut arguments = vec![flag, address.as_str(), other, "127.0.0.1:0"];
        arguments.extend(quiet);
        let error = run_error(&program, &arguments, 1);
        let expected = format!("{} = {address} cannot be used", flag.trim_start_matches("--"));
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn keys_new_prints_the_key_and_its_settings_lines() {
    let program = Program::new();
    let output = run_ok(&program, &["keys", "new", "--owner", "anna", "--scopes", "tables,admin"]);
    let key = output.split_whitespace().find(|word| word.starts_with("plr_")).expect("a key");
    assert_eq!(key.len(), 47);
    let lines = &output[output.find("[[keys]]").expect("settings lines")..];
    assert!(!lines.contains(key), "settings hold only the hash");
    program.write("parlor.toml", lines);
    let output = run_ok(&program, &["check-config", "--config", "parlor.toml"]);
    assert!(!output.contains("no API key"), "{output}");
    let other = run_ok(&program, &["keys", "new", "--owner", "anna"]);
    assert!(!other.contains(key), "keys are random");
    let (code, _, error) = program.run(&["keys", "new", "--owner", "an na"]);
    assert_eq!(code, Some(2), "{error}");
}

#[test]
fn keys_rotate_signing_replaces_the_key_and_keeps_the_old_one() {
    let program = Program::new();
    let first = run_ok(&program, &["keys", "rotate-signing"]);
    assert!(first.starts_with("new ") && !first.contains("retired"), "there was none: {first}");
    let key = first.split_whitespace().nth(1).expect("an id").trim_end_matches(',');
    let second = run_ok(&program, &["keys", "rotate-signing"]);
    assert!(second.contains(&format!("retired {key}")), "{second}");
    let error = run_error(&program, &["keys", "rotate-signing", "--store", "memory"], 1);
    assert!(error.contains("keeps no signing key"), "{error}");
}

#[test]
fn check_store_backup_and_restore() {
    let program = Program::new();
    let error = run_error(&program, &["check-store"], 1);
    assert!(error.contains("data/parlor.db"), "{error}");
    let error = run_error(&program, &["backup", "copy.db"], 1);
    assert!(error.contains("data/parlor.db is not there"), "{error}");
    assert!(!program.path("data").exists(), "failed commands create no files");

    let running = program.start(&[]);
    let output = run_ok(&program, &["backup", "copy.db"]);
    assert!(output.contains("sound") && output.contains("copy.db is a copy of"), "{output}");
    let error = run_error(&program, &["backup", "copy.db"], 1);
    assert!(error.contains("copy.db exists already"), "{error}");
    for busy in [&["check-store"][..], &["restore", "copy.db", "--replace"]] {
        let error = run_error(&program, busy, 1);
        assert!(error.contains("is in use by another process"), "{error}");
    }
    running.signal("TERM");
    assert_eq!(running.wait().0.code(), Some(0));

    assert!(run_ok(&program, &["check-store"]).contains("sound"));
    let error = run_error(&program, &["restore", "copy.db"], 1);
    assert!(error.contains("exists already"), "{error}");
    run_ok(&program, &["restore", "copy.db", "--replace"]);
    run_ok(&program, &["restore", "copy.db", "--data", "elsewhere"]);
    assert!(run_ok(&program, &["check-store", "--data", "elsewhere"]).contains("sound"));
}

#[test]
fn damaged_store_fails_check_store_and_backup() {
    let program = Program::new();
    let running = program.start(&[]);
    running.signal("TERM");
    assert_eq!(running.wait().0.code(), Some(0));
    let file = program.path("data/parlor.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[100..middle].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    for command in [&["check-store"][..], &["backup", "copy.db"]] {
        let (code, output, error) = program.run(command);
        assert_eq!(code, Some(1), "{command:?}: {output}{error}");
    }
    assert!(!program.path("copy.db").exists());
}

/// In play, at rest and finished: none of them can be played on or shown.
#[tokio::test]
async fn store_with_tables_of_an_unknown_game_is_refused() {
    let listing = |game: &str| Listing {
        kind: LogKind::Table,
        owner: OwnerId::new("local").unwrap(),
        game: game.to_owned(),
        state: 1,
        visibility: 0,
        tags: Vec::new(),
    };
    let at_rest = NewPlace::AtRest { wakes_at: None };
    let finished = NewPlace::Finished { record: Bytes::from_static(b"record") };
    for place in [NewPlace::InPlay, at_rest, finished] {
        let program = Program::new();
        std::fs::DirBuilder::new().mode(0o700).create(program.path("data")).unwrap();
        let log = SqliteLog::open(&program.path("data/parlor.db"), SqliteOptions::default()).unwrap();
        for (number, game) in ["gap", "flush"].into_iter().enumerate() {
            let id = TableId::new(number as u64, [7; 10]);
            let mut append = Append::new(id, 0, Millis(1), vec![Bytes::from_static(b"entry")]);
            append.listing = Some(listing(game));
            append.place =
                Some(if game == "gap" { NewPlace::AtRest { wakes_at: None } } else { place.clone() });
            log.append(append).await.unwrap();
        }
        log.close().await;
        drop(log);
        for command in ["run", "check-store"] {
            let error = run_error(&program, &[command], 1);
            let expected = "has tables of flush, which this parlor-server does not have: run the version that made \
                            these tables, or name another store with --store";
            assert!(error.contains("data/parlor.db") && error.contains(expected), "{error}");
        }
    }
}

#[test]
fn memory_store_has_no_file() {
    let program = Program::new();
    let running = program.start(&["--store", "memory"]);
    assert!(running.stdout.wait_for("tables ").contains("in memory"));
    assert!(!program.path("data").exists());
    for command in [&["check-store"][..], &["backup", "x.db"], &["restore", "x.db"]] {
        let mut arguments = command.to_vec();
        arguments.extend(["--store", "memory"]);
        let error = run_error(&program, &arguments, 1);
        assert!(error.contains("store = \"memory\" keeps nothing"), "{error}");
    }
}

#[test]
fn help_lists_every_command_and_setting() {
    let program = Program::new();
    let help = run_ok(&program, &["--help"]);
    for word in [
        "run",
        "check-config",
        "keys",
        "check-store",
        "backup",
        "restore",
        "completions",
        "man",
        "limits.batch_bytes",
    ] {
        assert!(help.contains(word), "{word} in {help}");
    }
    assert!(run_ok(&program, &["--version"]).starts_with("parlor-server "));
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let program = Program::new();
    for shell in ["bash", "fish", "zsh"] {
        assert!(run_ok(&program, &["completions", shell]).contains("check-store"), "{shell}");
    }
    assert!(run_ok(&program, &["man"]).contains(".TH parlor-server 1"));
    std::fs::create_dir(program.path("man")).expect("a folder");
    run_ok(&program, &["man", "--to", "man"]);
    assert!(program.path("man/parlor-server-restore.1").exists());
    assert!(run_error(&program, &["man", "--to", "nowhere"], 1).contains("name a folder that exists"));
}

#[test]
fn systemd_unit_uses_existing_flags() {
    use clap::Parser;
    let unit =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/parlor-server.service"));
    let unit = unit.unwrap();
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("an ExecStart line");
    let cli = parlor_server::config::Cli::try_parse_from(line.split_whitespace()).unwrap();
    assert_eq!(cli.flags.data.as_deref(), Some("/var/lib/parlor"));
    assert_eq!(cli.command_or_run(), parlor_server::config::Command::Run);
}
