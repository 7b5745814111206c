//! What is refused, and that the message names the place and what is allowed.

use super::*;

/// Checks the message for a file, an environment and flags.
fn check(file: &str, environment: &[(&str, &str)], flags: &[&str], expected: &str) {
    assert_eq!(Given::new(file, environment, flags).refused(), expected);
}

#[test]
fn wrong_values_name_their_place_and_what_is_allowed() {
    check(
        "[limits]\ncallers = 0",
        &[],
        &[],
        "limits.callers in parlor.toml: expected a whole number from 1 to 1000000, got 0",
    );
    check(
        "",
        &[("PARLOR_TABLE_DECISION", "fast")],
        &[],
        "table.decision in the environment variable PARLOR_TABLE_DECISION: expected a time such as \"30s\", \"10m\" or \
         \"2h\", from 100ms to 7days, got \"fast\"",
    );
    check(
        "",
        &[],
        &["--listen", "localhost"],
        "listen in the flag --listen: expected an IP address and a port, such as 127.0.0.1:7766 or [::1]:7766, got \
         \"localhost\"",
    );
    check(
        "",
        &[],
        &["--set", "log.format=xml"],
        "log.format in the flag --set: expected one of \"text\", \"json\", got \"xml\"",
    );
    check(
        "[connections]\ncors_origins = ['example.org']",
        &[],
        &[],
        "connections.cors_origins in parlor.toml: expected a list of up to 256 origins such as \"https://example.org\", \
         or \"*\" for all",
    );
}

#[test]
fn values_of_another_kind_are_not_bent_into_shape() {
    for value in ["true", "2.5", "'2.5'", "'yes'", "[3]", "-1", "99999999999"] {
        let refused = Given::new(&format!("limits.callers = {value}"), &[], &[]).refused();
        assert!(refused.starts_with("limits.callers in parlor.toml: expected a whole number"), "{refused}");
    }
    for value in ["1", "'yes'", "'on'", "[]"] {
        let refused = Given::new(&format!("insecure = {value}"), &[], &[]).refused();
        assert!(refused.starts_with("insecure in parlor.toml: expected true or false"), "{refused}");
    }
    check(
        "limits.callers = {}",
        &[("PARLOR_LIMITS_CALLERS", "5")],
        &[],
        "limits.callers in parlor.toml: expected a value such as 65536, got a table",
    );
    check(
        "[listen]",
        &[],
        &[],
        "listen in parlor.toml: expected a value such as \"127.0.0.1:7766\", got a table",
    );
}

#[test]
fn unknown_keys_are_refused() {
    check(
        "[log]\nlevle = 'info'",
        &[],
        &[],
        "log.levle in parlor.toml: there is no such key; [log] has format, level",
    );
    let refused = Given::new("listn = 'x'", &[], &[]).refused();
    assert!(
        refused.starts_with(
            "listn in parlor.toml: there is no such key; there are agents, bots, connections, data,"
        ),
        "{refused}"
    );
    check(
        "",
        &[("PARLOR_LISTENN", "x")],
        &[],
        "the environment variable PARLOR_LISTENN sets nothing: unset it, or see `parlor-server --help` for those that do",
    );
    check(
        "",
        &[],
        &["--set", "log.levle=info"],
        "log.levle in the flag --set: there is no such key; see `parlor-server --help` for all of them",
    );
    check(
        "",
        &[],
        &["--set", "log.level"],
        "log.level in the flag --set: expected a key and a value, such as --set limits.batch_bytes=64KiB",
    );
}

#[test]
fn a_mistake_in_the_file_is_not_covered_by_a_later_source() {
    let covered = [("PARLOR_LIMITS_CALLERS", "5")];
    let refused = Given::new("limits = 3", &covered, &[]).refused();
    assert!(
        refused.starts_with("limits in parlor.toml: expected a section [limits] with batch_bytes, callers,"),
        "{refused}"
    );
    assert!(Given::new("'log.level' = 'info'", &[], &[]).load().is_err());
    assert!(Given::new("'keys[99999999]' = 1", &[], &[]).load().is_err());
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let mut nowhere = Given::new("", &[], &[]);
    nowhere.sources.flags.config = path("/nowhere/parlor.toml");
    let missing = nowhere.refused();
    assert!(
        missing.starts_with("the settings file /nowhere/parlor.toml cannot be read (No such file"),
        "{missing}"
    );
    let broken = Given::new("data = 'x'\nlisten = = 3", &[], &[]).refused();
    assert!(
        broken.starts_with("the settings file parlor.toml is not TOML: TOML parse error at line 2, column"),
        "{broken}"
    );
    assert_eq!(broken.lines().count(), 1);
    let twice = Given::new("data = 'x'\ndata = 'y'", &[], &[]).refused();
    assert!(twice.contains("duplicate key"), "{twice}");
    let large = Given::new(&"#".repeat(5 << 20), &[], &[]).refused();
    assert!(large.contains("more than 4194304 bytes"), "{large}");
}

#[test]
fn a_key_in_the_wrong_place_is_not_repeated() {
    let key = "plr_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let hash = format!("[[keys]]\nowner = 'anna'\nscopes = ['play']\nhash = '{key}'");
    let owner = format!("[[keys]]\nowner = '{key}'\nscopes = ['play']\nhash = 'sha256:'");
    let syntax = format!("keys = = '{key}'");
    let listen = format!("listen = '{key}'");
    let list = format!("keys = '{key}'");
    for file in [&hash, &owner, &syntax, &listen, &list] {
        let refused = Given::new(file, &[], &[]).refused();
        assert!(!refused.contains("AAAA"), "{refused}");
    }
    let refused = Given::new("", &[("PARLOR_KEYS", key)], &[]).refused();
    assert!(
        refused.starts_with("keys in the environment variable PARLOR_KEYS: expected [[keys]] sections")
            && !refused.contains("AAAA"),
        "{refused}"
    );
}

#[test]
fn wrong_keys_say_which_one_it_is() {
    let good = format!("[[keys]]\nowner = 'anna'\nscopes = ['play']\nhash = 'sha256:{}'\n", "0".repeat(64));
    let with = |more: &str| Given::new(&format!("{good}{more}"), &[], &[]).refused();
    assert!(with(&good).starts_with("keys in parlor.toml: the key 0000000000000000 of anna is there twice"));
    assert_eq!(
        with("tables = 0"),
        "keys[0].tables in parlor.toml: expected a whole number from 1 to 1000000, got 0"
    );
    assert_eq!(
        with("[[keys]]\nowner = 'ben'\nscopes = ['fly']"),
        "keys[1].scopes[0] in parlor.toml: expected one of the scopes tables, play, seeded_tables, agents, admin"
    );
    assert_eq!(with("[[keys]]\nowner = 'ben'\nscopes = []"), "keys[1].hash in parlor.toml: it is missing");
    assert!(with("quota = 3").contains("unknown field `quota`"));
}

/// Where the server is listening, with what protection, and what is refused about it.
fn exposed(listen: &str, keys: bool, tls: bool, insecure: bool) -> Option<String> {
    let mut file = format!("listen = '{listen}'\ninsecure = {insecure}\n");
    if tls {
        file += "[tls]\ncertificate = 'c'\nkey = 'k'\n";
    }
    if keys {
        let hash = "0".repeat(64);
        file += &format!("[[keys]]\nowner = 'anna'\nscopes = ['play']\nhash = 'sha256:{hash}'\n");
    }
    let given = Given::new(&file, &[], &[]);
    given.load().is_err().then(|| given.refused())
}

#[test]
fn what_other_machines_reach_needs_keys_and_tls_or_a_word() {
    for (keys, tls) in [(false, false), (true, false), (false, true), (true, true)] {
        for local in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert_eq!(exposed(local, keys, tls, false), None, "{local}");
        }
        for open in ["0.0.0.0:1", "[::]:1", "192.168.0.7:1", "[2001:db8::1]:1"] {
            assert_eq!(exposed(open, keys, tls, true), None, "{open}");
            assert_eq!(exposed(open, keys, tls, false).is_none(), keys && tls, "{open}");
        }
    }
    assert_eq!(
        exposed("0.0.0.0:1", false, false, false).unwrap(),
        "listen in parlor.toml: other machines can reach 0.0.0.0:1, and there are no API keys and no TLS: add [[keys]] \
         (parlor-server keys new) and [tls], take an address such as 127.0.0.1:1, or say insecure = true (--insecure)"
    );
    assert!(exposed("0.0.0.0:1", true, false, false).unwrap().contains("there is no TLS"));
    assert!(exposed("0.0.0.0:1", false, true, false).unwrap().contains("there are no API keys:"));
    let metrics = Given::new("metrics = '0.0.0.0:1'", &[], &[]).refused();
    assert!(metrics.starts_with("metrics in parlor.toml: other machines can reach 0.0.0.0:1"));
}

#[test]
fn who_starts_an_open_server_is_told() {
    let warnings = |file: &str| loaded(file, &[], &[]).warnings();
    assert_eq!(
        warnings(""),
        ["no API key is configured: everyone on this machine may do everything at 127.0.0.1:7766"]
    );
    assert_eq!(
        warnings("listen = '0.0.0.0:1'\ninsecure = true"),
        [
            "no API key is configured: everyone who can reach it may do everything at 0.0.0.0:1",
            "no TLS is configured: keys, tokens and hands travel in the clear to 0.0.0.0:1"
        ]
    );
}

#[test]
fn keys_that_do_not_go_together_are_refused() {
    check(
        "[tls]\ncertificate = 'c'",
        &[],
        &[],
        "tls.certificate in parlor.toml: a certificate needs its private key: set tls.key",
    );
    check(
        "",
        &[("PARLOR_TLS_KEY", "k")],
        &[],
        "tls.key in the environment variable PARLOR_TLS_KEY: a private key needs its certificate: set tls.certificate",
    );
    check(
        "",
        &[],
        &["--tls-client-ca=a"],
        "tls.client_ca in the flag --tls-client-ca: clients show certificates only over TLS: set tls.certificate and \
         tls.key",
    );
    check(
        "metrics = '127.0.0.1:7766'",
        &[],
        &[],
        "metrics in parlor.toml: listen is 127.0.0.1:7766 too: take another port",
    );
    check(
        "limits.batch_bytes = '2MiB'",
        &[],
        &[],
        "limits.batch_bytes in parlor.toml: a batch must fit into a message: make it smaller, or limits.message_bytes \
         larger",
    );
    loaded("listen = '127.0.0.1:0'\nmetrics = '127.0.0.1:0'", &[], &[]);
}
