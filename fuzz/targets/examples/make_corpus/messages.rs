//! Requests, items of streams, and records.

use parlor_engine::{GameId, Seat};
use parlor_fair::TournamentId;
use parlor_fuzz_targets::{METHODS, method_index};
use parlor_proto::v1::{self, play_request_item::Item};
use parlor_sdk::record::RecordFormat;
use parlor_server::identity::ServerKey;
use prost::Message;

use crate::Corpus;
use crate::club::{FIRST, PlayedTable, hello, new_table, tournament};

/// Forms of gRPC-Web bodies: a message, a message in chunks, and one in base64.
const WEB_FORMS: [(u8, &str); 3] = [(4, "message"), (4 | 8, "chunks"), (4 | 1, "base64")];

fn server_key() -> ServerKey {
    ServerKey::from_bytes([7; 32])
}

fn seat_token(table: &PlayedTable) -> String {
    let seat = Seat::new(0).expect("the first seat");
    server_key().seat_token(table.id, seat, FIRST).reveal().clone()
}

/// A request of every method, and more where there are many forms.
pub(crate) fn add_requests(corpus: &Corpus, games: &[PlayedTable], tournament_id: &TournamentId) {
    let add = |path: &str, name: &str, message: Vec<u8>| {
        let selector = method_index(path);
        let method = path.rsplit('/').next().expect("a path");
        corpus.add_selected("grpc_requests", &format!("{method}{name}"), selector, &message);
        for (form, form_name) in WEB_FORMS {
            let body = [&[form], message.as_slice()].concat();
            corpus.add_selected("grpc_web", &format!("{method}{name}_{form_name}"), selector, &body);
        }
    };
    for game in GameId::ALL.iter().copied() {
        let name = format!("_{}", game.info().id);
        add("/parlor.v1.TableService/CreateTable", &name, new_table(game).encode_to_vec());
    }
    for (name, format) in formats() {
        let setup = v1::TournamentSetup { format: Some(format), ..tournament() };
        let request =
            v1::CreateTournamentRequest { request_id: format!("tournament {name}"), setup: Some(setup) };
        add("/parlor.v1.TournamentService/CreateTournament", &format!("_{name}"), request.encode_to_vec());
    }
    let table = &games[0];
    let requests = requests(table, &tournament_id.to_string());
    for method in METHODS {
        let service_method = method.path.rsplit('/').next().expect("a path");
        if let Some((_, message)) = requests.iter().find(|(name, _)| *name == service_method) {
            add(method.path, "", message.clone());
        }
    }
}

fn formats() -> [(&'static str, v1::tournament_setup::Format); 4] {
    use v1::tournament_setup::Format;
    [
        ("round_robin", Format::RoundRobin(v1::RoundRobinFormat { groups: 3 })),
        ("gauntlet", Format::Gauntlet(v1::GauntletFormat { champion: 1, groups: 3 })),
        ("swiss", Format::Swiss(v1::SwissFormat { rounds: 2, groups: 3 })),
        ("knockout", Format::Knockout(v1::KnockoutFormat { groups: 3, tie_groups: Some(1) })),
    ]
}

/// A request of each method, without those of CreateTable and CreateTournament.
fn requests(table: &PlayedTable, tournament: &str) -> Vec<(&'static str, Vec<u8>)> {
    let (id, game) = (table.id.to_string(), table.game.info().id.to_owned());
    let token = seat_token(table);
    let spectator = server_key().spectator_token(table.id, FIRST).reveal().clone();
    let tournament_id = || tournament.to_owned();
    let bot = v1::HouseBotSeat { name: "search:20".to_owned() };
    let attach = v1::Attach {
        viewer: Some(v1::attach::Viewer::SpectatorToken(spectator.clone())),
        after: Some(3),
        wants: Some(v1::Wants { events: Some(true), board: Some(true), texts: 1, ..Default::default() }),
    };
    let seat_at_table = v1::SeatAtTable { table_id: id.clone(), seat: 1 };
    let answer = v1::Answer { decision_id: 1, choice: Some(v1::answer::Choice::Index(0)), think_ms: Some(9) };
    vec![
        ("ListGames", v1::ListGamesRequest {}.encode_to_vec()),
        ("GetRules", v1::GetRulesRequest { game: game.clone(), language: 2 }.encode_to_vec()),
        ("ListHouseBots", v1::ListHouseBotsRequest { game: game.clone() }.encode_to_vec()),
        ("ListEnumTexts", v1::ListEnumTextsRequest {}.encode_to_vec()),
        (
            "JoinTable",
            v1::JoinTableRequest {
                request_id: "2f1c0f4e-5a5e-4d0e-9a5a-3d6f0a2b1c4d".to_owned(),
                table_id: id.clone(),
                seat: Some(0),
                user_id: "user 7".to_owned(),
                display_name: "Ada".to_owned(),
                previous_token: token.clone(),
                entropy_commitment: vec![1; 32],
                invite: String::new(),
            }
            .encode_to_vec(),
        ),
        (
            "GetTable",
            v1::GetTableRequest { table_id: id.clone(), token: spectator, texts: 1 }.encode_to_vec(),
        ),
        (
            "ListTables",
            v1::ListTablesRequest {
                game: game.clone(),
                states: vec![1, 2],
                owned: true,
                metadata: [("site".to_owned(), "example".to_owned())].into(),
                page_size: 10,
                page_token: id.clone(),
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        ("FollowTables", v1::FollowTablesRequest { after: Some(2), turns: true }.encode_to_vec()),
        (
            "ReplaceSeat",
            v1::ReplaceSeatRequest {
                request_id: "replace 1".to_owned(),
                table_id: id.clone(),
                seat: 0,
                house_bot: Some(bot),
            }
            .encode_to_vec(),
        ),
        (
            "Rematch",
            v1::RematchRequest {
                request_id: "again".to_owned(),
                table_id: id.clone(),
                seat_token: token.clone(),
                rotate_seats: true,
            }
            .encode_to_vec(),
        ),
        (
            "ResignSeat",
            v1::ResignSeatRequest { seat: Some(v1::resign_seat_request::Seat::SeatAtTable(seat_at_table)) }
                .encode_to_vec(),
        ),
        (
            "CancelTable",
            v1::CancelTableRequest { table_id: id.clone(), note: "enough".to_owned() }.encode_to_vec(),
        ),
        ("DeleteTable", v1::DeleteTableRequest { table_id: id.clone() }.encode_to_vec()),
        (
            "CreateSpectatorToken",
            v1::CreateSpectatorTokenRequest { table_id: id.clone(), revoke_earlier: true }.encode_to_vec(),
        ),
        (
            "ReissueSeatToken",
            v1::ReissueSeatTokenRequest {
                request_id: "2f1c0f4e-5a5e-4d0e-9a5a-3d6f0a2b1c4e".to_owned(),
                table_id: id.clone(),
                seat: 0,
            }
            .encode_to_vec(),
        ),
        ("Play", play(table).encode_to_vec()),
        (
            "Follow",
            v1::FollowRequest {
                channels: vec![v1::FollowChannel { channel: 4, attach: Some(attach) }],
                heartbeat_ms: Some(5_000),
            }
            .encode_to_vec(),
        ),
        (
            "Act",
            v1::ActRequest { seat_token: token.clone(), answer: Some(answer), reveal_entropy: None }
                .encode_to_vec(),
        ),
        ("Connect", hello().encode_to_vec()),
        (
            "ListAgents",
            v1::ListAgentsRequest { game, state: 1, page_size: 5, page_token: "ada.1".to_owned() }
                .encode_to_vec(),
        ),
        (
            "GetRecord",
            v1::GetRecordRequest {
                table_id: id.clone(),
                token: token.clone(),
                texts: 1,
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        (
            "ListRecords",
            v1::ListRecordsRequest {
                agent: "ada.1".to_owned(),
                tournament_id: tournament_id(),
                created_since: Some(prost_types::Timestamp { seconds: 1_767_225_600, nanos: 7 }),
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        (
            "Replay",
            v1::ReplayRequest {
                table_id: id.clone(),
                token: token.clone(),
                viewer: None,
                language: 2,
                first_step: 1,
            }
            .encode_to_vec(),
        ),
        (
            "ExportRecords",
            v1::ExportRecordsRequest { tournament_id: tournament_id(), viewer: None }.encode_to_vec(),
        ),
        (
            "StartTournament",
            v1::StartTournamentRequest { tournament_id: tournament_id(), entropy_commitment: vec![2; 32] }
                .encode_to_vec(),
        ),
        (
            "RevealTournamentEntropy",
            v1::RevealTournamentEntropyRequest { tournament_id: tournament_id(), entropy: vec![3; 32] }
                .encode_to_vec(),
        ),
        (
            "CreateInvite",
            v1::CreateInviteRequest {
                request_id: "invite 1".to_owned(),
                table_id: id.clone(),
                seat: Some(1),
                uses: 1,
                valid_ms: Some(60_000),
            }
            .encode_to_vec(),
        ),
        ("ListInvites", v1::ListInvitesRequest { table_id: id.clone() }.encode_to_vec()),
        ("RevokeInvite", v1::RevokeInviteRequest { table_id: id.clone(), number: 1 }.encode_to_vec()),
        ("ListSigningKeys", v1::ListSigningKeysRequest {}.encode_to_vec()),
        (
            "RevealEntropy",
            v1::RevealEntropyRequest { seat_token: token.clone(), entropy: vec![3; 32] }.encode_to_vec(),
        ),
        ("GetTournament", v1::GetTournamentRequest { tournament_id: tournament_id() }.encode_to_vec()),
        (
            "ListTournaments",
            v1::ListTournamentsRequest { owned: true, page_size: 3, page_token: tournament_id() }
                .encode_to_vec(),
        ),
        (
            "GetStandings",
            v1::GetStandingsRequest { tournament_id: tournament_id(), history: true }.encode_to_vec(),
        ),
        ("FollowTournament", v1::FollowTournamentRequest { tournament_id: tournament_id() }.encode_to_vec()),
        (
            "ListTournamentTables",
            v1::ListTournamentTablesRequest {
                tournament_id: tournament_id(),
                page_size: 3,
                page_token: "1.0".to_owned(),
            }
            .encode_to_vec(),
        ),
        ("PauseTournament", v1::PauseTournamentRequest { tournament_id: tournament_id() }.encode_to_vec()),
        ("ResumeTournament", v1::ResumeTournamentRequest { tournament_id: tournament_id() }.encode_to_vec()),
        (
            "CancelTournament",
            v1::CancelTournamentRequest { tournament_id: tournament_id(), reason: "rain".to_owned() }
                .encode_to_vec(),
        ),
        (
            "WithdrawEntrant",
            v1::WithdrawEntrantRequest { tournament_id: tournament_id(), entrant: 1 }.encode_to_vec(),
        ),
        (
            "VoidGroup",
            v1::VoidGroupRequest { tournament_id: tournament_id(), group: 1, reason: "a fault".to_owned() }
                .encode_to_vec(),
        ),
    ]
}

/// A message of Play with the answers of a game, by index and by action.
fn play(table: &PlayedTable) -> v1::PlayRequest {
    let attach =
        v1::Attach { viewer: Some(v1::attach::Viewer::SeatToken(seat_token(table))), ..Default::default() };
    let decisions = table.record.steps.iter().flat_map(|step| &step.decided);
    let answers = decisions.flat_map(|decision| {
        use v1::answer::Choice;
        let by_index = Some(Choice::Index(decision.index));
        let by_action = decision.action.clone().map(Choice::Action);
        let answer = |choice| v1::Answer { decision_id: decision.decision_id, choice, think_ms: None };
        [by_index, by_action].map(|choice| Item::Answer(answer(choice)))
    });
    let items = std::iter::once(Item::Attach(attach)).chain(answers.take(16));
    let item = |item| v1::PlayRequestItem { channel: 1, item: Some(item) };
    let items = items.chain([Item::Detach(v1::Detach {})]).map(item).collect();
    v1::PlayRequest { items }
}

/// A message with its length, as a stream has it.
fn framed(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    let length = u32::try_from(bytes.len()).expect("a short message");
    [&[0], &length.to_be_bytes()[..], &bytes].concat()
}

pub(crate) fn add_stream_items(corpus: &Corpus, games: &[PlayedTable]) {
    for table in games {
        let message = play(table);
        let add = |kind, selector, message: Vec<u8>| {
            corpus.add_selected("stream_items", &format!("{kind}_{}", table.name), selector, &message);
        };
        add("play", 0, message.encode_to_vec());
        let connect = v1::ConnectRequest { items: message.items.clone(), ..hello() };
        add("connect", 1, connect.encode_to_vec());
        // One item a message, and all in one.
        let each =
            message.items.iter().flat_map(|item| framed(&v1::PlayRequest { items: vec![item.clone()] }));
        let each: Vec<u8> = each.collect();
        corpus.add_selected("grpc_frames", &format!("items_{}", table.name), 30, &each);
        corpus.add_selected("grpc_frames", &format!("message_{}", table.name), 255, &framed(&message));
    }
    let follow = v1::FollowChannel { channel: 7, attach: Some(v1::Attach::default()) };
    let follow = v1::FollowRequest { channels: vec![follow], heartbeat_ms: None };
    corpus.add_selected("stream_items", "follow", 2, &follow.encode_to_vec());
    corpus.add_selected("grpc_frames", "too_large", 0, &[0, 0, 0, 2, 1]);
    corpus.add_selected("grpc_frames", "compressed", 3, &[1, 0, 0, 0, 1, 0]);
}

/// Every record in its three forms, whole and as a spectator saw the game.
pub(crate) fn add_records(corpus: &Corpus, games: &[PlayedTable]) {
    let forms = [
        ("record_protobuf", RecordFormat::Binary),
        ("record_json", RecordFormat::Json),
        ("record_text", RecordFormat::Text),
    ];
    for table in games {
        for (target, format) in forms {
            corpus.add(target, &table.name, &format.write(&table.record).expect("a record"));
        }
    }
    let two = |format: RecordFormat| {
        let entry = |table: &PlayedTable| format.write_entry(&table.record).expect("a record");
        [entry(&games[0]), entry(&games[1])].concat()
    };
    for (target, format) in forms {
        corpus.add(target, "two_records", &two(format));
    }
}
