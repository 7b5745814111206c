//! Pairings of neighbours with as few repeated pairs as possible: maximum matchings in general graphs by
//! Edmonds' blossom algorithm.
//!
//! [`pair_neighbours`] first finds the maximum number of *fresh* pairs (pairs that should be preferred,
//! because they have not met). Then it goes through all vertices in order and pairs each with the nearest one
//! after it that keeps this maximum reachable. So the number of pairs that are not fresh is minimal, and
//! earlier vertices get their nearest partners first.

use std::collections::VecDeque;

/// Pairs up the numbers `0..count`. `count` is even.
pub(crate) fn pair_neighbours(count: usize, fresh: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let row = |a: usize| (0..count).map(|b| a != b && fresh(a, b)).collect();
    let edges: Vec<Vec<bool>> = (0..count).map(row).collect();
    let mut matching = Matching { edges: &edges, mate: vec![None; count], removed: vec![false; count] };
    for one in 0..count {
        matching.augment(one);
    }
    let mut pairs = Vec::with_capacity(count / 2);
    for one in 0..count {
        if matching.removed[one] {
            continue;
        }
        let remaining = matching.removed.iter().filter(|removed| !**removed).count();
        let is_perfect = 2 * matching.size() == remaining;
        let free = (one + 1..count).filter(|&other| !matching.removed[other]);
        let mut candidates = free.filter(|&other| matching.edges[one][other] || !is_perfect);
        let found = candidates.find_map(|other| Some((other, matching.without_pair(one, other)?)));
        if let Some((other, rest)) = found {
            pairs.push((one, other));
            matching = rest;
        }
    }
    pairs
}

/// A matching of the vertices that are not removed.
#[derive(Clone)]
struct Matching<'a> {
    /// Adjacency matrix of the fresh pairs.
    edges: &'a [Vec<bool>],
    mate: Vec<Option<usize>>,
    removed: Vec<bool>,
}

impl<'a> Matching<'a> {
    fn size(&self) -> usize {
        self.mate.iter().flatten().count() / 2
    }

    /// A maximum matching of the remaining vertices without this pair, if it and the pair have as many fresh
    /// pairs as `self`.
    fn without_pair(&self, one: usize, other: usize) -> Option<Matching<'a>> {
        let mut rest = self.clone();
        for vertex in [one, other] {
            rest.removed[vertex] = true;
            if let Some(mate) = rest.mate[vertex].take() {
                rest.mate[mate] = None;
            }
        }
        let expected = self.size() - usize::from(self.edges[one][other]);
        for vertex in 0..rest.mate.len() {
            rest.augment(vertex);
        }
        (rest.size() == expected).then_some(rest)
    }

    /// Finds an augmenting path from an unmatched vertex and flips it, which adds one pair.
    fn augment(&mut self, root: usize) {
        if self.removed[root] || self.mate[root].is_some() {
            return;
        }
        let Some((mut end, parent)) = self.augmenting_path(root) else { return };
        loop {
            let before = parent[end].expect("the path leads back to its root");
            let next = self.mate[before];
            self.mate[end] = Some(before);
            self.mate[before] = Some(end);
            match next {
                Some(next) => end = next,
                None => return,
            }
        }
    }

    /// End of an augmenting path (an alternating path between two unmatched vertices), and the predecessor of
    /// each vertex.
    fn augmenting_path(&self, root: usize) -> Option<(usize, Vec<Option<usize>>)> {
        let count = self.mate.len();
        let mut parent: Vec<Option<usize>> = vec![None; count];
        // A blossom is contracted to one vertex: its base.
        let mut base: Vec<usize> = (0..count).collect();
        let mut outer = vec![false; count];
        outer[root] = true;
        let mut queue = VecDeque::from([root]);
        while let Some(from) = queue.pop_front() {
            for to in 0..count {
                if !self.edges[from][to]
                    || self.removed[to]
                    || base[from] == base[to]
                    || self.mate[from] == Some(to)
                {
                    continue;
                }
                if to == root || self.mate[to].is_some_and(|mate| parent[mate].is_some()) {
                    let top = self.common_base(&base, &parent, from, to);
                    let mut blossom = vec![false; count];
                    self.mark_blossom(&mut base, &mut parent, &mut blossom, from, top, to);
                    self.mark_blossom(&mut base, &mut parent, &mut blossom, to, top, from);
                    for vertex in 0..count {
                        if blossom[base[vertex]] {
                            base[vertex] = top;
                            if !std::mem::replace(&mut outer[vertex], true) {
                                queue.push_back(vertex);
                            }
                        }
                    }
                } else if parent[to].is_none() {
                    parent[to] = Some(from);
                    match self.mate[to] {
                        None => return Some((to, parent)),
                        Some(mate) => {
                            outer[mate] = true;
                            queue.push_back(mate);
                        }
                    }
                }
            }
        }
        None
    }

    /// Lowest common ancestor of two outer vertices in the alternating tree, as a base.
    fn common_base(&self, base: &[usize], parent: &[Option<usize>], one: usize, other: usize) -> usize {
        let ancestors = |from: usize| {
            let up = |&at: &usize| Some(base[parent[self.mate[at]?]?]);
            std::iter::successors(Some(base[from]), up)
        };
        let seen: Vec<usize> = ancestors(one).collect();
        ancestors(other).find(|at| seen.contains(at)).expect("both paths lead to the root")
    }

    /// Marks the vertices of a blossom on the path from `at` to its base, and sets `child` as their
    /// predecessor.
    fn mark_blossom(
        &self,
        base: &mut [usize],
        parent: &mut [Option<usize>],
        blossom: &mut [bool],
        mut at: usize,
        top: usize,
        mut child: usize,
    ) {
        while base[at] != top {
            let mate = self.mate[at].expect("all vertices inside a blossom are matched");
            blossom[base[at]] = true;
            blossom[base[mate]] = true;
            parent[at] = Some(child);
            child = mate;
            at = parent[mate].expect("an inner vertex is reached from an outer one");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_engine::below;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    /// Maximum number of fresh pairs of the remaining vertices, by brute force.
    fn max_fresh(remaining: &[usize], fresh: &dyn Fn(usize, usize) -> bool) -> usize {
        let Some((&first, rest)) = remaining.split_first() else { return 0 };
        let with = |at: usize| {
            let mut others = rest.to_vec();
            let other = others.remove(at);
            usize::from(fresh(first, other)) + max_fresh(&others, fresh)
        };
        (0..rest.len()).map(with).max().unwrap_or_default()
    }

    /// The documented pairing, by brute force.
    fn brute_force(count: usize, fresh: &dyn Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
        let mut remaining: Vec<usize> = (0..count).collect();
        let mut pairs = Vec::new();
        while !remaining.is_empty() {
            let goal = max_fresh(&remaining, fresh);
            let first = remaining.remove(0);
            let nearest = (0..remaining.len()).find(|&at| {
                let mut others = remaining.clone();
                let other = others.remove(at);
                usize::from(fresh(first, other)) + max_fresh(&others, fresh) == goal
            });
            pairs.push((first, remaining.remove(nearest.unwrap())));
        }
        pairs
    }

    #[test]
    fn pairing_equals_brute_force() {
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        for time in 0..1500 {
            let count = 2 * (1 + time % 5);
            let density = 1 + below(9, &mut rng);
            let edges: Vec<bool> = (0..count * count).map(|_| below(10, &mut rng) < density).collect();
            let fresh = |a: usize, b: usize| edges[a.min(b) * count + a.max(b)];
            assert_eq!(pair_neighbours(count, fresh), brute_force(count, &fresh), "{count}: {edges:?}");
        }
    }

    #[test]
    fn perfect_matching_is_found_through_blossoms() {
        // Seven triangles in a chain, joined at their tips: the perfect matching is found only by contracting
        // blossoms.
        let count = 22;
        let edge = |a: usize, b: usize| {
            let (a, b) = (a.min(b), a.max(b));
            (a / 3 == b / 3 && b < 21) || (a % 3 == 2 && b == a + 1)
        };
        let found = pair_neighbours(count, edge);
        assert!(found.iter().all(|&(a, b)| edge(a, b)), "{found:?}");
    }
}
