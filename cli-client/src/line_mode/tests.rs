//! Line mode: printed lines, and whole games played by typing.

use parlor_engine::{GameId, Lang, below};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::lang::BilingualText;
use crate::testing::TestTable;

/// A game in line mode, with everything printed so far.
struct Session {
    table: TestTable,
    line_mode: LineMode,
    printed: Vec<String>,
}

impl Session {
    fn new(id: GameId, players: u8, seed: u8, lang: Lang) -> Session {
        let table = TestTable::new(id, players, seed);
        let mut session = Session { table, line_mode: LineMode::new(lang), printed: Vec::new() };
        let mut messages = session.table.start();
        messages.extend(session.table.play_opponents());
        session.take(messages);
        session
    }

    fn take(&mut self, messages: Vec<TableMessage>) {
        for message in messages {
            self.printed.extend(self.line_mode.apply(message));
        }
    }

    /// Types a line; the line and the output are recorded.
    fn type_in(&mut self, line: &str) -> Option<Intent> {
        self.printed.push(format!("> {line}"));
        let (lines, intent) = self.line_mode.handle_line(line);
        self.printed.extend(lines);
        if let Some(Intent::Answer { decision, index }) = intent {
            let messages = self.table.answer(decision, index);
            self.take(messages);
        }
        intent
    }

    fn text(&self) -> String {
        self.printed.join("\n")
    }
}

#[test]
fn first_moves_of_every_game() {
    for id in GameId::published() {
        for (lang, name) in [(Lang::En, "en"), (Lang::De, "de")] {
            let mut session = Session::new(id, 2, 3, lang);
            session.type_in("#2");
            session.type_in("table");
            session.type_in("#1");
            insta::assert_snapshot!(format!("{}_{name}", id.info().id), session.text());
        }
    }
}

#[test]
fn move_names_are_matched_and_ambiguous_ones_listed() {
    let mut session = Session::new(GameId::FiveThreeFive, 3, 1, Lang::En);
    assert_eq!(session.type_in("?"), None);
    assert_eq!(session.type_in("sdfg"), None);
    assert_eq!(session.type_in("999"), None);
    assert_eq!(session.type_in("#999"), None);
    assert_eq!(session.type_in("#0"), None);
    assert_eq!(session.type_in("lead"), None);
    assert_eq!(session.type_in("moves"), None);
    let Some(Intent::Answer { decision: 1, index }) = session.type_in("lead 4") else {
        panic!("the label of a move plays it")
    };
    insta::assert_snapshot!("names", session.text());
    assert!(index > 0);
    assert_eq!(session.type_in("q"), Some(Intent::Leave));
}

/// The words of a label, as a player reads them.
fn words_of(label: &str) -> Vec<&str> {
    label.split(|c: char| !c.is_alphanumeric()).collect()
}

/// A number without a `#` plays a move with that card, never the move with that number.
#[test]
fn bare_number_is_a_card_and_not_the_number_of_a_move() {
    let mut played = 0;
    for id in GameId::published() {
        for seed in 1..=4 {
            for number in 0..=15 {
                let mut session = Session::new(id, 3, seed, Lang::En);
                let labels = session.line_mode.labels.clone();
                let typed = number.to_string();
                if let Some(Intent::Answer { index, .. }) = session.type_in(&typed) {
                    let label = &labels[index as usize];
                    assert!(words_of(label).contains(&typed.as_str()), "{typed} plays {label:?}");
                    played += 1;
                }
            }
        }
    }
    assert!(played > 20, "only {played} moves");
}

/// "8" plays the 8 where one move lays just an 8, and otherwise asks which of them is meant.
#[test]
fn cards_of_five_three_five_are_typed_as_bare_numbers() {
    let mut session = Session::new(GameId::FiveThreeFive, 3, 1, Lang::En);
    let labels = session.line_mode.labels.clone();
    for label in labels.iter().filter(|label| label.starts_with("lead ")) {
        let mut session = Session::new(GameId::FiveThreeFive, 3, 1, Lang::En);
        let Some(Intent::Answer { index, .. }) = session.type_in(&label["lead ".len()..]) else {
            panic!("{label} is not played")
        };
        assert_eq!(&labels[index as usize], label);
    }
    let number = labels.len();
    let Some(Intent::Answer { index, .. }) = session.type_in(&format!("#{number}")) else {
        panic!("#{number} is a move")
    };
    assert_eq!(index as usize + 1, number);
}

#[test]
fn refusals_and_disconnects_are_printed() {
    let mut session = Session::new(GameId::Gap, 2, 1, Lang::De);
    session.printed.clear();
    let why = BilingualText { en: "No.".to_owned(), de: "So nicht.".to_owned() };
    session.take(vec![
        TableMessage::Refused { decision: 1, why, still_open: true },
        TableMessage::Connection(false),
        TableMessage::Connection(false),
        TableMessage::Connection(true),
        TableMessage::Closed(Some("Das Token gilt nicht mehr.".to_owned())),
    ]);
    insta::assert_snapshot!("breaks", session.text());
    assert!(session.line_mode.is_over());
    assert_eq!(session.type_in("#1"), None);
}

#[test]
fn rules_command_prints_the_rules() {
    let mut session = Session::new(GameId::Gap, 2, 1, Lang::De);
    session.printed.clear();
    session.type_in("regeln");
    assert!(session.printed.len() > 50 && session.printed.contains(&"# GAP".to_owned()));
}

#[test]
fn every_game_is_played_to_the_end_by_lines() {
    for id in GameId::ALL {
        let players = id.info().max_players;
        let mut session = Session::new(*id, players, 9, Lang::En);
        let mut rng = ChaCha20Rng::seed_from_u64(9);
        while !session.line_mode.is_over() {
            let place = below(session.line_mode.labels.len() as u32, &mut rng) as usize;
            let by_name = below(2, &mut rng) == 0;
            let line = if by_name {
                format!("/{}", session.line_mode.labels[place])
            } else {
                format!("#{}", place + 1)
            };
            let listed = session.line_mode.order[place];
            let Some(Intent::Answer { index, .. }) = session.type_in(&line) else {
                panic!("{line} is a move")
            };
            assert_eq!(index as usize, listed, "{line}");
        }
        let end = session.printed.split_off(session.printed.len() - usize::from(players));
        assert!(end[0].contains(" 1st with "), "{end:?}");
    }
}
