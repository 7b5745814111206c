//! People at the terminal: pace, choice of a move, reasons, the end, coming back. In both languages, in a small and in a large
//! terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use parlor_engine::no_dice::{Card, NoDice};
use parlor_engine::{Chance, Game, NoEvents, Seat, Viewer};
use parlor_testkit::Proxy;

use crate::games::{LANGUAGES, LanguageTexts, selected_move};
use crate::support::{Key, Parlor, Server, Terminal};

/// Columns and rows.
const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// Runs a check in each language and size, each with a home of its own.
fn in_every_terminal(server: &Server, check: impl Fn(&Parlor, &LanguageTexts, (u16, u16))) {
    for words in &LANGUAGES {
        for size in SIZES {
            check(&Parlor::with_server(&server.url()), words, size);
        }
    }
}

/// The English or the German text.
fn text(words: &LanguageTexts, texts: [&'static str; 2]) -> &'static str {
    if words.lang == "en" { texts[0] } else { texts[1] }
}

fn start(parlor: &Parlor, words: &LanguageTexts, size: (u16, u16), args: &[&str]) -> Terminal {
    Terminal::start_sized(parlor, &[args, &["--lang", words.lang]].concat(), size)
}

/// Presses Enter for each move that is asked for and at the end of each round, until the text is on the screen.
fn play_until(terminal: &mut Terminal, words: &LanguageTexts, expected: &str) {
    loop {
        let is_there = terminal.wait(expected, |seen| {
            let waits = seen.current().contains(words.asked) || seen.current().contains(words.round);
            let is_there = seen.current().contains(expected);
            (waits || is_there).then_some(is_there)
        });
        if is_there {
            return;
        }
        play_selected(terminal, words);
    }
}

/// Presses Enter once, and waits until it has been answered.
fn play_selected(terminal: &mut Terminal, words: &LanguageTexts) {
    let before = terminal.inspect(|seen| seen.screens.len());
    terminal.press(Key::Enter);
    terminal.wait("an answer to the key", |seen| {
        let answered = |screen: &String| !screen.contains(words.asked) && !screen.contains(words.round);
        seen.screens.get(before..)?.iter().any(answered).then_some(())
    });
}

/// Plays this many moves, and waits for the next one.
fn play_moves(terminal: &mut Terminal, words: &LanguageTexts, count: usize) {
    for _ in 0..count {
        terminal.wait_until_shown(words.asked);
        play_selected(terminal, words);
    }
    terminal.wait_until_shown(words.asked);
}

/// The listed moves.
fn listed_moves(screen: &str) -> Vec<String> {
    let moves = screen.lines().filter_map(|line| line.split_once('#'));
    moves.filter_map(|(_, label)| Some(label.split('│').next()?.trim().to_owned())).collect()
}

/// Leaves a game that goes on. A new decision closes the question, and the next key opens it again.
fn leave(terminal: &mut Terminal, words: &LanguageTexts) {
    let question = text(words, ["Leave the table?", "Den Tisch verlassen?"]);
    let mut seen_before = terminal.inspect(|seen| seen.screens.len());
    terminal.press(Key::Char('q'));
    loop {
        let asked = terminal.wait("the question whether to leave, or the end", |seen| {
            let new = seen.screens.get(seen_before..).unwrap_or_default();
            let asked = new.iter().rposition(|screen| screen.contains(question));
            asked.map(|place| Some(seen_before + place + 1)).or(seen.ended.map(|_| None))
        });
        let Some(up_to) = asked else { break };
        seen_before = up_to;
        terminal.press(Key::Char('q'));
    }
    assert_eq!(terminal.end(), 0);
}

/// The id of the table in the header.
fn table_id(terminal: &Terminal) -> String {
    terminal.wait("the id of the table", |seen| {
        let header = seen.current().lines().next()?;
        let (_, id) = header.split_once("table ").or_else(|| header.split_once("Tisch "))?;
        let id = id.split_whitespace().next()?.trim_end_matches('…');
        (id.len() == 26).then(|| id.to_owned())
    })
}

/// The points of the listed moves, in their order.
fn listed_points(screen: &str) -> Vec<i32> {
    listed_moves(screen).iter().filter_map(|label| label.rsplit_once('+')?.1.parse().ok()).collect()
}

const PACED: [&str; 2] = ["any key: skip ahead", "jede Taste: weiter"];
const END_OF_ROUND: [&str; 2] = ["End of the round", "Ende der Runde"];

const GAP: [&str; 9] =
    ["play", "gap", "--with", "greedy,greedy,greedy", "--option", "rounds=2", "--seed", "7", "--pace"];

#[test]
fn moves_of_bots_appear_one_after_the_other_and_are_marked() {
    let server = Server::start();
    in_every_terminal(&server, |parlor, words, size| {
        let mut terminal = start(parlor, words, size, &[&GAP[..], &["400ms"]].concat());
        terminal.wait_until_shown(words.asked);
        terminal.press(Key::Enter);
        terminal.wait_until_shown(text(words, PACED));
        terminal.wait_until_shown(words.asked);
        let plays = text(words, ["plays", "spielt"]);
        let first_frames = [1, 2, 3].map(|seat| {
            let marked = format!("» greedy ({seat}) {plays}");
            let shown = |seen: &crate::support::ScreenHistory| {
                seen.screens.iter().position(|screen| screen.contains(&marked))
            };
            terminal.inspect(shown).unwrap_or_else(|| panic!("{marked}: {}", terminal.screen()))
        });
        assert!(first_frames.is_sorted_by(|one, other| one < other), "{first_frames:?}");
        leave(&mut terminal, words);

        // Nobody waits for an hour.
        let mut terminal = start(parlor, words, size, &[&GAP[..], &["1h"]].concat());
        terminal.wait_until_shown(words.asked);
        terminal.press(Key::Enter);
        terminal.wait_until_shown(text(words, PACED));
        terminal.press(Key::Char('x'));
        terminal.wait_until_shown(words.asked);
        leave(&mut terminal, words);
    });
}

#[test]
fn round_ends_with_a_summary_until_a_key_is_pressed() {
    let server = Server::start();
    in_every_terminal(&server, |parlor, words, size| {
        let mut terminal = start(parlor, words, size, &[&GAP[..], &["0s"]].concat());
        play_until(&mut terminal, words, text(words, END_OF_ROUND));
        terminal.wait_until_shown(words.round);
        let shown = terminal.screen();
        for expected in [text(words, ["total", "gesamt"]), text(words, ["You", "Du"]), "greedy (bot)"] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
        terminal.press(Key::Char('x'));
        terminal.wait("the next round", |seen| {
            (!seen.current().contains(text(words, END_OF_ROUND))).then_some(())
        });
        terminal.wait_until_shown(words.asked);
        leave(&mut terminal, words);
    });
}

#[test]
fn no_dice_is_played_by_card_and_place() {
    let server = Server::start();
    // Nobody has a PASS card, which would be asked for first.
    let seed = no_dice_seed(|game| {
        Seat::all(2).all(|seat| !game.view(Viewer::Seat(seat)).hand.contains(Card::Pass))
    });
    in_every_terminal(&server, |parlor, words, size| {
        let args = ["play", "no_dice", "--seed", &seed, "--pace", "0s"];
        let mut terminal = start(parlor, words, size, &args);
        let id = table_id(&terminal);
        assert_eq!(parlor.json(&["show", &id])["clock"]["hidden_window_ms"], 60_000, "people have time");
        // The first card can lie in four ways only.
        play_moves(&mut terminal, words, 1);
        let points = listed_points(&terminal.screen());
        assert!(points.len() > 2, "{}", terminal.screen());
        assert!(points.is_sorted_by(|one, other| one >= other), "{points:?}");

        // The board keeps still while the choice moves, as far as there is room for it.
        let corner = |screen: &str| {
            let (_, corner) = screen.split_once(text(words, ["corner (", "Ecke ("])).expect("a corner");
            corner.split(')').next().unwrap_or_default().to_owned()
        };
        let before = terminal.screen();
        terminal.press(Key::Down);
        terminal.wait("the next move", |seen| {
            (selected_move(seen.current()) != selected_move(&before)).then_some(())
        });
        if size == SIZES[1] {
            assert_eq!(corner(&terminal.screen()), corner(&before));
        }

        // A card, and then its place.
        terminal.press(Key::Right);
        let card = terminal.wait("the moves with one card", |seen| {
            let (_, title) = seen.current().split_once(text(words, ["Your moves (", "Deine Züge ("]))?;
            let (_, card) = title.split('┐').next()?.split_once("): ")?;
            Some(card.trim_end_matches('─').to_owned())
        });
        let moves = terminal.screen();
        assert!(selected_move(&moves).is_some_and(|label| label.starts_with(&card)), "{card}: {moves}");
        terminal.press(Key::Char(' '));
        terminal.wait_until_shown(text(words, ["Space turn", "Leertaste dreht"]));
        for _ in 0..40 {
            terminal.press(Key::Up);
        }
        // Where nothing is touched, the rule stands below the table, and Enter plays nothing.
        let rule = text(words, ["The card must cover", "Die Karte muss mindestens"]);
        terminal.wait_until_shown(rule);
        terminal.press(Key::Enter);
        terminal.press(Key::Escape);
        terminal.wait("the list", |seen| {
            let screen = seen.current();
            (!screen.contains(rule) && selected_move(screen).is_some()).then_some(())
        });
        terminal.press(Key::Left);

        // Points are searched for.
        let best = points[0];
        terminal.type_text(&format!("+{best}"));
        terminal.wait_until_shown(&format!("+{best}_"));
        let found = terminal.screen();
        assert!(listed_points(&found).iter().all(|points| *points == best), "{found}");
        play_moves(&mut terminal, words, 1);
        leave(&mut terminal, words);
    });
}

#[test]
fn end_says_the_place_and_leads_to_replay_verify_and_rematch() {
    let server = Server::start();
    in_every_terminal(&server, |parlor, words, size| {
        let mut terminal = start(
            parlor,
            words,
            size,
            &["play", "gap", "--option", "rounds=1", "--seed", "3", "--pace", "0s"],
        );
        let id = table_id(&terminal);
        play_until(&mut terminal, words, words.over);
        let shown = terminal.screen();
        let place = shown.contains(text(words, ["You came 1st of 2.", "Du bist 1. von 2 geworden."]))
            || shown.contains(text(words, ["You came 2nd of 2.", "Du bist 2. von 2 geworden."]));
        assert!(place, "{shown}");
        for expected in ["parlor replay", "parlor verify -", &id] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
        terminal.press(Key::Char('r'));
        terminal.wait("a rematch", |seen| {
            let screen = seen.current();
            (screen.contains(words.asked) && !screen.contains(&id)).then_some(())
        });
        let rematch = table_id(&terminal);
        assert_eq!(parlor.json(&["show", &rematch])["rematch_of"], id.as_str());
        leave(&mut terminal, words);
        terminal.inspect(|seen| {
            assert!(seen.current().contains(&format!("parlor replay --server {} {id}", server.url())));
        });

        // The printed commands work.
        let record = parlor.ok(&["record", "get", &id]);
        fs::write(parlor.home().join("game.txt"), record).unwrap();
        parlor.ok(&["verify", parlor.home().join("game.txt").to_str().unwrap()]);
        parlor.ok(&["replay", &id, "--plain"]);
    });
}

#[test]
fn rematch_command_leads_to_a_seat_that_can_be_played() {
    let server = Server::start();
    in_every_terminal(&server, |parlor, words, size| {
        let args = ["play", "gap", "--option", "rounds=1", "--seed", "3", "--pace", "0s"];
        let mut terminal = start(parlor, words, size, &args);
        let id = table_id(&terminal);
        play_until(&mut terminal, words, words.over);
        terminal.press(Key::Enter);
        assert_eq!(terminal.end(), 0);
        let printed = parlor.ok(&["rematch", &id]);
        let (_, rematch) = printed.split_once("--join ").expect("the command that plays it");
        let mut terminal = start(parlor, words, size, &["play", "--join", rematch.trim()]);
        terminal.wait_until_shown(words.asked);
        leave(&mut terminal, words);
    });
}

#[test]
fn move_that_is_not_legal_is_explained_by_its_rule() {
    let server = Server::start();
    in_every_terminal(&server, |parlor, words, size| {
        let args = ["play", "five_three_five", "--with", "greedy", "--seed", "7", "--pace", "0s"];
        let mut terminal = start(parlor, words, size, &args);
        terminal.wait_until_shown(words.asked);
        let before = terminal.screen();
        terminal.type_text("15,15,15");
        terminal.wait_until_shown(text(
            words,
            ["That card is not in your hand", "Diese Karte ist nicht auf deiner"],
        ));
        terminal.press(Key::Enter);
        terminal.press(Key::Escape);
        terminal.wait("the whole list", |seen| {
            (listed_moves(seen.current()) == listed_moves(&before)).then_some(())
        });
        // Words are found in any order.
        let label = selected_move(&before).expect("a move").to_owned();
        let mut sought: Vec<&str> = label.split(' ').collect();
        sought.reverse();
        terminal.type_text(&sought.join(" "));
        terminal.wait(&label, |seen| {
            let screen = seen.current();
            (screen.contains('_') && selected_move(screen) == Some(&label)).then_some(())
        });
        terminal.press(Key::Escape);
        leave(&mut terminal, words);
    });
}

#[test]
fn seat_is_resumed_with_its_log_and_forgotten_at_the_end() {
    let server = Server::start();
    in_every_terminal(&server, |parlor, words, size| {
        let seats = parlor.home().join(".local/share/parlor/seats.json");
        let gap = ["play", "gap", "--option", "rounds=1", "--seed", "7", "--pace", "0s"];
        let mut terminal = start(parlor, words, size, &gap);
        let id = table_id(&terminal);
        play_moves(&mut terminal, words, 3);
        leave(&mut terminal, words);
        assert!(terminal.screen().contains("--resume"), "{}", terminal.screen());
        assert_eq!(fs::metadata(&seats).unwrap().permissions().mode() & 0o777, 0o600);

        for way in [&["--resume"][..], &["--resume", &id], &["--join", &id]] {
            let mut terminal = start(parlor, words, size, &[&["play", "--pace", "0s"], way].concat());
            terminal.wait_until_shown(words.asked);
            assert_eq!(table_id(&terminal), id);
            // What happened before is in the log again, and can be scrolled.
            terminal.wait_until_shown(text(words, ["greedy plays", "greedy spielt"]));
            terminal.press(Key::Char('<'));
            terminal.wait_until_shown(text(words, ["1 newer", "1 neuer"]));
            leave(&mut terminal, words);
        }

        let mut terminal = start(parlor, words, size, &["play", "--resume", "--pace", "0s"]);
        play_until(&mut terminal, words, words.over);
        terminal.press(Key::Enter);
        assert_eq!(terminal.end(), 0);
        assert_eq!(fs::read_to_string(&seats).unwrap().trim(), "[]");
        let done = parlor.run(&["play", "--resume"]);
        assert_eq!(done.code, 5, "{done:?}");
    });
}

#[test]
fn enter_without_a_connection_says_that_nothing_was_sent() {
    for words in &LANGUAGES {
        for size in SIZES {
            let mut server = Server::start();
            let proxy = Proxy::start_on_thread(server.address());
            let parlor = Parlor::with_server(&proxy.url());
            let mut terminal = start(&parlor, words, size, &["play", "gap", "--pace", "0s"]);
            terminal.wait_until_shown(words.asked);
            server.kill();
            terminal.wait_until_shown(text(words, ["The connection was lost.", "Die Verbindung ist weg."]));
            terminal.press(Key::Enter);
            terminal.wait_until_shown(text(words, ["Not sent", "Nicht gesendet"]));
            server.restart();
            proxy.set_upstream(server.address());
            terminal.wait("the connection", |seen| {
                let header = seen.current().lines().next()?;
                header.contains(text(words, [" connected", " verbunden"])).then_some(())
            });
            terminal.press(Key::Enter);
            terminal.wait_until_shown("» ");
            leave(&mut terminal, words);
        }
    }
}

/// The first seed of No Dice after whose first move `fits` holds.
fn no_dice_seed(fits: impl Fn(&NoDice) -> bool) -> String {
    let after_first_move = |seed: u64| {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let chance = Chance::seeded(bytes);
        let mut game = NoDice::new(1, Default::default(), 2, chance, &mut NoEvents).unwrap();
        let mut legal = Vec::new();
        game.legal_actions(Seat::FIRST, &mut legal);
        // Without a first action, there is a window before the first turn.
        game.apply(Seat::FIRST, *legal.first()?, &mut NoEvents).ok()?;
        Some(game)
    };
    let fits = |seed: &u64| after_first_move(*seed).is_some_and(|game| fits(&game));
    (0..1000).find(fits).expect("one of a thousand deals").to_string()
}

#[test]
fn player_whose_turn_has_not_begun_does_not_wait_for_oneself() {
    let server = Server::start();
    // Ada has a PASS card.
    let seed = no_dice_seed(|game| game.has_secret_decision(Seat::FIRST));
    in_every_terminal(&server, |adas, words, size| {
        let bobs = Parlor::with_server(&server.url());
        let created =
            adas.json(&["create", "no_dice", "--clock", "none", "--seed", &seed, "--hidden-window", "10m"]);
        let id = created["table_id"].as_str().unwrap();
        let mut ada = start(adas, words, size, &["play", "--join", id, "--name", "Ada", "--pace", "0s"]);
        ada.wait_until_shown(text(words, ["Waiting until all", "Es geht los"]));
        let mut bob = start(&bobs, words, size, &["play", "--join", id, "--name", "Bob", "--pace", "0s"]);
        ada.wait_until_shown(words.asked);
        ada.press(Key::Enter);
        bob.wait_until_shown(text(words, ["You are next, in a moment", "Du bist gleich dran"]));
        bob.inspect(|seen| {
            for wrong in ["Waiting for Bob", "Waiting for you", "Warten auf Bob", "Warten auf dich"] {
                assert!(!seen.was_shown(wrong), "{wrong}");
            }
        });
        // In the window, Enter declines.
        ada.wait_until_shown(text(words, ["SECRET", "GEHEIM"]));
        ada.wait("declining is chosen", |seen| {
            (selected_move(seen.current())? == text(words, ["decline", "verzichten"])).then_some(())
        });
        ada.press(Key::Enter);
        bob.wait_until_shown(words.asked);
        leave(&mut ada, words);
        leave(&mut bob, words);
    });
}

#[test]
fn table_of_six_is_shown_whole() {
    let server = Server::start();
    in_every_terminal(&server, |parlor, words, size| {
        let args = ["play", "gap", "--players", "6", "--seed", "7", "--pace", "0s"];
        let mut terminal = start(parlor, words, size, &args);
        terminal.wait_until_shown(words.asked);
        let shown = terminal.screen();
        // Points of the round at the end of each row of the table, beside the list of the players.
        let rows = shown
            .lines()
            .filter(|line| line.split('│').nth(1).is_some_and(|row| row.trim_end().ends_with("+0")));
        assert_eq!(rows.count(), 6, "{shown}");
        leave(&mut terminal, words);
    });
}

#[test]
fn leave_prompt_speaks_of_a_clock_only_where_there_is_one() {
    let server = Server::start();
    in_every_terminal(&server, |parlor, words, size| {
        let (clock, waits) = (
            text(words, ["your clock runs", "deine Uhr läuft"]),
            text(words, ["the game waits", "das Spiel wartet"]),
        );
        for (args, expected, wrong) in [(&[][..], waits, clock), (&["--clock", "10m"], clock, waits)] {
            let args = [&["play", "gap", "--pace", "0s"], args].concat();
            let mut terminal = start(parlor, words, size, &args);
            terminal.wait_until_shown(words.asked);
            leave(&mut terminal, words);
            terminal.inspect(|seen| {
                // The sentence may be broken over two lines.
                let shown = |expected: &str| {
                    seen.screens.iter().any(|screen| {
                        screen.split_whitespace().collect::<Vec<_>>().join(" ").contains(expected)
                    })
                };
                assert!(shown(expected) && !shown(wrong), "{expected}");
            });
        }
    });
}

#[test]
fn replay_has_its_own_help_a_first_picture_and_all_hands() {
    let server = Server::start();
    let parlor = Parlor::with_server(&server.url());
    let created = parlor.json(&[
        "create",
        "gap",
        "--option",
        "rounds=1",
        "--seat",
        "bot:greedy",
        "--seat",
        "bot:random",
    ]);
    let id = created["table_id"].as_str().unwrap().to_owned();
    parlor.ok(&["--json", "watch", &id]);
    let file = parlor.home().join("game.txt");
    parlor.ok(&["record", "get", &id, "-o", file.to_str().unwrap()]);
    in_every_terminal(&server, |parlor, words, size| {
        for game in [id.as_str(), file.to_str().unwrap()] {
            let mut terminal = start(parlor, words, size, &["replay", game]);
            terminal.wait_until_shown(text(words, ["step 0 of", "Schritt 0 von"]));
            let first = terminal.screen();
            assert!(first.contains(text(words, ["Middle (stack:", "Mitte (Stapel:"])), "{first}");
            terminal.press(Key::Char('?'));
            terminal.wait_until_shown(text(words, ["the next step", "der nächste Schritt"]));
            assert!(!terminal.screen().contains(text(words, ["play the move", "den Zug spielen"])));
            terminal.press(Key::Escape);
            terminal.press(Key::Char('h'));
            terminal.wait_until_shown(text(words, ["All hands", "Alle Hände"]));
            // The screen is drawn from above: the names are the last part of it that changes.
            terminal.wait_until_shown("greedy (bot)");
            terminal.wait_until_shown("random (bot)");
            terminal.press(Key::Char('q'));
            assert_eq!(terminal.end(), 0);
        }
    });
}
