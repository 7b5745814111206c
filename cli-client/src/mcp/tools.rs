//! The tools as they are listed: names, descriptions, and the forms of their arguments and results.

use parlor_cli::seat_report::{HistoryPage, SeatReport};
use rmcp::model::{Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;

use super::connected_agent::AgentReport;
use super::tool_arguments::{
    ActArgs, BeAgentArgs, HistoryArgs, JoinArgs, ListGamesArgs, LookArgs, ResultArgs, RulesArgs,
    StartGameArgs, WaitArgs,
};
use super::tool_reports::{ActReport, GameList, NewSeat, ResultReport, Rules, WaitReport};

/// All tools.
pub(super) fn all() -> Vec<Tool> {
    let reads = |title| ToolAnnotations::with_title(title).read_only(true).open_world(false);
    let starts = |title| ToolAnnotations::with_title(title).destructive(false).open_world(false);
    vec![
        tool::<ListGamesArgs, GameList>(
            "list_games",
            "List the card games of this server, with their options and the house bots.",
            reads("List games"),
        ),
        tool::<RulesArgs, Rules>(
            "rules",
            "Read the rules of a game. Read them before you play it.",
            reads("Rules"),
        ),
        tool::<StartGameArgs, NewSeat>(
            "start_game",
            "Start a game against house bots, without a clock, and get a seat_handle. Then call wait_for_turn.",
            starts("Start a game"),
        ),
        tool::<JoinArgs, NewSeat>(
            "join",
            "Take a free seat of a table, or the seat of an invite, and get a seat_handle. Then call wait_for_turn.",
            starts("Join a table"),
        ),
        tool::<BeAgentArgs, AgentReport>(
            "be_agent",
            "Play under the name of an agent: tables and tournaments give it seats. You get an agent_handle. Then call \
             wait_for_turn with it, again and again: it gives you the turns of all your seats.",
            starts("Be an agent"),
        ),
        tool::<WaitArgs, WaitReport>(
            "wait_for_turn",
            "Wait until you have to decide, for at most 30 seconds: you get what has happened, what you know, and the \
             numbered legal actions. If the others are still thinking, call it again.",
            reads("Wait for your turn"),
        ),
        tool::<ActArgs, ActReport>(
            "act",
            "Answer a decision with the index of a legal action. Repeating an answer is harmless. An illegal answer is a \
             strike; after too many, the default is played. Then call wait_for_turn.",
            ToolAnnotations::with_title("Act").destructive(false).idempotent(true).open_world(false),
        ),
        tool::<LookArgs, SeatReport>(
            "look",
            "Look at the table from your seat: all that you know, in words, and the open decision.",
            reads("Look"),
        ),
        tool::<HistoryArgs, HistoryPage>(
            "history",
            "Read what has happened at your table, the newest page first.",
            reads("History"),
        ),
        tool::<ResultArgs, ResultReport>(
            "result",
            "Read the result of your table, or of all tables of your agent.",
            reads("Result"),
        ),
    ]
}

fn tool<A: JsonSchema + 'static, R: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, serde_json::Map::new())
        .with_input_schema::<A>()
        .with_output_schema::<R>()
        .with_annotations(annotations)
}
