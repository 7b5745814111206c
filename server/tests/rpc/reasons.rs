//! Every reason for an error, brought about once, so that none is promised in vain.

use std::{future::Future, pin::Pin};

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::{config::{Count, RetentionPeriod, Size, Span}, identity::Scope};
use parlor_store::LogError;

use crate::agent::{Agent, hello};
use crate::agents::for_agents;
use crate::ask::{
    act, cancel, delete, gap, get, house, join, no_table, reissue, replace, reserved, resign_at,
};
use crate::caller::{Caller, why};
use crate::failing::{Failing, damage, no_disk};
use crate::line::{Line, action, after, attaching, index, rail, seat};
use crate::scene::{Scene, key, ms, until};
use crate::tournament;

type Case = Pin<Box<dyn Future<Output = Reason>>>;

macro_rules! cases {
    ($($reason:ident: $case:expr;)*) => {
        vec![$((Reason::$reason, Box::pin(async { $case }) as Case)),*]
    };
}

/// One way to each reason.
fn cases() -> Vec<(Reason, Case)> {
    cases! {
        InvalidField: why(Scene::new().await.anyone().create_table(v1::CreateTableRequest::default()).await);
        Protocol: {
            let scene = Scene::new().await;
            let mut line = Line::open(&scene.anyone()).await;
            line.answer(1, index(1, 0)).await.refusal.expect("a reason").reason()
        };
        CredentialsMissing: {
            let scene = Scene::with_keys([&key("anna", &[Scope::Tables])]).await;
            why(scene.anyone().create_table(gap(2)).await)
        };
        KeyInvalid: {
            let scene = Scene::with_keys([&key("anna", &[Scope::Tables])]).await;
            why(scene.claiming("plr_nobody").create_table(gap(2)).await)
        };
        TokenInvalid: why(Scene::new().await.anyone().act(act("pls_x", index(1, 0))).await);
        TokenExpired: {
            let scene = Scene::new().await;
            let seated = scene.seat_all(gap(2)).await;
            scene.anyone().reissue_seat_token(reissue(&seated.id, 0)).await.expect("a new token");
            why(scene.anyone().act(act(&seated.tokens[0], index(1, 0))).await)
        };
        ScopeMissing: {
            let pia = key("pia", &[Scope::Play]);
            let scene = Scene::with_keys([&pia]).await;
            why(scene.holder(&pia).create_table(gap(2)).await)
        };
        NotOwner: {
            let scopes = [Scope::Tables, Scope::SeededTables];
            let (anna, ben) = (key("anna", &scopes), key("ben", &scopes));
            let scene = Scene::with_keys([&anna, &ben]).await;
            let id = scene.holder(&anna).make(gap(2)).await;
            why(scene.holder(&ben).cancel_table(cancel(&id)).await)
        };
        GameNotFound: {
            let asked = v1::GetRulesRequest { game: "chess".to_owned(), language: 0 };
            why(Scene::new().await.anyone().get_rules(asked).await)
        };
        TableNotFound: why(Scene::new().await.anyone().get_table(get(&no_table())).await);
        SeatNotFound: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let id = caller.make(gap(2)).await;
            why(caller.join_table(v1::JoinTableRequest { seat: Some(4), ..join(&id) }).await)
        };
        HouseBotNotFound: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let id = caller.make(gap(2)).await;
            why(caller.replace_seat(replace(&id, 0, "deep blue")).await)
        };
        DecisionNotFound: {
            let scene = Scene::new().await;
            let seated = scene.seat_all(gap(2)).await;
            refused(&scene, &seated.tokens[0], index(2, 0)).await
        };
        RequestIdReused: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let request = v1::CreateTableRequest { request_id: "one".to_owned(), ..gap(2) };
            caller.make(request.clone()).await;
            why(caller.create_table(v1::CreateTableRequest { fill_ms: Some(5_000), ..request }).await)
        };
        NoSeatFree: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let seats = vec![reserved("u1", ""), house("random")];
            let id = caller.make(v1::CreateTableRequest { seats, ..gap(2) }).await;
            why(caller.join_table(join(&id)).await)
        };
        SeatTaken: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let id = caller.make(v1::CreateTableRequest { seats: vec![house("random"), crate::ask::open()], ..gap(2) }).await;
            why(caller.join_table(v1::JoinTableRequest { seat: Some(0), ..join(&id) }).await)
        };
        TableNotStarted: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let id = caller.make(gap(2)).await;
            why(caller.resign_seat(resign_at(&id, 0)).await)
        };
        TableStarted: {
            let scene = Scene::new().await;
            let seated = scene.seat_all(gap(2)).await;
            why(scene.anyone().join_table(join(&seated.id)).await)
        };
        TableOver: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let id = caller.make(gap(2)).await;
            caller.cancel_table(cancel(&id)).await.expect("it can be called off");
            why(caller.join_table(join(&id)).await)
        };
        TableNotOver: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let id = caller.make(gap(2)).await;
            why(caller.delete_table(delete(&id)).await)
        };
        IllegalAction: {
            let scene = Scene::new().await;
            let seated = scene.seat_all(gap(2)).await;
            refused(&scene, &seated.tokens[0], index(1, 1_000)).await
        };
        DecidedOtherwise: {
            let scene = Scene::new().await;
            let seated = scene.seat_all(gap(2)).await;
            let mut line = Line::attached(&scene.anyone(), 1, seat(&seated.tokens[0])).await;
            let other = line.heard.decision(1).await.legal_actions[1].clone();
            line.answer(1, index(1, 0)).await;
            refused(&scene, &seated.tokens[0], action(1, other)).await
        };
        CursorTooOld: {
            let scene = Scene::with(|settings| settings.retention.finished = RetentionPeriod::For(Span::from_ms(60_000))).await;
            let caller = scene.anyone();
            let id = caller.make(gap(2)).await;
            caller.cancel_table(cancel(&id)).await.expect("it can be called off");
            scene.sleeps_until(ms(600_000)).await;
            scene.advance_to(ms(600_000));
            until("retention", async || caller.get_table(get(&id)).await.is_err()).await;
            match caller.follow_tables(Some(1)).await {
                Err(refused) => refused.reason,
                Ok(mut news) => news.refused().await.reason,
            }
        };
        CursorAhead: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let id = caller.make(gap(2)).await;
            let mut line = Line::attached(&caller, 1, after(1, rail(&id))).await;
            line.heard.closed(1).await.reason()
        };
        TableDamaged: {
            let log = Failing::new();
            let scene = Scene::on(log.clone(), |_| {}).await;
            let id = scene.anyone().make(gap(2)).await;
            scene.anyone().cancel_table(cancel(&id)).await.expect("it can be called off");
            log.spoil_reads(damage());
            why(scene.anyone().get_table(get(&id)).await)
        };
        RateLimited: {
            let scene = Scene::with(|settings| {
                settings.limits.requests_per_second = Count::new(1);
                settings.limits.request_burst = Count::new(1);
            })
            .await;
            scene.anyone().list_games(v1::ListGamesRequest {}).await.expect("the first one");
            why(scene.anyone().list_games(v1::ListGamesRequest {}).await)
        };
        TooManyTables: {
            let scene = Scene::with(|settings| settings.limits.tables_per_key = Count::new(1)).await;
            scene.anyone().make(gap(2)).await;
            why(scene.anyone().create_table(gap(2)).await)
        };
        TooManyStreams: {
            let scene = Scene::with(|settings| settings.limits.streams_per_connection = Count::new(1)).await;
            let caller = scene.anyone();
            let _one = Line::open(&caller).await;
            why(Line::try_open(&caller).await)
        };
        MessageTooLarge: {
            let scene = Scene::with(|settings| {
                settings.limits.message_bytes = Size::from_kib(64);
                settings.limits.batch_bytes = Size::from_kib(64);
            })
            .await;
            why(scene.anyone().get_table(get(&"x".repeat(70_000))).await)
        };
        TooSlow: crate::limits::cut_off().await;
        StoreUnavailable: {
            let log = Failing::new();
            let scene = Scene::on(log.clone(), |_| {}).await;
            log.fail(no_disk());
            why(scene.anyone().create_table(gap(2)).await)
        };
        ServerStopping: {
            let scene = Scene::new().await;
            let mut line = Line::open(&scene.anyone()).await;
            let stopped = scene.stopping();
            let ending = line.heard.ending().await.expect("an end in good order").expect("a reason");
            stopped.await.expect("an end");
            ending.reason()
        };
        ServerFault: {
            let log = Failing::new();
            let scene = Scene::on(log.clone(), |_| {}).await;
            log.fail(LogError::Invalid { what: "this", allowed: "that" });
            why(scene.anyone().create_table(gap(2)).await)
        };
        SeatVacant: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let id = caller.make(gap(2)).await;
            why(caller.reissue_seat_token(reissue(&id, 0)).await)
        };
        AgentNotFound: why(Scene::new().await.anyone().create_table(for_agents(&["ann", "ann"])).await);
        AgentUnavailable: {
            let scene = Scene::new().await;
            let other_game = v1::AgentHello { games: vec!["flush".to_owned()], ..hello("ann") };
            let _ann = Agent::connect(&scene.anyone(), other_game).await;
            why(scene.anyone().create_table(for_agents(&["ann", "ann"])).await)
        };
        AgentNameTaken: {
            let scene = Scene::new().await;
            let _ann = Agent::connect(&scene.anyone(), hello("ann")).await;
            let other = v1::AgentHello { agent_key: vec![8; 16], ..hello("ann") };
            why(Agent::try_connect(&scene.anyone(), other).await.map(drop))
        };
        AgentReplaced: {
            let scene = Scene::new().await;
            let mut ann = Agent::connect(&scene.anyone(), hello("ann")).await;
            let _again = Agent::connect(&scene.anyone(), hello("ann")).await;
            ann.heard.ending().await.expect("an end in good order").expect("a reason").reason()
        };
        TournamentNotFound: {
            why(Scene::new().await.anyone().get_tournament(tournament::get(&no_table())).await)
        };
        TournamentState: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            why(caller.pause_tournament(tournament::pause(&cup(&caller).await)).await)
        };
        EntrantNotFound: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            why(caller.withdraw_entrant(tournament::withdraw(&cup(&caller).await, 2)).await)
        };
        GroupNotFound: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            why(caller.void_group(tournament::void(&cup(&caller).await, 9, "why")).await)
        };
        DealNotOver: {
            let scene = Scene::new().await;
            let caller = scene.anyone();
            let mut ann = Agent::connect(&caller, hello("ann")).await;
            let entrants = vec![tournament::agent("ann"), tournament::house("random")];
            let setup = tournament::setup(GameId::Gap, &[], tournament::round_robin(1));
            caller.begin(v1::TournamentSetup { entrants, ..setup }).await;
            let (_, given) = ann.given().await;
            let mut line = Line::open(&caller).await;
            line.say(vec![attaching(1, rail(&given.table_id))]).await;
            line.heard.closed(1).await.reason()
        };
    }
}

/// A tournament that is not started.
async fn cup(caller: &Caller) -> String {
    caller.made(tournament::setup(GameId::Gap, &["random", "greedy"], tournament::round_robin(1))).await
}

/// Why an answer is refused, which it is.
async fn refused(scene: &Scene, token: &str, answer: v1::Answer) -> Reason {
    let answered =
        scene.anyone().act(act(token, answer)).await.expect("an answer").answered.expect("an answer");
    answered.refusal.expect("a reason").reason()
}

#[tokio::test]
async fn every_reason_can_be_met() {
    let cases = cases();
    let known = (1..).map_while(|number| Reason::try_from(number).ok());
    let covered: Vec<Reason> = cases.iter().map(|(reason, _)| *reason).collect();
    assert!(known.into_iter().eq(covered), "a case for every reason, in the order of error.proto");
    for (reason, case) in cases {
        assert_eq!(case.await, reason);
    }
}
