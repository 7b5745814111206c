//! Tokens, files and connections: inputs that are texts.

use parlor_engine::Seat;
use parlor_host::identity::Generation;
use parlor_server::config::EXAMPLE;
use parlor_server::identity::{NewKey, ServerKey};

use crate::Corpus;
use crate::club::PlayedTable;

/// The API key in force in the target, of 47 characters.
const API_KEY: &str = "plr_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

pub(crate) fn add_tokens(corpus: &Corpus, games: &[PlayedTable]) {
    let key = ServerKey::from_bytes([7; 32]);
    let table = games[0].id;
    let add = |name: &str, text: &str| corpus.add("tokens", name, text.as_bytes());
    for (number, seat) in Seat::all(3).enumerate() {
        let generation = Generation(u32::try_from(number).expect("few seats"));
        add(&format!("seat_{number}"), key.seat_token(table, seat, generation).reveal());
        add(&format!("spectator_{number}"), key.spectator_token(table, generation).reveal());
    }
    add("api_key", API_KEY);
    let unknown = NewKey::generate("club".parse().expect("an owner"), Vec::new(), None, None);
    let unknown = unknown.expect("randomness");
    add("unknown_api_key", unknown.text.reveal());
    add("api_key_hash", &unknown.entry.hash.to_string());
    add("agent_key", "sixteen bytes or more of an agent's own");
    add("table_id", &table.to_string());
    add("owner", "club.example-1");
    add("scope", "seeded_tables");
}

const TOURNAMENT: &str = "\
name = \"Autumn cup\"
game = \"gap\"
players = 2
groups = 50
entrants = [\"bot:random\", \"bot:greedy\", \"agent:ada\", \"agent:bob@1.2\"]
max_tables = 16
patience = \"60s\"
";

pub(crate) fn add_tournament_files(corpus: &Corpus) {
    let add = |name: &str, more: &str| {
        corpus.add("tournament_file", name, format!("{TOURNAMENT}{more}").as_bytes());
    };
    add(
        "round_robin",
        "format = \"round_robin\"\nprivate = true\nseed = \"1\"\ndeals = \"independent\"\n\n[clock]\ndecision = \"10s\"\nbank = \"1m\"\ngrace = \"0s\"\nforfeit_after = 3\nhidden_window = \"500ms\"\n",
    );
    add(
        "gauntlet",
        "format = \"gauntlet\"\nchampion = \"agent:ada\"\n\n[test]\nentrant = \"agent:ada\"\nlower = 0.0\nupper = 2.5\nalpha = 0.01\nbeta = 0.1\nmin_groups = 12\n",
    );
    add(
        "swiss",
        "format = \"swiss\"\nrounds = 5\n\n[options]\ntarget = 15\n\n[clock]\ndecision = \"none\"\n",
    );
    add("knockout", "format = \"knockout\"\ntie_groups = 3\n");
    let refused = "format = \"knockout\"\nrounds = 3\nseed = \"zz\"\n";
    add("refused", refused);
}

pub(crate) fn add_settings_files(corpus: &Corpus) {
    let add = |name: &str, text: &str| corpus.add("settings_file", name, text.as_bytes());
    // The example, with all of its keys in force, in pieces that the fuzzer can handle.
    let keys = EXAMPLE.lines().map(|line| line.trim_start_matches(['#', ' ']));
    let keys = keys.filter(|line| {
        line.starts_with('[') || line.split_once(" = ").is_some_and(|(name, _)| is_name(name))
    });
    let mut sections: Vec<Vec<&str>> = vec![Vec::new()];
    for line in keys {
        if line.starts_with('[') {
            sections.push(Vec::new());
        }
        sections.last_mut().expect("a section").push(line);
    }
    for (number, section) in sections.iter().enumerate() {
        add(&format!("section_{number:02}"), &format!("{}\n", section.join("\n")));
    }
    let key = NewKey::generate("club".parse().expect("an owner"), vec![], None, None).expect("randomness");
    let hash = &key.entry.hash;
    add(
        "keys",
        &format!(
            "[[keys]]\nowner = \"club\"\nhash = \"{hash}\"\nscopes = [\"tables\", \"admin\"]\ntables = 9\nrequests_per_second = 100\n"
        ),
    );
    add(
        "environment",
        "listen = \"[::1]:7766\"\n# environment\nPARLOR_LIMITS_BATCH_BYTES=64KiB\nPARLOR_CONNECTIONS_CORS_ORIGINS=https://a.example, https://b.example\n--set table.idle=5m\n--set retention.finished=forever\nPARLOR_CLI_LANG=de\n",
    );
}

/// Reports whether this is the name of a key.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

pub(crate) fn add_connections(corpus: &Corpus) {
    let add = |name: &str, bytes: &[u8]| corpus.add("http_connection", name, bytes);
    let list = "/parlor.v1.CatalogueService/ListGames";
    for path in ["/", "/tables/01hf7yat000w3ge1r70w3ge1r7", "/nothing.js?x=1#y", "/..%2f..%2fetc/passwd"] {
        let name = format!(
            "get_{}",
            path.bytes().filter(u8::is_ascii_alphanumeric).map(char::from).collect::<String>()
        );
        add(
            &name,
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br, gzip;q=0.5\r\nif-none-match: \"x\"\r\n\r\n")
                .as_bytes(),
        );
    }
    let preflight = format!(
        "OPTIONS {list} HTTP/1.1\r\nhost: localhost\r\norigin: https://cards.example\r\naccess-control-request-method: POST\r\naccess-control-request-headers: content-type,x-grpc-web\r\n\r\n"
    );
    add("preflight", preflight.as_bytes());
    let call = format!(
        "POST {list} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/grpc-web+proto\r\ngrpc-timeout: 5S\r\nauthorization: Bearer {API_KEY}\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\ncontent-length: 5\r\n\r\n\0\0\0\0\0"
    );
    add("grpc_web", call.as_bytes());
    add("two_calls", call.repeat(2).as_bytes());
    // HTTP/2: the preface, empty settings, and a ping.
    let frames = [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    add("http2", &[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &frames].concat());
    add("tls", &[0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0]);
}
