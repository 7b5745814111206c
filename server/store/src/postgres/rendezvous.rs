//! Rendezvous hashing: the node that each partition falls to.
//!
//! Every node computes the same answer from the same nodes, and a node that comes or goes moves only the partitions that it
//! gains or had.

use parlor_fair::Partition;
use sha2::{Digest, Sha256};

/// The node with the highest score for a partition; `None` without nodes.
pub(super) fn preferred_node<'a>(partition: Partition, nodes: &[&'a str]) -> Option<&'a str> {
    nodes.iter().copied().max_by_key(|node| (score(partition, node), *node))
}

fn score(partition: Partition, node: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"parlor partition 1\0");
    hash.update([partition.number()]);
    hash.update(node);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_shared_evenly_and_move_little() {
        let all = ["a/1", "b/2", "c/3"];
        let owners = |nodes: &[&'static str]| -> Vec<&str> {
            Partition::all().map(|partition| preferred_node(partition, nodes).unwrap()).collect()
        };
        let three = owners(&all);
        for node in all {
            let count = three.iter().filter(|owner| **owner == node).count();
            assert!((50..=120).contains(&count), "{node}: {count}");
        }
        let two = owners(&all[..2]);
        for (before, after) in three.iter().zip(&two) {
            assert!(before == after || *before == "c/3", "a node that stays keeps what it had");
        }
        assert_eq!(owners(&["b/2", "c/3", "a/1"]), three, "the order of the nodes does not matter");
        assert_eq!(preferred_node(Partition::new(0), &[]), None);
    }
}
