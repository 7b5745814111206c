//! Tampered records: one change each, and the verification names it with the value found and expected.

use parlor_engine::{GameId, Seat, Viewer};
use parlor_host::table::ChanceSetup;
use prost_types::Timestamp;

use super::fixtures::{TableSpec, deal, table};
use crate::record::{Finding, Problem, Unproven, verify};
use crate::wire;
use wire::record_telling::{Audience, Told};
use wire::table_event::Event;

fn messages(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

/// Tampers with a record, and checks that the findings have exactly these paths.
fn check_record(
    mut record: wire::Record,
    paths: &[&str],
    tamper: impl FnOnce(&mut wire::Record),
) -> Vec<Finding> {
    assert!(verify(&record).is_valid(), "the original record verifies");
    tamper(&mut record);
    let findings = verify(&record).findings;
    let found: Vec<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
    assert_eq!(found, paths, "{:#?}", messages(&findings));
    findings
}

/// [`check_record`] with a table of GAP: seat 0 is a player, 1 a house bot, 2 an agent.
fn check(paths: &[&str], tamper: impl FnOnce(&mut wire::Record)) -> Vec<Finding> {
    check_record(table(GameId::Gap, 3, 31).record(None), paths, tamper)
}

/// Value found and value expected.
fn differs(finding: &Finding) -> (&str, &str) {
    match &finding.problem {
        Problem::Differs { found, expected } => {
            (found.as_deref().unwrap_or("nothing"), expected.as_deref().unwrap_or("nothing"))
        }
        other => panic!("{other:?}"),
    }
}

fn shuffle(record: &mut wire::Record) -> &mut wire::FairShuffle {
    record.shuffle.as_mut().unwrap()
}

/// The end event of the record.
fn over(record: &mut wire::Record) -> &mut wire::TableOver {
    let told = &mut record.steps.last_mut().unwrap().told;
    match &mut told.last_mut().unwrap().told {
        Some(Told::Table(wire::TableEvent { event: Some(Event::Over(over)) })) => over,
        other => panic!("{other:?}"),
    }
}

/// First step with a decision of this kind.
fn decision_step(record: &wire::Record, by: wire::DecidedBy) -> usize {
    let is_by = |step: &wire::RecordStep| step.decided.iter().any(|decision| decision.by() == by);
    record.steps.iter().position(is_by).unwrap()
}

fn player_decision_step(record: &wire::Record) -> usize {
    decision_step(record, wire::DecidedBy::Player)
}

#[test]
fn tampered_seeds_are_found() {
    let findings = check(&["shuffle.commitment"], |record| shuffle(record).commitment[0] ^= 1);
    let (found, right) = differs(&findings[0]);
    assert!(found.starts_with("0x") && right.starts_with("0x") && found != right);
    check(&["shuffle.server_seed"], |record| shuffle(record).server_seed[31] ^= 1);
    check(&["shuffle.entropy[0].entropy"], |record| shuffle(record).entropy[0].entropy[1] ^= 1);
    check(&["shuffle.entropy[0].commitment"], |record| shuffle(record).entropy[0].commitment[1] ^= 1);
    check(&["shuffle.entropy[0].commitment"], |record| shuffle(record).entropy[0].commitment.clear());
    check(&["shuffle.entropy[1].commitment"], |record| shuffle(record).entropy[1].commitment = vec![1; 32]);
    check(&["shuffle.entropy[1].entropy"], |record| shuffle(record).entropy[1].entropy = vec![1]);
    check(&["shuffle.game_seed"], |record| shuffle(record).game_seed[9] ^= 1);
    check(&["shuffle.entropy[2]"], |record| drop(shuffle(record).entropy.pop()));
    check(&["shuffle.commitment", "shuffle.seed_given"], |record| {
        // As if the owner had given the seed; the end event says otherwise.
        shuffle(record).seed_given = true;
        shuffle(record).commitment.clear();
    });
    // Consistent in all three places, but not the seed that the server committed to.
    let findings = check(
        &[
            "shuffle.commitment",
            "steps[3].told[0].table.started.shuffle.commitment",
            &last("table.over.shuffle.commitment"),
        ],
        |record| {
            shuffle(record).commitment[0] ^= 1;
            over(record).shuffle.as_mut().unwrap().commitment[0] ^= 1;
            match &mut record.steps[3].told[0].told {
                Some(Told::Table(wire::TableEvent { event: Some(Event::Started(started)) })) => {
                    started.shuffle.as_mut().unwrap().commitment[0] ^= 1;
                }
                other => panic!("{other:?}"),
            }
        },
    );
    assert_eq!(findings.len(), 3);
    let findings = check(&["shuffle"], |record| {
        shuffle(record).server_seed.pop();
        over(record).shuffle.as_mut().unwrap().server_seed.pop();
    });
    assert!(findings[0].to_string().contains("must have 32 bytes, not 31"));
}

fn group(record: &mut wire::Record) -> &mut wire::DealGroup {
    shuffle(record).deal_group.as_mut().unwrap()
}

/// A deal's seed derives from its tournament's, which the record shows once the tournament is over.
#[test]
fn tampered_tournament_deal_is_found() {
    let dealt = |given| TableSpec { chance: deal(7, true, given), ..table(GameId::Gap, 3, 33) };
    let (commitment, seed) =
        ("shuffle.deal_group.tournament_commitment", "shuffle.deal_group.tournament_seed");
    let record = dealt(false).record_with_proof(7);
    assert_eq!(verify(&record).unproven, [Unproven::Unsigned], "everything else is proven");
    assert_eq!(verify(&dealt(true).record_with_proof(7)).unproven, [Unproven::SeedGiven, Unproven::Unsigned]);
    check_record(record.clone(), &[commitment], |record| group(record).tournament_commitment[0] ^= 1);
    check_record(record.clone(), &[commitment], |record| group(record).tournament_commitment.clear());
    check_record(record.clone(), &["shuffle.server_seed", commitment], |record| {
        group(record).tournament_seed[31] ^= 1;
    });
    check_record(dealt(true).record_with_proof(7), &["shuffle.server_seed"], |record| {
        group(record).tournament_seed[31] ^= 1;
    });
    check_record(dealt(true).record_with_proof(7), &[commitment], |record| {
        group(record).tournament_commitment = vec![1];
    });
    let findings = check_record(record.clone(), &[seed], |record| group(record).tournament_seed.truncate(31));
    assert!(findings[0].to_string().contains("must have 32 bytes, not 31"), "{}", findings[0]);
    // Self-consistent, but the deal's seed does not derive from the tournament's commitment.
    let mut chosen = dealt(false);
    let ChanceSetup::Deal(deal) = &mut chosen.chance else { panic!("a deal") };
    deal.server_seed = [9; 32];
    let findings = verify(&chosen.record_with_proof(7)).findings;
    assert_eq!(messages(&findings).len(), 1);
    let (found, right) = differs(&findings[0]);
    assert_eq!(
        (findings[0].path.as_str(), found),
        ("shuffle.server_seed", format!("0x{}", "09".repeat(32)).as_str())
    );
    assert_ne!(found, right);
    // Without the tournament's seed, the derivation is unproven.
    let mut hidden = record;
    (group(&mut hidden).tournament_seed, group(&mut hidden).tournament_commitment) = Default::default();
    let report = verify(&hidden);
    assert!(report.is_valid() && report.unproven == [Unproven::DealSeed, Unproven::Unsigned]);
}

/// Path in the last event of the record that most tests tamper with.
fn last(of: &str) -> String {
    let record = table(GameId::Gap, 3, 31).record(None);
    let steps = record.steps.len() - 1;
    format!("steps[{steps}].told[{}].{of}", record.steps[steps].told.len() - 1)
}

#[test]
fn cards_of_another_seed_are_found() {
    // Self-consistent, but the cards are those of another seed.
    let mut record = table(GameId::Gap, 3, 31).record(None);
    let other = table(GameId::Gap, 3, 32).record(None);
    record.table_id.clone_from(&other.table_id);
    record.shuffle.clone_from(&other.shuffle);
    over(&mut record).shuffle.clone_from(&other.shuffle);
    let findings = verify(&record).findings;
    assert!(
        findings.iter().any(|one| one.path == "shuffle.game_seed" && one.problem == Problem::NotFromSeed)
    );
}

#[test]
fn tampered_shuffles_are_found() {
    let findings = check(&["shuffles[0].cards[4]", "shuffles[0].cards[20]"], |record| {
        record.shuffles[0].cards.swap(4, 20);
    });
    assert_eq!(differs(&findings[0]).0, differs(&findings[1]).1);
    check(&["shuffles[0].cards[7]"], |record| {
        record.shuffles[0].cards.remove(7);
    });
    check(&["shuffles[1].round"], |record| record.shuffles[1].round = 7);
    check(&["shuffles[1].step"], |record| record.shuffles[1].step += 1);
    check(&["shuffles[1].purpose"], |record| record.shuffles[1].purpose = 2);
    check(&["shuffles[0].count"], |record| record.shuffles[0].count = 1);
    check(&["shuffles[1]"], |record| drop(record.shuffles.pop()));
}

#[test]
fn tampered_header_is_found() {
    check(&["game"], |record| record.game = "five_three_five".into());
    let findings = check(&["rules_version"], |record| record.rules_version = 9);
    assert!(matches!(findings[0].problem, Problem::Unreadable { .. }), "{findings:?}");
    let findings = check(&["options.gap.length"], |record| {
        let options = wire::GapOptions { length: Some(wire::gap_options::Length::Target(200)) };
        record.options = Some(wire::GameOptions { game: Some(wire::game_options::Game::Gap(options)) });
    });
    assert_eq!(differs(&findings[0]), ("target 200", "rounds 2"));
    check(&["seats[0].player.display_name"], |record| {
        record.seats[0].occupant =
            Some(wire::record_seat::Occupant::Player(wire::RecordPlayer { display_name: "Eve".into() }));
    });
    let moment = |seconds| Some(Timestamp { seconds, nanos: 0 });
    check(&["create_time"], |record| record.create_time = moment(1_600_000_000));
    check(&["start_time"], |record| record.start_time = moment(1_600_000_000));
    let findings = check(&["end_time"], |record| record.end_time = None);
    assert_eq!(differs(&findings[0]).0, "nothing");
    // Commitments are bound to a table id.
    let findings = check_all(|record| record.table_id.replace_range(25.., "0"));
    assert!(findings.iter().any(|one| one.path == "shuffle.commitment"), "{:#?}", messages(&findings));
}

#[test]
fn tampered_views_are_found() {
    check(&["views[1].gap.hand[0]"], |record| match &mut record.views[1].game {
        Some(wire::game_view::Game::Gap(view)) => view.hand[0].number = (view.hand[0].number + 1) % 10,
        other => panic!("{other:?}"),
    });
    check(&["views[3].seed_given"], |record| record.views[3].seed_given = true);
}

#[test]
fn tampered_decisions_are_found() {
    let step = player_decision_step(&table(GameId::Gap, 3, 31).record(None));
    let at = |of: &str| format!("steps[{step}].decided[0].{of}");
    check(&[&at("index")], |record| record.steps[step].decided[0].index ^= 1);
    check(&[&at("seat")], |record| record.steps[step].decided[0].seat = 2);
    check(&[&at("decision_id")], |record| record.steps[step].decided[0].decision_id += 1);
    check(&[&at("by")], |record| record.steps[step].decided[0].by = wire::DecidedBy::HouseBot.into());
    check(&[&at("bank_left_ms")], |record| record.steps[step].decided[0].bank_left_ms = Some(1));
    let findings = check(&[&at("bank_left_ms")], |record| record.steps[step].decided[0].bank_left_ms = None);
    assert_eq!(differs(&findings[0]).0, "nothing");
}

#[test]
fn illegal_action_is_found() {
    let record = table(GameId::Gap, 3, 31).record(None);
    let step = player_decision_step(&record);
    let mut changed = record.clone();
    let Some(wire::game_action::Game::Gap(action)) =
        record.steps[step].decided[0].action.clone().unwrap().game
    else {
        panic!()
    };
    // A card not in this seat's hand.
    let hand = match &record.views[0].game {
        Some(wire::game_view::Game::Gap(view)) => view.hand.clone(),
        other => panic!("{other:?}"),
    };
    let card = (0..10).map(|number| wire::GapCard { colour: wire::GapColour::Blue.into(), number });
    let card = card.into_iter().find(|card| !hand.contains(card)).unwrap();
    let action = wire::GapAction { card: Some(card), ..action };
    changed.steps[step].decided[0].action =
        Some(wire::GameAction { game: Some(wire::game_action::Game::Gap(action)) });
    let findings = verify(&changed).findings;
    let first = &findings[0];
    assert_eq!(first.path, format!("steps[{step}].decided[0].action"), "{:#?}", messages(&findings));
    let Problem::Illegal { refusal, .. } = &first.problem else { panic!("{first:?}") };
    assert_eq!(refusal.code, "not_in_hand");
    assert!(
        findings[1..].iter().all(|finding| finding.path.starts_with(&format!("{}.", first.path))),
        "{findings:#?}"
    );
}

#[test]
fn tampered_events_are_found() {
    let record = table(GameId::Gap, 3, 31).record(None);
    let step = player_decision_step(&record);
    let findings =
        check(&[&format!("steps[{step}].told[0].game.gap.played.card")], |record| {
            match &mut record.steps[step].told[0].told {
                Some(Told::Game(wire::GameEvent { game: Some(wire::game_event::Game::Gap(event)) })) => {
                    match &mut event.event {
                        Some(wire::gap_event::Event::Played(played)) => {
                            let card = played.card.as_mut().unwrap();
                            card.number = (card.number + 1) % 10;
                        }
                        other => panic!("{other:?}"),
                    }
                }
                other => panic!("{other:?}"),
            }
        });
    assert_ne!(differs(&findings[0]).0, differs(&findings[0]).1);
    check(&[&format!("steps[{step}].told[0].audience")], |record| {
        record.steps[step].told[0].audience = Some(Audience::Only(1));
    });
    check(&[&format!("steps[{step}].told[0].everyone")], |record| record.steps[step].told[0].audience = None);
    check(&[&format!("steps[{step}].told[0]")], |record| drop(record.steps[step].told.remove(0)));
    let asked = record.steps.iter().position(|step| step.asked == [1]).unwrap();
    let findings =
        check(&[&format!("steps[{asked}].asked[0]")], |record| record.steps[asked].asked = vec![2]);
    assert_eq!(differs(&findings[0]), ("2", "1"));
    // Hands are visible to one seat each.
    let dealt = |record: &wire::Record| {
        record.steps[3].told.iter().position(|telling| telling.audience == Some(Audience::Only(2))).unwrap()
    };
    let place = dealt(&record);
    check(&[&format!("steps[3].told[{place}].only")], |record| {
        record.steps[3].told[place].audience = Some(Audience::Only(0));
    });
}

#[test]
fn tampered_results_are_found() {
    check(&["result.seats[0].points"], |record| record.result.as_mut().unwrap().seats[0].points += 1);
    check(&["result.seats[1].place"], |record| record.result.as_mut().unwrap().seats[1].place += 1);
    check(&["result.seats[2].think_ms"], |record| record.result.as_mut().unwrap().seats[2].think_ms += 1);
    check(&["result.seats[2].clocks_run_out"], |record| {
        record.result.as_mut().unwrap().seats[2].clocks_run_out = 1;
    });
    let findings = check(&["result.seats[1].finish"], |record| {
        record.result.as_mut().unwrap().seats[1].finish = wire::SeatFinish::Resigned.into();
    });
    assert_eq!(differs(&findings[0]), ("resigned", "played_out"));
    check(&["result.reason"], |record| {
        record.result.as_mut().unwrap().reason = wire::EndReason::Cancelled.into();
    });
    check(&["result.note"], |record| record.result.as_mut().unwrap().note = "well played".into());
    check(&[&last("table.over.result.seats[0].points")], |record| {
        over(record).result.as_mut().unwrap().seats[0].points -= 3;
    });
}

#[test]
fn missing_extra_and_swapped_steps_are_found() {
    let record = table(GameId::Gap, 3, 31).record(None);
    let step = player_decision_step(&record) + 2;
    let at = format!("steps[{step}]");
    let problem = |findings: Vec<Finding>| findings[0].problem.clone();
    let dropped = problem(check(&[&at], |record| drop(record.steps.remove(step))));
    assert!(matches!(&dropped, Problem::Missing { step } if step.contains("decided")), "{dropped:?}");
    let doubled = format!("steps[{}]", step + 1);
    let added = check(&[&doubled], |record| record.steps.insert(step, record.steps[step].clone()));
    assert_eq!(problem(added), Problem::Extra);
    let swapped = |record: &mut wire::Record| {
        record.steps.swap(step, step + 1);
        // Times are adjusted to hide the swap.
        let (one, other) = (record.steps[step].after_ms, record.steps[step + 1].after_ms);
        (record.steps[step].after_ms, record.steps[step + 1].after_ms) = (other, one);
    };
    assert_eq!(problem(check(&[&at], swapped)), Problem::Swapped);
    let end = record.steps.len() - 1;
    let cut = check_all(|record| drop(record.steps.pop()));
    assert!(
        cut.iter().any(|one| one.path == format!("steps[{end}]") && one.problem == Problem::Unfinished),
        "{:#?}",
        messages(&cut)
    );
    let joined = check_all(|record| drop(record.steps.remove(0)));
    assert!(
        joined.iter().any(|one| one.path == "steps[0]" && matches!(one.problem, Problem::Missing { .. })),
        "{:#?}",
        messages(&joined)
    );
    let back =
        check(&[&format!("steps[{}].after_ms", step + 1)], |record| record.steps[step].after_ms += 1_000_000);
    assert!(matches!(back[0].problem, Problem::TimeReversed { .. }));
}

/// Tampers with the record of GAP, and returns all findings.
fn check_all(tamper: impl FnOnce(&mut wire::Record)) -> Vec<Finding> {
    let mut record = table(GameId::Gap, 3, 31).record(None);
    tamper(&mut record);
    verify(&record).findings
}

#[test]
fn tampered_clocks_and_forfeits_are_found() {
    // A table with a forfeit and a timeout.
    let table = (0..50)
        .map(|seed| TableSpec { disruptions: true, ..table(GameId::HabeFertig, 3, seed) })
        .find(|table| {
            let record = table.record(None);
            record
                .steps
                .iter()
                .any(|step| step.decided.iter().any(|one| one.by() == wire::DecidedBy::Forfeit))
                && record
                    .steps
                    .iter()
                    .any(|step| step.decided.iter().any(|one| one.by() == wire::DecidedBy::Clock))
        })
        .unwrap();
    let record = table.record(None);
    let step = decision_step(&record, wire::DecidedBy::Clock);
    let at = |of: &str| format!("steps[{step}].{of}");
    check_record(record.clone(), &[&at("decided[0].by")], |record| {
        record.steps[step].decided[0].by = wire::DecidedBy::Player.into();
    });
    check_record(record.clone(), &[&at("told[0].table.clock_ran_out.times")], |record| {
        match &mut record.steps[step].told[0].told {
            Some(Told::Table(wire::TableEvent { event: Some(Event::ClockRanOut(clock)) })) => {
                clock.times += 1;
            }
            other => panic!("{other:?}"),
        }
    });
    // Too short for the clock to have run out.
    let findings = check_record(record.clone(), &[&at("decided[0].think_ms")], |record| {
        record.steps[step].decided[0].think_ms = 5;
    });
    assert_eq!(differs(&findings[0]).0, "5");
    let step = decision_step(&record, wire::DecidedBy::Forfeit);
    check_record(record.clone(), &[&format!("steps[{step}].decided[0].by")], |record| {
        record.steps[step].decided[0].by = wire::DecidedBy::Player.into();
    });
    check_record(record, &[&format!("steps[{step}].after_ms")], |record| {
        record.steps[step].after_ms += 1;
        for later in step + 1..record.steps.len() {
            record.steps[later].after_ms = record.steps[later].after_ms.max(record.steps[step].after_ms);
        }
    });
}

#[test]
fn tampered_viewer_record_is_found() {
    let viewer = Viewer::Seat(Seat::FIRST);
    let record = || table(GameId::Gap, 3, 31).record(Some(viewer));
    check_record(record(), &["shuffle.game_seed"], |record| shuffle(record).game_seed[0] ^= 1);
    check_record(record(), &["views[0].gap.hand[0]"], |record| match &mut record.views[0].game {
        Some(wire::game_view::Game::Gap(view)) => view.hand[0].number = (view.hand[0].number + 1) % 10,
        other => panic!("{other:?}"),
    });
    let step = player_decision_step(&record());
    check_record(record(), &[&format!("steps[{step}].decided[0].index")], |record| {
        record.steps[step].decided[0].index ^= 1;
    });
    check_record(record(), &["result.seats[2].points"], |record| {
        record.result.as_mut().unwrap().seats[2].points += 1;
    });
    check_record(record(), &["shuffles[0]"], |record| {
        record.shuffles = table(GameId::Gap, 3, 31).record(None).shuffles[..1].to_vec();
    });
}

/// Random corruption never panics.
#[test]
fn corrupted_records_never_panic() {
    for game in GameId::ALL {
        let record = table(*game, 2, 77).record(None);
        let bytes = prost::Message::encode_to_vec(&record);
        for place in (0..bytes.len()).step_by(bytes.len() / 60) {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0x55;
            if let Ok(records) = crate::record::read(&bytes) {
                let _ = verify(&records[0]);
            }
        }
        let empty = wire::Record { version: 1, ..Default::default() };
        assert!(!verify(&empty).is_valid());
    }
}
