//! Tournament setup file: TOML, validated before it is sent, so that errors name the line.

use std::collections::BTreeMap;

use parlor_sdk::wire::{self, tournament_setup::Format};
use serde::Deserialize;

use crate::duration::{Millis, parse_clock, parse_time};
use crate::line_protocol::{EXEC_PREFIX, short_name};
use crate::seed::parse_seed;

/// Help text with an example file.
pub const SETUP_FILE_HELP: &str = "\
A tournament is a file, for example, as below. With tournament run, exec:./bot.py is an entrant, too: a program of lines.

  name = \"Autumn cup\"
  game = \"gap\"
  players = 2                    # per table
  format = \"round_robin\"         # or gauntlet, swiss, knockout
  groups = 50                    # deals per line-up
  entrants = [\"bot:random\", \"bot:greedy\", \"agent:ada\", \"agent:bob@1.2\"]
  # rounds = 5                   # swiss
  # champion = \"agent:ada\"       # gauntlet
  # tie_groups = 3               # knockout
  # deals = \"independent\"        # instead of duplicate deals
  # max_tables = 16              # at the same time
  # patience = \"60s\"             # for a disconnected or full agent
  # private = true
  # seed = \"1\"                   # for tests: a chosen seed is not fair

  [options]                      # listed by parlor games GAME
  target = 15

  [clock]                        # also bank, grace (0s), hidden_window, forfeit_after
  decision = \"10s\"               # or none

  [test]                         # sequential test: ends the tournament early
  entrant = \"bot:greedy\"
  lower = 0.0                    # hypothesis: its mean score is at most this
  upper = 2.0                    # hypothesis: its mean score is at least this
  # alpha = 0.05, beta = 0.05, min_groups = 30";

/// A program among the entrants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramEntrant {
    /// Name of its agent.
    pub name: String,
    /// Its command.
    pub command: String,
}

/// A parsed setup file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupFile {
    #[serde(default)]
    name: String,
    /// The id of the game.
    pub game: String,
    /// The number of players at a table; the smallest of the game by default.
    pub players: Option<u32>,
    format: FormatKey,
    groups: u32,
    rounds: Option<u32>,
    champion: Option<String>,
    tie_groups: Option<u32>,
    entrants: Vec<String>,
    deals: Option<DealsKey>,
    max_tables: Option<u32>,
    patience: Option<String>,
    #[serde(default)]
    private: bool,
    seed: Option<String>,
    /// The options of the game by name.
    #[serde(default)]
    pub options: BTreeMap<String, toml::Value>,
    clock: Option<ClockKeys>,
    test: Option<TestKeys>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FormatKey {
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DealsKey {
    Duplicate,
    Independent,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockKeys {
    decision: Option<String>,
    bank: Option<String>,
    grace: Option<String>,
    forfeit_after: Option<u32>,
    hidden_window: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestKeys {
    entrant: String,
    lower: f64,
    upper: f64,
    alpha: Option<f64>,
    beta: Option<f64>,
    min_groups: Option<u32>,
}

impl SetupFile {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// The file is not UTF-8 or not TOML, or a field is unknown, missing or of another type. The text names the line.
    pub fn parse(file: &[u8]) -> Result<SetupFile, String> {
        let text = std::str::from_utf8(file).map_err(|_| "it is not UTF-8".to_owned())?;
        toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let line = line.map_or_else(String::new, |line| format!("line {line}: "));
            format!("{line}{}", error.message())
        })
    }

    /// Takes the programs (`exec:COMMAND`) out of the entrants, and puts agents in their place.
    pub fn take_programs(&mut self) -> Vec<ProgramEntrant> {
        let mut programs: Vec<ProgramEntrant> = Vec::new();
        let named = self.champion.iter_mut().chain(self.test.as_mut().map(|test| &mut test.entrant));
        let mut named: Vec<&mut String> = named.collect();
        for entrant in &mut self.entrants {
            let Some(command) =
                entrant.strip_prefix(EXEC_PREFIX).filter(|command| !command.trim().is_empty())
            else {
                continue;
            };
            let (short, command) = (short_name(command), command.to_owned());
            let taken = |name: &str| programs.iter().any(|program| program.name == name);
            let mut names =
                std::iter::once(short.clone()).chain((2..).map(|number| format!("{short}-{number}")));
            let name = names.find(|name| !taken(name)).unwrap_or(short);
            let agent = format!("agent:{name}");
            // The first of several equal programs is the one that is named elsewhere.
            for text in named.iter_mut().filter(|text| **text == entrant) {
                text.clone_from(&agent);
            }
            *entrant = agent;
            programs.push(ProgramEntrant { name, command });
        }
        programs
    }

    /// Fills all fields of a setup except the game, its options and the number of players.
    ///
    /// # Errors
    ///
    /// A field has an invalid value. The text names the field.
    pub fn fill_setup(self, setup: &mut wire::TournamentSetup) -> Result<(), String> {
        let place = |text: &str, key: &str| {
            let place = self.entrants.iter().position(|entrant| entrant == text);
            let place = place.ok_or_else(|| format!("{key}: {text:?} is not among the entrants"))?;
            Ok::<u32, String>(place as u32)
        };
        let only = |kind: FormatKey, key: &str, given: bool| {
            let fits = !given || self.format == kind;
            if fits { Ok(()) } else { Err(format!("{key}: only for the format {}", kind.name())) }
        };
        only(FormatKey::Swiss, "rounds", self.rounds.is_some())?;
        only(FormatKey::Gauntlet, "champion", self.champion.is_some())?;
        only(FormatKey::Knockout, "tie_groups", self.tie_groups.is_some())?;
        let groups = self.groups;
        setup.format = Some(match self.format {
            FormatKey::RoundRobin => Format::RoundRobin(wire::RoundRobinFormat { groups }),
            FormatKey::Gauntlet => {
                let champion = self.champion.as_deref().ok_or("champion: required, one of the entrants")?;
                Format::Gauntlet(wire::GauntletFormat { champion: place(champion, "champion")?, groups })
            }
            FormatKey::Swiss => {
                let rounds = self.rounds.ok_or("rounds: required for the format swiss")?;
                Format::Swiss(wire::SwissFormat { rounds, groups })
            }
            FormatKey::Knockout => {
                Format::Knockout(wire::KnockoutFormat { groups, tie_groups: self.tie_groups })
            }
        });
        if let Some(test) = &self.test {
            setup.test = Some(wire::SequentialTest {
                entrant: place(&test.entrant, "test.entrant")?,
                lower: test.lower,
                upper: test.upper,
                alpha: test.alpha.unwrap_or_default(),
                beta: test.beta.unwrap_or_default(),
                min_groups: test.min_groups.unwrap_or_default(),
            });
        }
        setup.entrants = self.entrants.iter().map(|text| parse_entrant(text)).collect::<Result<_, _>>()?;
        setup.deals = match self.deals {
            None | Some(DealsKey::Duplicate) => wire::Deals::Duplicate,
            Some(DealsKey::Independent) => wire::Deals::Independent,
        }
        .into();
        setup.clock = self.clock.map(ClockKeys::settings).transpose()?;
        setup.max_tables = self.max_tables.unwrap_or_default();
        setup.patience_ms = parse_millis(self.patience.as_deref(), "patience", parse_time)?;
        if self.private {
            setup.visibility = wire::Visibility::Private.into();
        }
        if let Some(text) = self.seed {
            setup.given_seed = parse_seed(&text).map_err(|why| format!("seed: {why}"))?.to_vec();
        }
        setup.name = self.name;
        Ok(())
    }
}

impl FormatKey {
    const fn name(self) -> &'static str {
        match self {
            FormatKey::RoundRobin => "round_robin",
            FormatKey::Gauntlet => "gauntlet",
            FormatKey::Swiss => "swiss",
            FormatKey::Knockout => "knockout",
        }
    }
}

impl ClockKeys {
    fn settings(self) -> Result<wire::ClockSettings, String> {
        Ok(wire::ClockSettings {
            decision_ms: parse_millis(self.decision.as_deref(), "clock.decision", parse_clock)?,
            bank_ms: parse_millis(self.bank.as_deref(), "clock.bank", parse_time)?,
            grace_ms: parse_millis(self.grace.as_deref(), "clock.grace", parse_time)?,
            forfeit_after: self.forfeit_after,
            hidden_window_ms: parse_millis(self.hidden_window.as_deref(), "clock.hidden_window", parse_time)?,
            constant_hidden_windows: None,
        })
    }
}

fn parse_millis(
    text: Option<&str>,
    key: &str,
    parse: fn(&str) -> Result<Millis, String>,
) -> Result<Option<u32>, String> {
    let parse = |text| parse(text).map(|Millis(time)| time).map_err(|why| format!("{key}: {why}"));
    text.map(parse).transpose()
}

/// Parses an entrant: `bot:NAME`, `agent:NAME` or `agent:NAME@VERSION`.
fn parse_entrant(text: &str) -> Result<wire::EntrantSetup, String> {
    use wire::entrant_setup::Entrant;
    let entrant = match text.split_once(':') {
        Some(("bot", name)) if !name.is_empty() => {
            Entrant::HouseBot(wire::HouseBotSeat { name: name.into() })
        }
        Some(("agent", agent)) if !agent.is_empty() && !agent.starts_with('@') => {
            let (name, version) = agent.split_once('@').unwrap_or((agent, ""));
            Entrant::Agent(wire::AgentSeat { name: name.into(), version: version.into() })
        }
        _ => {
            return Err(format!(
                "entrants: {text:?} is not bot:NAME, agent:NAME, agent:NAME@VERSION or exec:COMMAND"
            ));
        }
    };
    Ok(wire::EntrantSetup { entrant: Some(entrant) })
}

#[cfg(test)]
mod tests;
