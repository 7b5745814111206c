//! Every call, and its errors.

use std::time::Duration;

use futures_util::TryStreamExt;
use parlor_engine::GameId;
use parlor_sdk::{
    AcceptedAnswer, Event, JoinTable, NewInvite, NewTable, Reason, ResignTarget, SeatToken, TableFilter,
    options, wire,
};
use wire::TableState;

use super::test_server::TestServer;
use super::with_timeout;

fn gap() -> NewTable {
    NewTable::new("gap").without_clock()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn catalogue_lists_games_rules_and_house_bots() {
    let server = TestServer::start().await;
    let client = server.client().await;
    let games = with_timeout(client.games()).await.unwrap();
    let ids: Vec<&str> = games.iter().map(|game| game.game.as_str()).collect();
    assert_eq!(ids, GameId::ALL.iter().map(|game| game.info().id).collect::<Vec<_>>());
    for game in &games {
        options::default_for(&game.game).unwrap();
        let german = with_timeout(client.rules(&game.game, wire::Language::German)).await.unwrap();
        assert_eq!(german.language(), wire::Language::German);
        assert!(german.markdown.len() > 100);
    }
    let bots = with_timeout(client.house_bots("gap")).await.unwrap();
    assert_eq!(bots, with_timeout(client.all_house_bots()).await.unwrap());
    assert!(bots.iter().any(|bot| bot.name == "greedy"));
    let enums = with_timeout(client.enum_texts()).await.unwrap();
    assert!(enums.iter().any(|one| one.name == "SeatFinish" && one.values.len() == 5));
    let error = with_timeout(client.rules("chess", wire::Language::English)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::GameNotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invites_are_created_accepted_listed_and_revoked() {
    let server = TestServer::start().await;
    let client = server.client().await;
    let new = gap().open_seat().open_seat().private();
    let id = with_timeout(client.create_table(new)).await.unwrap().table_id;
    let invite = NewInvite::new(&id).uses(2).valid_for(Duration::from_secs(3600));
    let created = with_timeout(client.create_invite(invite)).await.unwrap();
    let seen = with_timeout(client.table_with_token("", created.secret.reveal())).await.unwrap();
    assert_eq!(seen.table_id, id);
    let join = JoinTable::invited(&created.secret).display_name("Gus");
    let joined = with_timeout(client.join_table(join)).await.unwrap();
    assert_eq!((joined.seat, joined.table.table_id.as_str()), (0, id.as_str()));
    with_timeout(client.revoke_invite(&id, created.invite.number)).await.unwrap();
    let listed = with_timeout(client.list_invites(&id)).await.unwrap();
    assert_eq!((listed.len(), listed[0].used, listed[0].revoked), (1, 1, true));
    let refused = with_timeout(client.join_table(JoinTable::invited(&created.secret))).await.unwrap_err();
    assert_eq!(refused.reason(), Reason::InviteRevoked);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn table_lifecycle_from_creation_to_deletion() {
    let server = TestServer::start().await;
    let client = server.client().await;
    let new = gap().reserved_seat("u1", "Ada").reserved_seat("u2", "Grace").metadata("league", "a").private();
    let table = with_timeout(client.create_table(new.clone().request_id("once"))).await.unwrap();
    let again = with_timeout(client.create_table(new.request_id("once"))).await.unwrap();
    assert_eq!(table.table_id, again.table_id, "create_table is idempotent by request id");
    assert_eq!((table.state(), table.owned), (TableState::Open, true));

    let mut tokens = Vec::new();
    for (seat, user) in ["u1", "u2"].into_iter().enumerate() {
        let joined = with_timeout(client.join_table(JoinTable::from(&table).user_id(user))).await.unwrap();
        assert_eq!(joined.seat as usize, seat);
        tokens.push(joined.token);
    }
    let id = table.table_id.as_str();
    assert_eq!(with_timeout(client.table(id)).await.unwrap().state(), TableState::Playing);
    assert_eq!(with_timeout(client.table_with_token(id, tokens[0].reveal())).await.unwrap().table_id, id);

    let token = with_timeout(client.create_spectator_token(id, false)).await.unwrap();
    let session = client.session();
    let mut spectator = with_timeout(session.watch_private(token)).await.unwrap();
    let mut seat = with_timeout(session.seat(tokens[1].clone())).await.unwrap();
    assert_eq!((seat.number(), seat.table_id()), (1, id));

    // One decision by each way to answer.
    let mut first = with_timeout(session.seat(tokens[0].clone())).await.unwrap();
    let decision = with_timeout(first.next_decision()).await.unwrap().unwrap();
    let error = with_timeout(decision.choose_index(9999)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::IllegalAction);
    let answered: AcceptedAnswer = with_timeout(decision.choose(&decision.legal_actions()[0])).await.unwrap();
    assert!(!answered.repeated && answered.action.as_ref() == decision.legal_actions().first());
    assert!(with_timeout(decision.choose_index(0)).await.unwrap().repeated);
    let decision = with_timeout(seat.next_decision()).await.unwrap().unwrap();
    with_timeout(client.act(&tokens[1], decision.id(), 0)).await.unwrap();
    if decision.legal_count() > 1 {
        let error = with_timeout(decision.choose_index(1)).await.unwrap_err();
        assert_eq!(error.reason(), Reason::DecidedOtherwise);
        assert_eq!(error.decided(), decision.legal_actions().first());
    }

    let error = with_timeout(client.delete_table(id)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TableNotOver);
    let cancelled = with_timeout(client.cancel_table(id, "rain")).await.unwrap();
    assert_eq!(cancelled.state(), TableState::Cancelled);
    while with_timeout(seat.next()).await.unwrap().is_some() {}
    while let Some(event) = with_timeout(spectator.next()).await.unwrap() {
        assert!(!matches!(event, Event::Decision(_)), "a spectator gets no decisions");
    }
    for result in [seat.result(), spectator.result()] {
        assert_eq!(
            result.map(|result| (result.reason(), result.note.as_str())),
            Some((wire::EndReason::Cancelled, "rain"))
        );
    }
    assert_eq!(
        (seat.table().state(), spectator.table().state()),
        (TableState::Cancelled, TableState::Cancelled)
    );

    let record = with_timeout(client.record(id)).await.unwrap();
    assert_eq!((record.table_id.as_str(), record.shuffles.len(), record.viewer), (id, 1, None));
    let decided: usize = record.steps.iter().map(|step| step.decided.len()).sum();
    assert_eq!(decided, 2);
    let own = wire::GetRecordRequest {
        table_id: id.into(),
        token: tokens[1].reveal().into(),
        ..Default::default()
    };
    let own = with_timeout(client.record_with(own)).await.unwrap();
    assert_eq!(
        (own.shuffles.len(), own.viewer),
        (0, Some(wire::Viewer { viewer: Some(wire::viewer::Viewer::Seat(1)) }))
    );
    let asked = wire::ReplayRequest { table_id: id.into(), ..Default::default() };
    let mut replay = client.replay(asked);
    let mut steps = Vec::new();
    while let Some(step) = with_timeout(replay.next()).await.unwrap() {
        steps.push(step);
    }
    assert_eq!(replay.step_count(), Some(steps.len() as u32));
    let shown: usize = steps.iter().map(|step| step.decisions.len()).sum();
    assert_eq!((shown, steps.last().unwrap().result.is_some()), (2, true));
    let filter = wire::ListRecordsRequest { owned: true, page_size: 1, ..Default::default() };
    let records: Vec<wire::RecordSummary> = with_timeout(client.records(filter).try_collect()).await.unwrap();
    assert_eq!(records.iter().map(|record| record.table_id.as_str()).collect::<Vec<_>>(), [id]);
    let error = with_timeout(client.export_records(id, None).next()).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TournamentNotFound, "a table is no tournament");

    let rematch = with_timeout(client.rematch(id, Some(&tokens[0]), true)).await.unwrap();
    assert_eq!(rematch.rematch_of, id);
    assert_eq!(with_timeout(client.rematch(id, None, true)).await.unwrap().table_id, rematch.table_id);
    let joined =
        with_timeout(client.join_table(JoinTable::from(&rematch).previous_token(&tokens[0]))).await.unwrap();
    let reissued = with_timeout(client.reissue_seat_token(&rematch.table_id, joined.seat)).await.unwrap();
    assert_ne!(reissued, joined.token);
    let error = with_timeout(session.seat(joined.token)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TokenExpired);
    with_timeout(session.seat(reissued)).await.unwrap();

    let listed = client.tables(TableFilter::new().owned().metadata("league", "a").page_size(1));
    let listed: Vec<String> =
        with_timeout(listed.map_ok(|table| table.table_id).try_collect()).await.unwrap();
    assert_eq!(listed, [rematch.table_id.as_str(), id], "newest first");
    with_timeout(client.delete_table(id)).await.unwrap();
    assert_eq!(with_timeout(client.table(id)).await.unwrap_err().reason(), Reason::TableNotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seats_are_resigned_and_replaced() {
    let server = TestServer::start().await;
    let client = server.client().await;
    let table = with_timeout(client.create_table(gap().open_seats(2))).await.unwrap();
    let one = with_timeout(client.join_table(JoinTable::from(&table).without_entropy())).await.unwrap();
    let other = with_timeout(client.join_table(JoinTable::from(&table).without_entropy())).await.unwrap();
    let session = client.session();
    let mut spectator = with_timeout(session.watch(table.table_id.as_str())).await.unwrap();
    with_timeout(client.resign_seat(&one.token)).await.unwrap();
    with_timeout(client.resign_seat(&one.token)).await.unwrap();
    let table = with_timeout(client.replace_seat(&table.table_id, other.seat, "greedy")).await.unwrap();
    assert!(matches!(
        table.seats[other.seat as usize].occupant,
        Some(wire::table_seat::Occupant::HouseBot(_))
    ));
    let error = with_timeout(session.seat(other.token)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TokenExpired);
    // Default actions and the house bot finish the game.
    while with_timeout(spectator.next()).await.unwrap().is_some() {}
    let result = spectator.result().unwrap();
    assert_eq!(result.seats[one.seat as usize].finish(), wire::SeatFinish::Resigned);
    let late = ResignTarget::Owner { table_id: table.table_id, seat: other.seat };
    assert_eq!(with_timeout(client.resign_seat(late)).await.unwrap_err().reason(), Reason::TableOver);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_have_reasons() {
    let server = TestServer::start().await;
    let client = server.client().await;
    let reason = |error: parlor_sdk::Error| error.reason();
    let error = with_timeout(client.create_table(gap().open_seats(9))).await.unwrap_err();
    assert_eq!(error.reason(), Reason::InvalidField);
    assert_eq!(error.fields()[0].field, "seats", "{error}");
    let error =
        with_timeout(client.create_table(gap().open_seat().house_bot("deep blue"))).await.unwrap_err();
    assert_eq!(error.reason(), Reason::HouseBotNotFound, "{error}");
    let nowhere = with_timeout(client.join_table("01m7jph4y2b2snpawt6ex2qyzz")).await;
    assert_eq!(nowhere.map_err(reason).unwrap_err(), Reason::TableNotFound);
    let full =
        with_timeout(client.create_table(gap().house_bot("random").house_bot("random"))).await.unwrap();
    let error = with_timeout(client.join_table(&full)).await.unwrap_err();
    assert!(
        matches!(error.reason(), Reason::TableStarted | Reason::TableOver | Reason::NoSeatFree),
        "{error:?}"
    );
    let session = client.session();
    let error = with_timeout(session.seat(SeatToken::new("swordfish"))).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TokenInvalid);
    assert!(!format!("{error:?} {error}").contains("sword"), "{error:?}");
    let error = with_timeout(session.watch("01m7jph4y2b2snpawt6ex2qyzz")).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TableNotFound);
    assert_eq!(
        with_timeout(client.follow_tables(Some(1 << 40))).await.map_err(reason).unwrap_err(),
        Reason::CursorAhead
    );
}
