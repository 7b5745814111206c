//! Resources: the rules of each game, the state of a seat's table, and its record once the game is over.

use parlor_engine::Lang;
use parlor_sdk::record::RecordFormat;
use parlor_sdk::wire;
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::connections::unknown_handle;
use super::server::McpServer;
use super::tool_error::ToolError;
use crate::command::describe;
use crate::errors::Failure;

/// Beginning of all addresses.
const SCHEME: &str = "parlor://";

impl McpServer {
    /// The resources that anybody may list. Handles are secrets of their clients, so that states and records are not listed.
    pub(super) async fn resources(&self) -> Result<Vec<Resource>, ToolError> {
        let games = self.connections().client().await?.games().await?;
        let mut resources = Vec::new();
        for game in &games {
            for (lang, tag) in [(Lang::En, "en"), (Lang::De, "de")] {
                let id = &game.game;
                let title = describe::text(game.name.as_ref(), lang);
                let resource =
                    Resource::new(format!("{SCHEME}rules/{id}/{tag}"), format!("rules_{id}_{tag}"));
                resources.push(resource.with_title(title).with_mime_type("text/markdown"));
            }
        }
        Ok(resources)
    }

    /// The reading of a resource by its address.
    pub(super) async fn resource(&self, uri: &str) -> Result<ResourceContents, ToolError> {
        let path: Vec<&str> = uri.strip_prefix(SCHEME).unwrap_or_default().split('/').collect();
        let (text, mime_type) = match path[..] {
            ["rules", game, "en"] => (self.rules_text(game, Lang::En).await?, "text/markdown"),
            ["rules", game, "de"] => (self.rules_text(game, Lang::De).await?, "text/markdown"),
            ["seat", handle, "state"] => {
                let lang = self.connections().seat(handle).await?.lang();
                (self.state_report(handle, 0).await?.text(lang), "text/plain")
            }
            ["seat", handle, "record"] => (self.record_text(handle).await?, "text/plain"),
            _ => {
                let data = Some(json!({ "uri": uri }));
                let error = ErrorData::resource_not_found("there is no such resource", data);
                return Err(ToolError::Protocol(error));
            }
        };
        Ok(ResourceContents::text(text, uri).with_mime_type(mime_type))
    }

    /// The record of a seat's table, in its text form.
    async fn record_text(&self, handle: &str) -> Result<String, ToolError> {
        let known = self.connections().handles.seat(handle)?;
        let Some(seat) = known else { return Err(unknown_handle().into()) };
        let request = wire::GetRecordRequest {
            table_id: seat.table.clone(),
            token: seat.token().map(|token| token.reveal().to_owned()).unwrap_or_default(),
            ..Default::default()
        };
        let record = self.connections().client().await?.record_with(request).await?;
        let bytes = RecordFormat::Text.write(&record).map_err(crate::errors::unknown_reply)?;
        String::from_utf8(bytes).map_err(|error| Failure::from(std::io::Error::other(error)).into())
    }
}

/// Resources whose addresses hold a handle.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |path: &str, name: &str, title: &str| {
        ResourceTemplate::new(format!("{SCHEME}{path}"), name).with_title(title).with_mime_type("text/plain")
    };
    vec![
        template("seat/{seat_handle}/state", "state", "The table as your seat sees it"),
        template("seat/{seat_handle}/record", "record", "The record of your table, once the game is over"),
        template("rules/{game}/{language}", "rules", "The rules of a game"),
    ]
}
