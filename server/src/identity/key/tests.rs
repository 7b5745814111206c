use super::*;

fn new_key() -> NewKey {
    let quota = Some(Quota::new(5));
    NewKey::generate("anna".parse().unwrap(), vec![Scope::Tables, Scope::Play], quota, None).unwrap()
}

#[test]
fn new_key_is_32_random_bytes_with_a_prefix() {
    let (one, other) = (new_key(), new_key());
    assert_ne!(one.text.reveal(), other.text.reveal());
    let text = one.text.reveal();
    assert!(has_key_format(text), "{text}");
    let bytes = URL_SAFE_NO_PAD.decode(&text[API_KEY_PREFIX.len()..]).unwrap();
    assert_eq!(bytes.len(), 32);
    assert_eq!(one.entry.hash, KeyHash::from_key(text));
}

#[test]
fn settings_lines_contain_the_hash_and_not_the_key() {
    let key = new_key();
    let lines = key.settings_lines();
    assert!(!lines.contains(&key.text.reveal()[API_KEY_PREFIX.len()..]));
    let expected = format!(
        "[[keys]]\nowner = \"anna\"\nhash = \"{}\"\nscopes = [\"tables\", \"play\"]\ntables = 5\n",
        key.entry.hash
    );
    assert_eq!(lines, expected);
    let read: toml::Table = toml::from_str(&lines).unwrap();
    let entry: KeyEntry = read["keys"][0].clone().try_into().unwrap();
    assert_eq!(entry, key.entry);
}

#[test]
fn debug_output_does_not_contain_the_key() {
    let key = new_key();
    let shown = format!("{key:?} {key:#?}");
    let secret = &key.text.reveal()[API_KEY_PREFIX.len()..];
    assert!(!shown.contains(secret) && shown.contains("anna"), "{shown}");
}

/// SHA-256 of "plr_test", by `printf plr_test | sha256sum`.
const HASH: &str = "sha256:f9718e2aa29303cae068005bc3b64ba60e81e8fffdbcbca9e822d436d8ae93b1";

#[test]
fn key_hash_is_the_sha_256_of_the_key() {
    assert_eq!(KeyHash::from_key("plr_test").to_string(), HASH);
    assert_eq!(KeyHash::try_from(String::from(HASH)), Ok(KeyHash::from_key("plr_test")));
    let upper = HASH.to_uppercase().replace("SHA256", "sha256");
    assert_eq!(KeyHash::try_from(upper), Ok(KeyHash::from_key("plr_test")));
    assert_eq!(KeyHash::from_key("plr_test").id().to_string(), HASH[7..23]);
}

#[test]
fn malformed_hash_is_refused_without_printing_it() {
    let key = new_key();
    let digits = &HASH[7..];
    for text in [
        key.text.reveal().clone(),
        String::new(),
        digits.to_owned(),
        format!("sha256:{}", &digits[1..]),
        format!("sha256:{}g", &digits[1..]),
        format!("sha256:+{}", &digits[1..]),
        format!("sha256:ä{}", &digits[2..]),
    ] {
        let refused = KeyHash::try_from(text.clone()).unwrap_err().to_string();
        assert!(text.is_empty() || !refused.contains(&text), "{refused}");
        assert!(refused.contains("keys new"), "{refused}");
    }
}

#[test]
fn scopes_round_trip() {
    for scope in Scope::ALL {
        assert_eq!(scope.to_string().parse(), Ok(scope));
        assert!(ParseScopeError.to_string().contains(scope.name()), "the error lists {scope}");
    }
    assert_eq!("Tables".parse::<Scope>(), Err(ParseScopeError));
}

#[test]
fn owner_names_are_restricted_to_plain_characters() {
    for name in ["a", "chess-club.example_1", &"x".repeat(64)] {
        assert_eq!(name.parse::<Owner>().map(|owner| owner.to_string()), Ok(name.to_owned()));
    }
    for name in ["", "a b", "ä", "a\n", "plr_abc", &"x".repeat(65)] {
        assert_eq!(name.parse::<Owner>(), Err(crate::identity::ParseOwnerError), "{name:?}");
    }
}

#[test]
fn unknown_fields_of_a_key_are_refused() {
    let lines = new_key().settings_lines().replace("tables = 5", "table = 5");
    let read: toml::Table = toml::from_str(&lines).unwrap();
    let refused = read["keys"][0].clone().try_into::<KeyEntry>().unwrap_err();
    assert!(refused.to_string().contains("unknown field `table`"), "{refused}");
}
