//! Model test: a log behaves like the log in memory under random operations.

use rand_chacha::ChaCha8Rng;

use super::*;

/// A random operation.
#[derive(Clone, Debug)]
enum Operation {
    Append(Append),
    Delete(Delete),
}

async fn run_operation(log: &dyn Log, operation: Operation) -> Result<Option<Appended>, LogError> {
    match operation {
        Operation::Append(append) => log.append(append).await.map(Some),
        Operation::Delete(delete) => log.delete(delete).await.map(|()| None),
    }
}

const TABLES: usize = 12;

/// Some are tournaments, and some have tags.
fn tagged_listing(number: usize, name: &str) -> Listing {
    let kind = if number % 4 == 3 { LogKind::Tournament } else { LogKind::Table };
    let tags =
        if number.is_multiple_of(3) { vec!["t".into(), format!("u{}", number % 2)] } else { Vec::new() };
    Listing { kind, tags, ..listing(name) }
}

/// A random operation, usually a valid one.
async fn random_operation(
    model: &MemoryLog,
    rng: &mut ChaCha8Rng,
    pending: &mut [u64; TABLES],
    time: u64,
) -> Operation {
    let number = below(rng, TABLES);
    let id = table(number as u64);
    if below(rng, 30) == 0 {
        pending[number] = 0;
        return Operation::Delete(Delete {
            at: Millis(time),
            feed: posts("ann", &["gone"][..below(rng, 2)]),
            ..delete(id)
        });
    }
    let length = match pending[number] {
        0 => model.read(id, 0).await.map_or(0, |entries| entries.len() as u64),
        known => known,
    };
    let mut texts = vec!["", "played", "a rather long entry that says a lot of things"];
    texts.truncate(1 + below(rng, 3));
    let mut append = if length == 0 { create(id, &texts) } else { add(id, length, &texts) };
    if length == 0 {
        append.listing = Some(tagged_listing(number, "ann"));
    }
    append.at = Millis(time);
    if length > 0 && below(rng, 4) == 0 {
        append.entries.clear();
    }
    if below(rng, 15) == 0 {
        append.expected += 1;
    }
    if below(rng, 3) == 0 {
        append.place = Some(match below(rng, 8) {
            0 => finished(b"the record"),
            1 | 2 => REST,
            3 => NewPlace::AtRest { wakes_at: Some(Millis(time + below(rng, 50) as u64)) },
            _ => NewPlace::InPlay,
        });
    }
    if below(rng, 5) == 0 {
        let name = ["ann", "ann", "ann", "bob"][below(rng, 4)];
        append.listing = Some(Listing { state: below(rng, 4) as u8, ..tagged_listing(number, name) });
    }
    if length == 0 && below(rng, 2) == 0 {
        append.request = Some(format!("request {}", below(rng, 6)));
    }
    append.feed =
        [posts("ann", &["x", "y"][..below(rng, 3)]), posts("bob", &["z"][..below(rng, 2)])].concat();
    pending[number] = append.expected + append.entries.len() as u64;
    Operation::Append(append)
}

/// All tables that pass a filter. Logs may split pages differently.
async fn all_pages(log: &dyn Log, filter: LogFilter) -> Vec<TableRow> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = log.list_tables(filter.clone(), PageRequest { after, size: 5 }).await.unwrap();
        all.extend(page.tables);
        after = page.next;
        if after.is_none() {
            return all;
        }
    }
}

/// Asserts that two logs have the same contents.
async fn assert_same(model: &dyn Log, log: &dyn Log) {
    for number in 0..TABLES as u64 {
        let id = table(number);
        let length = model.read(id, 0).await.map_or(0, |entries| entries.len() as u64);
        for from in [0, length / 2, length, length + 1] {
            assert_eq!(log.read(id, from).await, model.read(id, from).await);
        }
        assert_eq!(log.find(id).await, model.find(id).await);
        assert_eq!(log.record(id).await, model.record(id).await);
    }
    for name in ["ann", "bob"] {
        for number in 0..6 {
            let request = format!("request {number}");
            assert_eq!(
                log.find_by_request(&owner(name), &request).await,
                model.find_by_request(&owner(name), &request).await
            );
        }
        let last = match model.read_owner_feed(&owner(name), u64::MAX).await {
            Err(LogError::FeedAhead { last, .. }) => last,
            other => panic!("{other:?}"),
        };
        for after in last.saturating_sub(30)..=last + 1 {
            assert_eq!(
                log.read_owner_feed(&owner(name), after).await,
                model.read_owner_feed(&owner(name), after).await
            );
        }
    }
    for state in [None, Some(1)] {
        let filter = LogFilter { state, owner: Some(owner("ann")), ..LogFilter::default() };
        assert_eq!(all_pages(log, filter.clone()).await, all_pages(model, filter).await);
    }
    for choice in 0..12 {
        let filter = LogFilter {
            kind: [LogKind::Table, LogKind::Tournament][choice % 2],
            tag: [None, Some("t".into()), Some("u0".into())][choice / 2 % 3].clone(),
            finished: [None, Some(false)][choice / 6],
            ..LogFilter::default()
        };
        assert_eq!(all_pages(log, filter.clone()).await, all_pages(model, filter).await);
    }
    assert_eq!(log.load_startup_state().await, model.load_startup_state().await);
}

/// A store that a test closes and opens again.
pub(crate) trait Reopen {
    /// Opens the store with this limit of the journal, after a check where there is one.
    async fn open(&self, journal_limit: u64) -> Arc<dyn Log>;
}

/// Runs random operations on a store and on a log in memory, and compares all answers and contents.
pub(crate) async fn check_equivalence(store: &impl Reopen, rounds: u64) {
    let mut rng = parlor_testkit::rng_with_stream(0);
    let model = Arc::new(MemoryLog::new());
    let mut log = store.open(32 << 20).await;
    for round in 0..rounds {
        let time = 10 * round;
        // On one thread, tasks send in the order in which they were spawned; many of them share a commit.
        let mut pending = [0; TABLES];
        let mut operations = Vec::new();
        for _ in 0..1 + below(&mut rng, 12) {
            let next = random_operation(&model, &mut rng, &mut pending, time).await;
            let task = {
                let (log, next) = (log.clone(), next.clone());
                tokio::spawn(async move { run_operation(&*log, next).await })
            };
            operations.push((next, task));
        }
        for (next, task) in operations {
            let expected = run_operation(&*model, next.clone()).await;
            assert_eq!(task.await.unwrap(), expected, "round {round}: {next:?}");
        }
        if below(&mut rng, 20) == 0 {
            let since = Millis(time.saturating_sub(200));
            assert_eq!(log.apply_retention(since).await, model.apply_retention(since).await, "round {round}");
        }
        if below(&mut rng, 10) == 0 {
            assert_same(&*model, &*log).await;
        }
        if below(&mut rng, 20) == 0 {
            drop(log);
            let limit = [500, 3000, 1 << 20][below(&mut rng, 3)];
            log = store.open(limit).await;
            // A restart changes nothing.
            assert_same(&*model, &*log).await;
        }
    }
    assert_same(&*model, &*log).await;
}

fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    (rand_core::Rng::next_u64(rng) % bound as u64) as usize
}
