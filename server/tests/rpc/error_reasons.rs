//! One case for every error reason, so that none in error.proto is unused.

use std::{future::Future, pin::Pin};

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::{
    config::{Count, RetentionPeriod, Size, Span},
    identity::Scope,
};
use parlor_store::LogError;

use crate::agent_client::{AgentClient, hello};
use crate::agents::for_agents;
use crate::client::{Client, error_reason};
use crate::faulty_log::{FaultyLog, damaged_error, io_error};
use crate::streams::{
    PlayStream, answer_action, answer_index, attach_item, play_seat, resume_after, spectate,
};
use crate::table_requests::{
    accept, act, cancel, commit, delete, fresh, gap, get, house, join, new_invite, reissue, replace,
    reserved, resign_by_owner, reveal, revoke_invite, unknown_table_id,
};
use crate::test_server::{TestServer, api_key, ms, wait_until};
use crate::tournament_requests;

type Case = Pin<Box<dyn Future<Output = Reason>>>;

macro_rules! cases {
    ($($reason:ident: $case:expr;)*) => {
        vec![$((Reason::$reason, Box::pin(async { $case }) as Case)),*]
    };
}

/// A call that fails with each reason.
fn cases() -> Vec<(Reason, Case)> {
    cases! {
        InvalidField: {
            let server = TestServer::new().await;
            error_reason(server.client().create_table(v1::CreateTableRequest::default()).await)
        };
        Protocol: {
            let server = TestServer::new().await;
            let mut stream = PlayStream::open(&server.client()).await;
            stream.answer(1, answer_index(1, 0)).await.refusal.expect("a reason").reason()
        };
        CredentialsMissing: {
            let server = TestServer::with_keys([&api_key("anna", &[Scope::Tables])]).await;
            error_reason(server.client().create_table(gap(2)).await)
        };
        KeyInvalid: {
            let server = TestServer::with_keys([&api_key("anna", &[Scope::Tables])]).await;
            error_reason(server.client_with_key_text("plr_nobody").create_table(gap(2)).await)
        };
        TokenInvalid: {
            let server = TestServer::new().await;
            error_reason(server.client().act(act("pls_x", answer_index(1, 0))).await)
        };
        TokenExpired: {
            let server = TestServer::new().await;
            let seated = server.new_seated_table(gap(2)).await;
            server.client().reissue_seat_token(reissue(&seated.id, 0)).await.expect("a new token");
            error_reason(server.client().act(act(&seated.tokens[0], answer_index(1, 0))).await)
        };
        ScopeMissing: {
            let pia = api_key("pia", &[Scope::Play]);
            let server = TestServer::with_keys([&pia]).await;
            error_reason(server.client_with_key(&pia).create_table(gap(2)).await)
        };
        NotOwner: {
            let scopes = [Scope::Tables, Scope::SeededTables];
            let (anna, ben) = (api_key("anna", &scopes), api_key("ben", &scopes));
            let server = TestServer::with_keys([&anna, &ben]).await;
            let id = server.client_with_key(&anna).new_table(gap(2)).await;
            error_reason(server.client_with_key(&ben).cancel_table(cancel(&id)).await)
        };
        GameNotFound: {
            let asked = v1::GetRulesRequest { game: "chess".to_owned(), language: 0 };
            error_reason(TestServer::new().await.client().get_rules(asked).await)
        };
        TableNotFound: {
            let server = TestServer::new().await;
            error_reason(server.client().get_table(get(&unknown_table_id())).await)
        };
        SeatNotFound: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            error_reason(client.join_table(v1::JoinTableRequest { seat: Some(4), ..join(&id) }).await)
        };
        HouseBotNotFound: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            error_reason(client.replace_seat(replace(&id, 0, "deep blue")).await)
        };
        DecisionNotFound: {
            let server = TestServer::new().await;
            let seated = server.new_seated_table(gap(2)).await;
            refusal_reason(&server, &seated.tokens[0], answer_index(2, 0)).await
        };
        RequestIdReused: {
            let server = TestServer::new().await;
            let client = server.client();
            let request = v1::CreateTableRequest { request_id: "one".to_owned(), ..gap(2) };
            client.new_table(request.clone()).await;
            let different = v1::CreateTableRequest { fill_ms: Some(5_000), ..request };
            error_reason(client.create_table(different).await)
        };
        NoSeatFree: {
            let server = TestServer::new().await;
            let client = server.client();
            let seats = vec![reserved("u1", ""), house("random")];
            let id = client.new_table(v1::CreateTableRequest { seats, ..gap(2) }).await;
            error_reason(client.join_table(join(&id)).await)
        };
        SeatTaken: {
            let server = TestServer::new().await;
            let client = server.client();
            let seats = vec![house("random"), crate::table_requests::open()];
            let id = client.new_table(v1::CreateTableRequest { seats, ..gap(2) }).await;
            error_reason(client.join_table(v1::JoinTableRequest { seat: Some(0), ..join(&id) }).await)
        };
        TableNotStarted: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            error_reason(client.resign_seat(resign_by_owner(&id, 0)).await)
        };
        TableStarted: {
            let server = TestServer::new().await;
            let seated = server.new_seated_table(gap(2)).await;
            error_reason(server.client().join_table(join(&seated.id)).await)
        };
        TableOver: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            client.cancel_table(cancel(&id)).await.expect("a cancelled table");
            error_reason(client.join_table(join(&id)).await)
        };
        TableNotOver: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            error_reason(client.delete_table(delete(&id)).await)
        };
        IllegalAction: {
            let server = TestServer::new().await;
            let seated = server.new_seated_table(gap(2)).await;
            refusal_reason(&server, &seated.tokens[0], answer_index(1, 1_000)).await
        };
        DecidedOtherwise: {
            let server = TestServer::new().await;
            let seated = server.new_seated_table(gap(2)).await;
            let attach = play_seat(&seated.tokens[0]);
            let mut stream = PlayStream::open_attached(&server.client(), 1, attach).await;
            let other = stream.reader.decision(1).await.legal_actions[1].clone();
            stream.answer(1, answer_index(1, 0)).await;
            refusal_reason(&server, &seated.tokens[0], answer_action(1, other)).await
        };
        CursorTooOld: {
            let minute = RetentionPeriod::For(Span::from_ms(60_000));
            let server = TestServer::with_settings(|settings| settings.retention.finished = minute).await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            client.cancel_table(cancel(&id)).await.expect("a cancelled table");
            server.advance_to_deadline(ms(600_000)).await;
            server.advance_to(ms(600_000));
            wait_until("retention", async || client.get_table(get(&id)).await.is_err()).await;
            match client.follow_tables(Some(1)).await {
                Err(refused) => refused.reason,
                Ok(mut news) => news.error().await.reason,
            }
        };
        CursorAhead: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            let mut stream = PlayStream::open_attached(&client, 1, resume_after(1, spectate(&id))).await;
            stream.reader.closed(1).await.reason()
        };
        TableDamaged: {
            let log = FaultyLog::new();
            let server = TestServer::with_log(log.clone(), |_| {}).await;
            let id = server.client().new_table(gap(2)).await;
            server.client().cancel_table(cancel(&id)).await.expect("a cancelled table");
            log.fail_reads(damaged_error());
            error_reason(server.client().get_table(get(&id)).await)
        };
        RateLimited: {
            let server = TestServer::with_settings(|settings| {
                settings.limits.requests_per_second = Count::new(1);
                settings.limits.request_burst = Count::new(1);
            })
            .await;
            server.client().list_games(v1::ListGamesRequest {}).await.expect("a request within the rate");
            error_reason(server.client().list_games(v1::ListGamesRequest {}).await)
        };
        TooManyTables: {
            let one = Count::new(1);
            let server = TestServer::with_settings(|settings| settings.limits.tables_per_key = one).await;
            server.client().new_table(gap(2)).await;
            error_reason(server.client().create_table(gap(2)).await)
        };
        TooManyStreams: {
            let one = Count::new(1);
            let server = TestServer::with_settings(|settings| settings.limits.streams_per_connection = one).await;
            let client = server.client();
            let _one = PlayStream::open(&client).await;
            error_reason(PlayStream::try_open(&client).await)
        };
        MessageTooLarge: {
            let server = TestServer::with_settings(|settings| {
                settings.limits.message_bytes = Size::from_kib(64);
                settings.limits.batch_bytes = Size::from_kib(64);
            })
            .await;
            error_reason(server.client().get_table(get(&"x".repeat(70_000))).await)
        };
        TooSlow: crate::reader_limits::slow_reader_reason().await;
        StoreUnavailable: {
            let log = FaultyLog::new();
            let server = TestServer::with_log(log.clone(), |_| {}).await;
            log.fail_appends(io_error());
            error_reason(server.client().create_table(gap(2)).await)
        };
        ServerStopping: {
            let server = TestServer::new().await;
            let mut stream = PlayStream::open(&server.client()).await;
            let shutdown = server.begin_shutdown();
            let ending = stream.reader.ending().await.expect("a graceful end").expect("a reason");
            shutdown.await.expect("the shutdown task");
            ending.reason()
        };
        ServerFault: {
            let log = FaultyLog::new();
            let server = TestServer::with_log(log.clone(), |_| {}).await;
            log.fail_appends(LogError::Invalid { what: "this", allowed: "that" });
            error_reason(server.client().create_table(gap(2)).await)
        };
        SeatVacant: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            error_reason(client.reissue_seat_token(reissue(&id, 0)).await)
        };
        AgentNotFound: {
            let server = TestServer::new().await;
            error_reason(server.client().create_table(for_agents(&["ann", "ann"])).await)
        };
        AgentUnavailable: {
            let server = TestServer::new().await;
            let other_game = v1::AgentHello { games: vec!["five_three_five".to_owned()], ..hello("ann") };
            let _ann = AgentClient::connect(&server.client(), other_game).await;
            error_reason(server.client().create_table(for_agents(&["ann", "ann"])).await)
        };
        AgentNameTaken: {
            let server = TestServer::new().await;
            let _ann = AgentClient::connect(&server.client(), hello("ann")).await;
            let other = v1::AgentHello { agent_key: vec![8; 16], ..hello("ann") };
            error_reason(AgentClient::try_connect(&server.client(), other).await.map(drop))
        };
        AgentReplaced: {
            let server = TestServer::new().await;
            let mut ann = AgentClient::connect(&server.client(), hello("ann")).await;
            let _again = AgentClient::connect(&server.client(), hello("ann")).await;
            ann.reader.ending().await.expect("a graceful end").expect("a reason").reason()
        };
        TournamentNotFound: {
            let server = TestServer::new().await;
            let request = tournament_requests::get(&unknown_table_id());
            error_reason(server.client().get_tournament(request).await)
        };
        TournamentState: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = unstarted_tournament(&client).await;
            error_reason(client.pause_tournament(tournament_requests::pause(&id)).await)
        };
        EntrantNotFound: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = unstarted_tournament(&client).await;
            error_reason(client.withdraw_entrant(tournament_requests::withdraw(&id, 2)).await)
        };
        GroupNotFound: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = unstarted_tournament(&client).await;
            error_reason(client.void_group(tournament_requests::void(&id, 9, "why")).await)
        };
        DealNotOver: {
            let server = TestServer::new().await;
            let client = server.client();
            let mut ann = AgentClient::connect(&client, hello("ann")).await;
            let entrants = vec![tournament_requests::agent("ann"), tournament_requests::house("random")];
            let setup = tournament_requests::setup(GameId::Gap, &[], tournament_requests::round_robin(1));
            client.start_new_tournament(v1::TournamentSetup { entrants, ..setup }).await;
            let (_, given) = ann.next_seat().await;
            let mut stream = PlayStream::open(&client).await;
            stream.send(vec![attach_item(1, spectate(&given.table_id))]).await;
            stream.reader.closed(1).await.reason()
        };
        EntropyMismatch: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(fresh(gap(2))).await;
            let joined = client.join_table(commit(&id, &[1; 32])).await.expect("a seat");
            error_reason(client.reveal_entropy(reveal(&joined.seat_token, &[2; 32])).await)
        };
        InviteNotFound: {
            let server = TestServer::new().await;
            let id = server.client().new_table(gap(2)).await;
            error_reason(server.client().revoke_invite(revoke_invite(&id, 1)).await)
        };
        InviteRevoked: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            let invite = client.create_invite(new_invite(&id)).await.expect("an invite");
            client.revoke_invite(revoke_invite(&id, 1)).await.expect("an accepted request");
            error_reason(client.join_table(accept(&invite.secret)).await)
        };
        InviteExpired: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            let short = v1::CreateInviteRequest { valid_ms: Some(1_000), ..new_invite(&id) };
            let invite = client.create_invite(short).await.expect("an invite");
            server.advance(ms(1_000));
            error_reason(client.join_table(accept(&invite.secret)).await)
        };
        InviteSpent: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(3)).await;
            let invite = client.create_invite(new_invite(&id)).await.expect("an invite");
            client.join_table(accept(&invite.secret)).await.expect("a seat");
            error_reason(client.join_table(accept(&invite.secret)).await)
        };
        TooManyInvites: {
            let server = TestServer::new().await;
            let client = server.client();
            let id = client.new_table(gap(2)).await;
            for _ in 0..64 {
                client.create_invite(new_invite(&id)).await.expect("an invite");
            }
            error_reason(client.create_invite(new_invite(&id)).await)
        };
    }
}

/// Creates a tournament without starting it.
async fn unstarted_tournament(client: &Client) -> String {
    client
        .new_tournament(tournament_requests::setup(
            GameId::Gap,
            &["random", "greedy"],
            tournament_requests::round_robin(1),
        ))
        .await
}

/// The reason of a refused answer.
async fn refusal_reason(server: &TestServer, token: &str, answer: v1::Answer) -> Reason {
    let answered =
        server.client().act(act(token, answer)).await.expect("an answer").answered.expect("an answer");
    answered.refusal.expect("a reason").reason()
}

#[tokio::test]
async fn every_error_reason_can_occur() {
    let cases = cases();
    let known = (1..).map_while(|number| Reason::try_from(number).ok());
    let covered: Vec<Reason> = cases.iter().map(|(reason, _)| *reason).collect();
    assert!(known.into_iter().eq(covered), "a case for every reason, in the order of error.proto");
    for (reason, case) in cases {
        assert_eq!(case.await, reason);
    }
}
