//! Messages of clients on the streams Play, Follow and Connect: their items, and the actions in answers.
//!
//! The first byte selects the stream, the others are the message.

use std::sync::LazyLock;

use parlor_engine::{AnyAction, AnyGame, Chance, GameId, NoEvents, Seat};
use parlor_host::table::Answer;
use parlor_proto::v1::{self, play_request_item::Item};
use parlor_server::grpc::{Failure, convert};
use parlor_server::identity::Caller;
use prost::Message;
use tonic::Status;

use crate::callers::{CALLERS, server_key};

/// A game of every kind, just begun.
static GAMES: LazyLock<Vec<AnyGame>> = LazyLock::new(|| GameId::ALL.iter().copied().map(begun).collect());

fn begun(game: GameId) -> AnyGame {
    let info = game.info();
    let chance = Chance::seeded([1; 32]);
    AnyGame::new(info.rules_version, game.default_options(), info.max_players, chance, &mut NoEvents)
        .expect("default options")
}

pub(crate) fn run(input: &[u8]) {
    let Some((selector, message)) = input.split_first() else { return };
    for caller in CALLERS.iter() {
        let result = match selector % 3 {
            0 => v1::PlayRequest::decode(message).map(|wire| play(wire, caller)),
            1 => v1::ConnectRequest::decode(message).map(|wire| connect(wire, caller)),
            _ => v1::FollowRequest::decode(message).map(|wire| follow(wire, caller)),
        };
        // A refusal becomes a status.
        let _status = result.map(|result| result.map_err(Status::from));
    }
}

/// Converts a message of Play.
pub(crate) fn play(wire: v1::PlayRequest, caller: &Caller) -> Result<(), Failure> {
    convert::play_items(wire)?.into_iter().for_each(|item| convert_item(item, caller));
    Ok(())
}

/// Converts a message of Connect, as the first one or as a later one.
pub(crate) fn connect(wire: v1::ConnectRequest, caller: &Caller) -> Result<(), Failure> {
    let items = match wire.hello {
        Some(_) => convert::hello(wire, caller)?.1,
        None => convert::connect_items(wire)?,
    };
    items.into_iter().for_each(|item| convert_item(item, caller));
    Ok(())
}

/// Converts the request of Follow.
pub(crate) fn follow(wire: v1::FollowRequest, caller: &Caller) -> Result<(), Failure> {
    for (_, attach) in convert::follow_channels(wire)?.channels {
        convert_attach(attach, caller);
    }
    Ok(())
}

fn convert_item(item: v1::PlayRequestItem, caller: &Caller) {
    match item.item {
        Some(Item::Attach(attach)) => convert_attach(attach, caller),
        Some(Item::Answer(answer)) => {
            let decision = answer.decision_id;
            match convert::answer(answer) {
                Ok(answer) => apply(answer.answer),
                Err(wrong) => drop(convert::invalid_answer(decision, wrong)),
            }
        }
        Some(Item::Reveal(reveal)) => {
            if let Err(wrong) = convert::entropy_reveal(&reveal) {
                let _revealed = convert::invalid_reveal(wrong);
            }
        }
        Some(Item::TournamentEntropy(entropy)) => {
            // A refusal is as good as a value.
            let _refused = convert::tournament_entropy(&entropy);
        }
        Some(Item::Detach(_)) | None => {}
    }
}

fn convert_attach(attach: v1::Attach, caller: &Caller) {
    if let Err(failure) = convert::attach(attach, &server_key(), Some(caller)) {
        let _closed = convert::closed(Some(failure), 0, false);
    }
}

/// Applies an action to games that have just begun: a game plays it or refuses it.
fn apply(answer: Answer) {
    let Answer::Action(action) = answer else { return };
    for game in GAMES.iter() {
        for seat in Seat::all(game.players()) {
            assert_offered_or_refused(game, seat, action);
        }
    }
}

fn assert_offered_or_refused(game: &AnyGame, seat: Seat, action: AnyAction) {
    let is_offered = game.legal_actions(seat).contains(&action);
    let mut after = game.clone();
    let applied = after.apply(seat, action, &mut NoEvents);
    assert_eq!(applied.is_ok(), is_offered, "{action:?} by seat {seat} of {:?}", game.id());
}
