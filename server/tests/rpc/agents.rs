//! Agents: the handshake, seats that are given and played, and what becomes of them.

use parlor_engine::GameId;
use parlor_proto::v1::{
    self, AgentState, AnswerStatus, ErrorReason as Reason, SeatFinish, TableState, stream_item::Item,
    table_event::Event, table_news::News,
};
use parlor_server::config::Count;
use parlor_server::identity::Scope;

use crate::agent_client::{Agent, agent_seat, bookmark, hello, listed, seats};
use crate::client::{Refused, why};
use crate::streams::{Line, answering, attaching, detaching, index, rail, seat};
use crate::table_requests::{
    cancel, clock, gap, house, join, no_table, reissue, rematch, replace, table, timed,
};
use crate::test_server::{Scene, key, ms, until};

/// A table of GAP for these agents.
pub(crate) fn for_agents(names: &[&str]) -> v1::CreateTableRequest {
    seats(names.iter().map(|name| agent_seat(name)).collect(), gap(names.len()))
}

#[tokio::test]
async fn agents_are_given_seats_and_play_to_the_end() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let mut ben = Agent::connect(&caller, v1::AgentHello { version: "2 beta".into(), ..hello("ben") }).await;
    assert_eq!((ann.welcome.max_tables, ann.welcome.seats, ann.welcome.set_aside.clone()), (10, 0, None));
    for game in GameId::ALL {
        let (one, other) = (agent_seat("ann"), agent_seat("ben"));
        let made = caller.create_table(seats(vec![one, other, house("random")], table(*game, 3))).await;
        let made = made.expect("a table").table.expect("a table");
        assert_eq!(made.state(), TableState::Playing, "it begins at once");
        let occupant = made.seats[1].occupant.clone().expect("somebody");
        let expected = v1::AgentSeat { name: "ben".into(), version: "2 beta".into() };
        assert_eq!(occupant, v1::table_seat::Occupant::Agent(expected));
        let (channel, given) = ann.given().await;
        assert_eq!((given.table_id.as_str(), given.seat), (made.table_id.as_str(), 0));
        assert_eq!((given.game.as_str(), given.tournament_id.as_str()), (game.info().id, ""));
        let first = ann.heard.snapshot(channel).await;
        assert_eq!(first.viewer.expect("a viewer").viewer, Some(v1::viewer::Viewer::Seat(0)));
        assert_eq!(listed(&caller, "ann").await.playing, 1);
        tokio::join!(ann.play(1), ben.play(1));
        let over = caller.look(&made.table_id).await;
        assert_eq!(over.state(), TableState::Finished);
        until("the table to be counted off", async || listed(&caller, "ann").await.playing == 0).await;
    }
    let look = listed(&caller, "ann").await;
    let times = look.times.expect("times");
    assert!(times.answers > 4 && times.refused == 0 && times.clocks_run_out == 0, "{times:?}");
    assert_eq!(times.reported_mean_us, None);
}

#[tokio::test]
async fn one_agent_may_have_two_seats_of_a_table() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let id = caller.make(for_agents(&["ann", "ann"])).await;
    let (one, first) = ann.given().await;
    let (other, second) = ann.given().await;
    assert_ne!(one, other);
    assert_eq!((first.table_id == id, first.seat + second.seat), (true, 1));
    assert_eq!(why(caller.create_table(for_agents(&["ann", "ann"])).await), Reason::AgentUnavailable);
    ann.play(2).await;
    assert_eq!(caller.look(&id).await.state(), TableState::Finished);
    until("room", async || caller.create_table(for_agents(&["ann", "ann"])).await.is_ok()).await;
}

/// Why this hello is refused, and the field that is wrong.
async fn refused(scene: &Scene, change: impl FnOnce(&mut v1::AgentHello)) -> (Reason, String) {
    let mut hello = hello("ann");
    change(&mut hello);
    let refused: Refused = match Agent::try_connect(&scene.anyone(), hello).await {
        Ok(_) => panic!("this should have been refused"),
        Err(refused) => refused,
    };
    (refused.reason, refused.fields.first().cloned().unwrap_or_default())
}

#[tokio::test]
async fn a_wrong_hello_names_the_field() {
    let scene = Scene::new().await;
    let long = "a".repeat(65);
    let wrong = |field: &str| (Reason::InvalidField, format!("hello.{field}"));
    for name in ["", "-a", "a b", "ä", &long] {
        assert_eq!(refused(&scene, |hello| hello.name = name.to_owned()).await, wrong("name"), "{name}");
    }
    for version in ["ä", "1\n", &long] {
        assert_eq!(refused(&scene, |hello| hello.version = version.to_owned()).await, wrong("version"));
    }
    for length in [0, 15, 65] {
        assert_eq!(refused(&scene, |hello| hello.agent_key = vec![1; length]).await, wrong("agent_key"));
    }
    assert_eq!(refused(&scene, |hello| hello.games.clear()).await, wrong("games"));
    assert_eq!(refused(&scene, |hello| hello.games.push("gap".into())).await, wrong("games[4]"));
    let no_game = refused(&scene, |hello| hello.games.push("chess".into())).await;
    assert_eq!(no_game, (Reason::GameNotFound, String::new()));
    for tables in [0, 10_001] {
        assert_eq!(refused(&scene, |hello| hello.max_tables = tables).await, wrong("max_tables"));
    }
    assert_eq!(refused(&scene, |hello| hello.entropy = vec![1; 65]).await, wrong("entropy"));
    let marks = |marks: Vec<v1::AgentBookmark>| move |hello: &mut v1::AgentHello| hello.bookmarks = marks;
    let id = no_table();
    assert_eq!(refused(&scene, marks(vec![bookmark("x", 0, 1)])).await, wrong("bookmarks[0].table_id"));
    assert_eq!(refused(&scene, marks(vec![bookmark(&id, 9, 1)])).await, wrong("bookmarks[0].seat"));
    let twice = marks(vec![bookmark(&id, 0, 1), bookmark(&id, 0, 2)]);
    assert_eq!(refused(&scene, twice).await, wrong("bookmarks[1]"));
    let none = Agent::saying(&scene.anyone(), v1::ConnectRequest::default()).await;
    assert_eq!(none.err().expect("a refusal").fields, ["hello"]);
    let mut ann = Agent::connect(&scene.anyone(), hello("ann")).await;
    ann.send(v1::ConnectRequest { hello: Some(hello("ann")), items: Vec::new() }).await;
    assert_eq!(ann.heard.ending().await.expect_err("once is enough").fields, ["hello"]);
}

#[tokio::test]
async fn whoever_says_no_hello_is_sent_away() {
    let scene = Scene::new().await;
    let (says, said) = tokio::sync::mpsc::channel::<v1::ConnectRequest>(1);
    let stream = tokio_stream::wrappers::ReceiverStream::new(said);
    let mut answers = scene.anyone().agents().connect(stream).await.expect("an answer").into_inner();
    let end = tokio::spawn(async move { answers.message().await });
    scene.sleeps_until(ms(10_000)).await;
    scene.advance_to(ms(10_000));
    let status = crate::test_server::soon(end).await.expect("an end").expect_err("a refusal");
    assert_eq!(Refused::of(&status).fields, ["hello"]);
    drop(says);
}

#[tokio::test]
async fn a_name_belongs_to_whoever_came_first() {
    let scene = Scene::new().await;
    drop(Agent::connect(&scene.anyone(), hello("ann")).await);
    let other = v1::AgentHello { agent_key: vec![8; 32], ..hello("ann") };
    assert_eq!(why(Agent::try_connect(&scene.anyone(), other).await.map(drop)), Reason::AgentNameTaken);
    Agent::connect(&scene.anyone(), hello("ann")).await;

    let (club, team) = (key("club", &[Scope::Agents]), key("team", &[Scope::Agents, Scope::Tables]));
    let pia = key("pia", &[Scope::Play]);
    let scene = Scene::with_keys([&club, &team, &pia]).await;
    let keyless = |name: &str| v1::AgentHello { agent_key: Vec::new(), ..hello(name) };
    let connect = async |caller, hello| Agent::try_connect(&caller, hello).await.map(drop);
    connect(scene.holder(&club), keyless("ann")).await.expect("the first");
    connect(scene.holder(&club), keyless("ann")).await.expect("the same owner");
    assert_eq!(why(connect(scene.holder(&team), keyless("ann")).await), Reason::AgentNameTaken);
    assert_eq!(why(connect(scene.holder(&team), hello("ann")).await), Reason::AgentNameTaken);
    connect(scene.holder(&team), hello("ben")).await.expect("the first");
    assert_eq!(why(connect(scene.holder(&team), keyless("ben")).await), Reason::AgentNameTaken);
    connect(scene.holder(&club), hello("ben")).await.expect("whoever has the agent key");
    assert_eq!(why(connect(scene.anyone(), hello("cyd")).await), Reason::CredentialsMissing);
    assert_eq!(why(connect(scene.holder(&pia), hello("cyd")).await), Reason::ScopeMissing);
    let owned = |agent: v1::Agent| agent.owned;
    assert!(owned(listed(&scene.holder(&club), "ann").await));
    assert!(!owned(listed(&scene.holder(&team), "ann").await));
    assert!(!owned(listed(&scene.anyone(), "ann").await));
}

#[tokio::test]
async fn names_are_bounded() {
    let scene = Scene::with(|settings| settings.agents.known = Count::of(2)).await;
    for name in ["ann", "ben"] {
        Agent::connect(&scene.anyone(), hello(name)).await;
    }
    let third = Agent::try_connect(&scene.anyone(), hello("cyd")).await.map(drop);
    assert_eq!(why(third), Reason::TooManyStreams);
    Agent::connect(&scene.anyone(), hello("ann")).await;
    let (club, team) = (key("club", &[Scope::Agents]), key("team", &[Scope::Agents]));
    let entries = vec![club.entry.clone(), team.entry.clone()];
    let scene = Scene::with(|settings| {
        settings.keys = entries;
        settings.agents.known_per_key = Count::of(1);
    })
    .await;
    Agent::connect(&scene.holder(&club), hello("ann")).await;
    let second = Agent::try_connect(&scene.holder(&club), hello("ben")).await.map(drop);
    assert_eq!(why(second), Reason::TooManyStreams);
    Agent::connect(&scene.holder(&team), hello("ben")).await;
}

#[tokio::test]
async fn a_second_connection_takes_the_place_of_the_first() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut first = Agent::connect(&caller, hello("ann")).await;
    let id = caller.make(for_agents(&["ann", "ann"])).await;
    first.given().await;
    let mut second = Agent::connect(&scene.stranger().await, hello("ann")).await;
    let ending = first.heard.ending().await.expect("an end in good order").expect("a reason");
    assert_eq!((ending.reason(), ending.retry_ms), (Reason::AgentReplaced, 0));
    assert_eq!(second.welcome.seats, 2);
    second.play(2).await;
    assert_eq!(caller.look(&id).await.state(), TableState::Finished);
    assert_eq!(listed(&caller, "ann").await.state(), AgentState::Here);
}

#[tokio::test]
async fn agents_that_cannot_play_are_not_given_seats() {
    let scene = Scene::with(|settings| settings.agents.max_tables = Count::of(2)).await;
    let caller = scene.anyone();
    assert_eq!(why(caller.create_table(for_agents(&["ann", "ann"])).await), Reason::AgentNotFound);
    let only_gap = v1::AgentHello { games: vec!["gap".into()], ..hello("ann") };
    let ann = Agent::connect(&caller, only_gap.clone()).await;
    assert_eq!(ann.welcome.max_tables, 2, "the server's own bound");
    let flush = seats(vec![agent_seat("ann"), agent_seat("ann")], table(GameId::Flush, 2));
    assert_eq!(why(caller.create_table(flush).await), Reason::AgentUnavailable);
    let version = |version: &str| {
        let seat = v1::AgentSeat { name: "ann".into(), version: version.into() };
        let seat = v1::SeatSetup { occupant: Some(v1::seat_setup::Occupant::Agent(seat)) };
        seats(vec![seat, house("random")], gap(2))
    };
    assert_eq!(why(caller.create_table(version("7")).await), Reason::AgentUnavailable);
    let one = caller.make(version("1")).await;
    let other = caller.make(version("")).await;
    let full = caller.create_table(version("")).await.expect_err("a refusal");
    assert_eq!(full.reason, Reason::AgentUnavailable);
    assert!(full.message.contains("plays at 2 tables"), "{}", full.message);
    caller.cancel_table(cancel(&one)).await.expect("an end");
    until("room", async || listed(&caller, "ann").await.playing == 1).await;
    caller.make(version("")).await;
    drop(ann);
    until("the agent to be gone", async || listed(&caller, "ann").await.state() == AgentState::Gone).await;
    caller.cancel_table(cancel(&other)).await.expect("an end");
    assert_eq!(why(caller.create_table(version("1")).await), Reason::AgentUnavailable);
    let gone = listed(&caller, "ann").await;
    assert!(gone.last_seen_time.is_some() && gone.times.is_some());
}

#[tokio::test]
async fn a_connection_goes_on_where_the_last_one_was() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let id = caller.make(for_agents(&["ann", "ann"])).await;
    let (channels, mut last) = ([ann.given().await, ann.given().await], [0; 2]);
    let (first, given) = channels[0].clone();
    for (channel, given) in &channels {
        last[given.seat as usize] = ann.heard.snapshot(*channel).await.number;
    }
    let mover = if given.seat == 0 { first } else { channels[1].0 };
    let decision = ann.heard.decision(mover).await;
    assert_eq!(ann.answer(mover, index(decision.id, 0)).await.status(), AnswerStatus::Accepted);
    drop(ann);
    let bookmarks = vec![bookmark(&id, 0, last[0]), bookmark(&no_table(), 1, 5)];
    let mut ann = Agent::connect(&caller, v1::AgentHello { bookmarks, ..hello("ann") }).await;
    assert_eq!(ann.welcome.seats, 2);
    for _ in 0..2 {
        let (channel, given) = ann.given().await;
        match (given.seat, ann.heard.on(channel).await) {
            (0, Item::Update(update)) => assert_eq!(update.number, last[0] + 1, "what it missed"),
            (1, Item::Snapshot(snapshot)) => assert_eq!(snapshot.number, last[1] + 1, "all of it"),
            other => panic!("{other:?}"),
        }
    }
    let ahead = vec![bookmark(&id, 0, 1_000)];
    let mut ann = Agent::connect(&caller, v1::AgentHello { bookmarks: ahead, ..hello("ann") }).await;
    for _ in 0..2 {
        let (channel, given) = ann.given().await;
        match (given.seat, ann.heard.on(channel).await) {
            (0, Item::Closed(closed)) => assert_eq!(closed.reason(), Reason::CursorAhead),
            (1, Item::Snapshot(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    ann.play(2).await;
    assert_eq!(caller.look(&id).await.state(), TableState::Finished);
}

#[tokio::test]
async fn seats_of_another_version_are_not_given() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let ann = Agent::connect(&caller, hello("ann")).await;
    caller.make(for_agents(&["ann", "ann"])).await;
    drop(ann);
    let newer = v1::AgentHello { version: "2".into(), ..hello("ann") };
    assert_eq!(Agent::connect(&caller, newer).await.welcome.seats, 0);
    let look = listed(&caller, "ann").await;
    assert_eq!((look.version.as_str(), look.playing), ("2", 1), "the seats are still its own");
    assert_eq!(Agent::connect(&caller, hello("ann")).await.welcome.seats, 2);
}

#[tokio::test]
async fn detaching_is_giving_up() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let mut ben = Agent::connect(&caller, hello("ben")).await;
    let id = caller.make(for_agents(&["ann", "ben"])).await;
    let (channel, _) = ann.given().await;
    ann.say(vec![detaching(channel)]).await;
    ben.play(1).await;
    let over = caller.look(&id).await;
    let finish: Vec<_> = over.result.expect("a result").seats.iter().map(v1::SeatResult::finish).collect();
    assert_eq!(finish, [SeatFinish::Resigned, SeatFinish::PlayedOut]);
    let waiting = seats(vec![agent_seat("ann"), crate::table_requests::open()], gap(2));
    let id = caller.make(waiting).await;
    let (channel, _) = ann.given().await;
    ann.say(vec![detaching(channel)]).await;
    until("the seat to be given up", async || {
        caller.look(&id).await.seats[0].forfeited() == SeatFinish::Resigned
    })
    .await;
    assert_eq!(Agent::connect(&caller, hello("ann")).await.welcome.seats, 0, "it is not given again");
    let joined = caller.join_table(join(&id)).await.expect("a seat");
    assert_eq!(joined.table.expect("a table").state(), TableState::Playing);
}

#[tokio::test]
async fn an_agent_opens_no_channels() {
    let scene = Scene::new().await;
    let id = scene.anyone().make(gap(2)).await;
    for items in [
        vec![attaching(1, rail(&id))],
        vec![v1::PlayRequestItem { channel: 1, item: None }],
        vec![detaching(9); 1025],
    ] {
        let mut ann = Agent::connect(&scene.anyone(), hello("ann")).await;
        ann.say(items).await;
        let refused = ann.heard.ending().await.expect_err("the end of the stream");
        assert_eq!(refused.reason, Reason::InvalidField);
        assert!(refused.fields[0].starts_with("items"), "{refused:?}");
    }
}

#[tokio::test]
async fn seats_of_agents_have_no_tokens_and_can_be_replaced() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut news = caller.follow_tables(None).await.expect("news");
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let id = caller.make(for_agents(&["ann", "ann"])).await;
    assert_eq!(why(caller.reissue_seat_token(reissue(&id, 0)).await), Reason::SeatTaken);
    let (one, given) = ann.given().await;
    ann.given().await;
    let replaced = caller.replace_seat(replace(&id, given.seat, "random")).await.expect("a bot");
    let seat = &replaced.table.expect("a table").seats[given.seat as usize];
    assert!(matches!(seat.occupant, Some(v1::table_seat::Occupant::HouseBot(_))));
    let closed = loop {
        if let Item::Closed(closed) = ann.heard.on(one).await {
            break closed;
        }
    };
    assert_eq!(closed.reason(), Reason::TokenExpired);
    assert_eq!(listed(&caller, "ann").await.playing, 1, "it has the other seat");
    caller.replace_seat(replace(&id, 1 - given.seat, "random")).await.expect("a bot");
    until("the table to be counted off", async || listed(&caller, "ann").await.playing == 0).await;
    let mut came = Vec::new();
    while !matches!(came.last(), Some(News::Over(_))) {
        came.push(news.next().await.news.expect("news"));
    }
    assert!(matches!(came[..2], [News::Created(_), News::Started(_)]), "{came:?}");
    let Some(News::Created(created)) = came.first() else { panic!("{came:?}") };
    let seats = &created.table.as_ref().expect("a table").seats;
    assert!(matches!(seats[0].occupant, Some(v1::table_seat::Occupant::Agent(_))));
}

#[tokio::test]
async fn a_rematch_seats_the_same_agents() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let id = caller.make(for_agents(&["ann", "ann"])).await;
    ann.play(2).await;
    until("room", async || listed(&caller, "ann").await.playing == 0).await;
    let again = caller.rematch(rematch(&id)).await.expect("a rematch").table.expect("a table");
    assert_eq!(again.state(), TableState::Playing);
    let (_, given) = ann.given().await;
    assert_eq!(given.table_id, again.table_id);
    let repeated = caller.rematch(rematch(&id)).await.expect("the same one").table.expect("a table");
    assert_eq!(repeated.table_id, again.table_id);
    ann.given().await;
    ann.play(2).await;
    drop(ann);
    until("the agent to be gone", async || listed(&caller, "ann").await.state() == AgentState::Gone).await;
    assert_eq!(why(caller.rematch(rematch(&again.table_id)).await), Reason::AgentUnavailable);
}

#[tokio::test]
async fn a_seat_is_connected_while_its_agent_is() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let ann = Agent::connect(&caller, hello("ann")).await;
    let request = seats(vec![crate::table_requests::open(), agent_seat("ann")], gap(2));
    let id = caller.make(timed(clock(1_000, 0, 5_000, 1), request)).await;
    let joined = caller.join_table(join(&id)).await.expect("a seat");
    let mut line = Line::attached(&caller, 1, seat(&joined.seat_token)).await;
    let agent_is_there = async |there: bool| {
        until("presence", async || {
            let mut rail = Line::attached(&caller, 1, rail(&id)).await;
            let snapshot = rail.heard.snapshot(1).await;
            assert_eq!(snapshot.presence.len(), 2);
            snapshot.presence[1].connected == there
        })
        .await;
    };
    agent_is_there(true).await;
    let decision = line.heard.decision(1).await;
    line.say(vec![answering(1, index(decision.id, 0))]).await;
    drop(ann);
    agent_is_there(false).await;
    // After a start nobody counts as away for 30 seconds; then the grace runs out, and then the clock.
    scene.sleeps_until(ms(35_000)).await;
    scene.advance_to(ms(35_000));
    scene.sleeps_until(ms(36_000)).await;
    scene.advance_to(ms(36_000));
    until("the forfeit", async || caller.look(&id).await.seats[1].forfeited() == SeatFinish::Disconnected)
        .await;
}

#[tokio::test]
async fn agents_are_listed_by_name_and_page() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut here = Vec::new();
    for name in ["eve", "ann", "dan", "ben", "cyd"] {
        let games = vec![if name < "c" { "gap" } else { "flush" }.to_owned()];
        here.push(Agent::connect(&caller, v1::AgentHello { games, ..hello(name) }).await);
    }
    here.truncate(3);
    let gone = v1::ListAgentsRequest { state: AgentState::Gone.into(), ..Default::default() };
    let names = async |request: v1::ListAgentsRequest| {
        let page = caller.list_agents(request).await.expect("a page");
        (page.agents.into_iter().map(|agent| agent.name).collect::<Vec<_>>(), page.next_page_token)
    };
    until("two to be gone", async || names(gone.clone()).await.0 == ["ben", "cyd"]).await;
    let all = v1::ListAgentsRequest::default();
    assert_eq!(
        names(all.clone()).await,
        (["ann", "ben", "cyd", "dan", "eve"].map(String::from).to_vec(), String::new())
    );
    let here = v1::ListAgentsRequest { state: AgentState::Here.into(), ..all.clone() };
    assert_eq!(names(here.clone()).await.0, ["ann", "dan", "eve"]);
    assert_eq!(names(v1::ListAgentsRequest { game: "gap".into(), ..here }).await.0, ["ann"]);
    let mut page = v1::ListAgentsRequest { page_size: 2, ..all.clone() };
    let mut pages = Vec::new();
    loop {
        let (found, next) = names(page.clone()).await;
        pages.push(found.join(" "));
        if next.is_empty() {
            break;
        }
        page.page_token = next;
    }
    assert_eq!(pages, ["ann ben", "cyd dan", "eve"]);
    let wrong =
        async |request: v1::ListAgentsRequest| caller.list_agents(request).await.expect_err("a refusal");
    assert_eq!(wrong(v1::ListAgentsRequest { page_size: 1001, ..all.clone() }).await.fields, ["page_size"]);
    assert_eq!(wrong(v1::ListAgentsRequest { state: 9, ..all.clone() }).await.fields, ["state"]);
    assert_eq!(
        wrong(v1::ListAgentsRequest { page_token: "?".into(), ..all.clone() }).await.fields,
        ["page_token"]
    );
    assert_eq!(
        wrong(v1::ListAgentsRequest { game: "chess".into(), ..all }).await.reason,
        Reason::GameNotFound
    );
}

/// An agent that names a table in its hello is told how it ended while it was away, and waits for nothing that is over.
#[tokio::test]
async fn what_ended_while_an_agent_was_away() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut ann = Agent::connect(&caller, hello("ann")).await;
    let (over, gone, open) = (
        caller.make(for_agents(&["ann", "ann"])).await,
        caller.make(for_agents(&["ann", "ann"])).await,
        caller.make(for_agents(&["ann", "ann"])).await,
    );
    let _ben = Agent::connect(&caller, hello("ben")).await;
    let others = caller.make(for_agents(&["ben", "ben"])).await;
    let mut last = 0;
    for _ in 0..6 {
        let (channel, given) = ann.given().await;
        let number = ann.heard.snapshot(channel).await.number;
        if (&given.table_id, given.seat) == (&over, 0) {
            last = number;
        }
    }
    drop(ann);
    until("it to be gone", async || listed(&caller, "ann").await.last_seen_time.is_some()).await;
    for id in [&over, &gone, &others] {
        caller.cancel_table(crate::table_requests::cancel(id)).await.expect("cancelled");
    }
    caller.delete_table(crate::table_requests::delete(&gone)).await.expect("deleted");
    let bookmarks = vec![
        bookmark(&over, 0, last),
        bookmark(&gone, 0, 1),
        bookmark(&others, 0, 1),
        bookmark(&open, 1, 1),
        bookmark(&no_table(), 0, 1),
    ];
    let mut ann = Agent::connect(&caller, v1::AgentHello { bookmarks, ..hello("ann") }).await;
    assert_eq!(ann.welcome.seats, 3, "two at the table that goes on, and one that has ended");
    let mut given = Vec::new();
    for _ in 0..3 {
        let (channel, seat) = ann.given().await;
        if seat.table_id == over {
            assert_eq!(seat.seat, 0);
            let update = ann.heard.update(channel).await;
            assert_eq!(update.number, last + 1, "what it missed, and nothing twice");
            let Some(Event::Over(end)) = &update.table_events[0].event else { panic!("{update:?}") };
            assert_eq!(end.result.as_ref().expect("a result").reason(), v1::EndReason::Cancelled);
            assert_eq!(ann.heard.closed(channel).await.reason(), Reason::Unspecified);
        }
        given.push((seat.table_id, seat.seat));
    }
    given.sort();
    let mut expected = vec![(over.clone(), 0), (open.clone(), 0), (open, 1)];
    expected.sort();
    assert_eq!(given, expected);
    // Whoever names nothing has seen nothing, and waits for nothing.
    let other =
        v1::AgentHello { bookmarks: vec![bookmark(&over, 0, last)], version: "2".into(), ..hello("ann") };
    assert_eq!(Agent::connect(&caller, other).await.welcome.seats, 0, "another version did not play there");
}
