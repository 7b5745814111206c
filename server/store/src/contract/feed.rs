//! Feeds: numbered per owner without gaps, in the commit that they report.

use super::*;

on_every_log!(
    feed_items_are_numbered_per_owner,
    concurrent_posts_leave_no_gap_in_feed_numbers,
    feed_is_read_in_pages,
    feed_follower_gets_stored_and_new_items,
    follower_of_a_long_feed_resumes_after_each_page,
);

async fn feed_items_are_numbered_per_owner(log: Arc<dyn Log>) {
    let (ann, bob) = (owner("ann"), owner("bob"));
    assert_eq!(log.read_owner_feed(&ann, 0).await, Ok(vec![]));
    let ahead = |owner: &OwnerId, last| {
        let owner = owner.clone();
        LogError::FeedAhead { owner, last }
    };
    assert_eq!(log.read_owner_feed(&ann, 1).await, Err(ahead(&ann, 0)));
    let mut append = create(table(1), &["a"]);
    append.feed = [posts("ann", &["1", "2"]), posts("bob", &["1"]), posts("ann", &["3"])].concat();
    assert_eq!(log.append(append).await.unwrap().feed, [1, 2, 1, 3]);
    let mut append = add(table(1), 1, &[]);
    append.feed = posts("bob", &["2"]);
    assert_eq!(log.append(append).await.unwrap().feed, [2]);
    let item =
        |number: u64, at| FeedItem { number, at: Millis(at), payload: Bytes::from(number.to_string()) };
    let all = [item(1, 1000), item(2, 1000), item(3, 1000)];
    for after in 0..=3 {
        assert_eq!(log.read_owner_feed(&ann, after).await.unwrap(), all[after as usize..]);
    }
    assert_eq!(log.read_owner_feed(&ann, 4).await, Err(ahead(&ann, 3)));
    assert_eq!(log.read_owner_feed(&ann, u64::MAX).await, Err(ahead(&ann, 3)));
    assert_eq!(log.follow_owner_feed(&ann, u64::MAX).await.map(drop), Err(ahead(&ann, 3)));
    assert_eq!(log.read_owner_feed(&bob, 0).await, Ok(vec![item(1, 1000), item(2, 1001)]));
}

async fn concurrent_posts_leave_no_gap_in_feed_numbers(log: Arc<dyn Log>) {
    let writers = (0..16).map(|number| {
        let log = log.clone();
        tokio::spawn(async move {
            let mut numbers = Vec::new();
            for turn in 0..8 {
                let mut append = match turn {
                    0 => create(table(number), &["a"]),
                    _ => add(table(number), turn, &["a"]),
                };
                append.feed = posts("ann", &["x", "y"]);
                numbers.extend(log.append(append).await.unwrap().feed);
            }
            numbers
        })
    });
    let mut numbers = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        numbers.extend(writer.await.unwrap());
    }
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=256));
    assert_eq!(log.read_owner_feed(&owner("ann"), 0).await.unwrap().len(), 256);
}

/// Posts this many items to Ann's feed.
async fn fill(log: &dyn Log, count: usize) {
    log.append(create(table(1), &["a"])).await.unwrap();
    let mut left = count;
    while left > 0 {
        let step = left.min(limits::MAX_ITEMS_PER_APPEND);
        let mut append = add(table(1), 1, &[]);
        append.feed = vec![posts("ann", &["x"]).remove(0); step];
        log.append(append).await.unwrap();
        left -= step;
    }
}

async fn feed_is_read_in_pages(log: Arc<dyn Log>) {
    let count = limits::MAX_FEED_PAGE_ITEMS + 10;
    fill(&*log, count).await;
    let first = log.read_owner_feed(&owner("ann"), 0).await.unwrap();
    assert_eq!(first.len(), limits::MAX_FEED_PAGE_ITEMS);
    let rest = log.read_owner_feed(&owner("ann"), limits::MAX_FEED_PAGE_ITEMS as u64).await.unwrap();
    assert_eq!(rest.len(), 10);
}

async fn feed_follower_gets_stored_and_new_items(log: Arc<dyn Log>) {
    let ann = owner("ann");
    let mut early = log.follow_owner_feed(&ann, 0).await.unwrap();
    fill(&*log, 3).await;
    let mut late = log.follow_owner_feed(&ann, 2).await.unwrap();
    let mut append = add(table(1), 1, &[]);
    append.feed = [posts("bob", &["x"]), posts("ann", &["y"])].concat();
    log.append(append).await.unwrap();
    for number in 1..=4 {
        assert_eq!(early.next().await.unwrap().unwrap().number, number);
    }
    for number in 3..=4 {
        assert_eq!(late.next().await.unwrap().unwrap().number, number);
    }
    assert_eq!(late.cursor(), 5);
}

async fn follower_of_a_long_feed_resumes_after_each_page(log: Arc<dyn Log>) {
    let ann = owner("ann");
    let count = 2 * limits::MAX_FEED_PAGE_ITEMS as u64 + 10;
    fill(&*log, count as usize).await;
    let mut next = 1;
    let mut steps = 0;
    while next <= count {
        let mut follow = log.follow_owner_feed(&ann, next - 1).await.unwrap();
        steps += 1;
        let told = loop {
            if next > count {
                break None;
            }
            match follow.next().await {
                Ok(item) => assert_eq!(item.unwrap().number, next),
                Err(error) => break Some(error),
            }
            next += 1;
        };
        assert_eq!(told, (next <= count).then_some(LogError::FollowerLagged { next }));
    }
    assert_eq!(steps, 3);
}
