//! Seats: open, reserved and house bots; joining, replacing, resigning, and rematches.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, SeatFinish, table_event::Event, table_seat::Occupant};
use parlor_server::identity::Scope;

use crate::client::{Client, error_reason};
use crate::streams::{
    ALL_WANTS, PlayStream, answer_index, attach_item, play_seat, resume_after, spectate, with_wants,
};
use crate::table_requests::{
    SeatedTable, cancel, gap, house, join, open, private, rematch, replace, reserved, resign,
    resign_by_owner, seeded, table,
};
use crate::test_server::{TestServer, api_key, ms, wait_until};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

fn user(table: &str, user: &str) -> v1::JoinTableRequest {
    v1::JoinTableRequest { user_id: user.to_owned(), ..join(table) }
}

fn at(table: &str, seat: u32) -> v1::JoinTableRequest {
    v1::JoinTableRequest { seat: Some(seat), ..join(table) }
}

/// A short description of each seat of a table.
async fn seats(client: &Client, table: &str) -> Vec<String> {
    let describe = |seat: v1::TableSeat| match seat.occupant.expect("an occupant") {
        Occupant::Open(_) => "open".to_owned(),
        Occupant::HouseBot(bot) => format!("bot {}", bot.name),
        Occupant::Agent(agent) => format!("agent {} {}", agent.name, agent.version),
        Occupant::Reserved(seat) => format!("reserved {}/{}", seat.user_id, seat.display_name),
        Occupant::Player(player) => format!("player {}/{}", player.user_id, player.display_name),
    };
    client.table(table).await.seats.into_iter().map(describe).collect()
}

#[tokio::test]
async fn join_assigns_reserved_and_open_seats() {
    let (anna, pia) = (api_key("anna", OWNER), api_key("pia", &[Scope::Play]));
    let server = TestServer::with_keys([&anna, &pia]).await;
    let (owner, player) = (server.client_with_key(&anna), server.client_with_key(&pia));
    let setup = vec![reserved("u1", "Una"), open(), house("greedy"), reserved("u2", ""), open(), open()];
    let id = owner.new_table(v1::CreateTableRequest { seats: setup, ..gap(6) }).await;
    assert_eq!(
        seats(&owner, &id).await,
        ["reserved u1/Una", "open", "bot greedy", "reserved u2/", "open", "open"]
    );

    assert_eq!(
        error_reason(player.join_table(at(&id, 0)).await),
        Reason::SeatTaken,
        "reserved for another user"
    );
    assert_eq!(error_reason(player.join_table(at(&id, 2)).await), Reason::SeatTaken, "a bot has it");
    let named = v1::JoinTableRequest { display_name: "Pia".to_owned(), ..at(&id, 4) };
    assert_eq!(player.join_table(named).await.unwrap().seat, 4);
    assert_eq!(error_reason(player.join_table(at(&id, 4)).await), Reason::SeatTaken);
    for missing in [6, 7, 255, u32::MAX] {
        let error = player.join_table(at(&id, missing)).await.expect_err("a missing seat");
        assert!(matches!(error.reason, Reason::SeatNotFound | Reason::InvalidField), "{missing}: {error:?}");
    }
    assert_eq!(player.join_table(join(&id)).await.unwrap().seat, 1, "the first open seat");
    // The owner joins for its users: on their reserved seats, or on any open one.
    let second = v1::JoinTableRequest { display_name: "Ugo".to_owned(), ..user(&id, "u2") };
    assert_eq!(owner.join_table(second).await.unwrap().seat, 3);
    assert_eq!(owner.join_table(user(&id, "u3")).await.unwrap().seat, 5);
    assert_eq!(
        error_reason(player.join_table(join(&id)).await),
        Reason::NoSeatFree,
        "the last seat is reserved"
    );
    assert_eq!(error_reason(owner.join_table(user(&id, "u4")).await), Reason::NoSeatFree);
    assert_eq!(owner.table(&id).await.state(), v1::TableState::Open);
    let last = owner.join_table(user(&id, "u1")).await.unwrap();
    assert_eq!((last.seat, last.table.unwrap().state()), (0, v1::TableState::Playing));
    let expected = ["player u1/Una", "player /", "bot greedy", "player u2/Ugo", "player /Pia", "player u3/"];
    assert_eq!(seats(&owner, &id).await, expected);
    assert_eq!(error_reason(player.join_table(join(&id)).await), Reason::TableStarted);
    owner.cancel_table(cancel(&id)).await.unwrap();
    assert_eq!(error_reason(player.join_table(join(&id)).await), Reason::TableOver);
}

#[tokio::test]
async fn join_for_a_seated_user_gives_back_the_held_seat() {
    let (anna, mallory) = (api_key("anna", OWNER), api_key("mallory", OWNER));
    let server = TestServer::with_keys([&anna, &mallory]).await;
    let owner = server.client_with_key(&anna);
    let id = owner
        .new_table(v1::CreateTableRequest { seats: vec![open(), reserved("u2", "Ugo"), open()], ..gap(3) })
        .await;
    let request = |request_id: &str, name: &str| v1::JoinTableRequest {
        request_id: request_id.to_owned(),
        display_name: name.to_owned(),
        ..user(&id, "u1")
    };
    let joined = owner.join_table(request("first", "Una")).await.unwrap();
    for again in [request("second", "Una"), request("", "Una"), request("third", "another name")] {
        let again = owner.join_table(again).await.unwrap();
        assert_eq!((again.seat, &again.seat_token), (joined.seat, &joined.seat_token));
    }
    let own = v1::JoinTableRequest { seat: Some(joined.seat), ..user(&id, "u1") };
    assert_eq!(owner.join_table(own).await.unwrap().seat_token, joined.seat_token);
    assert_eq!(seats(&owner, &id).await, ["player u1/Una", "reserved u2/Ugo", "open"]);
    let stranger = server.client_with_key(&mallory).join_table(user(&id, "u1")).await;
    assert_eq!(error_reason(stranger), Reason::NotOwner, "a user is named by the owner alone");

    // Another seat is taken only if it is named.
    let second = v1::JoinTableRequest { seat: Some(2), ..user(&id, "u1") };
    assert_eq!(owner.join_table(second).await.unwrap().seat, 2);
    owner.join_table(user(&id, "u2")).await.unwrap();
    // After the start, and with the token that is valid now.
    let new = owner.reissue_seat_token(crate::table_requests::reissue(&id, 0)).await.unwrap().seat_token;
    let again = owner.join_table(request("fourth", "Una")).await.unwrap();
    assert_eq!((again.seat, again.seat_token), (0, new));
    assert_eq!(again.table.unwrap().state(), v1::TableState::Playing);
    assert_eq!(error_reason(owner.join_table(user(&id, "u3")).await), Reason::TableStarted);
}

#[tokio::test]
async fn seat_beyond_the_table_is_not_found() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(gap(2)).await;
    assert_eq!(error_reason(client.join_table(at(&id, 3)).await), Reason::SeatNotFound);
    assert_eq!(error_reason(client.replace_seat(replace(&id, 3, "random")).await), Reason::SeatNotFound);
    assert_eq!(
        error_reason(client.reissue_seat_token(crate::table_requests::reissue(&id, 3)).await),
        Reason::SeatNotFound
    );
    assert_eq!(error_reason(client.resign_seat(resign_by_owner(&id, 3)).await), Reason::SeatNotFound);
}

#[tokio::test]
async fn house_bots_play_every_game_to_the_end() {
    let server = TestServer::new().await;
    let client = server.client();
    for game in GameId::ALL {
        let bots = client.list_house_bots(v1::ListHouseBotsRequest { game: game.info().id.to_owned() }).await;
        for bot in bots.unwrap().bots.into_iter().filter(|bot| bot.name != "search") {
            let setup = vec![house(&bot.name), house(&bot.name)];
            let id = client.new_table(v1::CreateTableRequest { seats: setup, ..table(*game, 2) }).await;
            let mut spectator = PlayStream::open_attached(&client, 1, resume_after(0, spectate(&id))).await;
            let result = spectator.reader.table_over(1).await.result.expect("a result");
            assert_eq!(result.reason(), v1::EndReason::PlayedOut, "{game:?} {}", bot.name);
            assert_eq!(spectator.reader.closed(1).await.reason(), Reason::Unspecified);
        }
    }
}

#[tokio::test]
async fn house_bot_replaces_a_player_during_the_game() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = server.new_seated_table(gap(2)).await;
    let mut stream = PlayStream::open(&client).await;
    stream
        .send(vec![
            attach_item(0, play_seat(&seated.tokens[0])),
            attach_item(1, play_seat(&seated.tokens[1])),
        ])
        .await;
    let decision = stream.reader.decision(0).await;
    let table = client.replace_seat(replace(&seated.id, 0, "random")).await.unwrap().table.unwrap();
    assert!(matches!(table.seats[0].occupant, Some(Occupant::HouseBot(_))));
    let event = stream.reader.event(1, |event| match event {
        Event::SeatReplaced(replaced) => replaced.seat.clone(),
        _ => None,
    });
    assert_eq!(event.await.seat, 0);
    assert_eq!(
        error_reason(
            client.act(crate::table_requests::act(&seated.tokens[0], answer_index(decision.id, 0))).await
        ),
        Reason::TokenExpired
    );
    // Seat 1 plays against the bot to the end.
    let player = tokio::spawn({
        let (client, attach) =
            (client.clone(), with_wants(crate::players::WANT_VIEWS, play_seat(&seated.tokens[1])));
        async move { crate::players::play(&client, attach, crate::players::random_choice(1)).await }
    });
    let seen = player.await.unwrap();
    seen.check();
    let result = seen.over().result.expect("a result");
    assert_eq!(result.reason(), v1::EndReason::PlayedOut);
    assert!(result.seats.iter().all(|seat| seat.finish() == SeatFinish::PlayedOut));
    assert_eq!(error_reason(client.replace_seat(replace(&seated.id, 1, "random")).await), Reason::TableOver);
}

#[tokio::test]
async fn house_bot_replaces_any_seat_before_the_game() {
    let server = TestServer::new().await;
    let client = server.client();
    let setup = vec![open(), reserved("u1", ""), open()];
    let id = client.new_table(v1::CreateTableRequest { seats: setup, ..gap(3) }).await;
    let joined = client.join_table(at(&id, 2)).await.unwrap();
    client.replace_seat(replace(&id, 0, "random")).await.unwrap();
    assert_eq!(
        error_reason(client.replace_seat(replace(&id, 0, "greedy")).await),
        Reason::SeatTaken,
        "a bot has it"
    );
    assert_eq!(
        error_reason(client.replace_seat(replace(&id, 1, "deep blue")).await),
        Reason::HouseBotNotFound
    );
    let none = v1::ReplaceSeatRequest { house_bot: None, ..replace(&id, 1, "") };
    assert_eq!(error_reason(client.replace_seat(none).await), Reason::InvalidField);
    let table = client.replace_seat(replace(&id, 1, "random")).await.unwrap().table.unwrap();
    assert_eq!(table.state(), v1::TableState::Playing, "replacing the last open seat starts the game");
    let mut stream = PlayStream::open_attached(&client, 1, play_seat(&joined.seat_token)).await;
    stream.reader.decision(1).await;
}

#[tokio::test]
async fn resigned_seats_rank_last() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = server.new_seated_table(gap(3)).await;
    let mut stream = PlayStream::open(&client).await;
    let all = (0..).zip(&seated.tokens).map(|(channel, token)| attach_item(channel, play_seat(token)));
    stream.send(all.collect()).await;
    let decision = stream.reader.decision(0).await;
    client.resign_seat(resign(&seated.tokens[0])).await.unwrap();
    client.resign_seat(resign(&seated.tokens[0])).await.expect("resigning is idempotent");
    client.resign_seat(resign_by_owner(&seated.id, 0)).await.expect("resigning is idempotent");
    // The server plays the default action of the open decision and of all later ones.
    let update = stream.reader.update(0).await;
    let forfeited = v1::SeatForfeited { seat: 0, why: SeatFinish::Resigned.into() };
    assert_eq!(update.table_events[0].event, Some(Event::SeatForfeited(forfeited)));
    let made = stream.reader.update(0).await.decided.expect("the open decision is decided");
    assert_eq!((made.decision_id, made.by()), (decision.id, v1::DecidedBy::Forfeit));
    assert_eq!(made.index, decision.default_index);
    assert_eq!(client.table(&seated.id).await.seats[0].forfeited(), SeatFinish::Resigned);
    // The owner resigns another seat.
    client.resign_seat(resign_by_owner(&seated.id, 2)).await.unwrap();
    while client.table(&seated.id).await.result.is_none() {
        let decision = stream.reader.decision(1).await;
        stream.answer(1, answer_index(decision.id, 0)).await;
    }
    let result = client.table(&seated.id).await.result.expect("a result");
    let places: Vec<_> = result.seats.iter().map(|seat| (seat.place, seat.finish())).collect();
    let expected = [(3, SeatFinish::Resigned), (1, SeatFinish::PlayedOut), (2, SeatFinish::Resigned)];
    assert_eq!(places, expected, "the later forfeit ranks higher");
    assert!(
        client.resign_seat(resign(&seated.tokens[0])).await.is_ok(),
        "resigning again is idempotent after the end, too"
    );
    assert_eq!(error_reason(client.resign_seat(resign(&seated.tokens[1])).await), Reason::TableOver);
}

/// With these seeds the bot reaches more points than the player, so a seat that could win would.
#[tokio::test]
async fn house_bot_in_a_resigned_seat_plays_on_and_ranks_last() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut bot_was_ahead = false;
    for seed in 1..=6 {
        let seated = server.new_seated_table(seeded([seed; 32], gap(2))).await;
        client.resign_seat(resign(&seated.tokens[0])).await.unwrap();
        let table = client.replace_seat(replace(&seated.id, 0, "greedy")).await.unwrap().table.unwrap();
        assert!(matches!(table.seats[0].occupant, Some(Occupant::HouseBot(_))));
        assert_eq!(table.seats[0].forfeited(), SeatFinish::Resigned, "a forfeit is for good");
        let attach = with_wants(crate::players::WANT_VIEWS, play_seat(&seated.tokens[1]));
        let seen = crate::players::play(&client, attach, crate::players::random_choice(1)).await;
        let result = seen.over().result.expect("a result");
        let ranks: Vec<_> = result.seats.iter().map(|seat| (seat.place, seat.finish())).collect();
        assert_eq!(ranks, [(2, SeatFinish::Resigned), (1, SeatFinish::PlayedOut)], "seed {seed}");
        bot_was_ahead |= result.seats[0].points > result.seats[1].points;
        let request = v1::GetRecordRequest { table_id: seated.id, ..v1::GetRecordRequest::default() };
        let record = client.get_record(request).await.unwrap().record.unwrap();
        let decided = record.steps.iter().flat_map(|step| &step.decided);
        let by_bot = decided.filter(|decided| decided.by() == v1::DecidedBy::HouseBot);
        assert!(by_bot.count() > 0, "the bot plays, not the clock");
    }
    assert!(bot_was_ahead, "no game in which the forfeit mattered");
}

#[tokio::test]
async fn only_a_player_of_a_started_game_can_resign() {
    let server = TestServer::new().await;
    let client = server.client();
    let id =
        client.new_table(v1::CreateTableRequest { seats: vec![open(), house("random")], ..gap(2) }).await;
    assert_eq!(error_reason(client.resign_seat(resign_by_owner(&id, 1)).await), Reason::TableNotStarted);
    client.join_table(join(&id)).await.unwrap();
    assert_eq!(
        error_reason(client.resign_seat(resign_by_owner(&id, 1)).await),
        Reason::SeatTaken,
        "a house bot cannot resign"
    );
    let nothing = v1::ResignSeatRequest { seat: None };
    assert_eq!(error_reason(client.resign_seat(nothing).await), Reason::InvalidField);
    assert_eq!(error_reason(client.resign_seat(resign("pls_x")).await), Reason::TokenInvalid);
}

/// A started table of three: two players and a bot.
async fn three_player_table(
    client: &Client,
    change: impl Fn(v1::CreateTableRequest) -> v1::CreateTableRequest,
) -> (String, Vec<String>) {
    let setup = vec![open(), open(), house("greedy")];
    let metadata = [("room".to_owned(), "7".to_owned())].into();
    let request = v1::CreateTableRequest { seats: setup, metadata, ..crate::table_requests::fresh(gap(3)) };
    let seated = client.new_seated_table(change(request)).await;
    (seated.id, seated.tokens)
}

#[tokio::test]
async fn rematch_reserves_seats_for_the_same_players() {
    let anna = api_key("anna", &[Scope::Tables]);
    for rotate_seats in [false, true] {
        let server = TestServer::with_keys([&anna]).await;
        let (owner, anyone) = (server.client_with_key(&anna), server.client());
        let (id, tokens) = three_player_table(&owner, private).await;
        let mut watcher =
            PlayStream::open_attached(&anyone, 1, with_wants(ALL_WANTS, play_seat(&tokens[1]))).await;
        watcher.reader.snapshot(1).await;
        assert_eq!(error_reason(owner.rematch(rematch(&id)).await), Reason::TableNotOver);
        owner.cancel_table(cancel(&id)).await.unwrap();
        // A player asks with only its seat token.
        let asked = v1::RematchRequest { rotate_seats, seat_token: tokens[0].clone(), ..rematch(&id) };
        let new = anyone.rematch(asked).await.unwrap().table.unwrap();
        assert_eq!(owner.table(&id).await.rematch_table_id, new.table_id);
        assert_eq!((new.rematch_of.as_str(), new.visibility()), (id.as_str(), v1::Visibility::Private));
        let (before, after) = (owner.table(&id).await, owner.table(&new.table_id).await);
        assert_eq!(
            (&before.options, &before.clock, &before.metadata),
            (&after.options, &after.clock, &after.metadata)
        );
        assert_ne!(before.shuffle, after.shuffle, "a new shuffle");
        let event = watcher.reader.event(1, |event| match event {
            Event::Rematch(rematch) => Some(rematch.table_id.clone()),
            _ => None,
        });
        assert_eq!(event.await, new.table_id, "viewers that want rematches are notified");
        assert_eq!(watcher.reader.closed(1).await.reason(), Reason::Unspecified);
        // With rotation everyone moves one seat to the left.
        let moved = |seat: u32| if rotate_seats { (seat + 1) % 3 } else { seat };
        let bot = after.seats[moved(2) as usize].occupant.clone();
        assert!(matches!(bot, Some(Occupant::HouseBot(bot)) if bot.name == "greedy"));
        for old in [1, 0] {
            let previous =
                v1::JoinTableRequest { previous_token: tokens[old as usize].clone(), ..join(&new.table_id) };
            let joined = anyone.join_table(previous).await.unwrap();
            assert_eq!(joined.seat, moved(old), "rotate: {rotate_seats}");
        }
        assert_eq!(owner.table(&new.table_id).await.state(), v1::TableState::Playing);
        assert_eq!(error_reason(anyone.rematch(rematch(&id)).await), Reason::CredentialsMissing);
    }
}

#[tokio::test]
async fn rematch_reserves_seats_for_the_owners_users() {
    let server = TestServer::new().await;
    let client = server.client();
    let setup = vec![reserved("u1", "Una"), reserved("u2", "Ugo")];
    let id = client.new_table(v1::CreateTableRequest { seats: setup, ..gap(2) }).await;
    for name in ["u1", "u2"] {
        client.join_table(user(&id, name)).await.unwrap();
    }
    client.cancel_table(cancel(&id)).await.unwrap();
    let rotated = v1::RematchRequest { rotate_seats: true, ..rematch(&id) };
    let new = client.rematch(rotated).await.unwrap().table.unwrap().table_id;
    assert_eq!(seats(&client, &new).await, ["reserved u2/Ugo", "reserved u1/Una"]);
    assert_eq!(client.join_table(user(&new, "u1")).await.unwrap().seat, 1);
    assert_eq!(client.join_table(user(&new, "u1")).await.unwrap().seat, 1, "the seat that the user holds");
    // A rematch of a rematch is a third table.
    client.cancel_table(cancel(&new)).await.unwrap();
    let third = client.rematch(rematch(&new)).await.unwrap().table.unwrap();
    assert_eq!(third.rematch_of, new);
}

#[tokio::test]
async fn late_and_resumed_viewers_receive_the_rematch() {
    let server = TestServer::new().await;
    let client = server.client();
    let (id, _) = three_player_table(&client, |request| request).await;
    client.cancel_table(cancel(&id)).await.unwrap();
    let mut early = PlayStream::open_attached(&client, 1, with_wants(ALL_WANTS, spectate(&id))).await;
    let number = early.reader.snapshot(1).await.number;
    let new = client.rematch(rematch(&id)).await.unwrap().table.unwrap().table_id;
    let mut late = PlayStream::open_attached(&client, 1, with_wants(ALL_WANTS, spectate(&id))).await;
    late.reader.snapshot(1).await;
    let mut resumed =
        PlayStream::open_attached(&client, 1, resume_after(number, with_wants(ALL_WANTS, spectate(&id))))
            .await;
    for stream in [&mut early, &mut late, &mut resumed] {
        let update = stream.reader.update(1).await;
        let made = v1::RematchMade { table_id: new.clone() };
        assert_eq!((update.number, &update.table_events[0].event), (number + 1, &Some(Event::Rematch(made))));
        assert_eq!(stream.reader.closed(1).await.number, number + 1);
    }
    // Resuming after the last update closes the channel without an error.
    let mut done =
        PlayStream::open_attached(&client, 1, resume_after(number + 1, with_wants(ALL_WANTS, spectate(&id))))
            .await;
    assert_eq!(done.reader.closed(1).await.reason(), Reason::Unspecified);
}

/// One table, whose players want another one at once, again and again.
#[tokio::test]
async fn chain_of_rematches_by_players_is_rate_limited() {
    let server = TestServer::new().await;
    let (owner, anyone) = (server.client(), server.client());
    let mut seated = owner.new_seated_table(gap(2)).await;
    for chained in 0..3 {
        for token in &seated.tokens {
            anyone.resign_seat(resign(token)).await.unwrap();
        }
        wait_until("the end", async || owner.table(&seated.id).await.result.is_some()).await;
        let asked = v1::RematchRequest { seat_token: seated.tokens[0].clone(), ..rematch(&seated.id) };
        if chained > 0 {
            let refused = anyone.rematch(asked.clone()).await.expect_err("a rematch of a new rematch");
            assert_eq!((refused.reason, refused.retry), (Reason::RateLimited, Some(ms(1_000))));
            server.advance(ms(1_000));
        }
        let new = anyone.rematch(asked.clone()).await.unwrap().table.unwrap().table_id;
        let repeated = anyone.rematch(asked).await.unwrap().table.unwrap().table_id;
        assert_eq!(repeated, new, "a repeat is not limited");
        let mut tokens = Vec::new();
        for token in &seated.tokens {
            let join = v1::JoinTableRequest { previous_token: token.clone(), ..join(&new) };
            tokens.push(anyone.join_table(join).await.unwrap().seat_token);
        }
        seated = SeatedTable { id: new, tokens };
    }
    // The owner is limited by its key and its quota.
    owner.cancel_table(cancel(&seated.id)).await.unwrap();
    owner.rematch(rematch(&seated.id)).await.unwrap();
}
