use super::*;
use crate::identity::NewKey;

fn new_key(owner: &str, scopes: &[Scope]) -> NewKey {
    NewKey::generate(owner.parse().unwrap(), scopes.to_vec(), Some(Quota::new(3)), Some(Quota::new(9)))
        .unwrap()
}

fn set(keys: &[&NewKey]) -> KeySet {
    KeySet::new(keys.iter().map(|key| key.entry.clone()).collect()).unwrap()
}

#[test]
fn identify_finds_every_known_key_and_no_other() {
    let made: Vec<_> = (0..20).map(|n| new_key(&format!("owner{n}"), &[Scope::Play])).collect();
    let keys = ApiKeys::new(set(&made.iter().collect::<Vec<_>>()));
    for (n, key) in made.iter().enumerate() {
        let caller = keys.identify(Some(key.text.reveal())).unwrap();
        assert_eq!(caller.owner().as_str(), format!("owner{n}"));
        assert_eq!(caller.key(), key.entry.hash.id());
        assert_eq!(
            (caller.tables(), caller.requests_per_second()),
            (Some(Quota::new(3)), Some(Quota::new(9)))
        );
    }
    let stranger = new_key("stranger", &[Scope::Admin]);
    assert_eq!(keys.identify(Some(stranger.text.reveal())).unwrap_err(), ApiKeyError::Unknown);
}

#[test]
fn malformed_key_is_refused_and_not_printed() {
    let key = new_key("anna", &[Scope::Play]);
    let keys = ApiKeys::new(set(&[&key]));
    let text = key.text.reveal();
    let cut = &text[..46];
    assert_eq!(keys.identify(None).unwrap_err(), ApiKeyError::Missing);
    for wrong in ["", cut, &format!("{text}x"), &text.replace("plr_", "plx_"), &text.to_uppercase()] {
        let refused = keys.identify(Some(wrong)).unwrap_err();
        assert_eq!(refused, ApiKeyError::Malformed);
        assert!(wrong.is_empty() || !format!("{refused} {refused:?}").contains(wrong));
    }
    let mut other = text.clone();
    other.replace_range(20..21, if &text[20..21] == "A" { "B" } else { "A" });
    assert_eq!(keys.identify(Some(&other)).unwrap_err(), ApiKeyError::Unknown);
    let shown = format!("{keys:?} {:?}", keys.identify(Some(text)).unwrap());
    assert!(!shown.contains(&text[4..]) && shown.contains("anna"), "Debug prints the key");
}

#[test]
fn scopes_limit_a_caller() {
    let (anna, root) = (new_key("anna", &[Scope::Tables, Scope::Play]), new_key("root", &[Scope::Admin]));
    let keys = ApiKeys::new(set(&[&anna, &root]));
    let allowed = |key: &NewKey| {
        let caller = keys.identify(Some(key.text.reveal())).unwrap();
        Scope::ALL.map(|scope| caller.has_scope(scope))
    };
    assert_eq!(allowed(&anna), [true, true, false, false, false]);
    assert_eq!(allowed(&root), [true; 5]);
}

#[test]
fn every_caller_is_the_local_owner_without_keys() {
    let keys = ApiKeys::new(KeySet::default());
    for key in [None, Some("plr_whatever")] {
        let caller = keys.identify(key).unwrap();
        assert_eq!(caller.owner().as_str(), "local");
        assert!(Scope::ALL.into_iter().all(|scope| caller.has_scope(scope)));
        assert_eq!((caller.tables(), caller.requests_per_second(), caller.key()), (None, None, KeyId::NONE));
    }
}

#[test]
fn replace_swaps_the_keys_of_a_running_server() {
    let (old, new) = (new_key("anna", &[Scope::Play]), new_key("anna", &[Scope::Play]));
    let keys = ApiKeys::new(set(&[&old]));
    let before = keys.identify(Some(old.text.reveal())).unwrap();
    keys.replace(set(&[&new])).unwrap();
    assert_eq!(keys.identify(Some(old.text.reveal())).unwrap_err(), ApiKeyError::Unknown);
    assert_eq!(keys.identify(Some(new.text.reveal())).unwrap().owner(), before.owner());
}

#[test]
fn replace_never_removes_the_last_key() {
    let key = new_key("anna", &[Scope::Play]);
    let keys = ApiKeys::new(set(&[&key]));
    assert_eq!(keys.replace(KeySet::default()), Err(KeySetError::LastKeyRemoved));
    assert!(keys.identify(Some(key.text.reveal())).is_ok(), "the old keys remain");
    let open = ApiKeys::new(KeySet::default());
    assert_eq!(open.replace(KeySet::default()), Ok(()));
    assert!(open.identify(None).is_ok());
    assert_eq!(open.replace(set(&[&key])), Ok(()));
    assert_eq!(open.identify(None).unwrap_err(), ApiKeyError::Missing);
}

#[test]
fn key_set_rejects_duplicates_empty_scopes_and_too_many() {
    let key = new_key("anna", &[Scope::Play]);
    let (id, owner) = (key.entry.hash.id(), key.entry.owner.clone());
    let twice = vec![key.entry.clone(), key.entry.clone()];
    let refused = KeySetError::Duplicate { id, owner: owner.clone() };
    assert_eq!(KeySet::new(twice).unwrap_err(), refused);
    let mut useless = key.entry.clone();
    useless.scopes.clear();
    assert_eq!(KeySet::new(vec![useless]).unwrap_err(), KeySetError::NoScopes { id, owner });
    let many = vec![key.entry.clone(); MAX_KEYS + 1];
    assert_eq!(KeySet::new(many).unwrap_err(), KeySetError::TooMany(MAX_KEYS + 1));
}
