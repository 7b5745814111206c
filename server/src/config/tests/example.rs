//! `deploy/parlor.toml` and `--help` list every key, with its default.

use clap::CommandFactory;

use super::*;

/// The example with its defaults uncommented: "#listen = ..." is a key, "# Address of ..." is not.
fn uncommented(text: &str) -> String {
    let is_key = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '[');
    let lines = text.lines().map(|line| line.strip_prefix('#').filter(|rest| is_key(rest)).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// The settings of the example, and its example of an API key.
fn parts() -> (String, String) {
    let text = uncommented(EXAMPLE);
    let (settings, key) = text.split_once("\n[[keys]]\n").expect("an example of an API key at the end");
    (settings.to_owned(), format!("[[keys]]\n{key}"))
}

/// All keys of a file.
fn keys(table: &toml::Table) -> Vec<String> {
    let mut keys = Vec::new();
    for (name, value) in table {
        match value {
            toml::Value::Table(section) => keys.extend(section.keys().map(|key| format!("{name}.{key}"))),
            _ => keys.push(name.clone()),
        }
    }
    keys.sort();
    keys
}

#[test]
fn example_file_changes_no_default() {
    assert_eq!(load(EXAMPLE, &[], &[]), Settings::default());
}

#[test]
fn example_file_lists_every_key_and_no_other() {
    let example: toml::Table = toml::from_str(&parts().0).unwrap();
    let defaults = toml::Table::try_from(Settings::default()).unwrap();
    let mut expected = keys(&defaults);
    expected.retain(|key| key != "keys");
    assert_eq!(keys(&example), expected);
}

#[test]
fn example_file_defaults_match_the_code() {
    assert_eq!(load(&parts().0, &[], &[]), Settings::default());
}

#[test]
fn example_api_key_has_every_field() {
    let (settings, key) = parts();
    let loaded = load(&format!("{settings}\n{key}"), &[], &[]);
    let [entry] = loaded.keys.as_slice() else { panic!("expected one key") };
    let fields: Vec<_> = toml::Table::try_from(entry).unwrap().keys().cloned().collect();
    assert_eq!(
        fields,
        ["hash", "owner", "requests_per_second", "scopes", "tables"],
        "with no quota left out"
    );
}

#[test]
fn example_file_explains_every_key() {
    let mut explained = false;
    for line in EXAMPLE.lines() {
        if line.starts_with("# ") {
            explained = true;
        } else if !line.is_empty() && line != "#" {
            assert!(explained || line == "#[[keys]]", "no explanation above {line}");
            explained = false;
        }
    }
}

/// The helpers of these tests must detect what they are there to detect.
#[test]
fn example_tests_detect_a_missing_key_and_a_changed_default() {
    let missing: toml::Table = toml::from_str(&uncommented("#data = \"data\"\n# listen = \"1\"\n")).unwrap();
    assert_eq!(keys(&missing), ["data"]);
    let other = uncommented(&EXAMPLE.replace("#table_queue = 64", "#table_queue = 65"));
    let (other, _) = other.split_once("\n[[keys]]\n").unwrap();
    assert_ne!(load(other, &[], &[]), Settings::default());
}

#[test]
fn clap_command_is_well_formed() {
    Cli::command().debug_assert();
}

#[test]
fn help_explains_every_flag_and_lists_every_key() {
    let mut command = Cli::command();
    let help = command.render_long_help().to_string();
    for argument in command.get_arguments() {
        assert!(argument.get_help().is_some(), "{} says nothing", argument.get_id());
        let long = argument.get_long().unwrap();
        assert!(help.contains(&format!("--{long}")), "{long}");
    }
    for (key, default) in known_keys::KnownKeys::new().keys() {
        if key != "keys" {
            let line =
                format!("  {key} = {default}  ({})", known_keys::KnownKeys::environment_variable(&key));
            assert!(help.contains(&line), "{line}\n{help}");
        }
    }
    for name in ["run", "check-config", "keys", "check-store", "backup", "restore"] {
        let command = command.find_subcommand(name).expect(name);
        assert!(command.get_about().is_some(), "{name} says nothing");
    }
}

#[test]
fn subcommands_are_parsed() {
    let command = |line: &[&str]| {
        let line = std::iter::once("parlor-server").chain(line.iter().copied());
        Cli::try_parse_from(line).map(|cli| cli.command_or_run())
    };
    assert_eq!(command(&[]).unwrap(), Command::Run);
    assert_eq!(command(&["run", "--insecure"]).unwrap(), Command::Run);
    assert_eq!(command(&["check-config"]).unwrap(), Command::CheckConfig { example: false });
    assert_eq!(command(&["check-store"]).unwrap(), Command::CheckStore);
    let to = PathBuf::from("copy.db");
    assert_eq!(command(&["backup", "copy.db"]).unwrap(), Command::Backup { to });
    let from = PathBuf::from("copy.db");
    assert_eq!(
        command(&["restore", "--replace", "copy.db"]).unwrap(),
        Command::Restore { from: from.clone(), replace: true, keep_tokens: false }
    );
    assert_eq!(
        command(&["restore", "copy.db", "--keep-tokens"]).unwrap(),
        Command::Restore { from, replace: false, keep_tokens: true }
    );
    let made = command(&["keys", "new", "--owner", "anna", "--scopes", "play,admin", "--tables", "5"]);
    let Command::Keys { command: KeysCommand::New { owner, scopes, tables, requests_per_second } } =
        made.unwrap()
    else {
        panic!("another command")
    };
    let scopes: Vec<_> = scopes.iter().map(|scope| scope.name()).collect();
    assert_eq!(
        (owner.as_str(), scopes.as_slice(), tables.unwrap().get(), requests_per_second),
        ("anna", &["play", "admin"][..], 5, None)
    );
    for wrong in [
        &["keys", "new"][..],
        &["keys", "new", "--owner", "a b"],
        &["keys", "new", "--owner=a", "--tables=0"],
        &["backup"],
    ] {
        assert!(command(wrong).is_err(), "{wrong:?}");
    }
}
