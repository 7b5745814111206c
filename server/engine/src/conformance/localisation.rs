//! Localisation: every text exists in English and German.

use super::{Testable, fresh_game, random_move, set_ups};
use crate::test_support::{Recorder, in_both_languages, test_rng};
use crate::{Localise, Viewer};

/// Every text exists in both languages, and sentences differ between them.
pub(super) fn texts_exist_in_both_languages<G: Testable>() {
    let info = G::INFO;
    for text in [info.name, info.summary, info.rules] {
        assert!(!text.en.is_empty() && !text.de.is_empty(), "{}", info.id);
    }
    assert_ne!(info.rules.en, info.rules.de);
    assert_ne!(info.summary.en, info.summary.de);
    fn non_empty(value: &impl Localise) -> [String; 2] {
        let texts = in_both_languages(value);
        assert!(texts.iter().all(|text| !text.trim().is_empty()), "{texts:?}");
        texts
    }
    let mut rng = test_rng("texts_exist_in_both_languages");
    for (players, options) in set_ups::<G>() {
        let mut game: G = fresh_game(players, options, &mut rng);
        non_empty(&options);
        let mut recorder = Recorder::new();
        while let Some((seat, action)) = random_move(&game, &mut rng) {
            non_empty(&action);
            game.apply(seat, action, &mut recorder).expect("a legal action applies");
        }
        for (_, event) in recorder.events {
            let [en, de] = non_empty(&event);
            assert_ne!(en, de, "an event is a sentence");
            assert_eq!(en, event.to_string());
        }
        for viewer in Viewer::all(players) {
            let [en, de] = non_empty(&game.view(viewer));
            assert_ne!(en, de);
        }
    }
}
