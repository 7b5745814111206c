//! Listings: filters and pages.

use super::*;

on_every_log!(
    tables_are_listed_newest_first_in_pages,
    listing_filters_combine,
    listing_update_is_found_by_filters,
    listed_games_are_those_of_stored_tables,
    tag_kind_and_time_filters_combine,
    tagged_table_is_found_until_it_is_deleted,
    kind_and_tags_are_immutable,
    invalid_tags_are_refused,
    page_size_is_clamped,
    rows_scanned_for_a_page_are_bounded,
);

/// All tables, read in pages of this size.
async fn pages(log: &dyn Log, filter: &LogFilter, size: u32) -> Vec<TableId> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = log.list_tables(filter.clone(), PageRequest { after, size }).await.unwrap();
        assert!(page.tables.len() <= size as usize);
        all.extend(page.tables.iter().map(|table| table.id));
        after = page.next;
        if after.is_none() {
            return all;
        }
    }
}

async fn tables_are_listed_newest_first_in_pages(log: Arc<dyn Log>) {
    let filter = LogFilter::default();
    assert_eq!(pages(&*log, &filter, 3).await, []);
    for number in [3, 1, 4, 0, 5, 2, 6] {
        log.append(create(table(number), &["a"])).await.unwrap();
    }
    let newest: Vec<_> = (0..7).rev().map(table).collect();
    for size in [1, 2, 3, 6, 7, 8] {
        assert_eq!(pages(&*log, &filter, size).await, newest, "{size}");
    }
    // A cursor need not be an existing table.
    let page = PageRequest { after: Some(TableId::new(2, [0xff; 10])), size: 10 };
    let older = log.list_tables(filter, page).await.unwrap();
    assert_eq!(older.tables.iter().map(|row| row.id).collect::<Vec<_>>(), newest[4..]);
    assert_eq!(older.next, None);
}

async fn listing_filters_combine(log: Arc<dyn Log>) {
    let mut rows = Vec::new();
    for number in 0..48u8 {
        let listing = Listing {
            owner: owner(["ann", "bob"][usize::from(number % 2)]),
            game: ["gap", "five_three_five"][usize::from(number / 2 % 2)].into(),
            state: number / 4 % 3,
            visibility: number / 12 % 2,
            ..listing("ann")
        };
        let id = table(number.into());
        let mut append = create(id, &["a"]);
        append.listing = Some(listing.clone());
        append.place = Some([NewPlace::InPlay, REST, finished(b"")][usize::from(number % 3)].clone());
        log.append(append).await.unwrap();
        rows.push(log.find(id).await.unwrap());
        assert_eq!(rows.last().map(|row| &row.listing), Some(&listing));
    }
    rows.reverse();
    for choice in 0..36 {
        let filter = LogFilter {
            owner: [None, Some(owner("ann"))][choice % 2].clone(),
            game: [None, Some("five_three_five".into()), Some("chess".into())][choice / 2 % 3].clone(),
            state: [None, Some(1), Some(9)][choice / 6 % 3],
            visibility: [None, Some(1)][choice / 18],
            ..LogFilter::default()
        };
        let passing = rows.iter().filter(|row| filter.passes(row));
        let expected: Vec<TableId> = passing.map(|row| row.id).collect();
        for size in [2, 100] {
            assert_eq!(pages(&*log, &filter, size).await, expected, "{filter:?}");
        }
    }
}

async fn listed_games_are_those_of_stored_tables(log: Arc<dyn Log>) {
    assert_eq!(log.listed_games().await, Ok(Vec::new()));
    let places = [NewPlace::InPlay, REST, finished(b"r")];
    for (number, game) in ["no_dice", "chess", "gap", "chess", "gap"].into_iter().enumerate() {
        let mut append = create(table(number as u64), &["a"]);
        append.listing = Some(Listing { game: game.into(), ..listing("ann") });
        append.place = Some(places[number % 3].clone());
        log.append(append).await.unwrap();
    }
    assert_eq!(log.listed_games().await.unwrap(), ["chess", "gap", "no_dice"]);
    for number in [1, 2, 3] {
        log.delete(delete(table(number))).await.unwrap();
    }
    assert_eq!(log.listed_games().await.unwrap(), ["gap", "no_dice"]);
}

async fn listing_update_is_found_by_filters(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a"])).await.unwrap();
    let before = log.find(table(1)).await.unwrap();
    assert_eq!((before.created, before.updated), (Millis(1000), Millis(1000)));
    assert_eq!(before.listing, listing("ann"));
    let mut append = add(table(1), 1, &["b"]);
    append.listing =
        Some(Listing { state: 5, visibility: 1, game: "five_three_five".into(), ..listing("ann") });
    log.append(append.clone()).await.unwrap();
    log.append(add(table(1), 2, &["c"])).await.unwrap();
    let after = log.find(table(1)).await.unwrap();
    assert_eq!((after.created, after.updated), (Millis(1000), Millis(1001)));
    assert_eq!(Some(&after.listing), append.listing.as_ref());
    let all = PageRequest { after: None, size: 9 };
    let filter = |state| LogFilter { owner: Some(owner("ann")), state: Some(state), ..LogFilter::default() };
    assert_eq!(log.list_tables(filter(5), all).await.unwrap().tables, [after]);
    assert_eq!(log.list_tables(filter(0), all).await.unwrap().tables, []);
    assert_log(&*log, table(1), &["a", "b", "c"]).await;
}

async fn tag_kind_and_time_filters_combine(log: Arc<dyn Log>) {
    let kinds = [LogKind::Table, LogKind::Tournament, LogKind::Agent];
    let tags: [&[&str]; 3] = [&[], &["agent:ann"], &["tournament:1", "agent:ann"]];
    let mut rows = Vec::new();
    for number in 0..54 {
        let mut append = create(table(number as u64), &["a"]);
        append.listing = Some(Listing {
            kind: kinds[number % 3],
            tags: tags[number / 3 % 3].iter().map(|tag| (*tag).to_owned()).collect(),
            ..listing(["ann", "bob"][number / 27])
        });
        append.place = Some([NewPlace::InPlay, REST, finished(b"")][number / 9 % 3].clone());
        log.append(append).await.unwrap();
        rows.push(log.find(table(number as u64)).await.unwrap());
    }
    // Filters use the current state, not that of the creation.
    for number in (0..9).chain(27..36) {
        log.append(put(table(number), 1, finished(b"r"))).await.unwrap();
        rows[number as usize] = log.find(table(number)).await.unwrap();
    }
    rows.reverse();
    let mut found = 0;
    for choice in 0..3 * 4 * 3 * 2 * 4 {
        let (since, before) =
            [(None, None), (Some(9), Some(40)), (Some(u64::MAX), None), (None, Some(u64::MAX))][choice % 4];
        let filter = LogFilter {
            kind: kinds[choice / 4 % 3],
            tag: [None, Some("agent:ann"), Some("tournament:1"), Some("agent:")][choice / 12 % 4]
                .map(Into::into),
            finished: [None, Some(false), Some(true)][choice / 48 % 3],
            owner: [None, Some(owner("bob"))][choice / 144].clone(),
            since: since.map(Millis),
            before: before.map(Millis),
            ..LogFilter::default()
        };
        let passing = rows.iter().filter(|row| filter.passes(row));
        let expected: Vec<TableId> = passing.map(|row| row.id).collect();
        found += expected.len();
        for size in [2, 100] {
            assert_eq!(pages(&*log, &filter, size).await, expected, "{filter:?}");
        }
    }
    assert!(found > 500, "{found}");
}

/// Creates a table with tags.
fn tagged(number: u64, tags: &[&str]) -> Append {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    Append { listing: Some(Listing { tags, ..listing("ann") }), ..create(table(number), &["a"]) }
}

async fn tagged_table_is_found_until_it_is_deleted(log: Arc<dyn Log>) {
    for number in 0..4 {
        log.append(tagged(number, &["t"])).await.unwrap();
    }
    log.append(put(table(0), 1, finished(b"r"))).await.unwrap();
    log.append(put(table(1), 1, finished(b"r"))).await.unwrap();
    log.append(put(table(2), 1, REST)).await.unwrap();
    let with = |finished| LogFilter { tag: Some("t".into()), finished, ..LogFilter::default() };
    assert_eq!(pages(&*log, &with(None), 9).await, [3, 2, 1, 0].map(table));
    assert_eq!(pages(&*log, &with(Some(false)), 9).await, [3, 2].map(table));
    for number in [1, 3] {
        log.delete(delete(table(number))).await.unwrap();
    }
    assert_eq!(pages(&*log, &with(None), 9).await, [2, 0].map(table));
    assert_eq!(pages(&*log, &with(Some(false)), 9).await, [table(2)]);
    // The id is reusable, and is found by its new tags only.
    log.append(tagged(3, &["u"])).await.unwrap();
    assert_eq!(pages(&*log, &with(None), 9).await, [2, 0].map(table));
    let other = LogFilter { tag: Some("u".into()), ..LogFilter::default() };
    assert_eq!(pages(&*log, &other, 9).await, [table(3)]);
}

async fn kind_and_tags_are_immutable(log: Arc<dyn Log>) {
    log.append(tagged(1, &["t"])).await.unwrap();
    let before = log.find(table(1)).await.unwrap();
    for listing in [
        Listing { kind: LogKind::Tournament, ..before.listing.clone() },
        Listing { tags: vec![], ..before.listing.clone() },
        Listing { tags: vec!["u".into()], ..before.listing.clone() },
    ] {
        let append = Append { listing: Some(listing), ..add(table(1), 1, &["b"]) };
        assert!(matches!(log.append(append).await, Err(LogError::Invalid { .. })));
    }
    assert_eq!(log.find(table(1)).await, Ok(before.clone()));
    let listing = Listing { state: 3, ..before.listing };
    log.append(Append { listing: Some(listing.clone()), ..add(table(1), 1, &["b"]) }).await.unwrap();
    assert_eq!(log.find(table(1)).await.unwrap().listing, listing);
}

async fn invalid_tags_are_refused(log: Arc<dyn Log>) {
    let long = "x".repeat(limits::MAX_TAG_BYTES + 1);
    for tags in [&[""] as &[&str], &[".t"], &["a b"], &["t", "u", "t"], &[&long], &["t"; 9]] {
        let refused = log.append(tagged(1, tags)).await;
        assert!(
            matches!(refused, Err(LogError::Invalid { what: "tag" | "tags", .. })),
            "{tags:?}: {refused:?}"
        );
    }
    let most = ["a", "b", "c", "d", "e", "f", "g", &long[1..]];
    log.append(tagged(1, &most)).await.unwrap();
    assert_eq!(log.find(table(1)).await.unwrap().listing.tags, most);
}

async fn page_size_is_clamped(log: Arc<dyn Log>) {
    for number in 0..limits::MAX_PAGE_SIZE as u64 + 1 {
        log.append(create(table(number), &["a"])).await.unwrap();
    }
    for (size, expected) in [(0, 1), (u32::MAX, limits::MAX_PAGE_SIZE as usize)] {
        let page = log.list_tables(LogFilter::default(), PageRequest { after: None, size }).await.unwrap();
        assert_eq!(page.tables.len(), expected);
        assert!(page.next.is_some());
    }
}

async fn rows_scanned_for_a_page_are_bounded(log: Arc<dyn Log>) {
    let oldest = Append {
        listing: Some(Listing { game: "flush".into(), ..listing("ann") }),
        ..create(table(0), &["a"])
    };
    log.append(oldest).await.unwrap();
    for number in 1..=limits::MAX_SCANNED_ROWS as u64 {
        log.append(create(table(number), &["a"])).await.unwrap();
    }
    let rare = LogFilter { game: Some("flush".into()), ..LogFilter::default() };
    let first = log.list_tables(rare.clone(), PageRequest { after: None, size: 9 }).await.unwrap();
    assert_eq!((first.tables.len(), first.next), (0, Some(table(1))));
    assert_eq!(pages(&*log, &rare, 9).await, [table(0)]);
}
