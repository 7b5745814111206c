//! The API as its clients meet it: every call, every reason for an error and every game, over real sockets, on a clock
//! that is moved by hand.
//!
//! Nothing waits for a guessed time: what is waited for is an item of a stream or an answer, with a minute for each.

mod answers;
mod ask;
mod caller;
mod games;
mod line;
mod playing;
mod resume;
mod scene;
