//! Headers of calls over a link: its version, the two nodes, the proof of the cluster's key, and what the node that the
//! client reached has found out about the caller.

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use http::{HeaderMap, HeaderName, HeaderValue};
use parlor_host::Secret;
use parlor_host::placement::NodeId;
use prost::Message;
use subtle::ConstantTimeEq;
use tonic::Status;

use super::LINK_VERSION;
use super::wire::{ForwardedCall, KeyHolder, forwarded_call};
use crate::grpc::Peer;
use crate::identity::{Caller, KeyEntry, Quota, TableOwner};

const VERSION: HeaderName = HeaderName::from_static("parlor-link-version");
const FROM: HeaderName = HeaderName::from_static("parlor-link-from");
const TO: HeaderName = HeaderName::from_static("parlor-link-to");
const TOKEN: HeaderName = HeaderName::from_static("parlor-link-token");
const CALL: HeaderName = HeaderName::from_static("parlor-link-call-bin");
/// In a response: the called node does not own what the call is about, and has done nothing.
pub(super) const REFUSED: HeaderName = HeaderName::from_static("parlor-link-refused");

/// In the extensions of a request: it has come over a link, and must not be forwarded again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FromLink;

/// Headers of every call from one node to another.
#[derive(Clone, Debug)]
pub(super) struct LinkHeaders {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) token: Secret<String>,
}

impl LinkHeaders {
    /// Adds the headers.
    pub(super) fn add(&self, headers: &mut HeaderMap) {
        headers.insert(VERSION, HeaderValue::from(LINK_VERSION));
        for (name, node) in [(FROM, &self.from), (TO, &self.to)] {
            // The characters of node names are all valid.
            headers.insert(name, HeaderValue::from_str(node.as_str()).expect("a node name"));
        }
        let mut token = HeaderValue::from_str(self.token.reveal()).expect("base64");
        token.set_sensitive(true);
        headers.insert(TOKEN, token);
    }
}

/// Checks the headers of a call that has come over a link to the node `me`, and returns the calling node.
///
/// # Errors
/// FAILED_PRECONDITION for another version, which names both; NOT_FOUND if the call is for another node; UNAUTHENTICATED
/// without the key of the cluster.
pub(super) fn check(headers: &HeaderMap, me: &NodeId, token: &Secret<String>) -> Result<NodeId, Status> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let from = text(&FROM).and_then(|from| from.parse::<NodeId>().ok());
    let version = text(&VERSION);
    if version.and_then(|version| version.parse().ok()) != Some(LINK_VERSION) {
        let from = from.as_ref().map_or("a caller without a name", NodeId::as_str);
        let version = version.unwrap_or("none");
        return Err(Status::failed_precondition(format!(
            "{from} speaks version {version} of the link, and {me} speaks version {LINK_VERSION}: \
             let both run a release that the other one knows"
        )));
    }
    let sent = text(&TOKEN).unwrap_or_default();
    if !bool::from(sent.as_bytes().ct_eq(token.reveal().as_bytes())) {
        return Err(Status::unauthenticated(
            "the server keys of the two nodes differ: give all nodes of a cluster the same one",
        ));
    }
    let Some(from) = from else { return Err(Status::invalid_argument("the calling node has no name")) };
    match text(&TO) {
        Some(to) if to == me.as_str() => Ok(from),
        to => {
            let to = to.unwrap_or("no node");
            Err(Status::not_found(format!(
                "this is {me}, and the call is for {to}: its address has a new owner"
            )))
        }
    }
}

/// The caller and the address of a request, for the node that serves it.
pub(crate) fn forwarded_call(extensions: &http::Extensions) -> HeaderValue {
    use forwarded_call::Caller as Wire;
    let caller = if let Some(caller) = extensions.get::<Caller>() {
        Some(match caller.key_entry() {
            Some(KeyEntry { owner, hash, scopes, tables, requests_per_second: _ }) => {
                Wire::KeyHolder(KeyHolder {
                    owner: owner.to_string(),
                    hash: hash.to_string(),
                    scopes: scopes.iter().map(ToString::to_string).collect(),
                    tables: tables.map(Quota::get),
                })
            }
            None => Wire::LocalOwner(caller.owner().to_string()),
        })
    } else {
        extensions.get::<TableOwner>().map(|TableOwner(table)| Wire::OwnedTable(table.to_string()))
    };
    let address = extensions.get::<Peer>().and_then(|peer| peer.address);
    let address = match address.map(|address| address.ip().to_canonical()) {
        Some(std::net::IpAddr::V4(address)) => address.octets().to_vec(),
        Some(std::net::IpAddr::V6(address)) => address.octets().to_vec(),
        None => Vec::new(),
    };
    let call = ForwardedCall { caller, address }.encode_to_vec();
    HeaderValue::from_str(&STANDARD_NO_PAD.encode(call)).expect("base64")
}

/// Adds the caller of a request to its headers.
pub(super) fn add_forwarded_call(headers: &mut HeaderMap, call: HeaderValue) {
    headers.insert(CALL, call);
}

/// Takes the caller of a forwarded call out of its headers, and adds it to the extensions as the layers of the client port
/// do.
///
/// # Errors
/// INVALID_ARGUMENT for what is no caller.
pub(super) fn admit<B>(request: &mut http::Request<B>) -> Result<(), Status> {
    request.extensions_mut().insert(FromLink);
    let Some(call) = request.headers_mut().remove(CALL) else { return Ok(()) };
    let malformed = || Status::invalid_argument("the forwarded caller is malformed");
    let bytes = STANDARD_NO_PAD.decode(call.as_bytes()).map_err(|_| malformed())?;
    let ForwardedCall { caller, address } =
        ForwardedCall::decode(bytes.as_slice()).map_err(|_| malformed())?;
    let connection = request.extensions().get::<Peer>().map_or(0, |peer| peer.connection);
    let address = match address.len() {
        4 => <[u8; 4]>::try_from(address).ok().map(std::net::IpAddr::from),
        16 => <[u8; 16]>::try_from(address).ok().map(std::net::IpAddr::from),
        _ => None,
    };
    let address = address.map(|address| std::net::SocketAddr::new(address, 0));
    let extensions = request.extensions_mut();
    extensions.insert(Peer { connection, address });
    match caller {
        Some(forwarded_call::Caller::KeyHolder(KeyHolder { owner, hash, scopes, tables })) => {
            let scopes: Result<Vec<_>, _> = scopes.iter().map(|scope| scope.parse()).collect();
            let tables = tables.map(|tables| tables.to_string().parse()).transpose();
            extensions.insert(Caller::forwarded(KeyEntry {
                owner: owner.parse().map_err(|_| malformed())?,
                hash: hash.try_into().map_err(|_| malformed())?,
                scopes: scopes.map_err(|_| malformed())?,
                tables: tables.map_err(|_| malformed())?,
                requests_per_second: None,
            }));
        }
        Some(forwarded_call::Caller::LocalOwner(owner)) => {
            extensions.insert(Caller::forwarded_local(owner.parse().map_err(|_| malformed())?));
        }
        Some(forwarded_call::Caller::OwnedTable(table)) => {
            extensions.insert(TableOwner(table.parse().map_err(|_| malformed())?));
        }
        None => {}
    }
    Ok(())
}
