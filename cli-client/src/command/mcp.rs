//! `parlor mcp`: lets language models play, by the Model Context Protocol.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use parlor_cli::seat_report::{Budget, DEFAULT_BUDGET, MAX_BUDGET, MIN_BUDGET};
use parlor_sdk::AgentKey;
use rmcp::ServiceExt;
use rmcp::transport::stdio;
use tokio::net::TcpListener;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::mcp::{HttpSettings, McpServer, McpSettings, serve_http};

#[derive(clap::Args)]
#[command(
    after_help = "Without --listen, the protocol is spoken on standard input and output, as desktop clients want it. Seats \
        outlive this program: their handles are in mcp.json in the folder PARLOR_CLIENT_DATA [default: ~/.local/share/parlor], \
        and the notes of models in mcp_notes.jsonl beside it. docs/mcp.md has the tools and configurations of clients.\n\n\
        Examples:\n  parlor mcp\n  parlor mcp --listen 127.0.0.1:7768\n  parlor mcp --listen 0.0.0.0:7768 --token-file mcp.token"
)]
pub(crate) struct Args {
    /// Serve HTTP at this address, path /mcp, instead of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// File with the bearer token that HTTP clients must send; created if missing. Needed unless only this machine can
    /// connect
    #[arg(long, value_name = "FILE", requires = "listen")]
    token_file: Option<PathBuf>,
    /// Maximum length of the texts that a model gets at once, in characters
    #[arg(long, value_name = "CHARACTERS", default_value_t = DEFAULT_BUDGET as u32,
        value_parser = clap::value_parser!(u32).range(MIN_BUDGET as i64..=MAX_BUDGET as i64))]
    budget: u32,
    /// Number of illegal or unreadable answers to a decision after which its default is played
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    strikes: u32,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    if context.json {
        return Err(Failure::usage(
            "mcp has no --json: its protocol is JSON in any case",
            "mcp hat kein --json: Sein Protokoll ist ohnehin JSON",
        ));
    }
    let settings = McpSettings { budget: Budget::new(args.budget as usize), strikes: args.strikes };
    let server = McpServer::new(settings, context.clone())?;
    let served = match args.listen {
        Some(address) => listen(address, args.token_file.as_deref(), &server, context).await,
        None => speak_on_pipes(&server, context).await,
    };
    // The handles are kept: the same seats go on with the next call.
    server.close();
    served
}

/// Serves the client at the other end of standard input and output, until it closes them.
async fn speak_on_pipes(server: &McpServer, context: &Context) -> Result<Exit, Failure> {
    let serving = async {
        let running = server.clone().serve(stdio()).await.map_err(|error| protocol_failure(&error))?;
        running.waiting().await.map_err(|error| protocol_failure(&error))?;
        Ok(Exit::Ok)
    };
    context.stop.unless_stopped(serving).await.unwrap_or_else(Ok)
}

async fn listen(
    address: SocketAddr,
    token_file: Option<&Path>,
    server: &McpServer,
    context: &Context,
) -> Result<Exit, Failure> {
    let loopback = address.ip().is_loopback();
    let token = token_file.map(token).transpose()?;
    if !loopback && token.is_none() {
        return Err(Failure::usage(
            format!("others can connect to {address}: add --token-file FILE, or listen on 127.0.0.1"),
            format!(
                "Mit {address} können sich andere verbinden: Nimm --token-file DATEI dazu, oder 127.0.0.1"
            ),
        ));
    }
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::usage(
            format!("cannot listen on {address} ({error}): choose another address or port"),
            format!("{address} lässt sich nicht öffnen ({error}): Nimm eine andere Adresse"),
        )
    })?;
    let bound = listener.local_addr()?;
    let host = match bound.ip() {
        ip if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        ip => ip,
    };
    let url = format!("http://{}/mcp", SocketAddr::new(host, bound.port()));
    context.out.line(
        context.localise(|| format!("parlor mcp listens: {url}"), || format!("parlor mcp ist da: {url}")),
    )?;
    let serving = serve_http(listener, server.clone(), HttpSettings { token, loopback });
    match context.stop.unless_stopped(serving).await {
        Err(exit) => Ok(exit),
        Ok(never) => match never {},
    }
}

/// The token of a file, which is created if it is missing.
fn token(path: &Path) -> Result<String, Failure> {
    let text =
        super::agent::credentials::secret_of_file(path, || Ok(AgentKey::generate()?.reveal().to_owned()));
    let text = text.map_err(|error| {
        let path = path.display();
        Failure::usage(
            format!("cannot use the token in {path} ({error})"),
            format!("Das Token in {path} ist nicht zu gebrauchen ({error})"),
        )
    })?;
    if text.len() < 16 {
        let path = path.display();
        return Err(Failure::usage(
            format!(
                "the token in {path} is too short: it needs at least 16 characters; a missing file gets a good one"
            ),
            format!(
                "Das Token in {path} ist zu kurz: Es braucht mindestens 16 Zeichen; fehlt die Datei, entsteht ein gutes"
            ),
        ));
    }
    Ok(text)
}

/// The client does not speak the protocol.
fn protocol_failure(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        Exit::Failure,
        "PROTOCOL",
        format!(
            "the client does not speak the Model Context Protocol ({error}): start this from one that does"
        ),
        format!(
            "Das Gegenüber spricht nicht das Model Context Protocol ({error}): Starte dies aus einem Programm, das es tut"
        ),
    )
}
