//! Replays of records.

use super::*;

/// A record of a finished game of GAP of three seats.
fn finished_record() -> Record {
    let mut logged = Logged::gap(3);
    while let Some(open) = logged.table.seats().iter().position(|seat| seat.open.is_some()) {
        logged.play(open as u8, 0, 5);
    }
    record(&logged)
}

fn record(logged: &Logged) -> Record {
    let entries: Vec<(u64, Entry)> = (NOW..).step_by(10).zip(logged.log.iter().cloned()).collect();
    Record::from_log(&entries).expect("the log of a table")
}

#[test]
fn replay_of_a_viewer_follows_its_updates() {
    let record = finished_record();
    for viewer in Viewer::all(3) {
        let replay = Replay::new(record.clone(), Some(viewer));
        let steps: Vec<ReplayStep> = replay.clone().collect();
        assert_eq!(steps.len(), replay.length() as usize);
        assert!(steps.iter().map(|step| step.number).eq(0..replay.length()));
        assert!(steps.iter().all(|step| step.is_last == (step.number + 1 == replay.length())));
        let updates: Vec<RecordedUpdate> = record.updates(viewer, 0).collect();
        // Step 0 has the three joins and the start; every later update is a step.
        assert_eq!(steps.len() + 3, updates.len());
        for (index, recorded) in updates.iter().enumerate().skip(3) {
            let step = &steps[index - 3];
            assert_eq!(step.views, Vec::from_iter(recorded.view.clone()));
            let decided: Vec<Decided> = step.decided.iter().map(|(_, decided)| *decided).collect();
            assert_eq!(decided, Vec::from_iter(recorded.update.decided));
        }
        for step in &steps[1..] {
            let update = &updates[step.number as usize + 3].update;
            assert_eq!(step.events.len(), update.events.len() + update.table_events.len());
        }
    }
}

#[test]
fn replay_with_all_hands_has_the_view_and_the_decisions_of_every_seat() {
    let record = finished_record();
    let steps: Vec<ReplayStep> = Replay::new(record.clone(), None).collect();
    let last = steps.last().expect("a step");
    let views: Vec<_> =
        Seat::all(3).map(|seat| record.last_view(Viewer::Seat(seat)).expect("a view")).collect();
    assert_eq!(last.views, views);
    let decided: usize = steps.iter().map(|step| step.decided.len()).sum();
    let made: usize = record.steps.iter().map(|step| step.decided.iter().flatten().count()).sum();
    assert!(made > 10 && decided == made, "{decided} of {made} decisions");
    let hands = steps[0].events.iter().filter(|(to, _)| matches!(to, Audience::Only(_))).count();
    assert_eq!(hands, 3, "each seat's deal");
}

#[test]
fn replay_starts_at_any_step() {
    let record = finished_record();
    for viewer in [None, Some(Viewer::Spectator)] {
        let replay = Replay::new(record.clone(), viewer);
        let steps: Vec<ReplayStep> = replay.clone().collect();
        for number in [0, 1, 5, replay.length() - 1, replay.length()] {
            let rest: Vec<ReplayStep> = replay.clone().starting_at(number).collect();
            assert_eq!(rest, steps[number as usize..]);
        }
    }
}

#[test]
fn replay_of_a_game_that_never_started_is_one_step_without_views() {
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &[SeatSetup::Open, SeatSetup::Open]));
    let (_, entries) = logged.table.join(SeatRequest::default()).expect("a free seat");
    logged.fold(entries);
    logged.fold(vec![Entry::Expired]);
    for viewer in [None, Some(Viewer::Spectator)] {
        let steps: Vec<ReplayStep> = Replay::new(record(&logged), viewer).collect();
        let [step] = steps.as_slice() else { panic!("{steps:?}") };
        assert_eq!((step.number, step.is_last, step.at), (0, true, NOW + 20));
        assert_eq!((step.events.len(), &step.views), (2, &Vec::new()));
    }
}
