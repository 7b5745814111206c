//! The client for platforms and bots.
