//! The protocol's requests.

use std::sync::Arc;

use parlor_cli::seat_report::Budget;
use parlor_engine::Lang;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::connections::Connections;
use super::tool_error::{ToolError, ToolResult};
use super::{resources, tool_arguments, tools};
use crate::context::Context;
use crate::errors::{Failure, redact_secrets};

/// Settings of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct McpSettings {
    /// Maximum length of texts.
    pub(crate) budget: Budget,
    /// Number of strikes at a decision at which the default is played.
    pub(crate) strikes: u32,
}

/// The server. Clones share its connections.
#[derive(Clone)]
pub(crate) struct McpServer {
    settings: McpSettings,
    connections: Arc<Connections>,
}

impl McpServer {
    /// A server that connects to Parlor with the first call that needs it.
    pub(crate) fn new(settings: McpSettings, context: Context) -> Result<McpServer, Failure> {
        Ok(McpServer { settings, connections: Arc::new(Connections::new(context)?) })
    }

    /// Leaves all seats, which can be resumed by their handles.
    pub(crate) fn close(&self) {
        self.connections.close();
    }

    pub(super) fn connections(&self) -> &Connections {
        &self.connections
    }

    pub(super) fn budget(&self) -> Budget {
        self.settings.budget
    }

    pub(super) fn strike_limit(&self) -> u32 {
        self.settings.strikes
    }

    /// Language of the program, unless a call names another.
    pub(super) fn lang(&self) -> Lang {
        self.connections.context.lang
    }

    pub(super) fn localise(&self, en: String, de: String) -> String {
        match self.lang() {
            Lang::En => en,
            Lang::De => de,
        }
    }

    async fn run_tool(&self, name: &str, arguments: JsonObject) -> ToolResult {
        match name {
            "list_games" => {
                let tool_arguments::ListGamesArgs {} = read(arguments)?;
                self.list_games().await
            }
            "rules" => self.rules(read(arguments)?).await,
            "start_game" => self.new_seat(&self.connections.start_game(read(arguments)?).await?),
            "join" => self.new_seat(&self.connections.join(read(arguments)?).await?),
            "be_agent" => self.be_agent(read(arguments)?).await,
            "wait_for_turn" => self.wait_for_turn(read(arguments)?).await,
            "act" => self.act(&arguments).await,
            "look" => self.look(read(arguments)?).await,
            "history" => self.history(read(arguments)?).await,
            "result" => self.result(read(arguments)?).await,
            _ => Err(ToolError::Protocol(ErrorData::invalid_params(format!("unknown tool {name:?}"), None))),
        }
    }
}

/// Reads the arguments of a tool.
fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let error = redact_secrets(&error.to_string());
        ToolError::arguments(
            format!("the arguments do not fit the tool: {error}"),
            format!("Die Argumente passen nicht zum Werkzeug: {error}"),
        )
    })
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("parlor", env!("CARGO_PKG_VERSION")).with_title("Parlor card games"))
            .with_instructions(
                "Play card games. Read the rules, then start_game, join or be_agent gives you a handle. Then, in turns: \
                 wait_for_turn, and act with the decision and the index of a legal action, until the table is over.",
            )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let called = self.run_tool(&request.name, request.arguments.unwrap_or_default()).await;
        let result = match called {
            Ok(result) => result,
            Err(error) => error.into_result(self.lang())?,
        };
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.prompts().await.map_err(|error| error.into_protocol_error(self.lang()))?;
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = self.prompt(&request.name).await;
        Ok(prompt.map_err(|error| error.into_protocol_error(self.lang()))?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.resources().await.map_err(|error| error.into_protocol_error(self.lang()))?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = self.resource(&request.uri).await;
        let contents = contents.map_err(|error| error.into_protocol_error(self.lang()))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
