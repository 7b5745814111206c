//! The baseline: bare tonic without rules, identity and store. Two players at a table, one stream each; every
//! move is sent to both, in messages as large as Parlor's own. Runtime, allocator, codec and HTTP/2 settings
//! are the server's.

mod load;
mod server;

pub(crate) use load::{BaselineLoad, load};
pub(crate) use server::serve;

/// Generated messages and service.
#[allow(clippy::all, missing_docs, unreachable_pub, reason = "generated")]
mod wire {
    tonic::include_proto!("parlor.bench");
}

/// Sizes of the messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::Args)]
pub(crate) struct Sizes {
    /// Bytes of a view.
    #[arg(long)]
    pub(crate) view: usize,
    /// Bytes of the events of a move.
    #[arg(long)]
    pub(crate) events: usize,
}

impl Sizes {
    /// Command-line arguments of this program.
    pub(crate) fn arguments(self) -> [String; 2] {
        [format!("--view={}", self.view), format!("--events={}", self.events)]
    }
}

/// Players at a table.
const PLAYERS: usize = 2;
