//! Listings: filters and pages.

use super::*;

on_every_log!(
    tables_are_listed_newest_first_in_pages,
    every_filter_and_all_of_them_together,
    a_listing_changes_with_the_table,
    a_page_has_at_least_one_table_and_at_most_the_limit,
);

/// All pages of this size.
async fn pages(log: &dyn Log, filter: &Filter, size: u32) -> Vec<TableId> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = log.tables(filter.clone(), Page { after, size }).await.unwrap();
        assert!(page.tables.len() <= size as usize);
        all.extend(page.tables.iter().map(|table| table.id));
        after = page.next;
        if after.is_none() {
            return all;
        }
    }
}

async fn tables_are_listed_newest_first_in_pages(log: Arc<dyn Log>) {
    let filter = Filter::default();
    assert_eq!(pages(&*log, &filter, 3).await, []);
    for number in [3, 1, 4, 0, 5, 2, 6] {
        log.append(create(table(number), &["a"])).await.unwrap();
    }
    let newest: Vec<_> = (0..7).rev().map(table).collect();
    for size in [1, 2, 3, 6, 7, 8] {
        assert_eq!(pages(&*log, &filter, size).await, newest, "{size}");
    }
    // A cursor need not be a table that is still there.
    let page = Page { after: Some(TableId::new(2, [0xff; 10])), size: 10 };
    let older = log.tables(filter, page).await.unwrap();
    assert_eq!(older.tables.iter().map(|row| row.id).collect::<Vec<_>>(), newest[4..]);
    assert_eq!(older.next, None);
}

async fn every_filter_and_all_of_them_together(log: Arc<dyn Log>) {
    let mut rows = Vec::new();
    for number in 0..48u8 {
        let listing = Listing {
            owner: owner(["ann", "bob"][usize::from(number % 2)]),
            game: ["gap", "flush"][usize::from(number / 2 % 2)].into(),
            state: number / 4 % 3,
            visibility: number / 12 % 2,
        };
        let id = table(number.into());
        let mut append = create(id, &["a"]);
        append.listing = Some(listing.clone());
        append.place = Some([NewPlace::InPlay, REST, finished(b"")][usize::from(number % 3)].clone());
        log.append(append).await.unwrap();
        rows.push((id, listing));
    }
    rows.reverse();
    for choice in 0..36 {
        let filter = Filter {
            owner: [None, Some(owner("ann"))][choice % 2].clone(),
            game: [None, Some("flush".into()), Some("chess".into())][choice / 2 % 3].clone(),
            state: [None, Some(1), Some(9)][choice / 6 % 3],
            visibility: [None, Some(1)][choice / 18],
        };
        let passing = rows.iter().filter(|(_, listing)| filter.passes(listing));
        let expected: Vec<TableId> = passing.map(|(id, _)| *id).collect();
        for size in [2, 100] {
            assert_eq!(pages(&*log, &filter, size).await, expected, "{filter:?}");
        }
    }
}

async fn a_listing_changes_with_the_table(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a"])).await.unwrap();
    let before = log.find(table(1)).await.unwrap();
    assert_eq!((before.created, before.updated), (Millis(1000), Millis(1000)));
    assert_eq!(before.listing, listing("ann"));
    let mut append = add(table(1), 1, &["b"]);
    append.listing = Some(Listing { state: 5, visibility: 1, game: "flush".into(), ..listing("ann") });
    log.append(append.clone()).await.unwrap();
    log.append(add(table(1), 2, &["c"])).await.unwrap();
    let after = log.find(table(1)).await.unwrap();
    assert_eq!((after.created, after.updated), (Millis(1000), Millis(1001)));
    assert_eq!(Some(&after.listing), append.listing.as_ref());
    let all = Page { after: None, size: 9 };
    let filter = |state| Filter { owner: Some(owner("ann")), state: Some(state), ..Filter::default() };
    assert_eq!(log.tables(filter(5), all).await.unwrap().tables, [after]);
    assert_eq!(log.tables(filter(0), all).await.unwrap().tables, []);
    assert_log(&*log, table(1), &["a", "b", "c"]).await;
}

async fn a_page_has_at_least_one_table_and_at_most_the_limit(log: Arc<dyn Log>) {
    for number in 0..limits::PAGE as u64 + 1 {
        log.append(create(table(number), &["a"])).await.unwrap();
    }
    for (size, expected) in [(0, 1), (u32::MAX, limits::PAGE as usize)] {
        let page = log.tables(Filter::default(), Page { after: None, size }).await.unwrap();
        assert_eq!(page.tables.len(), expected);
        assert!(page.next.is_some());
    }
}
