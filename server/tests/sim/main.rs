//! Crashing servers on a failing network: reconnecting players receive every update once and in order, and
//! everything acknowledged survives every crash.
//!
//! The simulation has a simulated network and clock (`network.rs`), and a log that loses unsynced appends
//! when the server crashes (`disk.rs`). Players (`player.rs`) hold many seats over one stream, resume after
//! the number of the last update they have, and record every violation (`seat_observer.rs`). As a control,
//! the same checks detect a log that acknowledges before it syncs.
//!
//! Faults are random; the seeds are printed, and `PARLOR_TEST_SEED=7` starts with another one.

mod disk;
mod network;
mod platform;
mod player;
mod seat_observer;
mod tests;
