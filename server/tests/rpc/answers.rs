//! Answers: accepted once, harmless when they come again, refused when they differ, are wrong or come too late.

use parlor_engine::GameId;
use parlor_proto::v1::{
    self, AnswerStatus as Status, ErrorReason as Reason, GapCard, GapColour, game_action, no_dice_action,
};

use crate::client::{Caller, why};
use crate::players::{Choose, whim};
use crate::streams::{Line, action, answering, index, seat};
use crate::table_requests::{Seated, act, gap, join, open, table};
use crate::test_server::Scene;

/// A decision as it was made.
#[derive(Clone, Debug)]
struct Made {
    token: String,
    decision: v1::Decision,
    index: u32,
    number: u32,
}

impl Made {
    fn action(&self) -> v1::GameAction {
        self.decision.legal_actions[self.index as usize].clone()
    }

    /// Sends the same answer again, by its index and as an action, and then another one.
    async fn check(&self, caller: &Caller) {
        let id = self.decision.id;
        for answer in [index(id, self.index), action(id, self.action())] {
            let again = answered(caller, &self.token, answer).await;
            assert_eq!((again.status(), again.number), (Status::Repeated, self.number), "decision {id}");
            assert_eq!((again.action, again.refusal), (Some(self.action()), None));
        }
        let other = (self.index + 1) % self.decision.legal_count;
        if other == self.index {
            return;
        }
        let others = [index(id, other), action(id, self.decision.legal_actions[other as usize].clone())];
        for answer in others {
            let conflict = answered(caller, &self.token, answer).await;
            assert_eq!(
                (conflict.status(), conflict.number),
                (Status::Conflict, self.number),
                "decision {id}"
            );
            assert_eq!(conflict.action, Some(self.action()), "it says what was decided");
            let refusal = conflict.refusal.expect("a reason");
            assert_eq!(refusal.reason(), Reason::DecidedOtherwise);
            let text = refusal.text.expect("a text");
            assert!(!text.en.is_empty() && !text.de.is_empty());
        }
    }
}

async fn answered(caller: &Caller, token: &str, answer: v1::Answer) -> v1::Answered {
    let acted = caller.act(act(token, answer)).await.expect("an answer to an answer");
    acted.answered.expect("an answer to an answer")
}

/// Plays a table to the end without streams but for the questions, and checks old answers on the way: those to the
/// last decision of every seat, and at the end all of them.
async fn play_and_repeat(scene: &Scene, seated: &Seated) {
    let caller = scene.anyone();
    let mut line = Line::open(&caller).await;
    for (channel, token) in (0..).zip(&seated.tokens) {
        line.say(vec![crate::streams::attaching(channel, seat(token))]).await;
    }
    let mut whim = whim(5);
    let mut made: Vec<Made> = Vec::new();
    let mut open_channels = seated.tokens.len();
    while open_channels > 0 {
        let (channel, item) = line.heard.next().await;
        let decision = match item {
            v1::stream_item::Item::Decision(decision) => decision,
            v1::stream_item::Item::Closed(_) => {
                open_channels -= 1;
                continue;
            }
            _ => continue,
        };
        let chosen = whim.choose(&decision);
        let token = &seated.tokens[channel as usize];
        // Every other one by its action, which is compared with the index after it is resolved.
        let answer = match made.len() % 2 {
            0 => index(decision.id, chosen),
            _ => action(decision.id, decision.legal_actions[chosen as usize].clone()),
        };
        let accepted = answered(&caller, token, answer).await;
        assert_eq!((accepted.status(), accepted.refusal), (Status::Accepted, None));
        assert_eq!(accepted.action.as_ref(), decision.legal_actions.get(chosen as usize));
        let now = Made { token: token.clone(), decision, index: chosen, number: accepted.number };
        now.check(&caller).await;
        if made.len() % 4 == 3
            && let Some(old) = made.get(made.len() / 2)
        {
            old.check(&caller).await;
        }
        made.push(now);
    }
    assert!(made.len() > 10);
    let (first, last) = (&made[0], made.last().expect("some"));
    for old in made.iter().step_by(1 + made.len() / 40).chain([first, last]) {
        old.check(&caller).await;
    }
    // One that was never asked is none, also when the table is over.
    let ahead = answered(&caller, &seated.tokens[0], index(100_000, 0)).await;
    assert_eq!(
        (ahead.status(), ahead.refusal.expect("a reason").reason()),
        (Status::Refused, Reason::TableOver)
    );
}

#[tokio::test]
async fn every_answer_can_come_again_and_no_other_counts() {
    let scene = Scene::new().await;
    for game in GameId::ALL {
        let seated = scene.seat_all(table(*game, 3)).await;
        play_and_repeat(&scene, &seated).await;
    }
}

fn gap_action(colour: GapColour, number: u32) -> v1::GameAction {
    let card = GapCard { colour: colour.into(), number };
    let action = v1::GapAction { card: Some(card), ..v1::GapAction::default() };
    v1::GameAction { game: Some(game_action::Game::Gap(action)) }
}

fn pass_of_no_dice() -> v1::GameAction {
    let pass = no_dice_action::Action::PassTurn(v1::NoDicePass {});
    v1::GameAction { game: Some(game_action::Game::NoDice(v1::NoDiceAction { action: Some(pass) })) }
}

/// A table of GAP with its first decision, over a stream.
async fn first_decision(scene: &Scene) -> (Seated, Line, v1::Decision) {
    let seated = scene.seat_all(gap(2)).await;
    let mut line = Line::attached(&scene.anyone(), 1, seat(&seated.tokens[0])).await;
    let decision = line.heard.decision(1).await;
    (seated, line, decision)
}

#[tokio::test]
async fn wrong_answers_are_refused_and_the_decision_stays_open() {
    let scene = Scene::new().await;
    let (seated, mut line, decision) = first_decision(&scene).await;
    let legal = &decision.legal_actions;
    let in_hand: Vec<&v1::GapCard> = legal
        .iter()
        .filter_map(|action| match &action.game {
            Some(game_action::Game::Gap(gap)) => gap.card.as_ref(),
            _ => None,
        })
        .collect();
    let elsewhere = (0..10)
        .map(|number| GapCard { colour: GapColour::Blue.into(), number })
        .find(|card| !in_hand.contains(&card))
        .expect("nobody has all of a colour");
    let not_mine = gap_action(GapColour::Blue, elsewhere.number);
    let nothing = v1::Answer { decision_id: 1, choice: None, think_ms: None };
    let no_game = v1::GameAction { game: None };
    let odd_colour = gap_action(GapColour::Unspecified, 3);
    let mut unknown_colour = gap_action(GapColour::Blue, 3);
    if let Some(game_action::Game::Gap(gap)) = &mut unknown_colour.game {
        gap.card = Some(GapCard { colour: 99, number: 3 });
    }
    let cases: Vec<(&str, v1::Answer, Reason, &str)> = vec![
        ("an index beyond the list", index(1, decision.legal_count), Reason::IllegalAction, "index"),
        ("the greatest index", index(1, u32::MAX), Reason::IllegalAction, "index"),
        ("a card that is not in the hand", action(1, not_mine), Reason::IllegalAction, ""),
        ("an action of another game", action(1, pass_of_no_dice()), Reason::IllegalAction, ""),
        (
            "a card that does not exist",
            action(1, gap_action(GapColour::Blue, 99)),
            Reason::InvalidField,
            "action.gap.card.number",
        ),
        ("no colour", action(1, odd_colour), Reason::InvalidField, "action.gap.card.colour"),
        (
            "a colour of a later version",
            action(1, unknown_colour),
            Reason::InvalidField,
            "action.gap.card.colour",
        ),
        ("no game", action(1, no_game), Reason::InvalidField, "action"),
        ("no choice", nothing, Reason::InvalidField, ""),
        ("no decision", index(0, 0), Reason::InvalidField, "decision_id"),
        ("a decision that has not come", index(2, 0), Reason::DecisionNotFound, ""),
        ("a decision far ahead", index(u32::MAX, 0), Reason::DecisionNotFound, ""),
    ];
    for (case, answer, reason, field) in cases {
        let over_act = answered(&scene.anyone(), &seated.tokens[0], answer.clone()).await;
        let over_stream = line.answer(1, answer).await;
        for refused in [over_act, over_stream] {
            assert_eq!((refused.status(), refused.number), (Status::Refused, 0), "{case}");
            assert_eq!(refused.action, None, "{case}: nothing is decided");
            let refusal = refused.refusal.expect("a reason");
            assert_eq!((refusal.reason(), refusal.field.as_str()), (reason, field), "{case}: {refusal:?}");
            let is_about_a_rule = reason == Reason::IllegalAction && field.is_empty();
            assert_eq!(!refusal.rule.is_empty(), is_about_a_rule, "{case}: {refusal:?}");
            let text = refusal.text.expect("a text");
            assert!(!text.en.is_empty() && !text.de.is_empty(), "{case}");
        }
    }
    let accepted = line.answer(1, index(1, decision.default_index)).await;
    assert_eq!(accepted.status(), Status::Accepted, "none of them has done any harm");
}

#[tokio::test]
async fn whoever_is_not_asked_has_nothing_to_answer() {
    let scene = Scene::new().await;
    let (seated, _line, _) = first_decision(&scene).await;
    let refused = answered(&scene.anyone(), &seated.tokens[1], index(1, 0)).await;
    assert_eq!(refused.refusal.expect("a reason").reason(), Reason::DecisionNotFound);

    let waiting = scene.anyone().make(gap(2)).await;
    let joined = scene.anyone().join_table(join(&waiting)).await.unwrap();
    let refused = answered(&scene.anyone(), &joined.seat_token, index(1, 0)).await;
    assert_eq!(refused.refusal.expect("a reason").reason(), Reason::TableNotStarted);
}

#[tokio::test]
async fn of_two_clients_on_a_seat_the_first_answer_counts() {
    let scene = Scene::new().await;
    let (seated, mut one, decision) = first_decision(&scene).await;
    assert!(decision.legal_count > 1);
    let mut other = Line::attached(&scene.stranger().await, 9, seat(&seated.tokens[0])).await;
    assert_eq!(other.heard.decision(9).await.id, decision.id, "both are asked");
    let first = other.answer(9, index(1, 0)).await;
    let second = one.answer(1, index(1, 1)).await;
    assert_eq!((first.status(), second.status()), (Status::Accepted, Status::Conflict));
    assert_eq!((&second.action, second.number), (&first.action, first.number));
    let third = one.answer(1, index(1, 0)).await;
    assert_eq!((third.status(), third.number), (Status::Repeated, first.number));
    for (line, channel) in [(&mut one, 1), (&mut other, 9)] {
        let update = line.heard.update(channel).await;
        let decided = update.decided.expect("both learn what was decided");
        assert_eq!((update.number, decided.index, &decided.action), (first.number, 0, &first.action));
        assert_eq!(decided.by(), v1::DecidedBy::Player);
    }
}

#[tokio::test]
async fn answers_in_one_message_are_carried_out_in_their_order() {
    let scene = Scene::new().await;
    let (_, mut line, _) = first_decision(&scene).await;
    let answers = [index(1, 9999), index(1, 0), index(1, 0), index(1, 1), index(2, 0)];
    line.say(answers.into_iter().map(|answer| answering(1, answer)).collect()).await;
    let expected = [Status::Refused, Status::Accepted, Status::Repeated, Status::Conflict, Status::Refused];
    for (place, expected) in expected.into_iter().enumerate() {
        assert_eq!(line.heard.answered(1).await.status(), expected, "answer {place}");
    }
}

#[tokio::test]
async fn an_answer_needs_a_good_token_of_a_seat() {
    let scene = Scene::new().await;
    let (seated, _line, _) = first_decision(&scene).await;
    let caller = scene.anyone();
    let token = &seated.tokens[0];
    let changed = if token.ends_with('A') { "B" } else { "A" };
    let tampered = format!("{}{changed}", &token[..token.len() - 1]);
    for wrong in ["", "pls_", "pls_%%%", &tampered, &token[..20], "plr_key", "plv_spectator", &seated.id] {
        assert_eq!(why(caller.act(act(wrong, index(1, 0))).await), Reason::TokenInvalid, "{wrong:?}");
    }
    let nothing = v1::ActRequest { seat_token: token.clone(), answer: None };
    let refused = caller.act(nothing).await.expect_err("nothing to do");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["answer".to_owned()]));
}

#[tokio::test]
async fn a_bot_is_not_answered_for() {
    let scene = Scene::new().await;
    let mut request = gap(2);
    request.seats = vec![open(), open()];
    let seated = scene.seat_all(request).await;
    let caller = scene.anyone();
    caller.replace_seat(crate::table_requests::replace(&seated.id, 0, "random")).await.unwrap();
    assert_eq!(why(caller.act(act(&seated.tokens[0], index(1, 0))).await), Reason::TokenExpired);
}
