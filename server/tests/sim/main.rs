//! Servers that crash, on a network that fails: players who come back see every update once and in order, and what was
//! acknowledged is there after every crash.
//!
//! Everything runs on a simulated network with a simulated clock (`network.rs`) and a log that loses what was not synced
//! when the server crashes. Players (`player.rs`) hold many seats over one stream, come back with the number of the last
//! update they have, and note whatever breaks a promise (`seat_observer.rs`). The same checks find out a log that acknowledges
//! too early.
//!
//! Faults come at random, from seeds that are printed; `PARLOR_TEST_SEED=7` begins with another one.

mod disk;
mod network;
mod platform;
mod player;
mod seat_observer;
mod tests;
