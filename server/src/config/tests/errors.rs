//! Invalid settings: the error names the origin and the allowed values.

use super::*;

/// Asserts the error for a file, an environment and flags.
fn check(file: &str, environment: &[(&str, &str)], flags: &[&str], expected: &str) {
    assert_eq!(TestSources::new(file, environment, flags).load_error(), expected);
}

#[test]
fn invalid_value_error_names_its_origin_and_the_allowed_values() {
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
fn values_of_another_type_are_not_coerced() {
    for value in ["true", "2.5", "'2.5'", "'yes'", "[3]", "-1", "99999999999"] {
        let refused = TestSources::new(&format!("limits.callers = {value}"), &[], &[]).load_error();
        assert!(refused.starts_with("limits.callers in parlor.toml: expected a whole number"), "{refused}");
    }
    for value in ["1", "'yes'", "'on'", "[]"] {
        let refused = TestSources::new(&format!("insecure = {value}"), &[], &[]).load_error();
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
    let refused = TestSources::new("listn = 'x'", &[], &[]).load_error();
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
fn file_error_is_reported_even_if_a_later_source_overrides_it() {
    let covered = [("PARLOR_LIMITS_CALLERS", "5")];
    let refused = TestSources::new("limits = 3", &covered, &[]).load_error();
    assert!(
        refused.starts_with("limits in parlor.toml: expected a section [limits] with attach_burst, attaches_per_second, batch_bytes,"),
        "{refused}"
    );
    assert!(TestSources::new("'log.level' = 'info'", &[], &[]).load().is_err());
    assert!(TestSources::new("'keys[99999999]' = 1", &[], &[]).load().is_err());
}

#[test]
fn unreadable_file_error_names_the_file() {
    let mut nowhere = TestSources::new("", &[], &[]);
    nowhere.sources.flags.config = path("/nowhere/parlor.toml");
    let missing = nowhere.load_error();
    assert!(
        missing.starts_with("the settings file /nowhere/parlor.toml cannot be read (No such file"),
        "{missing}"
    );
    let broken = TestSources::new("data = 'x'\nlisten = = 3", &[], &[]).load_error();
    assert!(
        broken.starts_with("the settings file parlor.toml is not TOML: TOML parse error at line 2, column"),
        "{broken}"
    );
    assert_eq!(broken.lines().count(), 1);
    let twice = TestSources::new("data = 'x'\ndata = 'y'", &[], &[]).load_error();
    assert!(twice.contains("duplicate key"), "{twice}");
    let large = TestSources::new(&"#".repeat(5 << 20), &[], &[]).load_error();
    assert!(large.contains("more than 4194304 bytes"), "{large}");
}

#[test]
fn misplaced_api_key_is_not_printed() {
    let key = "plr_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let hash = format!("[[keys]]\nowner = 'anna'\nscopes = ['play']\nhash = '{key}'");
    let owner = format!("[[keys]]\nowner = '{key}'\nscopes = ['play']\nhash = 'sha256:'");
    let syntax = format!("keys = = '{key}'");
    let listen = format!("listen = '{key}'");
    let list = format!("keys = '{key}'");
    for file in [&hash, &owner, &syntax, &listen, &list] {
        let refused = TestSources::new(file, &[], &[]).load_error();
        assert!(!refused.contains("AAAA"), "{refused}");
    }
    let refused = TestSources::new("", &[("PARLOR_KEYS", key)], &[]).load_error();
    assert!(
        refused.starts_with("keys in the environment variable PARLOR_KEYS: expected [[keys]] sections")
            && !refused.contains("AAAA"),
        "{refused}"
    );
}

#[test]
fn invalid_api_key_error_names_the_entry() {
    let good = format!("[[keys]]\nowner = 'anna'\nscopes = ['play']\nhash = 'sha256:{}'\n", "0".repeat(64));
    let with = |more: &str| TestSources::new(&format!("{good}{more}"), &[], &[]).load_error();
    assert!(with(&good).starts_with("keys in parlor.toml: the key 0000000000000000 of anna appears twice"));
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

/// The error of a server with this address and protection, if it is refused.
fn exposed(listen: &str, keys: bool, tls: bool, insecure: bool) -> Option<String> {
    let mut file = format!("listen = '{listen}'\ninsecure = {insecure}\n");
    if tls {
        file += "[tls]\ncertificate = 'c'\nkey = 'k'\n";
    }
    if keys {
        let hash = "0".repeat(64);
        file += &format!("[[keys]]\nowner = 'anna'\nscopes = ['play']\nhash = 'sha256:{hash}'\n");
    }
    let test = TestSources::new(&file, &[], &[]);
    test.load().is_err().then(|| test.load_error())
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
}

#[test]
fn metrics_reachable_from_other_machines_need_a_setting_even_with_keys_and_tls() {
    let protected = format!(
        "metrics = '0.0.0.0:1'\ntls.certificate = 'c'\ntls.key = 'k'\n\
         [[keys]]\nowner = 'anna'\nscopes = ['play']\nhash = 'sha256:{}'\n",
        "0".repeat(64)
    );
    for file in ["metrics = '0.0.0.0:1'", &protected] {
        assert_eq!(
            TestSources::new(file, &[], &[]).load_error(),
            "metrics in parlor.toml: other machines can reach 0.0.0.0:1, and the metrics have neither keys nor TLS: \
             take an address such as 127.0.0.1:1, or say metrics_public = true"
        );
        for flag in ["metrics_public=true", "insecure=true"] {
            let warnings = load(file, &[], &["--set", flag]).warnings();
            assert_eq!(warnings.last().unwrap(), "everyone who can reach 0.0.0.0:1 may read the metrics");
        }
    }
    load("metrics = '[::1]:1'", &[], &[]);
}

#[test]
fn open_server_gives_warnings() {
    let warnings = |file: &str| load(file, &[], &[]).warnings();
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
fn conflicting_settings_are_refused() {
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
    for (setting, larger, smaller) in [
        ("limits.reader_bytes = '256KiB'\nlimits.batch_bytes = '512KiB'", "reader_bytes", "batch_bytes"),
        (
            "limits.reader_bytes = '17MiB'\nlimits.connection_bytes = '16MiB'",
            "connection_bytes",
            "reader_bytes",
        ),
        (
            "limits.connection_bytes = '257MiB'\nlimits.caller_bytes = '256MiB'",
            "caller_bytes",
            "connection_bytes",
        ),
    ] {
        let refused = format!(
            "limits.{larger} in parlor.toml: limits.{smaller} is larger: make it smaller, or this one larger"
        );
        check(setting, &[], &[], &refused);
    }
    load("listen = '127.0.0.1:0'\nmetrics = '127.0.0.1:0'", &[], &[]);
}

#[test]
fn passwords_are_not_shown() {
    let sources = [
        "store = 'postgres://anna:s3cret@db/parlor?sslrootcert=x'",
        "store = 'mysql://anna:s3cret@db/parlor'",
        "postgres = { password = 53cret }",
        "[postgres]\npassword = 5303",
        "[postgres]\npassword = 's3cret'\npassword_file = 'f'",
    ];
    for file in sources {
        let refused = TestSources::new(file, &[], &[]).load_error();
        assert!(!refused.contains("s3cret") && !refused.contains("5303"), "{refused}");
    }
    check(
        "[postgres]\npassword = 5303",
        &[],
        &[],
        "postgres.password in parlor.toml: expected a text, or \"\" for none, got a value of another type",
    );
    check(
        "[postgres]\npassword_file = 'f'",
        &[("PARLOR_POSTGRES_PASSWORD", "s3cret")],
        &[],
        "postgres.password_file in parlor.toml: postgres.password is set, too: keep one of them, best the file",
    );
    let settings =
        load("store = 'postgres://anna:s3cret@db.example/parlor'\n[postgres]\npassword = 's3cret'", &[], &[]);
    assert!(!format!("{settings:?}").contains("s3cret"));
    let warned = settings.warnings().join("\n");
    assert!(warned.contains("the connection to postgres://db.example:5432/parlor may lack TLS"), "{warned}");
}
