//! Agents: assigned seats, capacity, reconnecting and resuming, and ListAgents.

use parlor_engine::GameId;
use parlor_proto::v1::{
    self, AgentState, AnswerStatus, ErrorReason as Reason, SeatFinish, TableState, stream_item::Item,
    table_event::Event, table_news::News,
};
use parlor_server::config::Count;

use crate::agent_client::{AgentClient, agent_seat, bookmark, find_agent, hello, with_seats};
use crate::client::error_reason;
use crate::streams::{
    PlayStream, answer_index, answer_item, attach_item, detach_item, play_seat, reveal_item, spectate,
};
use crate::table_requests::{
    cancel, clock, gap, house, join, reissue, rematch, replace, table, timed, unknown_table_id,
};
use crate::test_server::{TestServer, ms, wait_until};

/// A table of GAP with one seat for each of these agents.
pub(crate) fn for_agents(names: &[&str]) -> v1::CreateTableRequest {
    with_seats(names.iter().map(|name| agent_seat(name)).collect(), gap(names.len()))
}

#[tokio::test]
async fn agents_are_assigned_seats_and_play_every_game_to_the_end() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let mut ben =
        AgentClient::connect(&client, v1::AgentHello { version: "2 beta".into(), ..hello("ben") }).await;
    assert_eq!((ann.welcome.max_tables, ann.welcome.seats, ann.welcome.set_aside.clone()), (10, 0, None));
    for game in GameId::ALL {
        let (one, other) = (agent_seat("ann"), agent_seat("ben"));
        let made = client.create_table(with_seats(vec![one, other, house("random")], table(*game, 3))).await;
        let made = made.expect("a table").table.expect("a table");
        assert_eq!(made.state(), TableState::Playing, "a table of agents and bots starts at creation");
        let occupant = made.seats[1].occupant.clone().expect("an occupant");
        let expected = v1::AgentSeat { name: "ben".into(), version: "2 beta".into() };
        assert_eq!(occupant, v1::table_seat::Occupant::Agent(expected));
        let (channel, given) = ann.next_seat().await;
        assert_eq!((given.table_id.as_str(), given.seat), (made.table_id.as_str(), 0));
        assert_eq!((given.game.as_str(), given.tournament_id.as_str()), (game.info().id, ""));
        let first = ann.reader.snapshot(channel).await;
        assert_eq!(first.viewer.expect("a viewer").viewer, Some(v1::viewer::Viewer::Seat(0)));
        assert_eq!(find_agent(&client, "ann").await.playing, 1);
        tokio::join!(ann.play(1), ben.play(1));
        let over = client.table(&made.table_id).await;
        assert_eq!(over.state(), TableState::Finished);
        wait_until("the table to leave the agent's count", async || {
            find_agent(&client, "ann").await.playing == 0
        })
        .await;
    }
    let look = find_agent(&client, "ann").await;
    let times = look.times.expect("times");
    assert!(times.answers > 4 && times.refused == 0 && times.clocks_run_out == 0, "{times:?}");
    assert_eq!(times.reported_mean_us, None);
}

#[tokio::test]
async fn agent_with_two_seats_of_a_table_uses_one_table_of_its_capacity() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let id = client.new_table(for_agents(&["ann", "ann"])).await;
    let (one, first) = ann.next_seat().await;
    let (other, second) = ann.next_seat().await;
    assert_ne!(one, other);
    assert_eq!((first.table_id == id, first.seat + second.seat), (true, 1));
    assert_eq!(
        error_reason(client.create_table(for_agents(&["ann", "ann"])).await),
        Reason::AgentUnavailable
    );
    ann.play(2).await;
    assert_eq!(client.table(&id).await.state(), TableState::Finished);
    wait_until("room", async || client.create_table(for_agents(&["ann", "ann"])).await.is_ok()).await;
}

#[tokio::test]
async fn second_connection_of_an_agent_replaces_the_first() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut first = AgentClient::connect(&client, hello("ann")).await;
    let id = client.new_table(for_agents(&["ann", "ann"])).await;
    first.next_seat().await;
    let mut second = AgentClient::connect(&server.client_on_new_connection().await, hello("ann")).await;
    let ending = first.reader.ending().await.expect("a graceful end").expect("a reason");
    assert_eq!((ending.reason(), ending.retry_ms), (Reason::AgentReplaced, 0));
    assert_eq!(second.welcome.seats, 2);
    second.play(2).await;
    assert_eq!(client.table(&id).await.state(), TableState::Finished);
    assert_eq!(find_agent(&client, "ann").await.state(), AgentState::Here);
}

#[tokio::test]
async fn unavailable_agents_get_no_seats() {
    let server = TestServer::with_settings(|settings| settings.agents.max_tables = Count::new(2)).await;
    let client = server.client();
    assert_eq!(error_reason(client.create_table(for_agents(&["ann", "ann"])).await), Reason::AgentNotFound);
    let only_gap = v1::AgentHello { games: vec!["gap".into()], ..hello("ann") };
    let ann = AgentClient::connect(&client, only_gap.clone()).await;
    assert_eq!(ann.welcome.max_tables, 2, "capped by the server");
    let five_three_five =
        with_seats(vec![agent_seat("ann"), agent_seat("ann")], table(GameId::FiveThreeFive, 2));
    assert_eq!(error_reason(client.create_table(five_three_five).await), Reason::AgentUnavailable);
    let version = |version: &str| {
        let seat = v1::AgentSeat { name: "ann".into(), version: version.into() };
        let seat = v1::SeatSetup { occupant: Some(v1::seat_setup::Occupant::Agent(seat)) };
        with_seats(vec![seat, house("random")], gap(2))
    };
    assert_eq!(error_reason(client.create_table(version("7")).await), Reason::AgentUnavailable);
    let one = client.new_table(version("1")).await;
    let other = client.new_table(version("")).await;
    let full = client.create_table(version("")).await.expect_err("an error");
    assert_eq!(full.reason, Reason::AgentUnavailable);
    assert!(full.message.contains("plays at 2 tables"), "{}", full.message);
    client.cancel_table(cancel(&one)).await.expect("a cancelled table");
    wait_until("room", async || find_agent(&client, "ann").await.playing == 1).await;
    client.new_table(version("")).await;
    drop(ann);
    wait_until("the agent to be gone", async || find_agent(&client, "ann").await.state() == AgentState::Gone)
        .await;
    client.cancel_table(cancel(&other)).await.expect("a cancelled table");
    assert_eq!(error_reason(client.create_table(version("1")).await), Reason::AgentUnavailable);
    let gone = find_agent(&client, "ann").await;
    assert!(gone.last_seen_time.is_some() && gone.times.is_some());
}

#[tokio::test]
async fn reconnecting_agent_resumes_from_its_bookmarks() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let id = client.new_table(for_agents(&["ann", "ann"])).await;
    let (channels, mut last) = ([ann.next_seat().await, ann.next_seat().await], [0; 2]);
    let (first, given) = channels[0].clone();
    for (channel, given) in &channels {
        last[given.seat as usize] = ann.reader.snapshot(*channel).await.number;
    }
    let mover = if given.seat == 0 { first } else { channels[1].0 };
    let decision = ann.reader.decision(mover).await;
    assert_eq!(ann.answer(mover, answer_index(decision.id, 0)).await.status(), AnswerStatus::Accepted);
    drop(ann);
    let bookmarks = vec![bookmark(&id, 0, last[0]), bookmark(&unknown_table_id(), 1, 5)];
    let mut ann = AgentClient::connect(&client, v1::AgentHello { bookmarks, ..hello("ann") }).await;
    assert_eq!(ann.welcome.seats, 2);
    for _ in 0..2 {
        let (channel, given) = ann.next_seat().await;
        match (given.seat, ann.reader.next_on(channel).await) {
            (0, Item::Update(update)) => assert_eq!(update.number, last[0] + 1, "only the missed updates"),
            (1, Item::Snapshot(snapshot)) => {
                assert_eq!(snapshot.number, last[1] + 1, "a snapshot without a bookmark");
            }
            other => panic!("{other:?}"),
        }
    }
    let ahead = vec![bookmark(&id, 0, 1_000)];
    let mut ann = AgentClient::connect(&client, v1::AgentHello { bookmarks: ahead, ..hello("ann") }).await;
    for _ in 0..2 {
        let (channel, given) = ann.next_seat().await;
        match (given.seat, ann.reader.next_on(channel).await) {
            (0, Item::Closed(closed)) => assert_eq!(closed.reason(), Reason::CursorAhead),
            (1, Item::Snapshot(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    ann.play(2).await;
    assert_eq!(client.table(&id).await.state(), TableState::Finished);
}

#[tokio::test]
async fn seats_are_assigned_only_to_the_agent_version_that_has_them() {
    let server = TestServer::new().await;
    let client = server.client();
    let ann = AgentClient::connect(&client, hello("ann")).await;
    client.new_table(for_agents(&["ann", "ann"])).await;
    drop(ann);
    let newer = v1::AgentHello { version: "2".into(), ..hello("ann") };
    assert_eq!(AgentClient::connect(&client, newer).await.welcome.seats, 0);
    let look = find_agent(&client, "ann").await;
    assert_eq!((look.version.as_str(), look.playing), ("2", 1), "the seats still belong to the agent");
    assert_eq!(AgentClient::connect(&client, hello("ann")).await.welcome.seats, 2);
}

#[tokio::test]
async fn detach_by_an_agent_resigns_the_seat() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let mut ben = AgentClient::connect(&client, hello("ben")).await;
    let id = client.new_table(for_agents(&["ann", "ben"])).await;
    let (channel, _) = ann.next_seat().await;
    ann.send(vec![detach_item(channel)]).await;
    ben.play(1).await;
    let over = client.table(&id).await;
    let finish: Vec<_> = over.result.expect("a result").seats.iter().map(v1::SeatResult::finish).collect();
    assert_eq!(finish, [SeatFinish::Resigned, SeatFinish::PlayedOut]);
    let waiting = with_seats(vec![agent_seat("ann"), crate::table_requests::open()], gap(2));
    let id = client.new_table(waiting).await;
    let (channel, _) = ann.next_seat().await;
    ann.send(vec![detach_item(channel)]).await;
    wait_until("the seat to be resigned", async || {
        client.table(&id).await.seats[0].forfeited() == SeatFinish::Resigned
    })
    .await;
    assert_eq!(
        AgentClient::connect(&client, hello("ann")).await.welcome.seats,
        0,
        "a resigned seat is not assigned again"
    );
    let joined = client.join_table(join(&id)).await.expect("a seat");
    assert_eq!(joined.table.expect("a table").state(), TableState::Playing);
}

#[tokio::test]
async fn agent_cannot_attach_channels_or_reveal_for_a_seat() {
    let server = TestServer::new().await;
    let id = server.client().new_table(gap(2)).await;
    for items in [
        vec![attach_item(1, spectate(&id))],
        vec![reveal_item(1, &[1; 32])],
        vec![v1::PlayRequestItem { channel: 1, item: None }],
        vec![detach_item(9); 1025],
    ] {
        let mut ann = AgentClient::connect(&server.client(), hello("ann")).await;
        ann.send(items).await;
        let refused = ann.reader.ending().await.expect_err("the end of the stream");
        assert_eq!(refused.reason, Reason::InvalidField);
        assert!(refused.fields[0].starts_with("items"), "{refused:?}");
    }
}

#[tokio::test]
async fn agent_seats_have_no_tokens_and_can_be_replaced() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut news = client.follow_tables(None).await.expect("news");
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let id = client.new_table(for_agents(&["ann", "ann"])).await;
    assert_eq!(error_reason(client.reissue_seat_token(reissue(&id, 0)).await), Reason::SeatTaken);
    let (one, given) = ann.next_seat().await;
    ann.next_seat().await;
    let replaced = client.replace_seat(replace(&id, given.seat, "random")).await.expect("a bot");
    let seat = &replaced.table.expect("a table").seats[given.seat as usize];
    assert!(matches!(seat.occupant, Some(v1::table_seat::Occupant::HouseBot(_))));
    let closed = loop {
        if let Item::Closed(closed) = ann.reader.next_on(one).await {
            break closed;
        }
    };
    assert_eq!(closed.reason(), Reason::TokenExpired);
    assert_eq!(find_agent(&client, "ann").await.playing, 1, "the agent still has the other seat");
    client.replace_seat(replace(&id, 1 - given.seat, "random")).await.expect("a bot");
    wait_until("the table to leave the agent's count", async || {
        find_agent(&client, "ann").await.playing == 0
    })
    .await;
    let mut received = Vec::new();
    while !matches!(received.last(), Some(News::Over(_))) {
        received.push(news.next().await.news.expect("news"));
    }
    assert!(matches!(received[..2], [News::Created(_), News::Started(_)]), "{received:?}");
    let Some(News::Created(created)) = received.first() else { panic!("{received:?}") };
    let seats = &created.table.as_ref().expect("a table").seats;
    assert!(matches!(seats[0].occupant, Some(v1::table_seat::Occupant::Agent(_))));
}

#[tokio::test]
async fn rematch_seats_the_same_agents() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let id = client.new_table(for_agents(&["ann", "ann"])).await;
    ann.play(2).await;
    wait_until("room", async || find_agent(&client, "ann").await.playing == 0).await;
    let again = client.rematch(rematch(&id)).await.expect("a rematch").table.expect("a table");
    assert_eq!(again.state(), TableState::Playing);
    let (_, given) = ann.next_seat().await;
    assert_eq!(given.table_id, again.table_id);
    let repeated = client.rematch(rematch(&id)).await.expect("the same rematch").table.expect("a table");
    assert_eq!(repeated.table_id, again.table_id);
    ann.next_seat().await;
    ann.play(2).await;
    drop(ann);
    wait_until("the agent to be gone", async || find_agent(&client, "ann").await.state() == AgentState::Gone)
        .await;
    assert_eq!(error_reason(client.rematch(rematch(&again.table_id)).await), Reason::AgentUnavailable);
}

#[tokio::test]
async fn seat_presence_follows_the_agents_connection() {
    let server = TestServer::new().await;
    let client = server.client();
    let ann = AgentClient::connect(&client, hello("ann")).await;
    let request = with_seats(vec![crate::table_requests::open(), agent_seat("ann")], gap(2));
    let id = client.new_table(timed(clock(1_000, 0, 5_000, 1), request)).await;
    let joined = client.join_table(join(&id)).await.expect("a seat");
    let mut stream = PlayStream::open_attached(&client, 1, play_seat(&joined.seat_token)).await;
    let wait_for_presence = async |connected: bool| {
        wait_until("presence", async || {
            let mut rail = PlayStream::open_attached(&client, 1, spectate(&id)).await;
            let snapshot = rail.reader.snapshot(1).await;
            assert_eq!(snapshot.presence.len(), 2);
            snapshot.presence[1].connected == connected
        })
        .await;
    };
    wait_for_presence(true).await;
    let decision = stream.reader.decision(1).await;
    stream.send(vec![answer_item(1, answer_index(decision.id, 0))]).await;
    drop(ann);
    wait_for_presence(false).await;
    // For 30 s after a start no seat counts as disconnected; then the grace runs out, and then the clock.
    server.advance_to_deadline(ms(35_000)).await;
    server.advance_to(ms(35_000));
    server.advance_to_deadline(ms(36_000)).await;
    server.advance_to(ms(36_000));
    wait_until("the forfeit", async || {
        client.table(&id).await.seats[1].forfeited() == SeatFinish::Disconnected
    })
    .await;
}

#[tokio::test]
async fn list_agents_sorts_by_name_filters_and_pages() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut here = Vec::new();
    for name in ["eve", "ann", "dan", "ben", "cyd"] {
        let games = vec![if name < "c" { "gap" } else { "five_three_five" }.to_owned()];
        here.push(AgentClient::connect(&client, v1::AgentHello { games, ..hello(name) }).await);
    }
    here.truncate(3);
    let gone = v1::ListAgentsRequest { state: AgentState::Gone.into(), ..Default::default() };
    let names = async |request: v1::ListAgentsRequest| {
        let page = client.list_agents(request).await.expect("a page");
        (page.agents.into_iter().map(|agent| agent.name).collect::<Vec<_>>(), page.next_page_token)
    };
    wait_until("two to be gone", async || names(gone.clone()).await.0 == ["ben", "cyd"]).await;
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
        async |request: v1::ListAgentsRequest| client.list_agents(request).await.expect_err("an error");
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

/// An agent that bookmarks a table in its hello receives the end it missed. Bookmarks of deleted tables, of
/// other agents' tables and of unknown tables are ignored.
#[tokio::test]
async fn agent_receives_the_end_of_a_bookmarked_table_it_missed() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, hello("ann")).await;
    let (over, gone, open) = (
        client.new_table(for_agents(&["ann", "ann"])).await,
        client.new_table(for_agents(&["ann", "ann"])).await,
        client.new_table(for_agents(&["ann", "ann"])).await,
    );
    let _ben = AgentClient::connect(&client, hello("ben")).await;
    let others = client.new_table(for_agents(&["ben", "ben"])).await;
    let mut last = 0;
    for _ in 0..6 {
        let (channel, given) = ann.next_seat().await;
        let number = ann.reader.snapshot(channel).await.number;
        if (&given.table_id, given.seat) == (&over, 0) {
            last = number;
        }
    }
    drop(ann);
    wait_until("it to be gone", async || find_agent(&client, "ann").await.last_seen_time.is_some()).await;
    for id in [&over, &gone, &others] {
        client.cancel_table(crate::table_requests::cancel(id)).await.expect("cancelled");
    }
    client.delete_table(crate::table_requests::delete(&gone)).await.expect("deleted");
    let bookmarks = vec![
        bookmark(&over, 0, last),
        bookmark(&gone, 0, 1),
        bookmark(&others, 0, 1),
        bookmark(&open, 1, 1),
        bookmark(&unknown_table_id(), 0, 1),
    ];
    let mut ann = AgentClient::connect(&client, v1::AgentHello { bookmarks, ..hello("ann") }).await;
    assert_eq!(
        ann.welcome.seats, 3,
        "two seats of the running table, and the bookmarked seat of the ended one"
    );
    let mut given = Vec::new();
    for _ in 0..3 {
        let (channel, seat) = ann.next_seat().await;
        if seat.table_id == over {
            assert_eq!(seat.seat, 0);
            let update = ann.reader.update(channel).await;
            assert_eq!(update.number, last + 1, "exactly the missed update");
            let Some(Event::Over(end)) = &update.table_events[0].event else { panic!("{update:?}") };
            assert_eq!(end.result.as_ref().expect("a result").reason(), v1::EndReason::Cancelled);
            assert_eq!(ann.reader.closed(channel).await.reason(), Reason::Unspecified);
        }
        given.push((seat.table_id, seat.seat));
    }
    given.sort();
    let mut expected = vec![(over.clone(), 0), (open.clone(), 0), (open, 1)];
    expected.sort();
    assert_eq!(given, expected);
    // Another version of the agent did not play there: its bookmark is ignored.
    let other =
        v1::AgentHello { bookmarks: vec![bookmark(&over, 0, last)], version: "2".into(), ..hello("ann") };
    assert_eq!(AgentClient::connect(&client, other).await.welcome.seats, 0, "another version has no seats");
}
