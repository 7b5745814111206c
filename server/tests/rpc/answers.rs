//! Answers: accepted once, idempotent when repeated, a conflict when they differ, refused when invalid.

use parlor_engine::GameId;
use parlor_proto::v1::{
    self, AnswerStatus as Status, ErrorReason as Reason, GapCard, GapColour, game_action, no_dice_action,
};

use crate::client::{Client, error_reason};
use crate::players::{ChooseAction, random_choice};
use crate::streams::{PlayStream, answer_action, answer_index, answer_item, play_seat};
use crate::table_requests::{SeatedTable, act, gap, join, open, table};
use crate::test_server::TestServer;

/// An accepted answer.
#[derive(Clone, Debug)]
struct AcceptedAnswer {
    token: String,
    decision: v1::Decision,
    index: u32,
    number: u32,
}

impl AcceptedAnswer {
    fn action(&self) -> v1::GameAction {
        self.decision.legal_actions[self.index as usize].clone()
    }

    /// Repeats the answer by index and by action, and then sends a different one.
    async fn check_repeats_and_conflicts(&self, client: &Client) {
        let id = self.decision.id;
        for answer in [answer_index(id, self.index), answer_action(id, self.action())] {
            let again = act_outcome(client, &self.token, answer).await;
            assert_eq!((again.status(), again.number), (Status::Repeated, self.number), "decision {id}");
            assert_eq!((again.action, again.refusal), (Some(self.action()), None));
        }
        let other = (self.index + 1) % self.decision.legal_count;
        if other == self.index {
            return;
        }
        let others =
            [answer_index(id, other), answer_action(id, self.decision.legal_actions[other as usize].clone())];
        for answer in others {
            let conflict = act_outcome(client, &self.token, answer).await;
            assert_eq!(
                (conflict.status(), conflict.number),
                (Status::Conflict, self.number),
                "decision {id}"
            );
            assert_eq!(conflict.action, Some(self.action()), "a conflict has the decided action");
            let refusal = conflict.refusal.expect("a reason");
            assert_eq!(refusal.reason(), Reason::DecidedOtherwise);
            let text = refusal.text.expect("a text");
            assert!(!text.en.is_empty() && !text.de.is_empty());
        }
    }
}

/// Answers with Act.
async fn act_outcome(client: &Client, token: &str, answer: v1::Answer) -> v1::Answered {
    let acted = client.act(act(token, answer)).await.expect("an outcome");
    acted.answered.expect("an outcome")
}

/// Plays a table to the end with Act, reading only decisions from a stream, and repeats answers on the way:
/// each right away, some older ones during the game, and a sample of all after its end.
async fn play_and_repeat(server: &TestServer, seated: &SeatedTable) {
    let client = server.client();
    let mut stream = PlayStream::open(&client).await;
    for (channel, token) in (0..).zip(&seated.tokens) {
        stream.send(vec![crate::streams::attach_item(channel, play_seat(token))]).await;
    }
    let mut choice = random_choice(5);
    let mut made: Vec<AcceptedAnswer> = Vec::new();
    let mut open_channels = seated.tokens.len();
    while open_channels > 0 {
        let (channel, item) = stream.reader.next().await;
        let decision = match item {
            v1::stream_item::Item::Decision(decision) => decision,
            v1::stream_item::Item::Closed(_) => {
                open_channels -= 1;
                continue;
            }
            _ => continue,
        };
        let index = choice.choose(&decision);
        let token = &seated.tokens[channel as usize];
        // Every other answer by its action; answers are compared after an index is resolved.
        let answer = match made.len() % 2 {
            0 => answer_index(decision.id, index),
            _ => answer_action(decision.id, decision.legal_actions[index as usize].clone()),
        };
        let accepted = act_outcome(&client, token, answer).await;
        assert_eq!((accepted.status(), accepted.refusal), (Status::Accepted, None));
        assert_eq!(accepted.action.as_ref(), decision.legal_actions.get(index as usize));
        let now = AcceptedAnswer { token: token.clone(), decision, index, number: accepted.number };
        now.check_repeats_and_conflicts(&client).await;
        if made.len() % 4 == 3
            && let Some(old) = made.get(made.len() / 2)
        {
            old.check_repeats_and_conflicts(&client).await;
        }
        made.push(now);
    }
    assert!(made.len() > 10);
    let (first, last) = (&made[0], made.last().expect("an answer"));
    for old in made.iter().step_by(1 + made.len() / 40).chain([first, last]) {
        old.check_repeats_and_conflicts(&client).await;
    }
    // A decision id that was never given is refused after the end, too.
    let ahead = act_outcome(&client, &seated.tokens[0], answer_index(100_000, 0)).await;
    assert_eq!(
        (ahead.status(), ahead.refusal.expect("a reason").reason()),
        (Status::Refused, Reason::TableOver)
    );
}

#[tokio::test]
async fn repeated_answers_are_idempotent_and_different_ones_conflict() {
    let server = TestServer::new().await;
    for game in GameId::published() {
        let seated = server.new_seated_table(table(game, 3)).await;
        play_and_repeat(&server, &seated).await;
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
async fn first_decision(server: &TestServer) -> (SeatedTable, PlayStream, v1::Decision) {
    let seated = server.new_seated_table(gap(2)).await;
    let mut stream = PlayStream::open_attached(&server.client(), 1, play_seat(&seated.tokens[0])).await;
    let decision = stream.reader.decision(1).await;
    (seated, stream, decision)
}

#[tokio::test]
async fn invalid_answers_are_refused_and_the_decision_stays_open() {
    let server = TestServer::new().await;
    let (seated, mut stream, decision) = first_decision(&server).await;
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
        .expect("a blue card that is not in the hand");
    let not_mine = gap_action(GapColour::Blue, elsewhere.number);
    let nothing = v1::Answer { decision_id: 1, choice: None, think_ms: None };
    let no_game = v1::GameAction { game: None };
    let odd_colour = gap_action(GapColour::Unspecified, 3);
    let mut unknown_colour = gap_action(GapColour::Blue, 3);
    if let Some(game_action::Game::Gap(gap)) = &mut unknown_colour.game {
        gap.card = Some(GapCard { colour: 99, number: 3 });
    }
    let cases: Vec<(&str, v1::Answer, Reason, &str)> = vec![
        ("an index beyond the list", answer_index(1, decision.legal_count), Reason::IllegalAction, "index"),
        ("the greatest index", answer_index(1, u32::MAX), Reason::IllegalAction, "index"),
        ("a card that is not in the hand", answer_action(1, not_mine), Reason::IllegalAction, ""),
        ("an action of another game", answer_action(1, pass_of_no_dice()), Reason::IllegalAction, ""),
        (
            "a card that does not exist",
            answer_action(1, gap_action(GapColour::Blue, 99)),
            Reason::InvalidField,
            "action.gap.card.number",
        ),
        ("no colour", answer_action(1, odd_colour), Reason::InvalidField, "action.gap.card.colour"),
        (
            "a colour of a later version",
            answer_action(1, unknown_colour),
            Reason::InvalidField,
            "action.gap.card.colour",
        ),
        ("no game", answer_action(1, no_game), Reason::InvalidField, "action"),
        ("no choice", nothing, Reason::InvalidField, ""),
        ("no decision", answer_index(0, 0), Reason::InvalidField, "decision_id"),
        ("a decision that has not come", answer_index(2, 0), Reason::DecisionNotFound, ""),
        ("a decision far ahead", answer_index(u32::MAX, 0), Reason::DecisionNotFound, ""),
    ];
    for (case, answer, reason, field) in cases {
        let over_act = act_outcome(&server.client(), &seated.tokens[0], answer.clone()).await;
        let over_stream = stream.answer(1, answer).await;
        for refused in [over_act, over_stream] {
            assert_eq!((refused.status(), refused.number), (Status::Refused, 0), "{case}");
            assert_eq!(refused.action, None, "{case}: undecided");
            let refusal = refused.refusal.expect("a reason");
            assert_eq!((refusal.reason(), refusal.field.as_str()), (reason, field), "{case}: {refusal:?}");
            let is_about_a_rule = reason == Reason::IllegalAction && field.is_empty();
            assert_eq!(!refusal.rule.is_empty(), is_about_a_rule, "{case}: {refusal:?}");
            let text = refusal.text.expect("a text");
            assert!(!text.en.is_empty() && !text.de.is_empty(), "{case}");
        }
    }
    let accepted = stream.answer(1, answer_index(1, decision.default_index)).await;
    assert_eq!(accepted.status(), Status::Accepted, "the decision is still open");
}

#[tokio::test]
async fn answer_without_an_open_decision_is_refused() {
    let server = TestServer::new().await;
    let (seated, _line, _) = first_decision(&server).await;
    let refused = act_outcome(&server.client(), &seated.tokens[1], answer_index(1, 0)).await;
    assert_eq!(refused.refusal.expect("a reason").reason(), Reason::DecisionNotFound);

    let waiting = server.client().new_table(gap(2)).await;
    let joined = server.client().join_table(join(&waiting)).await.unwrap();
    let refused = act_outcome(&server.client(), &joined.seat_token, answer_index(1, 0)).await;
    assert_eq!(refused.refusal.expect("a reason").reason(), Reason::TableNotStarted);
}

#[tokio::test]
async fn first_answer_of_two_clients_on_a_seat_counts() {
    let server = TestServer::new().await;
    let (seated, mut one, decision) = first_decision(&server).await;
    assert!(decision.legal_count > 1);
    let mut other =
        PlayStream::open_attached(&server.client_on_new_connection().await, 9, play_seat(&seated.tokens[0]))
            .await;
    assert_eq!(other.reader.decision(9).await.id, decision.id, "both clients receive the decision");
    let first = other.answer(9, answer_index(1, 0)).await;
    let second = one.answer(1, answer_index(1, 1)).await;
    assert_eq!((first.status(), second.status()), (Status::Accepted, Status::Conflict));
    assert_eq!((&second.action, second.number), (&first.action, first.number));
    let third = one.answer(1, answer_index(1, 0)).await;
    assert_eq!((third.status(), third.number), (Status::Repeated, first.number));
    for (stream, channel) in [(&mut one, 1), (&mut other, 9)] {
        let update = stream.reader.update(channel).await;
        let decided = update.decided.expect("both clients receive what was decided");
        assert_eq!((update.number, decided.index, &decided.action), (first.number, 0, &first.action));
        assert_eq!(decided.by(), v1::DecidedBy::Player);
    }
}

#[tokio::test]
async fn answers_in_one_message_are_processed_in_order() {
    let server = TestServer::new().await;
    let (_, mut stream, _) = first_decision(&server).await;
    let answers = [
        answer_index(1, 9999),
        answer_index(1, 0),
        answer_index(1, 0),
        answer_index(1, 1),
        answer_index(2, 0),
    ];
    stream.send(answers.into_iter().map(|answer| answer_item(1, answer)).collect()).await;
    let expected = [Status::Refused, Status::Accepted, Status::Repeated, Status::Conflict, Status::Refused];
    for (place, expected) in expected.into_iter().enumerate() {
        assert_eq!(stream.reader.answered(1).await.status(), expected, "answer {place}");
    }
}

#[tokio::test]
async fn act_needs_a_valid_seat_token() {
    let server = TestServer::new().await;
    let (seated, _line, _) = first_decision(&server).await;
    let client = server.client();
    let token = &seated.tokens[0];
    let changed = if token.ends_with('A') { "B" } else { "A" };
    let tampered = format!("{}{changed}", &token[..token.len() - 1]);
    for wrong in ["", "pls_", "pls_%%%", &tampered, &token[..20], "plr_key", "plv_spectator", &seated.id] {
        assert_eq!(
            error_reason(client.act(act(wrong, answer_index(1, 0))).await),
            Reason::TokenInvalid,
            "{wrong:?}"
        );
    }
    let nothing = v1::ActRequest { seat_token: token.clone(), answer: None, reveal_entropy: None };
    let refused = client.act(nothing).await.expect_err("a missing answer");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["answer".to_owned()]));
}

#[tokio::test]
async fn act_after_replacement_by_a_bot_is_refused() {
    let server = TestServer::new().await;
    let mut request = gap(2);
    request.seats = vec![open(), open()];
    let seated = server.new_seated_table(request).await;
    let client = server.client();
    client.replace_seat(crate::table_requests::replace(&seated.id, 0, "random")).await.unwrap();
    assert_eq!(
        error_reason(client.act(act(&seated.tokens[0], answer_index(1, 0))).await),
        Reason::TokenExpired
    );
}
