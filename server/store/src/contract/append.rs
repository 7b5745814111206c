//! Appends: expected length, conflicts, request ids, limits.

use super::*;

on_every_log!(
    read_returns_appended_entries_with_their_hashes,
    append_with_wrong_expected_length_is_a_conflict,
    concurrent_appends_to_one_table_have_one_winner,
    concurrent_appends_to_many_tables_all_commit,
    concurrent_reads_see_whole_appends,
    request_id_creates_one_table,
    concurrent_duplicate_requests_create_one_table,
    invalid_append_is_refused,
    unknown_table_is_no_such_table_on_every_call,
);

async fn read_returns_appended_entries_with_their_hashes(log: Arc<dyn Log>) {
    let created = log.append(create(table(1), &["dealt"])).await.unwrap();
    assert_eq!((created.length, created.feed), (1, vec![]));
    let added = log.append(add(table(1), 1, &["a", "", "c"])).await.unwrap();
    assert_eq!(added.length, 4);
    log.append(create(table(2), &["other"])).await.unwrap();
    assert_log(&*log, table(1), &["dealt", "a", "", "c"]).await;
    assert_log(&*log, table(2), &["other"]).await;
    let last = log.read(table(1), 3).await.unwrap().remove(0);
    assert_eq!((last.index, last.hash), (3, added.head));
    // An append without entries is a valid commit.
    assert_eq!(log.append(add(table(1), 4, &[])).await, Ok(added));
}

async fn append_with_wrong_expected_length_is_a_conflict(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a", "b"])).await.unwrap();
    for expected in [1, 3, 100] {
        let mut wrong = add(table(1), expected, &["x"]);
        wrong.feed = posts("ann", &["x"]);
        wrong.place = Some(finished(b"x"));
        let conflict = LogError::Conflict { table: table(1), actual: 2 };
        assert_eq!(log.append(wrong).await, Err(conflict));
    }
    let again = log.append(create(table(1), &["x"])).await;
    assert!(matches!(again, Err(LogError::Conflict { actual: 2, .. })));
    assert_log(&*log, table(1), &["a", "b"]).await;
    assert_eq!(log.read_owner_feed(&owner("ann"), 0).await, Ok(vec![]));
    assert_eq!(log.find(table(1)).await.unwrap().place, Place::InPlay);
}

async fn concurrent_appends_to_one_table_have_one_winner(log: Arc<dyn Log>) {
    log.append(create(table(1), &["start"])).await.unwrap();
    let mut expected_log = vec!["start".to_owned()];
    for round in 1..=20 {
        let writers = (0..8).map(|writer| {
            let log = log.clone();
            tokio::spawn(async move {
                let text = format!("{round} by {writer}");
                log.append(add(table(1), round, &[&text])).await.map(|_| text)
            })
        });
        let mut winners = Vec::new();
        for writer in writers.collect::<Vec<_>>() {
            match writer.await.unwrap() {
                Ok(text) => winners.push(text),
                Err(error) => assert_eq!(error, LogError::Conflict { table: table(1), actual: round + 1 }),
            }
        }
        assert_eq!(winners.len(), 1);
        expected_log.append(&mut winners);
    }
    let texts: Vec<&str> = expected_log.iter().map(String::as_str).collect();
    assert_log(&*log, table(1), &texts).await;
}

async fn concurrent_appends_to_many_tables_all_commit(log: Arc<dyn Log>) {
    let players = (0..20).map(|player| {
        let log = log.clone();
        tokio::spawn(async move {
            log.append(create(table(player), &["0"])).await.unwrap();
            for turn in 1..30 {
                let appended = log.append(add(table(player), turn, &[&turn.to_string()])).await;
                assert_eq!(appended.unwrap().length, turn + 1);
            }
        })
    });
    for player in players.collect::<Vec<_>>() {
        player.await.unwrap();
    }
    let texts: Vec<String> = (0..30).map(|turn| turn.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for player in 0..20 {
        assert_log(&*log, table(player), &texts).await;
    }
}

async fn concurrent_reads_see_whole_appends(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a", "a"])).await.unwrap();
    let writer = {
        let log = log.clone();
        tokio::spawn(async move {
            for turn in 1..60 {
                let mut append = add(table(1), 2 * turn, &["a", "b"]);
                // Meanwhile the log moves between the journal and its own row.
                append.place = match turn % 8 {
                    0 => Some(REST),
                    4 => Some(NewPlace::InPlay),
                    _ => None,
                };
                log.append(append).await.unwrap();
            }
        })
    };
    let mut known = 2;
    while known < 120 {
        let read = log.read(table(1), 0).await.unwrap();
        assert_eq!(read.len() % 2, 0, "a partial append is visible");
        assert!(read.len() >= known, "a visible entry disappeared");
        assert!(read.iter().map(|entry| entry.index).eq(0..read.len() as u64));
        known = read.len();
        assert!(log.read(table(1), known as u64).await.is_ok());
    }
    writer.await.unwrap();
}

fn request(table: TableId, name: &str, id: &str) -> Append {
    Append { request: Some(id.into()), listing: Some(listing(name)), ..create(table, &["a"]) }
}

async fn request_id_creates_one_table(log: Arc<dyn Log>) {
    assert_eq!(log.find_by_request(&owner("ann"), "r").await, Ok(None));
    log.append(request(table(1), "ann", "r")).await.unwrap();
    let repeated = Err(LogError::DuplicateRequest { table: table(1) });
    assert_eq!(log.append(request(table(2), "ann", "r")).await, repeated);
    assert_eq!(log.append(request(table(1), "ann", "r")).await, repeated);
    assert_eq!(log.find_by_request(&owner("ann"), "r").await, Ok(Some(table(1))));
    // Request ids are scoped to their owner.
    log.append(request(table(3), "bob", "r")).await.unwrap();
    log.append(request(table(4), "ann", "s")).await.unwrap();
    assert_eq!(log.find_by_request(&owner("bob"), "r").await, Ok(Some(table(3))));
    // A request id lasts as long as its table, in any place.
    log.append(put(table(1), 1, finished(b"won"))).await.unwrap();
    assert_eq!(log.append(request(table(2), "ann", "r")).await, repeated);
    log.delete(delete(table(1))).await.unwrap();
    assert_eq!(log.find_by_request(&owner("ann"), "r").await, Ok(None));
    log.append(request(table(2), "ann", "r")).await.unwrap();
}

async fn concurrent_duplicate_requests_create_one_table(log: Arc<dyn Log>) {
    let requests = (0..16).map(|number| {
        let log = log.clone();
        tokio::spawn(async move { (number, log.append(request(table(number), "ann", "r")).await) })
    });
    let mut answers = Vec::new();
    for request in requests.collect::<Vec<_>>() {
        answers.push(request.await.unwrap());
    }
    let made = log.find_by_request(&owner("ann"), "r").await.unwrap().unwrap();
    for (number, answer) in answers {
        match answer {
            Ok(_) => assert_eq!(made, table(number)),
            Err(error) => assert_eq!(error, LogError::DuplicateRequest { table: made }),
        }
    }
    let all = log.list_tables(LogFilter::default(), PageRequest { after: None, size: 10 }).await.unwrap();
    assert_eq!(all.tables.len(), 1);
}

async fn invalid_append_is_refused(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a"])).await.unwrap();
    let large = Bytes::from(vec![0; limits::MAX_PAYLOAD_BYTES + 1]);
    let good = || create(table(2), &["a"]);
    let with = |change: &dyn Fn(&mut Append)| {
        let mut append = good();
        change(&mut append);
        append
    };
    let bad = [
        with(&|append| append.entries = vec![]),
        with(&|append| append.listing = None),
        with(&|append| append.place = None),
        with(&|append| append.entries = vec![large.clone()]),
        with(&|append| append.entries = vec![Bytes::new(); limits::MAX_ITEMS_PER_APPEND + 1]),
        with(&|append| append.entries = vec![large.slice(1..); 5]),
        with(&|append| append.feed = vec![posts("ann", &[""]).remove(0); limits::MAX_ITEMS_PER_APPEND + 1]),
        with(&|append| {
            append.feed = posts("ann", &[""]);
            append.feed[0].payload = large.clone();
        }),
        with(&|append| append.request = Some(String::new())),
        with(&|append| append.request = Some("r".repeat(limits::MAX_REQUEST_BYTES + 1))),
        with(&|append| append.listing.as_mut().unwrap().game = String::new()),
        with(&|append| append.listing.as_mut().unwrap().game = "g".repeat(limits::MAX_GAME_BYTES + 1)),
        with(&|append| append.at = Millis(u64::MAX)),
        with(&|append| {
            append.place = Some(NewPlace::AtRest { wakes_at: Some(Millis(u64::MAX)) });
        }),
        with(&|append| {
            append.place =
                Some(NewPlace::Finished { record: Bytes::from(vec![0; limits::MAX_RECORD_BYTES + 1]) });
        }),
        Append { request: Some("r".into()), ..add(table(1), 1, &["b"]) },
        Append { listing: Some(listing("bob")), ..add(table(1), 1, &["b"]) },
    ];
    for append in bad {
        let refused = log.append(append).await;
        assert!(matches!(refused, Err(LogError::Invalid { .. })), "{refused:?}");
    }
    assert_log(&*log, table(1), &["a"]).await;
    assert!(matches!(log.find(table(2)).await, Err(LogError::NoSuchTable { .. })));
    log.append(good()).await.unwrap();
}

async fn unknown_table_is_no_such_table_on_every_call(log: Arc<dyn Log>) {
    let missing = LogError::NoSuchTable { table: table(1) };
    assert_eq!(log.append(add(table(1), 1, &["a"])).await, Err(missing.clone()));
    assert_eq!(log.read(table(1), 0).await, Err(missing.clone()));
    assert_eq!(log.follow(table(1), 0).await.map(drop), Err(missing.clone()));
    assert_eq!(log.find(table(1)).await, Err(missing.clone()));
    assert_eq!(log.record(table(1)).await, Err(missing.clone()));
    assert_eq!(log.delete(delete(table(1))).await, Err(missing));
}
