//! The sentences for others and for the reader's own seat, in both languages.

use parlor_engine::{GameId, TextPart, Viewer};

use super::*;

const SEAT: Seat = Seat::FIRST;

/// The text for a spectator and for the player of seat 0, in English and then in German.
fn check(text: &impl Localise, expected: [&str; 4]) {
    let texts = [Lang::En, Lang::De].map(|lang| {
        [Viewer::Spectator, Viewer::Seat(SEAT)].map(|reader| text.rich_text(lang, reader).to_string())
    });
    assert_eq!(texts.concat(), expected);
}

#[test]
fn joins_name_the_player_and_the_seat() {
    check(
        &TableEventText::SeatJoined { seat: SEAT, name: "Ada" },
        ["Ada takes seat 0.", "You take seat 0.", "Ada nimmt Sitz 0.", "Du nimmst Sitz 0."],
    );
    check(
        &TableEventText::SeatJoined { seat: SEAT, name: "" },
        ["A player takes seat 0.", "You take seat 0.", "Ein Spieler nimmt Sitz 0.", "Du nimmst Sitz 0."],
    );
}

#[test]
fn replacements_name_the_bot() {
    check(
        &TableEventText::SeatReplaced { seat: SEAT, bot: "greedy" },
        [
            "The bot greedy takes over seat 0.",
            "The bot greedy takes over your seat.",
            "Der Bot greedy übernimmt Sitz 0.",
            "Der Bot greedy übernimmt deinen Sitz.",
        ],
    );
}

#[test]
fn clocks_and_forfeits_say_what_happened() {
    check(
        &TableEventText::ClockRanOut { seat: SEAT },
        [
            "Seat 0 runs out of time; the clock plays.",
            "You run out of time; the clock plays for you.",
            "Sitz 0 überschreitet die Zeit; die Uhr spielt.",
            "Du überschreitest die Zeit; die Uhr spielt für dich.",
        ],
    );
    let forfeited = |why| TableEventText::SeatForfeited { seat: SEAT, why };
    check(
        &forfeited(v1::SeatFinish::TimedOut),
        [
            "Seat 0 ran out of time too often and can no longer win.",
            "You ran out of time too often and can no longer win.",
            "Sitz 0 hat die Zeit zu oft überschritten und kann nicht mehr gewinnen.",
            "Du hast die Zeit zu oft überschritten und kannst nicht mehr gewinnen.",
        ],
    );
    check(
        &forfeited(v1::SeatFinish::Resigned),
        [
            "Seat 0 resigned and can no longer win.",
            "You resigned and can no longer win.",
            "Sitz 0 hat aufgegeben und kann nicht mehr gewinnen.",
            "Du hast aufgegeben und kannst nicht mehr gewinnen.",
        ],
    );
    check(
        &forfeited(v1::SeatFinish::Disconnected),
        [
            "Seat 0 was away for too long and can no longer win.",
            "You were away for too long and can no longer win.",
            "Sitz 0 war zu lange nicht verbunden und kann nicht mehr gewinnen.",
            "Du warst zu lange nicht verbunden und kannst nicht mehr gewinnen.",
        ],
    );
    check(
        &forfeited(v1::SeatFinish::SetAside),
        [
            "Seat 0 was set aside and can no longer win.",
            "You were set aside and can no longer win.",
            "Sitz 0 wurde ausgesetzt und kann nicht mehr gewinnen.",
            "Du wurdest ausgesetzt und kannst nicht mehr gewinnen.",
        ],
    );
    check(
        &forfeited(v1::SeatFinish::Unspecified),
        [
            "Seat 0 can no longer win.",
            "You can no longer win.",
            "Sitz 0 kann nicht mehr gewinnen.",
            "Du kannst nicht mehr gewinnen.",
        ],
    );
}

#[test]
fn ends_say_how_and_quote_the_owner() {
    let over = |reason, note| TableEventText::Over(TableEndText { reason, note });
    let [en, de] = ["The game was played to its end.", "Das Spiel ist zu Ende gespielt."];
    check(&over(v1::EndReason::PlayedOut, ""), [en, en, de, de]);
    let en = "The table was cancelled; nobody scores. The reason given: too late";
    let de = "Der Tisch wurde abgesagt; niemand punktet. Die Begründung: too late";
    check(&over(v1::EndReason::Cancelled, "too late"), [en, en, de, de]);
    let [en, de] = ["The table was cancelled; nobody scores.", "Der Tisch wurde abgesagt; niemand punktet."];
    check(&over(v1::EndReason::Cancelled, ""), [en, en, de, de]);
    let Text { en, de } = end_reason(v1::EndReason::ServerFault);
    check(&over(v1::EndReason::ServerFault, "an internal note"), [en, en, de, de]);
    let rematch = TableEventText::Rematch { table_id: "t1".to_owned() };
    let [en, de] = ["There is a rematch: table t1.", "Es gibt eine Revanche: Tisch t1."];
    check(&rematch, [en, en, de, de]);
    let Text { en, de } = Text {
        en: "All seats are taken: the game begins.",
        de: "Alle Sitze sind besetzt: Das Spiel beginnt.",
    };
    check(&TableEventText::Started, [en, en, de, de]);
    let en = "All seats are taken: the players reveal what they add to the shuffle.";
    let de = "Alle Sitze sind besetzt: Die Spieler decken auf, was sie zum Mischen beitragen.";
    check(&TableEventText::Starting, [en, en, de, de]);
}

#[test]
fn results_tell_place_points_and_forfeit() {
    let standing = Standing { seat: SEAT, points: 14, place: 2 };
    check(
        &SeatResultText { standing, finish: v1::SeatFinish::PlayedOut },
        [
            "Seat 0 comes 2nd with 14 points.",
            "You come 2nd with 14 points.",
            "Sitz 0 belegt Platz 2 mit 14 Punkten.",
            "Du belegst Platz 2 mit 14 Punkten.",
        ],
    );
    check(
        &SeatResultText { standing, finish: v1::SeatFinish::TimedOut },
        [
            "Seat 0 ran out of time too often and comes 2nd with 14 points.",
            "You ran out of time too often and come 2nd with 14 points.",
            "Sitz 0 hat die Zeit zu oft überschritten und belegt Platz 2 mit 14 Punkten.",
            "Du hast die Zeit zu oft überschritten und belegst Platz 2 mit 14 Punkten.",
        ],
    );
}

#[test]
fn decisions_tell_who_decided() {
    let card = parlor_engine::high_card::Card::new(9).expect("a card");
    let action = parlor_engine::high_card::Action { card }.into();
    let decided = |by| DecidedText { action, by };
    assert_eq!(action.game(), GameId::HighCard);
    let [en, de] = ["Your move: play 9.", "Dein Zug: 9 spielen."];
    check(&decided(v1::DecidedBy::Player), [en, en, de, de]);
    let [en, de] = ["Played for you: play 9.", "Für dich gespielt: 9 spielen."];
    for by in [v1::DecidedBy::Clock, v1::DecidedBy::Forfeit, v1::DecidedBy::HouseBot] {
        check(&decided(by), [en, en, de, de]);
    }
}

/// A client puts the name of a player in the place of a seat, so a sentence must not have both.
#[test]
fn the_seat_of_an_event_is_one_part() {
    for event in [
        TableEventText::SeatJoined { seat: SEAT, name: "Ada" },
        TableEventText::ClockRanOut { seat: SEAT },
        TableEventText::SeatForfeited { seat: SEAT, why: v1::SeatFinish::Resigned },
        TableEventText::SeatReplaced { seat: SEAT, bot: "greedy" },
    ] {
        for lang in [Lang::En, Lang::De] {
            let count = |reader| {
                let parts = event.rich_text(lang, reader).parts;
                parts.iter().filter(|part| matches!(part, TextPart::Seat { .. })).count()
            };
            assert_eq!([count(Viewer::Spectator), count(Viewer::Seat(SEAT))], [1, 0], "{event:?}");
        }
    }
}
