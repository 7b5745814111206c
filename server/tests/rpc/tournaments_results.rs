//! What tournaments come to: a test that is decided, the curve of the ratings, the points of a Swiss, and how many tables an
//! organiser has room for.

use parlor_engine::{GameId, Viewer};
use parlor_proto::v1::{
    self, ErrorReason as Reason, SequentialDecision as Decision, TournamentState as State,
};
use parlor_server::config::Count;
use parlor_server::identity::Scope;

use crate::agent_client::{Agent, hello};
use crate::client::{Caller, why};
use crate::list_records::export;
use crate::records::{get as get_record, of};
use crate::table_requests::gap;
use crate::test_server::{Scene, key, ms, until, with_quotas};
use crate::tournament_requests::{pause, resume, round_robin, setup, slow, start, swiss, void};

/// A long match of two bots of the house that ends as soon as this question is answered.
fn asking(entrant: u32, lower: f64, upper: f64, max_tables: u32) -> v1::TournamentSetup {
    let test = v1::SequentialTest { entrant, lower, upper, min_groups: 5, ..v1::SequentialTest::default() };
    let long = setup(GameId::HabeFertig, &["greedy", "random"], round_robin(5_000));
    v1::TournamentSetup { test: Some(test), max_tables, ..long }
}

#[tokio::test]
async fn a_question_ends_it_as_soon_as_it_is_answered() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let questions = [
        (asking(0, 0.0, 4.0, 0), Decision::Upper, "of greedy: its mean group score is at least 4"),
        (asking(1, -4.0, 0.0, 0), Decision::Lower, "of random: its mean group score is at most -4"),
    ];
    for (question, answer, note) in questions {
        let id = caller.begin(question).await;
        let (tournament, standings) = caller.to_the_end(&id).await;
        let test = standings.test.expect("a test");
        let decided = (tournament.state(), test.decision());
        assert_eq!(decided, (State::Finished, answer), "{test:?}, {:?}", standings.rows);
        assert!(test.groups >= 5 && test.groups < 5_000, "{test:?}");
        assert_eq!((standings.groups_counted, standings.tables_running), (test.groups, 0));
        match answer {
            Decision::Upper => assert!(test.llr >= test.accept_upper, "{test:?}"),
            _ => assert!(test.llr <= test.accept_lower, "{test:?}"),
        }
        assert_eq!(tournament.note, format!("decided after {} groups {note}", test.groups));
        // What still ran was ended, and nothing of it counts. Not even all first tables were begun.
        let tables = caller.tables_of(&id).await;
        assert!(tables.len() < 1_000, "{} tables", tables.len());
        assert!(tables.iter().all(|table| table.over));
        assert!(standings.rows.iter().all(|row| row.games == 2 * test.groups));
        assert_eq!((caller.tournament(&id).await, caller.standings(&id).await), (tournament, standings));
    }
}

/// Who plays at how many tables at once, and a restart in the middle, move the answer by nothing.
#[tokio::test]
async fn the_answer_does_not_hang_on_speed() {
    let answers = async |max_tables: u32, restart: bool| {
        let mut scene = Scene::new().await;
        let id = scene.anyone().begin(asking(0, 0.0, 4.0, max_tables)).await;
        if restart {
            let caller = scene.anyone();
            until("a group", async || caller.standings(&id).await.tables_over > 4).await;
            scene = scene.restart(ms(10), async |log| log).await;
        }
        let (tournament, standings) = scene.anyone().to_the_end(&id).await;
        let means: Vec<f64> = standings.rows.iter().map(|row| row.mean).collect();
        (tournament.note, standings.test, means)
    };
    let expected = answers(1, false).await;
    assert_eq!(answers(40, false).await, expected);
    assert_eq!(answers(3, true).await, expected);
}

async fn with_history(caller: &Caller, id: &str) -> v1::Standings {
    let request = v1::GetStandingsRequest { tournament_id: id.to_owned(), history: true };
    caller.get_standings(request).await.expect("standings").standings.expect("standings")
}

/// The curve ends with the ratings that the rows have.
fn check_curve(standings: &v1::Standings) {
    let curve = &standings.history;
    assert!(!curve.is_empty() && curve.len() <= 50, "{} points", curve.len());
    assert!(curve.windows(2).all(|pair| pair[0].groups < pair[1].groups));
    for point in curve {
        assert_eq!(point.ratings.len(), standings.rows.len());
        assert!(point.ratings.iter().sum::<f64>().abs() < 1e-6, "{point:?}");
    }
    let last = curve.last().expect("a point");
    assert_eq!(last.groups, standings.groups_counted);
    for row in &standings.rows {
        let rating = last.ratings[row.entrant as usize];
        assert!((rating - row.rating).abs() < 0.01, "{rating} and {row:?}");
    }
}

#[tokio::test]
async fn the_ratings_over_time() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    // As quick as its agent, which plays one table at a time.
    let mut ann = Agent::connect(&caller, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let id = caller.made(slow(&["greedy", "random"], 20)).await;
    assert_eq!(with_history(&caller, &id).await.history, [], "nothing has counted yet");
    caller.start_tournament(start(&id)).await.expect("a start");
    ann.play(10).await;
    caller.pause_tournament(pause(&id)).await.expect("a pause");
    ann.play(1).await;
    until("the running tables to end", async || caller.standings(&id).await.tables_running == 0).await;
    let half = with_history(&caller, &id).await;
    check_curve(&half);
    assert_eq!(v1::Standings { history: Vec::new(), ..half.clone() }, caller.standings(&id).await);
    // A group that is void is taken out of the curve, too.
    caller.void_group(void(&id, 0, "a torn card")).await.expect("void");
    let less = with_history(&caller, &id).await;
    assert_eq!(less.groups_counted, half.groups_counted - 1);
    check_curve(&less);
    caller.resume_tournament(resume(&id)).await.expect("it goes on");
    let playing = tokio::spawn(async move { ann.play(usize::MAX).await });
    let (_, standings) = caller.to_the_end(&id).await;
    playing.abort();
    assert_eq!((standings.history.len(), standings.groups_counted), (0, 60));
    let whole = with_history(&caller, &id).await;
    check_curve(&whole);
    assert_eq!(v1::Standings { history: Vec::new(), ..whole }, standings);
}

#[tokio::test]
async fn a_swiss_ranks_by_points() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let bots = ["greedy", "random", "search:2", "search:3", "search:4"];
    let id = caller.begin(setup(GameId::Gap, &bots, swiss(3, 1))).await;
    let (_, standings) = caller.to_the_end(&id).await;
    let points: Vec<f64> = standings.rows.iter().map(|row| row.match_points).collect();
    assert!(points.windows(2).all(|pair| pair[0] >= pair[1]), "{points:?}");
    // A round has two pairs, with a point for each, and one who has a bye.
    assert_eq!(points.iter().sum::<f64>(), 9.0);
    assert_eq!(standings.rows.iter().map(|row| row.byes).sum::<u32>(), 3);
    let id = caller.begin(setup(GameId::Gap, &bots, round_robin(1))).await;
    let (_, standings) = caller.to_the_end(&id).await;
    assert!(standings.rows.iter().all(|row| row.match_points == 0.0));
}

/// The tables of a tournament are not those that a key may hold: a small quota neither stops it nor is eaten up by it. How
/// many there are at once, in all tournaments of one organiser, is bounded by itself.
#[tokio::test]
async fn a_tournament_does_not_need_the_organisers_quota() {
    let scopes = [Scope::Tables, Scope::Play, Scope::Agents, Scope::SeededTables];
    let anna = with_quotas(key("anna", &scopes), Some(2), None);
    let entry = anna.entry.clone();
    let scene = Scene::with(|settings| {
        settings.keys = vec![entry];
        settings.limits.tables_per_key = Count::of(3);
    })
    .await;
    let caller = scene.holder(&anna);
    let cup = || setup(GameId::Gap, &["greedy", "random"], round_robin(75));
    let (one, other) = (caller.begin(cup()).await, caller.begin(cup()).await);
    for _ in 0..2 {
        caller.create_table(gap(2)).await.expect("a table of her own");
    }
    assert_eq!(why(caller.create_table(gap(2)).await), Reason::TooManyTables);
    let mut most = 0;
    until("both to end", async || {
        let (one, other) = (caller.standings(&one).await, caller.standings(&other).await);
        most = most.max(one.tables_running).max(other.tables_running);
        // One that the other leaves no room looks again after a second.
        scene.advance(ms(1000));
        one.state() == State::Finished && other.state() == State::Finished
    })
    .await;
    assert!((1..=3).contains(&most), "{most} at once");
    for id in [&one, &other] {
        assert_eq!(caller.standings(id).await.tables_over, 150);
    }
    assert_eq!(why(caller.create_table(gap(2)).await), Reason::TooManyTables, "nothing was counted twice");
}

/// While a tournament runs, a record of it does not prove where the deal comes from. When it is over, it does.
#[tokio::test]
async fn a_record_has_the_seed_of_its_tournament_when_that_is_over() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let cup = v1::TournamentSetup { given_seed: Vec::new(), ..slow(&["random"], 4) };
    let id = caller.begin(cup).await;
    ann.play(1).await;
    until("the deal to be over", async || caller.tables_of(&id).await[0].has_record).await;
    let table = caller.tables_of(&id).await.remove(0).table_id;
    let group = |record: &v1::Record| {
        let shuffle = record.shuffle.clone().expect("a shuffle");
        shuffle.deal_group.expect("a deal")
    };
    let before = group(&caller.record(get_record(&table)).await);
    assert!(before.tournament_commitment.is_empty() && before.tournament_seed.is_empty());
    ann.play(3).await;
    let (tournament, _) = caller.to_the_end(&id).await;
    let shuffle = tournament.shuffle.expect("a shuffle");
    let exported = export(&caller, &id, None).await.expect("an export");
    let mut records: Vec<v1::Record> = exported.into_iter().flat_map(|message| message.records).collect();
    assert_eq!(records.len(), 4);
    records.push(caller.record(get_record(&table)).await);
    records.push(caller.record(of(Viewer::Spectator, get_record(&table))).await);
    for record in &records {
        let group = group(record);
        assert_eq!(group.tournament_commitment, shuffle.commitment);
        assert_eq!(group.tournament_seed, shuffle.server_seed);
    }
}
