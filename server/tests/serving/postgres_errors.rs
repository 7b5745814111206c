//! The real program with a PostgreSQL database that cannot be used: one line that says why, without a password.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use parlor_store::{
    Append, Listing, Log, LogKind, Millis, NewPlace, OwnerId, PgAddress, PgLog, PgOptions, PgUrl, TableId,
};
use parlor_testkit::PostgresCluster;

use crate::support::Program;

/// Runs the program with this store, and returns the one line that it ends with.
fn refusal(program: &Program, store: &str, more: &[&str]) -> String {
    let (code, output, error) = program.run(&[&["--store", store, "--log-level", "error"], more].concat());
    assert_eq!(code, Some(1), "{output}{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    assert!(error.starts_with("parlor-server: ") && !error.contains("s3cret"), "{error}");
    error
}

#[test]
fn postgres_password_from_address_file_or_environment() {
    let cluster = PostgresCluster::start(&["fsync=off"]);
    cluster.require_password("anna", "s3cret");
    let database = cluster.create_database();
    let without = database.replace("parlor@", "anna@");
    let program = Program::new();
    for wrong in [database.replace("parlor@", "anna:s3cret2@"), without.clone()] {
        let error = refusal(&program, &wrong, &[]);
        assert!(error.contains("refuses access (") && error.contains("and the password"), "{error}");
    }
    let missing = database.replace("/test_", "/none_");
    assert!(refusal(&program, &missing, &[]).contains("does not exist"), "a missing database is named");
    let error = refusal(&program, &without, &["--set", "postgres.password_file=none"]);
    assert!(error.contains("postgres.password_file = none cannot be read"), "{error}");

    program.write("password", "s3cret\n");
    let with = database.replace("parlor@", "anna:s3cret@");
    let file = ["--store", &without, "--set", "postgres.password_file=password"];
    for (arguments, environment) in [
        (&file[..], &[][..]),
        (&["--store", &with], &[]),
        (&["--store", &without], &[("PARLOR_POSTGRES_PASSWORD", "s3cret")]),
    ] {
        let running = program.start_with(arguments, environment);
        let line = running.stdout.wait_for("  tables   in postgres://");
        assert!(!line.contains("anna") && !line.contains("s3cret"), "{line}");
        running.signal("TERM");
        let (status, log) = running.wait();
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(!log.contains("s3cret"), "{log}");
    }
}

#[test]
fn postgres_that_cannot_be_reached_or_is_old_is_named() {
    let program = Program::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let server = std::thread::spawn(move || serve_old_version(&taken));
    let store = format!("postgres://anna:s3cret@{address}/parlor?sslmode=disable");
    let error = refusal(&program, &store, &[]);
    assert!(error.contains("runs PostgreSQL 14.9, and version 15 or newer is needed"), "{error}");
    server.join().expect("it was asked");
    // Nothing listens there any more.
    let error = refusal(&program, &store, &[]);
    assert!(error.contains(&format!("postgres://{address}/parlor cannot be reached")), "{error}");
    assert!(error.contains("check that PostgreSQL runs there"), "{error}");
}

/// Answers one connection as a server of version 14 does.
fn serve_old_version(listener: &TcpListener) {
    let message = |kind: u8, body: &[u8]| {
        let length = (body.len() as u32 + 4).to_be_bytes();
        [&[kind], &length[..], body].concat()
    };
    let (mut client, _) = listener.accept().expect("a connection");
    let mut length = [0; 4];
    client.read_exact(&mut length).expect("a length");
    let mut startup = vec![0; u32::from_be_bytes(length) as usize - 4];
    client.read_exact(&mut startup).expect("a startup message");
    let hello = [
        message(b'R', &0_u32.to_be_bytes()),
        message(b'S', b"server_version\x0014.9\0"),
        message(b'Z', b"I"),
    ];
    client.write_all(&hello.concat()).expect("a reader");
    // SHOW transaction_read_only, which tells the primary from a standby.
    let mut asked = [0; 1024];
    let _length = client.read(&mut asked).expect("a query");
    let column = b"\0\x01transaction_read_only\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0";
    let answer = [
        message(b'T', column),
        message(b'D', b"\0\x01\0\0\0\x03off"),
        message(b'C', b"SHOW\0"),
        message(b'Z', b"I"),
    ];
    client.write_all(&answer.concat()).expect("a reader");
    let _end = client.read(&mut asked);
}

#[tokio::test]
async fn postgres_store_with_unknown_games_is_refused() {
    let database = PostgresCluster::shared().create_database();
    let url = PgUrl::parse(&database).expect("an address");
    let address = PgAddress::new(&url, None, &[]).expect("an address");
    let log = PgLog::open(address, "test", PgOptions::default()).await.expect("a log");
    let mut append = Append::new(TableId::new(1, [1; 10]), 0, Millis(1), vec!["a".into()]);
    append.place = Some(NewPlace::AtRest { wakes_at: None });
    append.listing = Some(Listing {
        kind: LogKind::Table,
        owner: OwnerId::new("anna").expect("a name"),
        game: "canasta".into(),
        state: 0,
        visibility: 0,
        tags: Vec::new(),
    });
    log.append(append).await.expect("room");
    log.close().await;
    let program = Program::new();
    for command in ["run", "check-store"] {
        let (code, _, error) = program.run(&[command, "--store", &database, "--log-level", "error"]);
        assert_eq!(code, Some(1));
        assert!(error.contains("has tables of canasta, which this parlor-server does not have"), "{error}");
    }
}
