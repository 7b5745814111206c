//! The messages of streams as a server sends them: with items that are encoded already, so that an item is encoded once,
//! however its message is put together. On the wire there is no difference: a message within a message is its bytes.

use prost::Message;
use prost::bytes::Bytes;

use crate::v1;

/// [`v1::PlayResponse`] with encoded items.
#[derive(Clone, PartialEq, Message)]
pub struct PlayResponse {
    /// The items, each a [`v1::StreamItem`].
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub items: Vec<Bytes>,
    /// See [`v1::PlayResponse`].
    #[prost(message, optional, tag = "2")]
    pub ending: Option<v1::StreamEnding>,
}

/// [`v1::FollowResponse`] with encoded items.
#[derive(Clone, PartialEq, Message)]
pub struct FollowResponse {
    /// The items, each a [`v1::StreamItem`].
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub items: Vec<Bytes>,
    /// See [`v1::FollowResponse`].
    #[prost(message, optional, tag = "2")]
    pub ending: Option<v1::StreamEnding>,
}

/// [`v1::ConnectResponse`] with encoded items.
#[derive(Clone, PartialEq, Message)]
pub struct ConnectResponse {
    /// See [`v1::ConnectResponse`].
    #[prost(message, optional, tag = "1")]
    pub welcome: Option<v1::AgentWelcome>,
    /// The items, each a [`v1::StreamItem`].
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub items: Vec<Bytes>,
    /// See [`v1::ConnectResponse`].
    #[prost(message, optional, tag = "3")]
    pub ending: Option<v1::StreamEnding>,
    /// See [`v1::ConnectResponse`].
    #[prost(message, optional, tag = "4")]
    pub set_aside: Option<v1::SetAside>,
}

/// The bytes of items.
fn encoded(items: &[v1::StreamItem]) -> Vec<Bytes> {
    items.iter().map(|item| item.encode_to_vec().into()).collect()
}

impl From<v1::PlayResponse> for PlayResponse {
    fn from(message: v1::PlayResponse) -> PlayResponse {
        let v1::PlayResponse { items, ending } = message;
        PlayResponse { items: encoded(&items), ending }
    }
}

impl From<v1::FollowResponse> for FollowResponse {
    fn from(message: v1::FollowResponse) -> FollowResponse {
        let v1::FollowResponse { items, ending } = message;
        FollowResponse { items: encoded(&items), ending }
    }
}

impl From<v1::ConnectResponse> for ConnectResponse {
    fn from(message: v1::ConnectResponse) -> ConnectResponse {
        let v1::ConnectResponse { welcome, items, ending, set_aside } = message;
        ConnectResponse { welcome, items: encoded(&items), ending, set_aside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_is_the_same() {
        let item = |channel| v1::StreamItem {
            channel,
            item: Some(v1::stream_item::Item::Update(v1::Update { number: 300, ..v1::Update::default() })),
        };
        let items = vec![item(0), item(7), v1::StreamItem::default()];
        let ending = Some(v1::StreamEnding { retry_ms: 5, ..v1::StreamEnding::default() });
        let welcome = Some(v1::AgentWelcome { max_tables: 3, ..v1::AgentWelcome::default() });

        let play = v1::PlayResponse { items: items.clone(), ending: ending.clone() };
        assert_eq!(PlayResponse::from(play.clone()).encode_to_vec(), play.encode_to_vec());
        let follow = v1::FollowResponse { items: items.clone(), ending: ending.clone() };
        assert_eq!(FollowResponse::from(follow.clone()).encode_to_vec(), follow.encode_to_vec());
        let set_aside = Some(v1::SetAside { message: "slow".to_owned(), ..v1::SetAside::default() });
        let connect = v1::ConnectResponse { welcome, items, ending, set_aside };
        assert_eq!(ConnectResponse::from(connect.clone()).encode_to_vec(), connect.encode_to_vec());
    }
}
