//! Line mode: what is printed, and whole games by typing.

use parlor_engine::{GameId, Lang, below};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::table::Both;
use crate::testing::House;

/// A game in lines, with all that was printed so far.
struct Session {
    house: House,
    plain: Plain,
    printed: Vec<String>,
}

impl Session {
    fn new(id: GameId, players: u8, seed: u8, lang: Lang) -> Session {
        let house = House::new(id, players, seed);
        let mut session = Session { house, plain: Plain::new(lang), printed: Vec::new() };
        let mut told = session.house.begin();
        told.extend(session.house.others_play());
        session.take(told);
        session
    }

    fn take(&mut self, told: Vec<Incoming>) {
        for news in told {
            self.printed.extend(self.plain.take(news));
        }
    }

    /// Types a line: it is printed, with what comes of it.
    fn type_in(&mut self, line: &str) -> Option<Intent> {
        self.printed.push(format!("> {line}"));
        let (lines, intent) = self.plain.line(line);
        self.printed.extend(lines);
        if let Some(Intent::Answer { decision, index }) = intent {
            let told = self.house.answer(decision, index);
            self.take(told);
        }
        intent
    }

    fn text(&self) -> String {
        self.printed.join("\n")
    }
}

#[test]
fn a_few_moves_of_every_game() {
    for id in GameId::ALL {
        for (lang, name) in [(Lang::En, "en"), (Lang::De, "de")] {
            let mut session = Session::new(*id, 2, 3, lang);
            session.type_in("2");
            session.type_in("table");
            session.type_in("1");
            insta::assert_snapshot!(format!("{}_{name}", id.info().id), session.text());
        }
    }
}

#[test]
fn names_play_moves_and_what_is_not_clear_is_asked() {
    let mut session = Session::new(GameId::Flush, 3, 1, Lang::En);
    assert_eq!(session.type_in("?"), None);
    assert_eq!(session.type_in("sdfg"), None);
    assert_eq!(session.type_in("999"), None);
    assert_eq!(session.type_in("0"), None);
    assert_eq!(session.type_in("lead"), None);
    assert_eq!(session.type_in("moves"), None);
    let Some(Intent::Answer { decision: 1, index }) = session.type_in("lead 4") else {
        panic!("the words of a move play it")
    };
    insta::assert_snapshot!("names", session.text());
    assert!(index > 0);
    assert_eq!(session.type_in("q"), Some(Intent::Leave));
}

#[test]
fn breaks_and_refusals_are_told() {
    let mut session = Session::new(GameId::Gap, 2, 1, Lang::De);
    session.printed.clear();
    let why = Both { en: "No.".to_owned(), de: "So nicht.".to_owned() };
    session.take(vec![
        Incoming::Refused { decision: 1, why, still_open: true },
        Incoming::Connection(false),
        Incoming::Connection(false),
        Incoming::Connection(true),
        Incoming::Closed(Some("Das Token gilt nicht mehr.".to_owned())),
    ]);
    insta::assert_snapshot!("breaks", session.text());
    assert!(session.plain.is_over());
    assert_eq!(session.type_in("1"), None);
}

#[test]
fn the_rules_can_be_read() {
    let mut session = Session::new(GameId::Gap, 2, 1, Lang::De);
    session.printed.clear();
    session.type_in("regeln");
    assert!(session.printed.len() > 50 && session.printed.contains(&"# GAP".to_owned()));
}

#[test]
fn every_game_is_played_through_by_lines() {
    for id in GameId::ALL {
        let players = id.info().max_players;
        let mut session = Session::new(*id, players, 9, Lang::En);
        let mut rng = ChaCha20Rng::seed_from_u64(9);
        while !session.plain.is_over() {
            let place = below(session.plain.labels.len() as u32, &mut rng) as usize;
            let by_name = below(2, &mut rng) == 0;
            let line =
                if by_name { format!("/{}", session.plain.labels[place]) } else { (place + 1).to_string() };
            let Some(Intent::Answer { index, .. }) = session.type_in(&line) else {
                panic!("{line} is a move")
            };
            assert_eq!(index as usize, place, "{line}");
        }
        let end = session.printed.split_off(session.printed.len() - usize::from(players));
        assert!(end[0].starts_with("place 1: "), "{end:?}");
    }
}
