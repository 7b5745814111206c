//! Places: in play, at rest, finished, deleted; and the start-up state.

use super::*;

on_every_log!(
    table_moves_between_in_play_and_at_rest,
    append_to_a_table_at_rest,
    finished_table_has_a_record_and_is_immutable,
    one_append_creates_and_finishes_a_table,
    deleted_table_is_gone_and_its_id_is_reusable,
    start_up_lists_tables_in_play_and_waking_tables,
    start_up_separates_tournaments_and_omits_agents,
    retention_removes_finished_tournaments_and_never_agents,
    retention_removes_old_finished_tables_and_feed_items,
);

async fn table_moves_between_in_play_and_at_rest(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a"])).await.unwrap();
    log.append(create(table(2), &["other"])).await.unwrap();
    let mut texts = vec!["a".to_owned()];
    for stay in 0..5 {
        for place in [Some(REST), Some(NewPlace::InPlay), None, None] {
            let text = format!("{stay}");
            let mut append = add(table(1), texts.len() as u64, &[&text]);
            append.place = place;
            log.append(append).await.unwrap();
            texts.push(text);
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            assert_log(&*log, table(1), &texts).await;
        }
        // Moves without entries.
        let length = texts.len() as u64;
        log.append(put(table(1), length, REST)).await.unwrap();
        assert_eq!(log.find(table(1)).await.unwrap().place, Place::AtRest { wakes_at: None });
        log.append(put(table(1), length, NewPlace::InPlay)).await.unwrap();
        assert_eq!(log.find(table(1)).await.unwrap().place, Place::InPlay);
    }
    assert_log(&*log, table(2), &["other"]).await;
}

async fn append_to_a_table_at_rest(log: Arc<dyn Log>) {
    let mut append = create(table(1), &["a"]);
    append.place = Some(NewPlace::AtRest { wakes_at: Some(Millis(9)) });
    log.append(append).await.unwrap();
    let updated = log.find(table(1)).await.unwrap().updated;
    log.append(add(table(1), 1, &["b"])).await.unwrap();
    log.append(add(table(1), 2, &["c"])).await.unwrap();
    assert_log(&*log, table(1), &["a", "b", "c"]).await;
    let row = log.find(table(1)).await.unwrap();
    assert_eq!(row.updated, updated);
    assert_eq!(row.place, Place::AtRest { wakes_at: Some(Millis(9)) });
    let conflict = log.append(add(table(1), 2, &["x"])).await;
    assert!(matches!(conflict, Err(LogError::Conflict { actual: 3, .. })));
}

async fn finished_table_has_a_record_and_is_immutable(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a"])).await.unwrap();
    assert_eq!(log.record(table(1)).await, Ok(None));
    let mut last = add(table(1), 1, &["b"]);
    last.place = Some(finished(b"ann won"));
    log.append(last).await.unwrap();
    let over = Err(LogError::Finished { table: table(1) });
    assert_eq!(log.append(add(table(1), 2, &["c"])).await, over);
    assert_eq!(log.append(put(table(1), 2, NewPlace::InPlay)).await, over);
    assert_log(&*log, table(1), &["a", "b"]).await;
    assert_eq!(log.record(table(1)).await, Ok(Some(Bytes::from_static(b"ann won"))));
    assert_eq!(log.find(table(1)).await.unwrap().place, Place::Finished);
}

async fn one_append_creates_and_finishes_a_table(log: Arc<dyn Log>) {
    let mut append = create(table(1), &["a", "b"]);
    append.place = Some(finished(b""));
    log.append(append).await.unwrap();
    assert_log(&*log, table(1), &["a", "b"]).await;
    assert_eq!(log.record(table(1)).await, Ok(Some(Bytes::new())));
}

async fn deleted_table_is_gone_and_its_id_is_reusable(log: Arc<dyn Log>) {
    // A table in play that holds the journal back, so that old entries are still in it.
    log.append(create(table(9), &["slow"])).await.unwrap();
    for (number, place) in [(1, None), (2, Some(REST)), (3, Some(finished(b"r")))] {
        log.append(create(table(number), &["a", "b"])).await.unwrap();
        let mut append = add(table(number), 2, &["c"]);
        append.place = place;
        log.append(append).await.unwrap();
        let mut end = delete(table(number));
        end.feed = posts("ann", &["deleted"]);
        log.delete(end).await.unwrap();
        let missing = Err(LogError::NoSuchTable { table: table(number) });
        assert_eq!(log.read(table(number), 0).await, missing);
        assert_eq!(log.find(table(number)).await.map(drop), missing.map(drop));
        log.append(create(table(number), &["new"])).await.unwrap();
        log.append(add(table(number), 1, &["life"])).await.unwrap();
        assert_log(&*log, table(number), &["new", "life"]).await;
        assert_eq!(log.record(table(number)).await, Ok(None));
    }
    assert_eq!(log.read_owner_feed(&owner("ann"), 0).await.unwrap().len(), 3);
}

async fn start_up_lists_tables_in_play_and_waking_tables(log: Arc<dyn Log>) {
    assert_eq!(log.load_startup_state().await, Ok(StartupState::default()));
    let wakes = |time| NewPlace::AtRest { wakes_at: Some(Millis(time)) };
    let places = [NewPlace::InPlay, wakes(50), REST, finished(b""), wakes(40), NewPlace::InPlay];
    for (number, place) in places.into_iter().enumerate() {
        let mut append = create(table(number as u64), &["a"]);
        append.place = Some(place);
        log.append(append).await.unwrap();
    }
    log.append(create(table(8), &["a"])).await.unwrap();
    log.delete(delete(table(8))).await.unwrap();
    let start = log.load_startup_state().await.unwrap();
    assert_eq!(start.in_play, [table(0), table(5)]);
    assert_eq!(start.waking, [(Millis(40), table(4)), (Millis(50), table(1))]);
}

/// An append that creates a log of another kind.
fn create_kind(number: u64, kind: LogKind, place: NewPlace) -> Append {
    let listing = Some(Listing { kind, ..listing("ann") });
    Append { listing, place: Some(place), ..create(table(number), &["a"]) }
}

async fn start_up_separates_tournaments_and_omits_agents(log: Arc<dyn Log>) {
    let wakes = NewPlace::AtRest { wakes_at: Some(Millis(9)) };
    let mut number = 0;
    for place in [wakes, NewPlace::InPlay, REST, finished(b"")] {
        for kind in [LogKind::Tournament, LogKind::Table, LogKind::Agent] {
            log.append(create_kind(number, kind, place.clone())).await.unwrap();
            number += 1;
        }
    }
    let start = log.load_startup_state().await.unwrap();
    assert_eq!(start.tournaments, [0, 3].map(table));
    assert_eq!(start.waking, [(Millis(9), table(1))]);
    assert_eq!(start.in_play, [table(4)]);
}

async fn retention_removes_finished_tournaments_and_never_agents(log: Arc<dyn Log>) {
    log.append(create_kind(1, LogKind::Tournament, finished(b"r"))).await.unwrap();
    log.append(create_kind(2, LogKind::Tournament, NewPlace::InPlay)).await.unwrap();
    log.append(create_kind(3, LogKind::Agent, REST)).await.unwrap();
    assert_eq!(log.apply_retention(Millis(1 << 40)).await.unwrap().tables, 1);
    assert!(log.find(table(1)).await.is_err());
    for number in [2, 3] {
        assert!(log.find(table(number)).await.is_ok());
    }
}

async fn retention_removes_old_finished_tables_and_feed_items(log: Arc<dyn Log>) {
    for number in 0..600 {
        let mut append = create(table(number), &["a"]);
        append.at = Millis(number);
        append.place = Some(if number % 2 == 0 { finished(b"r") } else { REST });
        append.feed = posts(if number % 3 == 0 { "ann" } else { "bob" }, &["created"]);
        append.request = Some(format!("r{number}"));
        log.append(append).await.unwrap();
    }
    let removed = log.apply_retention(Millis(590)).await.unwrap();
    assert_eq!((removed.tables, removed.feed_items), (295, 590));
    for number in 0..600 {
        let gone = number % 2 == 0 && number < 590;
        assert_eq!(log.find(table(number)).await.is_err(), gone, "{number}");
        let request = log.find_by_request(&owner("ann"), &format!("r{number}")).await.unwrap();
        assert_eq!(request.is_none(), gone);
    }
    let bob = owner("bob");
    let first = 394;
    assert_eq!(log.read_owner_feed(&bob, 0).await, Err(LogError::FeedTrimmed { owner: bob.clone(), first }));
    let kept = log.read_owner_feed(&bob, first - 1).await.unwrap();
    assert!(kept.iter().map(|item| item.number).eq(first..=400));
    assert_eq!(log.apply_retention(Millis(590)).await, Ok(RetentionCounts::default()));
    // Numbers continue although no item is kept.
    log.apply_retention(Millis(10_000)).await.unwrap();
    assert_eq!(log.read_owner_feed(&bob, 400).await, Ok(vec![]));
    let mut append = create(table(1000), &["a"]);
    append.feed = posts("bob", &["created"]);
    assert_eq!(log.append(append).await.unwrap().feed, [401]);
}
