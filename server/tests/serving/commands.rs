//! Every command of the real program: what it prints, how it ends, and what it refuses.

use crate::support::Program;

/// Runs, and expects success.
fn done(program: &Program, arguments: &[&str]) -> String {
    let (code, output, error) = program.run(arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {output}{error}");
    output
}

/// Runs, and expects an error of one line.
fn refused(program: &Program, arguments: &[&str], expected: i32) -> String {
    let (code, output, error) = program.run(arguments);
    assert_eq!(code, Some(expected), "{arguments:?}: {output}{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    assert!(error.starts_with("parlor-server: "), "{error}");
    error
}

#[test]
fn the_example_is_a_settings_file_that_is_right() {
    let program = Program::new();
    let example = done(&program, &["check-config", "--example"]);
    program.write("parlor.toml", &example);
    let output = done(&program, &["check-config", "--config", "parlor.toml"]);
    assert!(output.contains("the settings are right"), "{output}");
    assert!(output.contains("note: no API key is configured: everyone on this machine"), "{output}");
}

#[test]
fn settings_that_are_wrong_end_it_with_the_place_and_the_remedy() {
    let program = Program::new();
    program.write("parlor.toml", "[limits]\nmessage_byte = 3\n");
    for command in ["check-config", "run", "check-store"] {
        let error = refused(&program, &[command, "--config", "parlor.toml"], 2);
        assert!(error.contains("limits.message_byte in parlor.toml: there is no such key"), "{error}");
    }
    let error = refused(&program, &["--config", "none.toml"], 2);
    assert!(error.contains("none.toml cannot be read"), "{error}");
}

#[test]
fn other_machines_are_let_in_only_with_keys_and_tls_or_when_somebody_says_so() {
    let program = Program::new();
    for command in ["run", "check-config"] {
        let error = refused(&program, &[command, "--listen", "0.0.0.0:0"], 2);
        assert!(
            error.contains("there are no API keys and no TLS") && error.contains("--insecure"),
            "{error}"
        );
    }
    let output = done(&program, &["check-config", "--listen", "0.0.0.0:7766", "--insecure"]);
    assert!(output.contains("note: no TLS is configured"), "{output}");
    let up = program.start(&["--insecure", "--listen", "0.0.0.0:0"]);
    up.log.wait_for("no API key is configured: everyone who can reach it may do everything at 0.0.0.0:");
}

#[test]
fn a_server_without_keys_says_so() {
    let up = Program::new().start(&[]);
    up.log.wait_for("no API key is configured: everyone on this machine may do everything at 127.0.0.1:");
    let first = up.printed.wait_for("parlor-server ");
    assert!(first.contains("(no TLS, no API keys)"), "{first}");
    assert!(up.printed.wait_for("play ").contains("parlor play gap --server http://127.0.0.1:"));
    assert_ne!(up.metrics(), up.address());
}

#[test]
fn a_port_that_is_taken_is_said() {
    let program = Program::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let quiet = ["--store", "memory", "--log-level", "error"];
    for (flag, other) in [("--listen", "--metrics"), ("--metrics", "--listen")] {
        let mut arguments = vec![flag, address.as_str(), other, "127.0.0.1:0"];
        arguments.extend(quiet);
        let error = refused(&program, &arguments, 1);
        let expected = format!("{} = {address} cannot be used", flag.trim_start_matches("--"));
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn a_new_key_is_printed_with_its_lines_for_the_settings() {
    let program = Program::new();
    let output = done(&program, &["keys", "new", "--owner", "anna", "--scopes", "tables,admin"]);
    let key = output.split_whitespace().find(|word| word.starts_with("plr_")).expect("a key");
    assert_eq!(key.len(), 47);
    let lines = &output[output.find("[[keys]]").expect("lines for the settings")..];
    assert!(!lines.contains(key), "the settings hold a hash");
    program.write("parlor.toml", lines);
    let output = done(&program, &["check-config", "--config", "parlor.toml"]);
    assert!(!output.contains("no API key"), "{output}");
    let other = done(&program, &["keys", "new", "--owner", "anna"]);
    assert!(!other.contains(key), "every key is new");
    let (code, _, error) = program.run(&["keys", "new", "--owner", "an na"]);
    assert_eq!(code, Some(2), "{error}");
}

#[test]
fn a_store_is_checked_copied_and_put_back() {
    let program = Program::new();
    let error = refused(&program, &["check-store"], 1);
    assert!(error.contains("data/parlor.db"), "{error}");
    let error = refused(&program, &["backup", "copy.db"], 1);
    assert!(error.contains("data/parlor.db is not there"), "{error}");
    assert!(!program.path("data").exists(), "asking makes nothing");

    let up = program.start(&[]);
    let output = done(&program, &["backup", "copy.db"]);
    assert!(output.contains("sound") && output.contains("copy.db is a copy of"), "{output}");
    let error = refused(&program, &["backup", "copy.db"], 1);
    assert!(error.contains("copy.db exists already"), "{error}");
    for busy in [&["check-store"][..], &["restore", "copy.db", "--replace"]] {
        let error = refused(&program, busy, 1);
        assert!(error.contains("is in use by another process"), "{error}");
    }
    up.signal("TERM");
    assert_eq!(up.wait().0.code(), Some(0));

    assert!(done(&program, &["check-store"]).contains("sound"));
    let error = refused(&program, &["restore", "copy.db"], 1);
    assert!(error.contains("exists already"), "{error}");
    done(&program, &["restore", "copy.db", "--replace"]);
    done(&program, &["restore", "copy.db", "--data", "elsewhere"]);
    assert!(done(&program, &["check-store", "--data", "elsewhere"]).contains("sound"));
}

#[test]
fn a_damaged_store_is_told_and_not_copied() {
    let program = Program::new();
    let up = program.start(&[]);
    up.signal("TERM");
    assert_eq!(up.wait().0.code(), Some(0));
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

#[test]
fn a_store_in_memory_has_no_file() {
    let program = Program::new();
    let up = program.start(&["--store", "memory"]);
    assert!(up.printed.wait_for("tables ").contains("in memory"));
    assert!(!program.path("data").exists());
    for command in [&["check-store"][..], &["backup", "x.db"], &["restore", "x.db"]] {
        let mut arguments = command.to_vec();
        arguments.extend(["--store", "memory"]);
        let error = refused(&program, &arguments, 1);
        assert!(error.contains("store = \"memory\" keeps nothing"), "{error}");
    }
}

#[test]
fn help_names_every_command_and_key() {
    let program = Program::new();
    let help = done(&program, &["--help"]);
    for word in ["run", "check-config", "keys", "check-store", "backup", "restore", "limits.batch_bytes"] {
        assert!(help.contains(word), "{word} in {help}");
    }
    assert!(done(&program, &["--version"]).starts_with("parlor-server "));
}

/// The unit file starts the program with flags that it has.
#[test]
fn the_unit_file_starts_it_with_flags_that_exist() {
    use clap::Parser;
    let unit =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/parlor-server.service"));
    let unit = unit.unwrap();
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("how it is started");
    let cli = parlor_server::config::Cli::try_parse_from(line.split_whitespace()).unwrap();
    assert_eq!(cli.flags.data.as_deref(), Some("/var/lib/parlor"));
    assert_eq!(cli.asked(), parlor_server::config::Command::Run);
}
