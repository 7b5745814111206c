//! Tournaments of agents: deals are a secret, and those who do not answer, or go, do not stop the others.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, SeatFinish, TournamentState as State};
use parlor_server::identity::Scope;

use crate::agent_client::{Agent, agent_seat, hello, listed};
use crate::client::{Caller, why};
use crate::streams::{Line, attaching, guest, rail};
use crate::table_requests::{cancel as cancel_table, clock, gap, replace, spectators};
use crate::test_server::{Scene, key, ms, until};
use crate::tournament_requests::{agent, cancel, house, round_robin, setup, start};

/// A tournament of these, with as many groups for each pair.
fn cup(entrants: Vec<v1::EntrantSetup>, groups: u32) -> v1::TournamentSetup {
    v1::TournamentSetup { entrants, ..setup(GameId::Gap, &[], round_robin(groups)) }
}

async fn watching(caller: &Caller, attach: v1::Attach) -> Reason {
    let mut line = Line::open(caller).await;
    line.say(vec![attaching(1, attach)]).await;
    line.heard.closed(1).await.reason()
}

#[tokio::test]
async fn nothing_of_a_deal_is_shown_before_its_last_table_is_over() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let id = caller.begin(cup(vec![agent("ann"), house("random")], 1)).await;
    let (_, given) = ann.given().await;
    assert_eq!(given.tournament_id, id);
    let first = given.table_id;
    let token = caller.create_spectator_token(spectators(&first, false)).await.expect("a token");
    for attach in [rail(&first), guest(&token.spectator_token)] {
        assert_eq!(watching(&caller, attach).await, Reason::DealNotOver, "while it is played");
    }
    ann.play(1).await;
    let (_, given) = ann.given().await;
    assert_ne!(given.table_id, first, "the second table of the deal");
    for attach in [rail(&first), guest(&token.spectator_token)] {
        assert_eq!(watching(&caller, attach).await, Reason::DealNotOver, "while the other is played");
    }
    let look = caller.look(&first).await;
    assert_eq!(look.state(), v1::TableState::Finished);
    let shuffle = look.shuffle.expect("a shuffle");
    assert!(shuffle.server_seed.is_empty() && shuffle.game_seed.is_empty() && shuffle.seed_given);
    let deal = shuffle.deal_group.expect("a deal");
    assert!(deal.entropy.is_empty() && deal.number.is_none() && deal.rotation.is_none(), "{deal:?}");
    let tables = caller.tables_of(&id).await;
    assert!(tables[0].over && !tables[0].has_record && !tables[0].results.is_empty());
    ann.play(1).await;
    caller.to_the_end(&id).await;
    let mut line = Line::open(&caller).await;
    line.say(vec![attaching(1, rail(&first))]).await;
    line.heard.snapshot(1).await;
    let shuffle = caller.look(&first).await.shuffle.expect("a shuffle");
    assert!(!shuffle.server_seed.is_empty() && !shuffle.game_seed.is_empty());
    assert!(caller.tables_of(&id).await.iter().all(|table| table.has_record));
}

/// Whoever could tell that two tables play the same deal could remember its cards.
#[tokio::test]
async fn nobody_but_the_organiser_can_tell_which_tables_play_the_same_deal() {
    let (club, team) = (key("club", &[Scope::Agents, Scope::Tables]), key("team", &[Scope::Agents]));
    let scene = Scene::with_keys([&club, &team]).await;
    let (organiser, entrant) = (scene.holder(&club), scene.holder(&team));
    let mut ann = Agent::connect(&entrant, hello("ann")).await;
    let fresh = v1::TournamentSetup {
        visibility: v1::Visibility::Public.into(),
        given_seed: Vec::new(),
        ..cup(vec![agent("ann"), house("random")], 1)
    };
    let id = organiser.begin(fresh).await;
    let mut tables = Vec::new();
    for rotation in 0..2 {
        let (_, given) = ann.given().await;
        let shuffle = entrant.look(&given.table_id).await.shuffle.expect("a shuffle");
        let deal = shuffle.deal_group.expect("a deal");
        assert!(shuffle.commitment.is_empty() && deal.entropy.is_empty(), "{deal:?}");
        assert_eq!((deal.tournament_id, deal.number, deal.rotation), (id.clone(), None, None));
        assert_eq!(entrant.tables_of(&id).await, []);
        assert_eq!(organiser.tables_of(&id).await.len(), rotation + 1);
        tables.push(given.table_id);
        ann.play(1).await;
    }
    organiser.to_the_end(&id).await;
    let shown = entrant.tables_of(&id).await;
    assert!(shown.iter().map(|table| &table.table_id).eq(&tables));
    let shuffle = entrant.look(&tables[1]).await.shuffle.expect("a shuffle");
    let deal = shuffle.deal_group.expect("a deal");
    assert_eq!((deal.number, deal.rotation), (Some(0), Some(1)));
}

/// How often the games of an entrant ended in this way.
fn finished(standings: &v1::Standings, entrant: u32, finish: SeatFinish) -> u32 {
    let row = standings.rows.iter().find(|row| row.entrant == entrant).expect("a row");
    row.finishes.iter().filter(|count| count.finish() == finish).map(|count| count.games).sum()
}

#[tokio::test]
async fn whoever_never_answers_loses_on_the_clock() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let mut mute = Agent::connect(&caller, hello("mute")).await;
    let time = Some(clock(1000, 0, 1000, 1));
    let setup = v1::TournamentSetup { clock: time, ..cup(vec![agent("ann"), agent("mute")], 1) };
    let id = caller.begin(setup).await;
    let playing = tokio::spawn(async move { ann.play(2).await });
    for _ in 0..2 {
        // Time moves only while nobody else is waited for.
        mute.asked().await;
        scene.advance(ms(1000));
    }
    let (_, standings) = caller.to_the_end(&id).await;
    playing.await.expect("two tables");
    let finishes =
        (finished(&standings, 1, SeatFinish::TimedOut), finished(&standings, 0, SeatFinish::PlayedOut));
    assert_eq!(finishes, (2, 2), "{standings:?}");
}

/// Those who are there play on; tables of one who is gone wait, and then begin without it.
#[tokio::test]
async fn whoever_is_gone_is_waited_for_while_there_is_nothing_else_to_play() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let mut gone = Agent::connect(&caller, v1::AgentHello { max_tables: 1, ..hello("gone") }).await;
    // It has no room when the tournament starts, and then it goes.
    let seats = vec![agent_seat("gone"), crate::table_requests::house("random")];
    caller.make(v1::CreateTableRequest { seats, ..gap(2) }).await;
    let entrants = vec![agent("ann"), agent("gone"), house("random")];
    let setup = v1::TournamentSetup { patience_ms: Some(5000), ..cup(entrants, 2) };
    let id = caller.begin(setup).await;
    gone.finish();
    drop(gone);
    until("it to be gone", async || listed(&caller, "gone").await.state() == v1::AgentState::Gone).await;
    // Ann and the house play all that they can: two first tables. The second ones of all deals come after the first ones.
    ann.play(2).await;
    until("two tables", async || caller.standings(&id).await.tables_over == 2).await;
    let standings = caller.standings(&id).await;
    assert_eq!((standings.tables_running, standings.tables_expected), (0, 12));
    scene.sleeps_until(ms(5000)).await;
    scene.advance_to(ms(5000));
    ann.play(6).await;
    let (_, standings) = caller.to_the_end(&id).await;
    assert_eq!(finished(&standings, 1, SeatFinish::SetAside), 8, "{standings:?}");
    assert_eq!(finished(&standings, 0, SeatFinish::PlayedOut), 8);
    assert_eq!(finished(&standings, 2, SeatFinish::PlayedOut), 8);
}

#[tokio::test]
async fn agents_must_be_there_when_it_starts() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let id = caller.made(cup(vec![agent("ann"), house("random")], 1)).await;
    assert_eq!(why(caller.start_tournament(start(&id)).await), Reason::AgentUnavailable);
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let started = caller.start_tournament(start(&id)).await.expect("a start").tournament.expect("one");
    let shown = &started.setup.expect("a setup").entrants[0];
    let expected = v1::AgentSeat { name: "ann".into(), version: "1".into() };
    assert_eq!(shown.entrant, Some(v1::entrant_setup::Entrant::Agent(expected)), "its version is known");
    ann.play(2).await;
    caller.to_the_end(&id).await;
}

/// A table that ends without a result takes its group with it, and a fresh deal replaces that.
#[tokio::test]
async fn a_table_without_a_result_voids_its_group() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let id = caller.begin(cup(vec![house("random"), agent("ann")], 1)).await;
    let (_, given) = ann.given().await;
    let table = caller.tables_of(&id).await.remove(0);
    assert_eq!((&table.table_id, table.entrants[given.seat as usize]), (&given.table_id, 1));
    assert!(!table.over && !table.has_record && table.results.is_empty());
    let refused = caller.replace_seat(replace(&given.table_id, given.seat, "random")).await;
    assert_eq!(why(refused), Reason::SeatTaken, "who plays is for the tournament to say");
    caller.cancel_table(cancel_table(&given.table_id)).await.expect("cancelled");
    let (_, fresh) = ann.given().await;
    assert_ne!(fresh.table_id, given.table_id);
    let tables = caller.tables_of(&id).await;
    let [void, fresh] =
        [0, 1].map(|group| tables.iter().find(|table| table.group == group).expect("a table"));
    assert_eq!(void.void_reason, "a table of it was cancelled");
    assert!(void.over && void.results.is_empty() && !fresh.over && fresh.void_reason.is_empty());
    assert_eq!(caller.standings(&id).await.groups_voided, 1);
    // What was shown of the deal that is void says nothing of the fresh one.
    assert!(!caller.look(&void.table_id).await.shuffle.expect("a shuffle").server_seed.is_empty());
    assert!(caller.look(&fresh.table_id).await.shuffle.expect("a shuffle").server_seed.is_empty());
    let ended = caller.cancel_tournament(cancel(&id, "")).await.expect("cancelled").tournament.expect("one");
    assert_eq!(ended.state(), State::Cancelled);
    assert_eq!(caller.look(&fresh.table_id).await.state(), v1::TableState::Cancelled);
}
