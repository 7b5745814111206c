//! The data folder of the real program: permissions of its files, and tokens after a restored backup.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use parlor_engine::GameId;
use parlor_proto::v1::{self, table_service_client::TableServiceClient};
use parlor_testkit::{ServerProcess, server_command, with_timeout};
use tonic::transport::Channel;

use crate::support::{Program, channel, reason};

/// The server program under a umask that takes no permissions away.
fn start_with_open_umask(program: &Program, arguments: &[&str]) -> ServerProcess {
    let mut command = server_command("sh");
    command.args(["-c", r#"umask 0; exec "$0" "$@""#, env!("CARGO_BIN_EXE_parlor-server")]);
    command.args(["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]).args(arguments);
    ServerProcess::start(command.current_dir(program.folder.path()))
}

fn mode(program: &Program, name: &str) -> u32 {
    fs::metadata(program.path(name)).unwrap_or_else(|error| panic!("{name}: {error}")).permissions().mode()
        & 0o777
}

fn stop(running: ServerProcess) {
    running.signal("TERM");
    let (status, log) = running.wait();
    assert_eq!(status.code(), Some(0), "{log}");
}

#[test]
fn store_and_backups_are_private_whatever_the_umask() {
    let program = Program::new();
    let files = ["data/parlor.db", "data/parlor.db-wal", "data/parlor.db-shm", "data/parlor.db.lock"];
    let running = start_with_open_umask(&program, &[]);
    assert_eq!(mode(&program, "data"), 0o700);
    for file in files.iter().chain(&["data/server.key", "data/signing.key"]) {
        assert_eq!(mode(&program, file), 0o600, "{file}");
    }
    let (code, ..) = program.run(&["backup", "copy.db"]);
    assert_eq!((code, mode(&program, "copy.db")), (Some(0), 0o600));
    stop(running);

    // A store that an older version left open to others, in a folder that others can enter.
    for file in ["data/parlor.db", "data/parlor.db.lock"] {
        fs::set_permissions(program.path(file), Permissions::from_mode(0o644)).unwrap();
    }
    fs::set_permissions(program.path("data"), Permissions::from_mode(0o755)).unwrap();
    let running = start_with_open_umask(&program, &[]);
    running.log.wait_for("other users can open the data folder data (mode 755): chmod 700 it");
    for file in files {
        assert_eq!(mode(&program, file), 0o600, "{file}");
    }
    assert_eq!(mode(&program, "data"), 0o755, "the operator's choice");
    stop(running);

    let (code, ..) = program.run(&["restore", "copy.db", "--data", "elsewhere"]);
    assert_eq!(code, Some(0));
    assert_eq!((mode(&program, "elsewhere"), mode(&program, "elsewhere/parlor.db")), (0o700, 0o600));
}

async fn tables(running: &ServerProcess) -> TableServiceClient<Channel> {
    TableServiceClient::new(channel(&format!("http://{}", running.address())).await)
}

/// The reason for which a seat token is refused, or "" if it is valid.
async fn refusal(running: &ServerProcess, table: &str, token: &str) -> String {
    let request =
        v1::GetTableRequest { table_id: table.to_owned(), token: token.to_owned(), ..Default::default() };
    let answer = with_timeout(tables(running).await.get_table(request)).await;
    answer.err().map(|status| reason(&status)).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn token_revoked_after_the_backup_stays_revoked_after_the_restore() {
    let program = Program::new();
    let running = program.start(&[]);
    let mut client = tables(&running).await;
    let open = v1::SeatSetup { occupant: Some(v1::seat_setup::Occupant::Open(v1::OpenSeat {})) };
    let new = v1::CreateTableRequest {
        options: Some(GameId::Gap.default_options().into()),
        seats: vec![open; 2],
        visibility: v1::Visibility::Private.into(),
        ..v1::CreateTableRequest::default()
    };
    let table = with_timeout(client.create_table(new)).await.unwrap().into_inner().table.unwrap().table_id;
    let join = v1::JoinTableRequest { table_id: table.clone(), ..v1::JoinTableRequest::default() };
    let stolen = with_timeout(client.join_table(join)).await.unwrap().into_inner().seat_token;
    assert_eq!(program.run(&["backup", "copy.db"]).0, Some(0));
    let reissue =
        v1::ReissueSeatTokenRequest { table_id: table.clone(), ..v1::ReissueSeatTokenRequest::default() };
    let newest = with_timeout(client.reissue_seat_token(reissue)).await.unwrap().into_inner().seat_token;
    assert_eq!(refusal(&running, &table, &stolen).await, "TOKEN_EXPIRED");
    assert_eq!(refusal(&running, &table, &newest).await, "");
    stop(running);

    let restored = program.run(&["restore", "copy.db", "--replace", "--keep-tokens"]);
    assert!(restored.0 == Some(0) && restored.1.contains("tokens stay valid"), "{restored:?}");
    let running = program.start(&[]);
    assert_eq!(refusal(&running, &table, &stolen).await, "", "valid at the time of the backup");
    stop(running);

    let restored = program.run(&["restore", "copy.db", "--replace"]);
    assert!(restored.0 == Some(0) && restored.1.contains("tokens have ended"), "{restored:?}");
    let running = program.start(&[]);
    assert_eq!(refusal(&running, &table, &stolen).await, "TOKEN_INVALID");
    let reissue =
        v1::ReissueSeatTokenRequest { table_id: table.clone(), ..v1::ReissueSeatTokenRequest::default() };
    let mut client = tables(&running).await;
    let newest = with_timeout(client.reissue_seat_token(reissue)).await.unwrap().into_inner().seat_token;
    assert_eq!(refusal(&running, &table, &newest).await, "", "the owner hands out new ones");
    stop(running);
}
