//! Precedence of the sources.

use super::*;
use crate::identity::{NewKey, Scope};
use parlor_host::HostSettings;

#[test]
fn defaults_apply_without_sources() {
    let settings = Settings::load(&Sources::default()).unwrap();
    assert_eq!(settings, Settings::default());
    assert_eq!(settings.listen.to_string(), "127.0.0.1:7766");
    assert_eq!(settings.metrics.unwrap().to_string(), "127.0.0.1:7767");
    assert_eq!(settings.limits.batch_bytes.bytes(), 256 * 1024);
    assert_eq!(settings.store_file(), path("data/parlor.db"));
    assert_eq!(load("", &[], &[]), settings);
}

#[test]
fn flags_override_environment_overrides_file() {
    let file =
        "listen = '127.0.0.1:1'\ndata = 'file'\nstore = 'memory'\n[limits]\ncallers = 1\ntable_queue = 1";
    let environment = [
        ("PARLOR_DATA", "environment"),
        ("PARLOR_LISTEN", "127.0.0.1:2"),
        ("PARLOR_LIMITS_TABLE_QUEUE", "2"),
    ];
    let flags = ["--listen", "127.0.0.1:3", "--set", "limits.reader_queue=33", "--set=bots.workers=3"];
    let settings = load(file, &environment, &flags);
    let expected = Settings {
        listen: "127.0.0.1:3".parse().unwrap(),
        data: PathBuf::from("environment"),
        store: Store::Memory,
        limits: Limits {
            callers: Count::new(1),
            table_queue: Count::new(2),
            reader_queue: Count::new(33),
            ..Limits::default()
        },
        bots: Bots { workers: Count::new(3), ..Bots::default() },
        ..Settings::default()
    };
    assert_eq!(settings, expected);
    assert_eq!((settings.store_file(), HostSettings::from(&settings).bots.thread_count().get()), (None, 3));
}

#[test]
fn every_flag_sets_its_key() {
    let flags = [
        "--metrics=",
        "--data=d",
        "--store=sqlite:/s.db",
        "--insecure",
        "--tls-certificate=c",
        "--tls-key=k",
        "--tls-client-ca=a",
        "--log-format=json",
        "--log-level=debug",
        "--otlp=http://o:1",
        "--listen=0.0.0.0:9",
    ];
    let settings = load("", &[], &flags);
    assert_eq!((settings.metrics, settings.insecure), (None, true));
    assert_eq!(settings.listen.to_string(), "0.0.0.0:9");
    assert_eq!(settings.store_file(), path("/s.db"));
    assert_eq!(settings.data, PathBuf::from("d"));
    assert_eq!(settings.tls, Tls { certificate: path("c"), key: path("k"), client_ca: path("a") });
    assert_eq!(settings.tls.files().unwrap().client_ca.unwrap().to_str(), Some("a"));
    assert_eq!((settings.log.format, settings.log.level), (LogFormat::Json, LogLevel::Debug));
    assert_eq!(settings.telemetry.otlp.unwrap().as_str(), "http://o:1");
    let named = TestSources::new("", &[], &flags).sources.flags.given_keys();
    assert_eq!(named.len(), flags.len(), "a flag sets nothing");
}

#[test]
fn every_key_has_an_environment_variable_and_set_flag() {
    let mut variables = std::collections::HashSet::new();
    for (key, default) in known_keys::KnownKeys::new().keys().into_iter().filter(|(key, _)| key != "keys") {
        let variable = known_keys::KnownKeys::environment_variable(&key);
        let value = match &default {
            toml::Value::String(text) => text.clone(),
            toml::Value::Array(_) => String::new(),
            other => other.to_string(),
        };
        assert_eq!(load("", &[(&variable, &value)], &[]), Settings::default(), "{variable}");
        let set = format!("--set={key}={value}");
        assert_eq!(load("", &[], &[&set]), Settings::default(), "{set}");
        let nonsense = TestSources::new("", &[(&variable, "\u{1}")], &[]);
        // Any text is a valid path, and a valid password.
        let any_text = ["data", "postgres.password", "postgres.password_file", "postgres.root_certificates"];
        if nonsense.load().is_ok() {
            assert!(any_text.contains(&key.as_str()), "{variable} is not read");
        }
        assert!(variables.insert(variable.clone()), "{variable} is there twice");
    }
}

#[test]
fn cors_origins_parse_from_arrays_and_comma_lists() {
    let file = "[connections]\ncors_origins = ['https://a.example', 'http://b.example:8080']";
    let origins = |settings: Settings| settings.connections.cors_origins.as_slice().join(" ");
    assert_eq!(origins(load(file, &[], &[])), "https://a.example http://b.example:8080");
    let variable = [("PARLOR_CONNECTIONS_CORS_ORIGINS", "https://c.example, *")];
    assert_eq!(origins(load(file, &variable, &[])), "https://c.example *");
    let none = [("PARLOR_CONNECTIONS_CORS_ORIGINS", "")];
    assert_eq!(origins(load(file, &none, &[])), "");
}

#[test]
fn empty_value_in_a_later_source_unsets_a_setting() {
    let file = "metrics = '127.0.0.1:9'\n[telemetry]\notlp = 'http://o:1'";
    let settings = load(file, &[("PARLOR_TELEMETRY_OTLP", "")], &["--metrics", ""]);
    assert_eq!((settings.metrics, settings.telemetry.otlp), (None, None));
}

#[test]
fn settings_file_is_named_by_flag_or_variable() {
    let test = TestSources::new("data = 'here'", &[], &[]);
    let file = test.sources.file().unwrap();
    let sources = Sources {
        environment: vec![(OsString::from("PARLOR_CONFIG"), file.into_os_string())],
        flags: Flags::default(),
    };
    assert_eq!(Settings::load(&sources).unwrap().data, PathBuf::from("here"));
    let both = TestSources::new("data = 'flag'", &[("PARLOR_CONFIG", "/nowhere.toml")], &[]);
    assert_eq!(both.load().unwrap().data, PathBuf::from("flag"));
}

#[test]
fn foreign_environment_variables_are_ignored() {
    let environment = [
        ("PARLOR_TEST_SEED", "7"),
        ("PARLOR_CLI_KEY", "x"),
        ("PARLOR_CLIENT_DATA", "/data"),
        ("PARLOR_PORT", "tcp://10.0.0.1:7766"),
        ("PARLOR_PORT_7766_TCP_ADDR", "10.0.0.1"),
        ("PARLOR_SERVICE_HOST", "10.0.0.1"),
        ("HOME", "/"),
        ("PARLORX", "1"),
    ];
    assert_eq!(load("", &environment, &[]), Settings::default());
}

#[test]
fn printed_settings_lines_of_a_new_key_load() {
    let key = NewKey::generate("anna".parse().unwrap(), vec![Scope::Admin], None, None).unwrap();
    let settings = load(&key.settings_lines(), &[], &[]);
    assert_eq!(settings.keys.as_slice(), std::slice::from_ref(&key.entry));
    let shown = format!("{settings:?}");
    assert!(!shown.contains(&key.text.reveal()[4..]));
}
