//! `parlor agents`: the agents that the server knows, by name, page by page.

use std::time::SystemTime;

use clap::ValueEnum;
use parlor_engine::{Lang, Text};
use parlor_sdk::wire::{self, AgentState, ListAgentsRequest, SetAsideReason};

use super::{describe, pages};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

/// The states that can be asked for.
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
    /// How many agents to a page
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[command(flatten)]
    pages: pages::Paging,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.client().await?;
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
    args.pages.show(context, ask, none, |agents| list(agents, context.lang)).await?;
    Ok(Exit::Ok)
}

const fn words(en: &'static str, de: &'static str) -> Text {
    Text { en, de }
}

fn list(agents: &[wire::Agent], lang: Lang) -> Vec<String> {
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
        let span = |us: u64| if times.answers == 0 { String::new() } else { milliseconds(us) };
        columns.row([
            agent.name.clone(),
            agent.version.clone(),
            state(agent.state()).get(lang).to_owned(),
            format!("{}/{}", agent.playing, agent.max_tables),
            agent.games.join(", "),
            answers(&times, lang),
            span(times.mean_us),
            span(times.longest_us),
            agent.set_aside.as_ref().map(|aside| set_aside(aside, lang)).unwrap_or_default(),
        ]);
    }
    columns.lines()
}

const fn state(state: AgentState) -> Text {
    match state {
        AgentState::Here => words("here", "da"),
        AgentState::Gone => words("gone", "weg"),
        AgentState::SetAside => words("set aside", "ausgesetzt"),
        AgentState::Unspecified => words("unknown", "unbekannt"),
    }
}

/// How many answers, and how many of them were refused or too late, if any were.
fn answers(times: &wire::AgentTimes, lang: Lang) -> String {
    let mut text = times.answers.to_string();
    let mut add = |count: u64, what: Text| {
        if count > 0 {
            text.push_str(&format!(", {count} {}", what.get(lang)));
        }
    };
    add(times.refused, words("refused", "abgelehnt"));
    add(times.clocks_run_out, words("timed out", "zu spät"));
    text
}

/// A time as people read it.
fn milliseconds(us: u64) -> String {
    let (ms, rest) = (us / 1000, us % 1000 / 100);
    if ms < 10 { format!("{ms}.{rest} ms") } else { format!("{ms} ms") }
}

/// Why an agent gets no new seats, and until when.
pub(super) fn set_aside(aside: &wire::SetAside, lang: Lang) -> String {
    let why = match aside.reason() {
        SetAsideReason::TimedOut => {
            words("its clock ran out again and again", "seine Uhr lief immer wieder ab")
        }
        SetAsideReason::BrokeOff => words("it broke off again and again", "er brach immer wieder ab"),
        SetAsideReason::BrokeRules => {
            words("it broke the rules again and again", "er brach immer wieder die Regeln")
        }
        SetAsideReason::TooSlow => {
            words("it read too slowly again and again", "er las immer wieder zu langsam")
        }
        SetAsideReason::Unspecified => words("", ""),
    };
    let mut text = format!("{}: {}", words("set aside", "ausgesetzt").get(lang), why.get(lang));
    if let Some(until) = describe::moment(aside.until_time.and_then(|time| SystemTime::try_from(time).ok())) {
        text.push_str(&format!(", {} {until}", words("until", "bis").get(lang)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_stand_below_each_other_in_both_languages() {
        let aside = wire::SetAside {
            reason: SetAsideReason::TimedOut.into(),
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
                games: vec!["gap".into(), "flush".into()],
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
            list(&agents, Lang::En),
            [
                "AGENT  VERSION  STATE      TABLES  GAMES       ANSWERS        MEAN    LONGEST",
                "ada    1.0      here       3/16    gap, flush  12, 2 refused  1.2 ms  45 ms",
                "bob             set aside  0/0                 0                               set aside: its clock ran out \
                 again and again, until 2023-11-14T22:13:20Z",
            ]
        );
        assert!(
            list(&agents, Lang::De)[2]
                .ends_with("ausgesetzt: seine Uhr lief immer wieder ab, bis 2023-11-14T22:13:20Z")
        );
    }
}
