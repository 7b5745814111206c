//! Parlor in a terminal.

fn main() {}
