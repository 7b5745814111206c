//! Texts: every text exists in English and German, addresses its reader, and tells actions and cards apart.

use std::collections::HashSet;
use std::fmt::Debug;

use super::{NewGame, Testable, fresh_game, fresh_held_game, play_random_actions, random_move, set_ups};
use crate::test_support::{Recorder, legal_actions, test_rng};
use crate::{
    CardCode as _, CardFace, CardLabel as _, Game, Lang, Localise, RichText, Seat, TextBuilder, TextPart,
    Viewer, below,
};

/// The text for this reader in both languages. Checks that there is one, and that its plain parts are joined.
fn texts(value: &(impl Localise + Debug), reader: Viewer) -> [RichText; 2] {
    Lang::ALL.map(|lang| {
        let text = value.rich_text(lang, reader);
        assert!(!text.to_string().trim().is_empty(), "no text in {lang:?}: {value:?}");
        let is_plain = |part: &TextPart| matches!(part, TextPart::Plain(_));
        assert!(!text.parts.windows(2).any(|parts| parts.iter().all(is_plain)), "{text:?}");
        assert!(text.parts.iter().all(|part| !part.text().is_empty()), "{text:?}");
        text
    })
}

/// Every text exists in both languages, and sentences differ between them.
pub(super) fn texts_exist_in_both_languages<G: Testable>() {
    let info = G::INFO;
    for text in [info.name, info.summary, info.rules] {
        assert!(!text.en.is_empty() && !text.de.is_empty(), "{}", info.id);
    }
    assert_ne!(info.rules.en, info.rules.de);
    assert_ne!(info.summary.en, info.summary.de);
    let mut rng = test_rng("texts_exist_in_both_languages");
    for (players, options) in set_ups::<G>() {
        let mut game: G = fresh_game(players, options, &mut rng);
        texts(&options, Viewer::Spectator);
        let mut recorder = Recorder::new();
        while let Some((seat, action)) = random_move(&game, &mut rng) {
            texts(&action, Viewer::Seat(seat));
            game.apply(seat, action, &mut recorder).expect("a legal action applies");
        }
        for (to, event) in recorder.events {
            for reader in Viewer::all(players).filter(|reader| to.includes(*reader)) {
                let [en, de] = texts(&event, reader);
                assert_ne!(en, de, "an event is a sentence");
                check_second_person(&en, reader);
                check_second_person(&de, reader);
            }
            assert_eq!(event.rich_text(Lang::En, Viewer::Spectator).to_string(), event.to_string());
        }
        for viewer in Viewer::all(players) {
            let view = game.view(viewer);
            let [en, de] = texts(&view, viewer);
            assert_ne!(en, de);
            assert_eq!(en.to_string(), view.to_string(), "a view speaks to its own viewer");
        }
    }
}

/// The text of an event never speaks of its reader in the third person.
#[track_caller]
fn check_second_person(text: &RichText, reader: Viewer) {
    let Some(own) = reader.seat() else { return };
    let names_reader = |part: &TextPart| match part {
        TextPart::Seat { seat, .. } => *seat == own,
        TextPart::Plain(text) | TextPart::Card { text, .. } => {
            let words = [format!("seat {own}"), format!("Seat {own}"), format!("Sitz {own}")];
            words.iter().any(|words| text.contains(words))
        }
    };
    assert!(!text.parts.iter().any(names_reader), "to {reader:?}: {text}");
}

/// Cards have the same face if and only if they are the same card, and the id is the same in every language.
pub(super) fn faces_identify_cards<G: Testable>() {
    let cards = || (0..G::Card::CODE_LIMIT).filter_map(G::Card::from_code);
    let count = cards().count();
    let [en, de] = Lang::ALL.map(|lang| cards().map(|card| card.face(lang)).collect::<Vec<CardFace>>());
    for faces in [&en, &de] {
        let labels: [fn(&CardFace) -> &String; 3] = [|face| &face.id, |face| &face.short, |face| &face.long];
        for label in labels {
            let labels: HashSet<&String> = faces.iter().map(label).collect();
            assert_eq!(labels.len(), count, "two cards share a label: {faces:#?}");
            assert!(labels.iter().all(|label| !label.is_empty()), "{faces:#?}");
        }
    }
    for (en, de) in en.iter().zip(&de) {
        assert_eq!(en.id, de.id);
        assert_eq!(en.suit.map(|suit| suit.id), de.suit.map(|suit| suit.id));
        assert!(en.id.chars().all(|c| c.is_ascii_alphanumeric() || "-|_".contains(c)), "{}", en.id);
    }
}

/// A viewer is asked a question if and only if the viewer has a decision, and the texts of its actions differ.
pub(super) fn decisions_are_put_in_words<G: Testable>() {
    let mut rng = test_rng("decisions_are_put_in_words");
    for (players, options) in set_ups::<G>() {
        for new_game in [fresh_game, fresh_held_game] as [NewGame<G>; 2] {
            let mut game = new_game(players, options, &mut rng);
            for _ in 0..40 {
                for viewer in Viewer::all(players) {
                    check_decision(&game, viewer);
                }
                play_random_actions(&mut game, 1 + below(6, &mut rng) as usize, &mut rng);
            }
            play_random_actions(&mut game, G::MAX_ACTIONS, &mut rng);
            for viewer in Viewer::all(players) {
                check_decision(&game, viewer);
            }
        }
    }
}

fn check_decision<G: Game>(game: &G, viewer: Viewer) {
    let (view, legal) = (game.view(viewer), legal_actions_of(game, viewer));
    for lang in Lang::ALL {
        let mut question = TextBuilder::new(lang, viewer);
        G::write_question(&view, &mut question);
        let question = question.finish();
        assert_eq!(question.is_empty(), legal.is_empty(), "{viewer:?} is asked {question} in {view:#?}");
        let in_position = |action: &G::Action| action_text::<G>(&view, viewer, action, lang).to_string();
        let by_itself = |action: &G::Action| action.rich_text(lang, viewer).to_string();
        for distinct in [
            legal.iter().map(in_position).collect::<HashSet<String>>(),
            legal.iter().map(by_itself).collect(),
        ] {
            assert_eq!(distinct.len(), legal.len(), "{legal:?} look alike: {distinct:#?}");
            assert!(!distinct.contains(""), "{legal:?}");
        }
    }
}

/// The text of an action in the position of a view.
pub(super) fn action_text<G: Game>(
    view: &G::View,
    viewer: Viewer,
    action: &G::Action,
    lang: Lang,
) -> RichText {
    let mut out = TextBuilder::new(lang, viewer);
    G::write_action(view, action, &mut out);
    out.finish()
}

/// The legal actions of the viewer; none for a spectator.
pub(super) fn legal_actions_of<G: Game>(game: &G, viewer: Viewer) -> Vec<G::Action> {
    viewer.seat().map_or_else(Vec::new, |seat: Seat| legal_actions(game, seat))
}
