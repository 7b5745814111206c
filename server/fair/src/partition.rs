//! Partitions of ids: the unit in which tables, tournaments and agents are assigned to the nodes of a cluster.

use std::fmt;

/// One of [`Partition::COUNT`] equal parts of all ids. It follows from the id alone, so that every node knows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Partition(u8);

impl Partition {
    /// Number of partitions.
    pub const COUNT: usize = 256;

    /// The partition with this number.
    #[must_use]
    pub const fn new(number: u8) -> Partition {
        Partition(number)
    }

    /// All partitions, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Partition> {
        (0..=u8::MAX).map(Partition)
    }

    /// Number of the partition.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Number of the partition, as an index of an array of [`Partition::COUNT`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_partitions_are_listed_once() {
        let all: Vec<Partition> = Partition::all().collect();
        assert_eq!(all.len(), Partition::COUNT);
        assert!(all.iter().enumerate().all(|(index, partition)| partition.index() == index));
    }
}
