//! Precedence of settings: flags, then the environment, then the file.

use std::ffi::OsString;

use super::*;

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment(variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect())
}

fn line(failure: &Failure) -> String {
    failure.line(Lang::En, false).unwrap()
}

#[test]
fn flags_override_environment_overrides_config_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    fs::write(&file, "server = 'http://file:1'\napi_key_file = 'key'\nlang = 'de'\nname = 'Ada'").unwrap();
    let flags = Flags { config: Some(file.clone()), ..Flags::default() };

    let settings = Settings::load(&flags, &environment(&[])).unwrap();
    assert_eq!((settings.server.as_str(), settings.lang), ("http://file:1", Lang::De));
    assert_eq!(settings.key, Some(KeySource::File(folder.path().join("key"))));
    assert_eq!((settings.name.as_deref(), settings.server_is_default), (Some("Ada"), false));

    let variables = environment(&[
        ("PARLOR_CLI_SERVER", "http://variable:1"),
        ("PARLOR_CLI_API_KEY", "plr_variable"),
        ("PARLOR_CLI_LANG", "en"),
        ("PARLOR_CLI_NAME", ""),
    ]);
    let settings = Settings::load(&flags, &variables).unwrap();
    assert_eq!((settings.server.as_str(), settings.lang), ("http://variable:1", Lang::En));
    assert_eq!(settings.key, Some(KeySource::Inline(ApiKey::new("plr_variable"))));
    assert_eq!(settings.name.as_deref(), Some("Ada"));

    let flags = Flags {
        server: Some("http://flag:1".into()),
        api_key_file: Some("other".into()),
        lang: Some(Lang::De),
        ..flags
    };
    let settings = Settings::load(&flags, &variables).unwrap();
    assert_eq!((settings.server.as_str(), settings.lang), ("http://flag:1", Lang::De));
    assert_eq!(settings.key, Some(KeySource::File("other".into())));
}

#[test]
fn default_config_file_is_optional_and_a_named_one_required() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_str().unwrap();
    let settings = Settings::load(&Flags::default(), &environment(&[("HOME", home)])).unwrap();
    assert_eq!((settings.server.as_str(), settings.server_is_default), (DEFAULT_SERVER, true));

    fs::create_dir_all(folder.path().join(".config/parlor")).unwrap();
    fs::write(folder.path().join(".config/parlor/config.toml"), "server = 'http://home:1'").unwrap();
    let settings = Settings::load(&Flags::default(), &environment(&[("HOME", home)])).unwrap();
    assert_eq!(settings.server, "http://home:1");

    fs::create_dir_all(folder.path().join("xdg/parlor")).unwrap();
    fs::write(folder.path().join("xdg/parlor/config.toml"), "server = 'http://xdg:1'").unwrap();
    let xdg = folder.path().join("xdg");
    let variables = environment(&[("HOME", home), ("XDG_CONFIG_HOME", xdg.to_str().unwrap())]);
    assert_eq!(Settings::load(&Flags::default(), &variables).unwrap().server, "http://xdg:1");
    let relative = environment(&[("HOME", home), ("XDG_CONFIG_HOME", "xdg")]);
    assert_eq!(Settings::load(&Flags::default(), &relative).unwrap().server, "http://home:1");

    let flags = Flags { config: Some(folder.path().join("none.toml")), ..Flags::default() };
    let failure = Settings::load(&flags, &Environment::default()).unwrap_err();
    assert_eq!(failure.exit(), Exit::Usage);
    assert!(line(&failure).contains("none.toml"), "{}", line(&failure));
}

#[test]
fn config_file_errors_name_the_line_and_hide_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    for (text, expected) in [
        ("server = 'a'\napi_key = plr_secret", "line 2"),
        ("server = 'a'\napi_kee = 'plr_secret'", "api_kee"),
        ("lang = 'fr'", "lang must be en or de"),
        ("timeout = '10'", "timeout must be a time"),
        ("api_key = 'plr_secret'\napi_key_file = 'key'", "exclude"),
    ] {
        fs::write(&path, text).unwrap();
        let flags = Flags { config: Some(path.clone()), ..Flags::default() };
        let message = line(&Settings::load(&flags, &Environment::default()).unwrap_err());
        assert!(message.contains(expected) && message.contains("config.toml"), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn unknown_environment_variables_are_rejected_by_name() {
    let failure = Settings::load(&Flags::default(), &environment(&[("PARLOR_CLI_SEVER", "a")])).unwrap_err();
    assert!(line(&failure).contains("PARLOR_CLI_SEVER"), "{}", line(&failure));
    let failure = Settings::load(&Flags::default(), &environment(&[("PARLOR_CLI_LANG", "fr")])).unwrap_err();
    assert!(line(&failure).contains("en or de"), "{}", line(&failure));
    let failure =
        Settings::load(&Flags::default(), &environment(&[("PARLOR_CLI_TIMEOUT", "1")])).unwrap_err();
    assert!(line(&failure).contains("such as 10s"), "{}", line(&failure));
    // The server's variables are ignored.
    assert!(Settings::load(&Flags::default(), &environment(&[("PARLOR_LISTEN", "a")])).is_ok());
}

#[test]
fn address_without_scheme_uses_https_unless_loopback() {
    for (address, expected) in [
        ("localhost:7766", "http://localhost:7766"),
        ("127.0.0.1:1", "http://127.0.0.1:1"),
        ("[::1]:1", "http://[::1]:1"),
        ("parlor.example.org", "https://parlor.example.org"),
        ("localhost.example.org:1", "https://localhost.example.org:1"),
        ("127.example.org", "https://127.example.org"),
        ("http://parlor.example.org", "http://parlor.example.org"),
    ] {
        assert_eq!(with_scheme(address), expected);
    }
}

#[test]
fn api_key_over_plaintext_is_detected() {
    for (address, key, expected) in [
        ("http://parlor.example.org", Some("plr_a"), true),
        ("http://parlor.example.org", None, false),
        ("https://parlor.example.org", Some("plr_a"), false),
        ("http://127.0.0.1:7766", Some("plr_a"), false),
        ("localhost", Some("plr_a"), false),
    ] {
        let flags =
            Flags { server: Some(address.into()), api_key: key.map(str::to_owned), ..Flags::default() };
        let settings = Settings::load(&flags, &Environment::default()).unwrap();
        assert_eq!(settings.sends_key_in_plaintext(), expected, "{address} {key:?}");
    }
}
