//! `parlor mcp`: requests of the protocol over pipes and over HTTP.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::{Parlor, PipedProcess, Server};

/// A client on pipes.
struct PipeClient {
    process: PipedProcess,
    requests: u64,
}

impl PipeClient {
    /// Starts the program and shakes hands, as clients of the revision before the stateless one do.
    fn start(parlor: &Parlor) -> PipeClient {
        let mut client = PipeClient { process: PipedProcess::start(parlor, &["mcp"]), requests: 0 };
        let hello = client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "parlor", "{hello}");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        client.process.type_line(&initialized.to_string());
        client
    }

    /// Sends a request, and waits for the response.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.process.type_line(&request.to_string());
        let response = self.process.wait(method, |lines| {
            let mut messages = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
            messages.find(|message| message["id"] == id)
        });
        response.expect("a response")
    }

    /// Calls a tool: its result.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        response["result"].clone()
    }
}

#[test]
fn tools_are_listed_and_the_end_of_input_ends_the_program() {
    let parlor = Parlor::with_server("http://127.0.0.1:1");
    let mut client = PipeClient::start(&parlor);
    let tools = client.request("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "list_games",
            "rules",
            "start_game",
            "join",
            "be_agent",
            "wait_for_turn",
            "act",
            "look",
            "history",
            "result"
        ]
    );
    for tool in &tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    // Errors are results that a model can read, and the program lives on without a server.
    let result = client.call("list_games", json!({}));
    assert_eq!(result["isError"], true, "{result}");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("127.0.0.1:1"), "{result}");
    for arguments in [json!({}), json!({ "handle": 3 }), json!({ "handle": "../seat" })] {
        let result = client.call("wait_for_turn", arguments);
        assert_eq!(result["isError"], true, "{result}");
    }
    let unknown = client.request("tools/call", json!({ "name": "cheat", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    client.process.close_input();
    let (code, _, err) = client.process.end();
    assert_eq!((code, &err[..]), (0, &[][..]));
}

#[test]
fn seat_goes_on_after_ctrl_c_by_its_handle() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let mut client = PipeClient::start(&parlor);
    let seat = client.call("start_game", json!({ "game": "gap", "options": { "rounds": 1 } }));
    let handle = seat["structuredContent"]["seat_handle"].as_str().unwrap().to_owned();
    let first = client.call("wait_for_turn", json!({ "handle": handle }))["structuredContent"].clone();
    assert_eq!(first["status"], "your_turn", "{first}");
    client.process.signal("INT");
    assert_eq!(client.process.end().0, 130);
    let mut client = PipeClient::start(&parlor);
    let again = client.call("wait_for_turn", json!({ "handle": handle }))["structuredContent"].clone();
    assert_eq!(
        (&again["seat"]["decision"], &again["seat"]["actions"]),
        (&first["seat"]["decision"], &first["seat"]["actions"])
    );
    // At another server it stands for nothing.
    let other = Server::start();
    let elsewhere = Parlor::with_server(&other.url())
        .with_variable("PARLOR_CLIENT_DATA", parlor.data_folder().to_str().unwrap());
    let result = PipeClient::start(&elsewhere).call("look", json!({ "seat_handle": handle }));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("no such handle"), "{result}");
}

/// Sends a request by hand: the status of the response.
fn status(address: &str, headers: &str) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let length = body.len();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\n{headers}Connection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{response}"))
}

#[test]
fn http_is_for_this_machine_or_for_holders_of_the_token() {
    let parlor = Parlor::with_server("http://127.0.0.1:1");
    let refused = parlor.run(&["mcp", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("--token-file"), "{refused:?}");
    let short = parlor.home().join("short");
    fs::write(&short, "secret\n").unwrap();
    let refused = parlor.run(&["mcp", "--listen", "127.0.0.1:0", "--token-file", short.to_str().unwrap()]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(!refused.stderr.contains("secret"), "{refused:?}");

    let listening = |args: &[&str]| {
        let process = PipedProcess::start(&parlor, &[&["mcp", "--listen"], args].concat());
        let line = process.wait("the address", |lines| lines.first().cloned()).unwrap();
        let address = line.split_once("http://").unwrap().1.trim_end_matches("/mcp").to_owned();
        (process, address)
    };
    let (process, address) = listening(&["127.0.0.1:0"]);
    let host = format!("Host: {address}\r\n");
    assert_eq!(status(&address, &host), 200);
    assert_eq!(status(&address, "Host: cards.example\r\n"), 403, "DNS rebinding");
    assert_eq!(status(&address, &format!("{host}Origin: https://cards.example\r\n")), 403, "a page");
    assert_eq!(status(&address, &format!("{host}Origin: http://localhost:3000\r\n")), 200, "a local page");
    process.signal("TERM");
    assert_eq!(process.end().0, 143);

    let file = parlor.home().join("mcp.token");
    let (process, address) = listening(&["0.0.0.0:0", "--token-file", file.to_str().unwrap()]);
    let token = fs::read_to_string(&file).unwrap().trim().to_owned();
    let host = "Host: cards.example\r\n";
    for (authorization, expected) in [
        (String::new(), 401),
        ("Authorization: Bearer x\r\n".to_owned(), 401),
        (format!("Authorization: Basic {token}\r\n"), 401),
        (format!("Authorization: Bearer {token}\r\n"), 200),
    ] {
        assert_eq!(status(&address, &format!("{host}{authorization}")), expected, "{authorization}");
    }
    process.signal("INT");
    let (code, out, err) = process.end();
    assert_eq!(code, 130);
    assert!(!out.concat().contains(&token) && !err.concat().contains(&token));
}
