//! The file of a tournament: TOML for people, checked before the server sees it, so that an error names the line.

use std::collections::BTreeMap;
use std::path::Path;

use parlor_sdk::wire::{self, tournament_setup::Format};
use serde::Deserialize;

use super::super::clock::{Millis, parse_clock, parse_time};
use super::super::{create, games, options, seed};
use crate::config::{read_all, read_file};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// What the help says of it.
pub(super) const HELP: &str = "\
A tournament is a file, for example:

  name = \"Autumn cup\"
  game = \"gap\"
  players = 2                    # a table
  format = \"round_robin\"         # or gauntlet, swiss, knockout
  groups = 50                    # deals that each pair meets in
  entrants = [\"bot:random\", \"bot:greedy\", \"agent:ada\", \"agent:bob@1.2\"]
  # rounds = 5                   # swiss
  # champion = \"agent:ada\"       # gauntlet
  # tie_groups = 3               # knockout
  # deals = \"independent\"        # instead of duplicate deals
  # max_tables = 16              # at once
  # patience = \"60s\"             # for an agent that is gone
  # private = true
  # seed = \"1\"                   # for tests: chosen deals prove nothing

  [options]                      # of the game: parlor games GAME
  target = 15

  [clock]                        # too: bank, grace, hidden_window, forfeit_after
  decision = \"10s\"               # or none

  [test]                         # end as soon as this is sure
  entrant = \"bot:greedy\"
  lower = 0.0                    # its mean score is at most this,
  upper = 2.0                    # or at least this
  # alpha = 0.05, beta = 0.05, min_groups = 30";

/// What can stand in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(default)]
    name: String,
    game: String,
    players: Option<u32>,
    format: Kind,
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
    #[serde(default)]
    options: BTreeMap<String, toml::Value>,
    clock: Option<ClockKeys>,
    test: Option<TestKeys>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
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

/// A tournament as a file has it.
pub(super) struct File {
    path: String,
    keys: Keys,
}

/// Reads the file; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<File, Failure> {
    let is_input = path == Path::new("-");
    let bytes = if is_input { read_all(std::io::stdin().lock(), "-")? } else { read_file(path)? };
    let path = path.display().to_string();
    let keys = parse(&bytes).map_err(|why| wrong(&path, &why))?;
    Ok(File { path, keys })
}

fn parse(bytes: &[u8]) -> Result<Keys, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("{line}{}", error.message())
    })
}

fn wrong(path: &str, why: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "TOURNAMENT_FILE",
        format!("{path}: {why}; parlor tournament --help shows a whole file"),
        format!("{path}: {why}; parlor tournament --help zeigt eine ganze Datei"),
    )
}

impl File {
    /// What the server is asked for.
    pub(super) fn setup(
        self,
        known: Vec<wire::GameInfo>,
        context: &Context,
    ) -> Result<wire::TournamentSetup, Failure> {
        let File { path, keys } = self;
        let game = games::find(known, &keys.game)?;
        let chosen: Vec<(String, String)> =
            keys.options.iter().map(|(name, value)| (name.clone(), plain(value))).collect();
        let mut setup = wire::TournamentSetup {
            options: Some(options::make(&game, &chosen, context)?),
            players: create::players(keys.players, &game)?,
            ..Default::default()
        };
        keys.fill_in(&mut setup).map_err(|why| wrong(&path, &why))?;
        Ok(setup)
    }
}

/// A value as the options of a game are written.
fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Keys {
    fn fill_in(self, setup: &mut wire::TournamentSetup) -> Result<(), String> {
        let place = |text: &str, key: &str| {
            let place = self.entrants.iter().position(|entrant| entrant == text);
            let place = place.ok_or_else(|| format!("{key}: {text:?} is not among the entrants"))?;
            Ok::<u32, String>(place as u32)
        };
        let only = |kind: Kind, key: &str, given: bool| {
            let fits = !given || self.format == kind;
            if fits { Ok(()) } else { Err(format!("{key}: only for the format {}", kind.name())) }
        };
        only(Kind::Swiss, "rounds", self.rounds.is_some())?;
        only(Kind::Gauntlet, "champion", self.champion.is_some())?;
        only(Kind::Knockout, "tie_groups", self.tie_groups.is_some())?;
        let groups = self.groups;
        setup.format = Some(match self.format {
            Kind::RoundRobin => Format::RoundRobin(wire::RoundRobinFormat { groups }),
            Kind::Gauntlet => {
                let champion = self.champion.as_deref().ok_or("champion: say which of the entrants it is")?;
                Format::Gauntlet(wire::GauntletFormat { champion: place(champion, "champion")?, groups })
            }
            Kind::Swiss => {
                let rounds = self.rounds.ok_or("rounds: say how many")?;
                Format::Swiss(wire::SwissFormat { rounds, groups })
            }
            Kind::Knockout => Format::Knockout(wire::KnockoutFormat { groups, tie_groups: self.tie_groups }),
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
        setup.entrants = self.entrants.iter().map(|text| entrant(text)).collect::<Result<_, _>>()?;
        setup.deals = match self.deals {
            None | Some(DealsKey::Duplicate) => wire::Deals::Duplicate,
            Some(DealsKey::Independent) => wire::Deals::Independent,
        }
        .into();
        setup.clock = self.clock.map(ClockKeys::settings).transpose()?;
        setup.max_tables = self.max_tables.unwrap_or_default();
        setup.patience_ms = time(self.patience.as_deref(), "patience", parse_time)?;
        if self.private {
            setup.visibility = wire::Visibility::Private.into();
        }
        if let Some(text) = self.seed {
            setup.given_seed = seed::parse(&text).map_err(|why| format!("seed: {why}"))?.to_vec();
        }
        setup.name = self.name;
        Ok(())
    }
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::RoundRobin => "round_robin",
            Kind::Gauntlet => "gauntlet",
            Kind::Swiss => "swiss",
            Kind::Knockout => "knockout",
        }
    }
}

impl ClockKeys {
    fn settings(self) -> Result<wire::ClockSettings, String> {
        Ok(wire::ClockSettings {
            decision_ms: time(self.decision.as_deref(), "clock.decision", parse_clock)?,
            bank_ms: time(self.bank.as_deref(), "clock.bank", parse_time)?,
            grace_ms: time(self.grace.as_deref(), "clock.grace", parse_time)?,
            forfeit_after: self.forfeit_after,
            hidden_window_ms: time(self.hidden_window.as_deref(), "clock.hidden_window", parse_time)?,
            constant_hidden_windows: None,
        })
    }
}

fn time(
    text: Option<&str>,
    key: &str,
    parse: fn(&str) -> Result<Millis, String>,
) -> Result<Option<u32>, String> {
    let parse = |text| parse(text).map(|Millis(time)| time).map_err(|why| format!("{key}: {why}"));
    text.map(parse).transpose()
}

/// Who takes part: `bot:NAME`, `agent:NAME` or `agent:NAME@VERSION`.
fn entrant(text: &str) -> Result<wire::EntrantSetup, String> {
    use wire::entrant_setup::Entrant;
    let entrant = match text.split_once(':') {
        Some(("bot", name)) if !name.is_empty() => {
            Entrant::HouseBot(wire::HouseBotSeat { name: name.into() })
        }
        Some(("agent", agent)) if !agent.is_empty() && !agent.starts_with('@') => {
            let (name, version) = agent.split_once('@').unwrap_or((agent, ""));
            Entrant::Agent(wire::AgentSeat { name: name.into(), version: version.into() })
        }
        _ => return Err(format!("entrants: {text:?} is not bot:NAME, agent:NAME or agent:NAME@VERSION")),
    };
    Ok(wire::EntrantSetup { entrant: Some(entrant) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<wire::TournamentSetup, String> {
        let mut setup = wire::TournamentSetup::default();
        parse(text.as_bytes())?.fill_in(&mut setup)?;
        Ok(setup)
    }

    const SHORT: &str =
        "game = 'gap'\nformat = 'round_robin'\ngroups = 7\nentrants = ['bot:random', 'agent:a@2']\n";

    #[test]
    fn the_file_of_the_help_is_one() {
        let mut file: String = HELP
            .lines()
            .skip(2)
            .map(|line| format!("{}\n", line.trim_start().trim_start_matches("# ")))
            .collect();
        // Only one format at a time.
        for line in ["rounds = 5", "champion =", "tie_groups ="] {
            file = file.lines().filter(|l| !l.starts_with(line)).map(|l| format!("{l}\n")).collect();
        }
        let file =
            file.replace("alpha = 0.05, beta = 0.05, min_groups = 30", "alpha = 0.05\nmin_groups = 30");
        let setup = filled(&file).unwrap();
        assert_eq!((setup.entrants.len(), setup.patience_ms, setup.max_tables), (4, Some(60_000), 16));
        assert_eq!(setup.test.unwrap().entrant, 1);
        assert_eq!(setup.clock.unwrap().decision_ms, Some(10_000));
    }

    #[test]
    fn what_is_said_arrives() {
        use wire::entrant_setup::Entrant;
        let setup = filled(SHORT).unwrap();
        assert_eq!(setup.format, Some(Format::RoundRobin(wire::RoundRobinFormat { groups: 7 })));
        let agent = wire::AgentSeat { name: "a".into(), version: "2".into() };
        assert_eq!(setup.entrants[1].entrant, Some(Entrant::Agent(agent)));
        let gauntlet = SHORT.replace("round_robin", "gauntlet") + "champion = 'agent:a@2'\n";
        let champion = wire::GauntletFormat { champion: 1, groups: 7 };
        assert_eq!(filled(&gauntlet).unwrap().format, Some(Format::Gauntlet(champion)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let with = |more: &str| filled(&format!("{SHORT}{more}\n")).unwrap_err();
        for (more, expected) in [
            ("champion = 'bot:random'", "champion: only for the format gauntlet"),
            ("rounds = 3", "rounds: only for the format swiss"),
            ("colour = 3", "line 5: unknown field `colour`"),
            ("patience = 'soon'", "patience: a time is such as"),
            ("seed = 'x'", "seed: "),
            ("deals = 'fair'", "line 5: unknown variant `fair`"),
            (
                "[test]\nentrant = 'bob'\nlower = 0\nupper = 1",
                "test.entrant: \"bob\" is not among the entrants",
            ),
            ("[clock]\nbank = 7", "line 6: "),
        ] {
            assert!(with(more).starts_with(expected), "{more}: {}", with(more));
        }
        assert!(filled("").unwrap_err().contains("game"));
        assert!(filled(&SHORT.replace("bot:random", "random")).unwrap_err().contains("bot:NAME"));
        assert!(filled(&SHORT.replace("round_robin", "swiss")).unwrap_err().starts_with("rounds: say"));
        assert!(parse(&[0xff]).is_err_and(|why| why.contains("UTF-8")));
    }
}
