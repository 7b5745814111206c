//! Files of new bots: the examples of the SDKs, with what they need to run on their own.

use std::path::Path;

/// Kind of bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Template {
    Lines,
    Python,
    Typescript,
    Rust,
}

/// A file of a new bot.
pub(super) struct TemplateFile {
    pub(super) name: &'static str,
    pub(super) content: Vec<u8>,
    pub(super) is_executable: bool,
}

/// Version of the SDKs in their registries.
const SDK_VERSION: &str = env!("CARGO_PKG_VERSION");

impl Template {
    /// Command that runs the bot.
    pub(super) const fn next_step(self) -> &'static str {
        match self {
            Template::Lines => "parlor play gap --with exec:./bot.py",
            Template::Python => "./setup.sh && .venv/bin/python bot.py",
            Template::Typescript => "npm install && node bot.js",
            Template::Rust => "cargo run",
        }
    }
}

/// The files of a kind of bot. `sdk` is the folder of a checkout.
pub(super) fn files(template: Template, sdk: Option<&Path>) -> Vec<TemplateFile> {
    match template {
        Template::Lines => vec![
            program("bot.py", include_str!("../../../../sdk/examples/lines/bot.py")),
            program("bot.mjs", include_str!("../../../../sdk/examples/lines/bot.mjs")),
            program("bot.pl", include_str!("../../../../sdk/examples/lines/bot.pl")),
            program("bot.sh", include_str!("../../../../sdk/examples/lines/bot.sh")),
            text("bot.c", include_str!("../../../../sdk/examples/lines/bot.c")),
        ],
        Template::Python => vec![
            text("bot.py", include_str!("../../../../sdk/examples/python/bot.py")),
            text("agent.py", include_str!("../../../../sdk/examples/python/agent.py")),
            text("requirements.txt", include_str!("../../../../sdk/examples/python/requirements.txt")),
            text(".gitignore", include_str!("../../../../sdk/examples/python/.gitignore")),
            program("setup.sh", PYTHON_SETUP),
            TemplateFile {
                name: "parlor_v1.binpb",
                content: parlor_proto::FILE_DESCRIPTOR_SET.to_vec(),
                is_executable: false,
            },
        ],
        Template::Typescript => vec![
            text("bot.js", include_str!("../../../../sdk/typescript/examples/bot.js")),
            text("agent.js", include_str!("../../../../sdk/typescript/examples/agent.js")),
            text("package.json", &package_json(sdk)),
            text(".gitignore", "/node_modules/\n"),
        ],
        Template::Rust => vec![
            text("src/main.rs", RUST_MAIN),
            text("Cargo.toml", &cargo_toml(sdk)),
            text(".gitignore", "/target/\n"),
        ],
    }
}

fn text(name: &'static str, content: &str) -> TemplateFile {
    TemplateFile { name, content: content.as_bytes().to_vec(), is_executable: false }
}

fn program(name: &'static str, content: &str) -> TemplateFile {
    TemplateFile { is_executable: true, ..text(name, content) }
}

/// Generates the gRPC stubs from the descriptors of the API, so that no .proto files are needed.
const PYTHON_SETUP: &str = r#"#!/bin/sh
# Installs the dependencies into .venv, and generates the gRPC stubs of the API from its descriptors into parlor/.
set -eu
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
.venv/bin/python - <<'END'
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

with open("parlor_v1.binpb", "rb") as descriptors:
    files = [file.name for file in FileDescriptorSet.FromString(descriptors.read()).file]
own = [name for name in files if name.startswith("parlor/")]
arguments = ["--descriptor_set_in=parlor_v1.binpb", "--python_out=.", "--pyi_out=.", "--grpc_python_out=."]
raise SystemExit(protoc.main(["protoc", *arguments, *own]))
END
echo "ready: .venv/bin/python bot.py"
"#;

fn package_json(sdk: Option<&Path>) -> String {
    let source =
        sdk.map_or_else(|| SDK_VERSION.to_owned(), |sdk| format!("file:{}/typescript", sdk.display()));
    let package = serde_json::json!({
        "name": "my-bot",
        "private": true,
        "type": "module",
        "dependencies": { "@parlor/sdk": source },
    });
    format!("{package:#}\n")
}

/// The bot of the README, with the address as an argument.
const RUST_MAIN: &str = r#"//! A bot: creates a table with a house bot, plays the first legal action to the end, and prints the result.
//!
//! cargo run -- [ADDRESS]

use parlor_sdk::{Client, Error, NewTable};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:7766".into());
    let client = Client::connect(address).await?;
    let table = client.create_table(NewTable::new("gap").house_bot("greedy").open_seat()).await?;
    let joined = client.join_table(&table).await?;
    let mut seat = client.session().seat(joined.token).await?;
    while let Some(decision) = seat.next_decision().await? {
        decision.choose(&decision.legal_actions()[0]).await?;
    }
    for result in seat.result().iter().flat_map(|result| &result.seats) {
        println!("seat {}: place {} with {} points", result.seat, result.place, result.points);
    }
    Ok(())
}
"#;

fn cargo_toml(sdk: Option<&Path>) -> String {
    let source = match sdk {
        Some(sdk) => format!("{{ path = {} }}", toml::Value::from(sdk.display().to_string())),
        None => format!("\"{SDK_VERSION}\""),
    };
    format!(
        "[package]\nname = \"my-bot\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nparlor-sdk = {source}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\n\n\
         # A workspace of its own, wherever the folder is.\n[workspace]\n"
    )
}
