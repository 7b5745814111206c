//! `parlor agents`: lists registered agents by name, in pages.

use std::time::SystemTime;

use clap::ValueEnum;
use parlor_engine::{Lang, Text};
use parlor_sdk::wire::{self, AgentState, ListAgentsRequest};

use super::describe::{self, bilingual};
use super::paging;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

/// Agent states accepted by `--state`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum State {
    Here,
    Gone,
    SetAside,
}

impl From<State> for AgentState {
    fn from(state: State) -> AgentState {
        match state {
            State::Here => AgentState::Here,
            State::Gone => AgentState::Gone,
            State::SetAside => AgentState::SetAside,
        }
    }
}

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only agents that play this game
    #[arg(long)]
    game: Option<String>,
    /// Only agents in this state
    #[arg(long, value_enum)]
    state: Option<State>,
    /// Number of agents per page
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[command(flatten)]
    page: paging::PageArgs,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    let request = ListAgentsRequest {
        game: args.game.unwrap_or_default(),
        state: args.state.map_or(AgentState::Unspecified, AgentState::from).into(),
        page_size: args.limit,
        page_token: String::new(),
    };
    let ask =
        async |page_token| client.list_agents(ListAgentsRequest { page_token, ..request.clone() }).await;
    let none = [
        "No agents. Connect one: parlor bot greedy --agent NAME",
        "Keine Agenten. Verbinde einen: parlor bot greedy --agent NAME",
    ];
    args.page.show(context, ask, none, async |agents: &[_]| agent_lines(agents, context.lang)).await?;
    Ok(Exit::Ok)
}

fn agent_lines(agents: &[wire::Agent], lang: Lang) -> Vec<String> {
    let mut columns = match lang {
        Lang::En => {
            Columns::new(["agent", "version", "state", "tables", "games", "answers", "mean", "longest", ""])
        }
        Lang::De => Columns::new([
            "Agent",
            "Version",
            "Zustand",
            "Tische",
            "Spiele",
            "Antworten",
            "im Mittel",
            "längste",
            "",
        ]),
    };
    for agent in agents {
        let times = agent.times.unwrap_or_default();
        let span = |us: u32| if times.answers == 0 { String::new() } else { format_micros(us) };
        columns.row([
            agent.name.clone(),
            agent.version.clone(),
            agent.state().text().get(lang).to_owned(),
            format!("{}/{}", agent.playing, agent.max_tables),
            agent.games.join(", "),
            answer_counts(&times, lang),
            span(times.mean_us),
            span(times.longest_us),
            agent.set_aside.as_ref().map(|aside| suspension(aside, lang)).unwrap_or_default(),
        ]);
    }
    columns.lines()
}

/// Number of answers, with the refused and timed-out ones if there are any.
fn answer_counts(times: &wire::AgentTimes, lang: Lang) -> String {
    let mut text = times.answers.to_string();
    let mut add = |count: u32, what: Text| {
        if count > 0 {
            text.push_str(&format!(", {count} {}", what.get(lang)));
        }
    };
    add(times.refused, bilingual("refused", "abgelehnt"));
    add(times.clocks_run_out, bilingual("timed out", "zu spät"));
    text
}

/// Formats microseconds as milliseconds, with one decimal below 10 ms.
fn format_micros(us: u32) -> String {
    let (ms, rest) = (us / 1000, us % 1000 / 100);
    if ms < 10 { format!("{ms}.{rest} ms") } else { format!("{ms} ms") }
}

/// Reason and end of an agent's suspension.
pub(super) fn suspension(aside: &wire::SetAside, lang: Lang) -> String {
    let (state, why) = (AgentState::SetAside.text().get(lang), aside.reason().text().get(lang));
    let mut text = format!("{state}: {why}");
    if !aside.tournament_id.is_empty() {
        text.push_str(&format!(
            ", {} {}",
            bilingual("in tournament", "im Turnier").get(lang),
            aside.tournament_id
        ));
    }
    if let Some(until) =
        describe::format_timestamp(aside.until_time.and_then(|time| SystemTime::try_from(time).ok()))
    {
        text.push_str(&format!(", {} {until}", bilingual("until", "bis").get(lang)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_listed_in_columns_in_both_languages() {
        let aside = wire::SetAside {
            reason: wire::SetAsideReason::TimedOut.into(),
            until_time: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 }),
            ..Default::default()
        };
        let times = wire::AgentTimes {
            answers: 12,
            refused: 2,
            mean_us: 1234,
            longest_us: 45_678,
            ..Default::default()
        };
        let agents = [
            wire::Agent {
                name: "ada".into(),
                version: "1.0".into(),
                games: vec!["gap".into(), "five_three_five".into()],
                max_tables: 16,
                playing: 3,
                state: AgentState::Here.into(),
                times: Some(times),
                ..Default::default()
            },
            wire::Agent {
                name: "bob".into(),
                state: AgentState::SetAside.into(),
                set_aside: Some(aside),
                ..Default::default()
            },
        ];
        assert_eq!(
            agent_lines(&agents, Lang::En),
            [
                "AGENT  VERSION  STATE      TABLES  GAMES                 ANSWERS        MEAN    LONGEST",
                "ada    1.0      here       3/16    gap, five_three_five  12, 2 refused  1.2 ms  45 ms",
                "bob             set aside  0/0                           0                               set aside: its clock expired \
                 repeatedly, until 2023-11-14T22:13:20Z",
            ]
        );
        assert!(
            agent_lines(&agents, Lang::De)[2]
                .ends_with("ausgesetzt: seine Uhr lief immer wieder ab, bis 2023-11-14T22:13:20Z")
        );
    }
}
