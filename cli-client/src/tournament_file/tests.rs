//! Parsing of setup files.

use super::*;

fn filled(text: &str) -> Result<wire::TournamentSetup, String> {
    let mut setup = wire::TournamentSetup::default();
    SetupFile::parse(text.as_bytes())?.fill_setup(&mut setup)?;
    Ok(setup)
}

const SHORT: &str =
    "game = 'gap'\nformat = 'round_robin'\ngroups = 7\nentrants = ['bot:random', 'agent:a@2']\n";

#[test]
fn example_setup_file_in_the_help_parses() {
    let mut file: String = SETUP_FILE_HELP
        .lines()
        .skip(2)
        .map(|line| format!("{}\n", line.trim_start().trim_start_matches("# ")))
        .collect();
    // Fields of other formats must be absent.
    for line in ["rounds = 5", "champion =", "tie_groups ="] {
        file = file.lines().filter(|l| !l.starts_with(line)).map(|l| format!("{l}\n")).collect();
    }
    let file = file.replace("alpha = 0.05, beta = 0.05, min_groups = 30", "alpha = 0.05\nmin_groups = 30");
    let setup = filled(&file).unwrap();
    assert_eq!((setup.entrants.len(), setup.patience_ms, setup.max_tables), (4, Some(60_000), 16));
    assert_eq!(setup.test.unwrap().entrant, 1);
    assert_eq!(setup.clock.unwrap().decision_ms, Some(10_000));
}

#[test]
fn setup_file_fields_reach_the_request() {
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
fn setup_file_errors_name_the_field() {
    let with = |more: &str| filled(&format!("{SHORT}{more}\n")).unwrap_err();
    for (more, expected) in [
        ("champion = 'bot:random'", "champion: only for the format gauntlet"),
        ("rounds = 3", "rounds: only for the format swiss"),
        ("colour = 3", "line 5: unknown field `colour`"),
        ("patience = 'soon'", "patience: a time is written as"),
        ("seed = 'x'", "seed: "),
        ("deals = 'fair'", "line 5: unknown variant `fair`"),
        ("[test]\nentrant = 'bob'\nlower = 0\nupper = 1", "test.entrant: \"bob\" is not among the entrants"),
        ("[clock]\nbank = 7", "line 6: "),
    ] {
        assert!(with(more).starts_with(expected), "{more}: {}", with(more));
    }
    assert!(filled("").unwrap_err().contains("game"));
    assert!(filled(&SHORT.replace("bot:random", "random")).unwrap_err().contains("bot:NAME"));
    assert!(filled(&SHORT.replace("round_robin", "swiss")).unwrap_err().starts_with("rounds: required"));
    assert!(SetupFile::parse(&[0xff]).is_err_and(|why| why.contains("UTF-8")));
}
