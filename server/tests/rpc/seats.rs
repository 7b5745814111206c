//! Seats: open ones, those kept for somebody, bots, and what becomes of a seat while the game goes on.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, SeatFinish, table_event::Event, table_seat::Occupant};
use parlor_server::identity::Scope;

use crate::client::{Caller, why};
use crate::streams::{EVERYTHING, Line, after, attaching, index, rail, seat, wanting};
use crate::table_requests::{
    cancel, gap, house, join, open, private, rematch, replace, reserved, resign, resign_at, table,
};
use crate::test_server::{Scene, key};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

fn user(table: &str, user: &str) -> v1::JoinTableRequest {
    v1::JoinTableRequest { user_id: user.to_owned(), ..join(table) }
}

fn at(table: &str, seat: u32) -> v1::JoinTableRequest {
    v1::JoinTableRequest { seat: Some(seat), ..join(table) }
}

/// The seats of a table in a few letters: who has them.
async fn seats(caller: &Caller, table: &str) -> Vec<String> {
    let letter = |seat: v1::TableSeat| match seat.occupant.expect("an occupant") {
        Occupant::Open(_) => "open".to_owned(),
        Occupant::HouseBot(bot) => format!("bot {}", bot.name),
        Occupant::Agent(agent) => format!("agent {} {}", agent.name, agent.version),
        Occupant::Reserved(kept) => format!("kept {}/{}", kept.user_id, kept.display_name),
        Occupant::Player(player) => format!("player {}/{}", player.user_id, player.display_name),
    };
    caller.look(table).await.seats.into_iter().map(letter).collect()
}

#[tokio::test]
async fn seats_go_to_those_they_are_for() {
    let (anna, pia) = (key("anna", OWNER), key("pia", &[Scope::Play]));
    let scene = Scene::with_keys([&anna, &pia]).await;
    let (owner, player) = (scene.holder(&anna), scene.holder(&pia));
    let setup = vec![reserved("u1", "Una"), open(), house("greedy"), reserved("u2", ""), open(), open()];
    let id = owner.make(v1::CreateTableRequest { seats: setup, ..gap(6) }).await;
    assert_eq!(seats(&owner, &id).await, ["kept u1/Una", "open", "bot greedy", "kept u2/", "open", "open"]);

    assert_eq!(why(player.join_table(at(&id, 0)).await), Reason::SeatTaken, "kept for somebody else");
    assert_eq!(why(player.join_table(at(&id, 2)).await), Reason::SeatTaken, "a bot's");
    let named = v1::JoinTableRequest { display_name: "Pia".to_owned(), ..at(&id, 4) };
    assert_eq!(player.join_table(named).await.unwrap().seat, 4);
    assert_eq!(why(player.join_table(at(&id, 4)).await), Reason::SeatTaken);
    for nowhere in [6, 7, 255, u32::MAX] {
        let told = player.join_table(at(&id, nowhere)).await.expect_err("no such seat");
        assert!(matches!(told.reason, Reason::SeatNotFound | Reason::InvalidField), "{nowhere}: {told:?}");
    }
    assert_eq!(player.join_table(join(&id)).await.unwrap().seat, 1, "the first that is open");
    // The owner seats its users: each on the seat that is kept, and others where there is room.
    let second = v1::JoinTableRequest { display_name: "Ugo".to_owned(), ..user(&id, "u2") };
    assert_eq!(owner.join_table(second).await.unwrap().seat, 3);
    assert_eq!(owner.join_table(user(&id, "u3")).await.unwrap().seat, 5);
    assert_eq!(why(player.join_table(join(&id)).await), Reason::NoSeatFree, "one is left, and it is kept");
    assert_eq!(why(owner.join_table(user(&id, "u4")).await), Reason::NoSeatFree);
    assert_eq!(owner.look(&id).await.state(), v1::TableState::Open);
    let last = owner.join_table(user(&id, "u1")).await.unwrap();
    assert_eq!((last.seat, last.table.unwrap().state()), (0, v1::TableState::Playing));
    let expected = ["player u1/Una", "player /", "bot greedy", "player u2/Ugo", "player /Pia", "player u3/"];
    assert_eq!(seats(&owner, &id).await, expected);
    assert_eq!(why(player.join_table(join(&id)).await), Reason::TableStarted);
    owner.cancel_table(cancel(&id)).await.unwrap();
    assert_eq!(why(player.join_table(join(&id)).await), Reason::TableOver);
}

#[tokio::test]
async fn a_seat_that_a_table_has_not_is_not_found() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let id = caller.make(gap(2)).await;
    assert_eq!(why(caller.join_table(at(&id, 3)).await), Reason::SeatNotFound);
    assert_eq!(why(caller.replace_seat(replace(&id, 3, "random")).await), Reason::SeatNotFound);
    assert_eq!(
        why(caller.reissue_seat_token(crate::table_requests::reissue(&id, 3)).await),
        Reason::SeatNotFound
    );
    assert_eq!(why(caller.resign_seat(resign_at(&id, 3)).await), Reason::SeatNotFound);
}

#[tokio::test]
async fn bots_fill_a_table_and_play_it() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    for game in GameId::ALL {
        let bots = caller.list_house_bots(v1::ListHouseBotsRequest { game: game.info().id.to_owned() }).await;
        for bot in bots.unwrap().bots.into_iter().filter(|bot| bot.name != "search") {
            let setup = vec![house(&bot.name), house(&bot.name)];
            let id = caller.make(v1::CreateTableRequest { seats: setup, ..table(*game, 2) }).await;
            let mut guest = Line::attached(&caller, 1, after(0, rail(&id))).await;
            let result = guest.heard.over(1).await.result.expect("a result");
            assert_eq!(result.reason(), v1::EndReason::PlayedOut, "{game:?} {}", bot.name);
            assert_eq!(guest.heard.closed(1).await.reason(), Reason::Unspecified);
        }
    }
}

#[tokio::test]
async fn a_bot_takes_over_in_the_middle_of_the_game() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = scene.seat_all(gap(2)).await;
    let mut line = Line::open(&caller).await;
    line.say(vec![attaching(0, seat(&seated.tokens[0])), attaching(1, seat(&seated.tokens[1]))]).await;
    let decision = line.heard.decision(0).await;
    let table = caller.replace_seat(replace(&seated.id, 0, "random")).await.unwrap().table.unwrap();
    assert!(matches!(table.seats[0].occupant, Some(Occupant::HouseBot(_))));
    let told = line.heard.event(1, |event| match event {
        Event::SeatReplaced(replaced) => replaced.seat.clone(),
        _ => None,
    });
    assert_eq!(told.await.seat, 0);
    assert_eq!(
        why(caller.act(crate::table_requests::act(&seated.tokens[0], index(decision.id, 0))).await),
        Reason::TokenExpired
    );
    // Seat 1 plays on against the bot, to the end.
    let player = tokio::spawn({
        let (caller, attach) = (caller.clone(), wanting(crate::players::VIEWS, seat(&seated.tokens[1])));
        async move { crate::players::play(&caller, attach, crate::players::whim(1)).await }
    });
    let seen = player.await.unwrap();
    seen.check();
    let result = seen.over().result.expect("a result");
    assert_eq!(result.reason(), v1::EndReason::PlayedOut);
    assert!(result.seats.iter().all(|seat| seat.finish() == SeatFinish::PlayedOut));
    assert_eq!(why(caller.replace_seat(replace(&seated.id, 1, "random")).await), Reason::TableOver);
}

#[tokio::test]
async fn a_bot_can_take_any_seat_before_the_game_too() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let setup = vec![open(), reserved("u1", ""), open()];
    let id = caller.make(v1::CreateTableRequest { seats: setup, ..gap(3) }).await;
    let joined = caller.join_table(at(&id, 2)).await.unwrap();
    caller.replace_seat(replace(&id, 0, "random")).await.unwrap();
    assert_eq!(why(caller.replace_seat(replace(&id, 0, "greedy")).await), Reason::SeatTaken, "a bot has it");
    assert_eq!(why(caller.replace_seat(replace(&id, 1, "deep blue")).await), Reason::HouseBotNotFound);
    let none = v1::ReplaceSeatRequest { house_bot: None, ..replace(&id, 1, "") };
    assert_eq!(why(caller.replace_seat(none).await), Reason::InvalidField);
    let table = caller.replace_seat(replace(&id, 1, "random")).await.unwrap().table.unwrap();
    assert_eq!(table.state(), v1::TableState::Playing, "this was the last one");
    let mut line = Line::attached(&caller, 1, seat(&joined.seat_token)).await;
    line.heard.decision(1).await;
}

#[tokio::test]
async fn a_player_who_resigns_ranks_last() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = scene.seat_all(gap(3)).await;
    let mut line = Line::open(&caller).await;
    let all = (0..).zip(&seated.tokens).map(|(channel, token)| attaching(channel, seat(token)));
    line.say(all.collect()).await;
    let decision = line.heard.decision(0).await;
    caller.resign_seat(resign(&seated.tokens[0])).await.unwrap();
    caller.resign_seat(resign(&seated.tokens[0])).await.expect("now or before");
    caller.resign_seat(resign_at(&seated.id, 0)).await.expect("now or before");
    // The house plays what was open, and all that comes.
    let update = line.heard.update(0).await;
    let forfeited = v1::SeatForfeited { seat: 0, why: SeatFinish::Resigned.into() };
    assert_eq!(update.table_events[0].event, Some(Event::SeatForfeited(forfeited)));
    let made = line.heard.update(0).await.decided.expect("what was open is decided");
    assert_eq!((made.decision_id, made.by()), (decision.id, v1::DecidedBy::Forfeit));
    assert_eq!(made.index, decision.default_index);
    assert_eq!(caller.look(&seated.id).await.seats[0].forfeited(), SeatFinish::Resigned);
    // The owner takes another one off.
    caller.resign_seat(resign_at(&seated.id, 2)).await.unwrap();
    while caller.look(&seated.id).await.result.is_none() {
        let decision = line.heard.decision(1).await;
        line.answer(1, index(decision.id, 0)).await;
    }
    let result = caller.look(&seated.id).await.result.expect("a result");
    let places: Vec<_> = result.seats.iter().map(|seat| (seat.place, seat.finish())).collect();
    assert_eq!(places, [(2, SeatFinish::Resigned), (1, SeatFinish::PlayedOut), (2, SeatFinish::Resigned)]);
    assert!(caller.resign_seat(resign(&seated.tokens[0])).await.is_ok(), "it is still so");
    assert_eq!(why(caller.resign_seat(resign(&seated.tokens[1])).await), Reason::TableOver);
}

#[tokio::test]
async fn only_a_player_of_a_game_can_resign() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let id = caller.make(v1::CreateTableRequest { seats: vec![open(), house("random")], ..gap(2) }).await;
    assert_eq!(why(caller.resign_seat(resign_at(&id, 1)).await), Reason::TableNotStarted);
    caller.join_table(join(&id)).await.unwrap();
    assert_eq!(
        why(caller.resign_seat(resign_at(&id, 1)).await),
        Reason::SeatTaken,
        "the house does not give up"
    );
    let nothing = v1::ResignSeatRequest { seat: None };
    assert_eq!(why(caller.resign_seat(nothing).await), Reason::InvalidField);
    assert_eq!(why(caller.resign_seat(resign("pls_x")).await), Reason::TokenInvalid);
}

/// A table of three that is over: two players and a bot.
async fn over(
    caller: &Caller,
    visible: impl Fn(v1::CreateTableRequest) -> v1::CreateTableRequest,
) -> (String, Vec<String>) {
    let setup = vec![open(), open(), house("greedy")];
    let metadata = [("room".to_owned(), "7".to_owned())].into();
    let request = v1::CreateTableRequest { seats: setup, metadata, ..crate::table_requests::fresh(gap(3)) };
    let seated = caller.seat_all(visible(request)).await;
    (seated.id, seated.tokens)
}

#[tokio::test]
async fn a_rematch_keeps_the_seats_for_the_same_players() {
    let anna = key("anna", &[Scope::Tables]);
    for rotate_seats in [false, true] {
        let scene = Scene::with_keys([&anna]).await;
        let (owner, anyone) = (scene.holder(&anna), scene.anyone());
        let (id, tokens) = over(&owner, private).await;
        let mut watching = Line::attached(&anyone, 1, wanting(EVERYTHING, seat(&tokens[1]))).await;
        watching.heard.snapshot(1).await;
        assert_eq!(why(owner.rematch(rematch(&id)).await), Reason::TableNotOver);
        owner.cancel_table(cancel(&id)).await.unwrap();
        // A player asks, with the token and nothing else.
        let asked = v1::RematchRequest { rotate_seats, seat_token: tokens[0].clone(), ..rematch(&id) };
        let new = anyone.rematch(asked).await.unwrap().table.unwrap();
        assert_eq!(owner.look(&id).await.rematch_table_id, new.table_id);
        assert_eq!((new.rematch_of.as_str(), new.visibility()), (id.as_str(), v1::Visibility::Private));
        let (before, after) = (owner.look(&id).await, owner.look(&new.table_id).await);
        assert_eq!(
            (&before.options, &before.clock, &before.metadata),
            (&after.options, &after.clock, &after.metadata)
        );
        assert_ne!(before.shuffle, after.shuffle, "new cards");
        let event = watching.heard.event(1, |event| match event {
            Event::Rematch(rematch) => Some(rematch.table_id.clone()),
            _ => None,
        });
        assert_eq!(event.await, new.table_id, "whoever waits for a rematch is told");
        assert_eq!(watching.heard.closed(1).await.reason(), Reason::Unspecified);
        // Everyone moves one seat to the left, if they are to.
        let moved = |seat: u32| if rotate_seats { (seat + 1) % 3 } else { seat };
        let bot = after.seats[moved(2) as usize].occupant.clone();
        assert!(matches!(bot, Some(Occupant::HouseBot(bot)) if bot.name == "greedy"));
        for old in [1, 0] {
            let previous =
                v1::JoinTableRequest { previous_token: tokens[old as usize].clone(), ..join(&new.table_id) };
            let joined = anyone.join_table(previous).await.unwrap();
            assert_eq!(joined.seat, moved(old), "rotate: {rotate_seats}");
        }
        assert_eq!(owner.look(&new.table_id).await.state(), v1::TableState::Playing);
        assert_eq!(why(anyone.rematch(rematch(&id)).await), Reason::CredentialsMissing);
    }
}

#[tokio::test]
async fn the_owner_seats_its_users_at_the_rematch() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let setup = vec![reserved("u1", "Una"), reserved("u2", "Ugo")];
    let id = caller.make(v1::CreateTableRequest { seats: setup, ..gap(2) }).await;
    for name in ["u1", "u2"] {
        caller.join_table(user(&id, name)).await.unwrap();
    }
    caller.cancel_table(cancel(&id)).await.unwrap();
    let rotated = v1::RematchRequest { rotate_seats: true, ..rematch(&id) };
    let new = caller.rematch(rotated).await.unwrap().table.unwrap().table_id;
    assert_eq!(seats(&caller, &new).await, ["kept u2/Ugo", "kept u1/Una"]);
    assert_eq!(caller.join_table(user(&new, "u1")).await.unwrap().seat, 1);
    assert_eq!(why(caller.join_table(user(&new, "u1")).await), Reason::NoSeatFree);
    // A rematch of a rematch is one more table.
    caller.cancel_table(cancel(&new)).await.unwrap();
    let third = caller.rematch(rematch(&new)).await.unwrap().table.unwrap();
    assert_eq!(third.rematch_of, new);
}

#[tokio::test]
async fn whoever_attaches_later_is_told_of_the_rematch_too() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let (id, _) = over(&caller, |request| request).await;
    caller.cancel_table(cancel(&id)).await.unwrap();
    let mut early = Line::attached(&caller, 1, wanting(EVERYTHING, rail(&id))).await;
    let number = early.heard.snapshot(1).await.number;
    let new = caller.rematch(rematch(&id)).await.unwrap().table.unwrap().table_id;
    let mut late = Line::attached(&caller, 1, wanting(EVERYTHING, rail(&id))).await;
    late.heard.snapshot(1).await;
    let mut resumed = Line::attached(&caller, 1, after(number, wanting(EVERYTHING, rail(&id)))).await;
    for line in [&mut early, &mut late, &mut resumed] {
        let update = line.heard.update(1).await;
        let told = v1::RematchMade { table_id: new.clone() };
        assert_eq!((update.number, &update.table_events[0].event), (number + 1, &Some(Event::Rematch(told))));
        assert_eq!(line.heard.closed(1).await.number, number + 1);
    }
    // Whoever has seen it all is told nothing more, and it is no loss of data.
    let mut done = Line::attached(&caller, 1, after(number + 1, wanting(EVERYTHING, rail(&id)))).await;
    assert_eq!(done.heard.closed(1).await.reason(), Reason::Unspecified);
}
