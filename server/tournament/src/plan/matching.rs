//! Pairs of neighbours, with as few as can be of those that should not be: maximum matchings in general graphs, by the
//! blossoms of Edmonds.
//!
//! [`pairs`] first finds the most pairs that are *fresh*. Then it goes through all in order and gives each the nearest
//! one after it with whom the number of fresh pairs still comes out the same. So the number of pairs that are not fresh
//! is the least there is, and the first in order have their nearest.

use std::collections::VecDeque;

/// Pairs up the numbers from 0 to `count - 1`, `count` being even.
pub(crate) fn pairs(count: usize, fresh: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let row = |a: usize| (0..count).map(|b| a != b && fresh(a, b)).collect();
    let edges: Vec<Vec<bool>> = (0..count).map(row).collect();
    let mut matching = Matching { edges: &edges, mate: vec![None; count], gone: vec![false; count] };
    for one in 0..count {
        matching.augment(one);
    }
    let mut pairs = Vec::with_capacity(count / 2);
    for one in 0..count {
        if matching.gone[one] {
            continue;
        }
        let left = matching.gone.iter().filter(|gone| !**gone).count();
        let perfect = 2 * matching.size() == left;
        let free = (one + 1..count).filter(|&other| !matching.gone[other]);
        let tried = free.filter(|&other| matching.edges[one][other] || !perfect);
        let found = tried.into_iter().find_map(|other| Some((other, matching.without(one, other)?)));
        if let Some((other, rest)) = found {
            pairs.push((one, other));
            matching = rest;
        }
    }
    pairs
}

/// Pairs among those who are not gone.
#[derive(Clone)]
struct Matching<'a> {
    /// Who is fresh to whom.
    edges: &'a [Vec<bool>],
    mate: Vec<Option<usize>>,
    gone: Vec<bool>,
}

impl<'a> Matching<'a> {
    fn size(&self) -> usize {
        self.mate.iter().flatten().count() / 2
    }

    /// A maximum matching of the others, if it and the pair have as many fresh pairs as there are now.
    fn without(&self, one: usize, other: usize) -> Option<Matching<'a>> {
        let mut rest = self.clone();
        for who in [one, other] {
            rest.gone[who] = true;
            if let Some(mate) = rest.mate[who].take() {
                rest.mate[mate] = None;
            }
        }
        let wanted = self.size() - usize::from(self.edges[one][other]);
        for who in 0..rest.mate.len() {
            rest.augment(who);
        }
        (rest.size() == wanted).then_some(rest)
    }

    /// Looks for a path from an unmatched point to another on which every second edge is of the matching, and turns it
    /// over: one more pair.
    fn augment(&mut self, root: usize) {
        if self.gone[root] || self.mate[root].is_some() {
            return;
        }
        let Some((mut end, parent)) = self.path(root) else { return };
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

    /// The end of such a path, and for each point on it the one before.
    fn path(&self, root: usize) -> Option<(usize, Vec<Option<usize>>)> {
        let count = self.mate.len();
        let mut parent: Vec<Option<usize>> = vec![None; count];
        // Points of a blossom count as one: its base.
        let mut base: Vec<usize> = (0..count).collect();
        let mut outer = vec![false; count];
        outer[root] = true;
        let mut queue = VecDeque::from([root]);
        while let Some(from) = queue.pop_front() {
            for to in 0..count {
                if !self.edges[from][to]
                    || self.gone[to]
                    || base[from] == base[to]
                    || self.mate[from] == Some(to)
                {
                    continue;
                }
                if to == root || self.mate[to].is_some_and(|mate| parent[mate].is_some()) {
                    let top = self.meeting(&base, &parent, from, to);
                    let mut blossom = vec![false; count];
                    self.mark(&mut base, &mut parent, &mut blossom, from, top, to);
                    self.mark(&mut base, &mut parent, &mut blossom, to, top, from);
                    for point in 0..count {
                        if blossom[base[point]] {
                            base[point] = top;
                            if !std::mem::replace(&mut outer[point], true) {
                                queue.push_back(point);
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

    /// The base at which the ways back from two outer points meet.
    fn meeting(&self, base: &[usize], parent: &[Option<usize>], one: usize, other: usize) -> usize {
        let back = |from: usize| {
            let up = |&at: &usize| Some(base[parent[self.mate[at]?]?]);
            std::iter::successors(Some(base[from]), up)
        };
        let seen: Vec<usize> = back(one).collect();
        back(other).find(|at| seen.contains(at)).expect("both ways lead to the root")
    }

    /// Marks the points of a blossom on the way from `at` down to its base, and lets them lead to `child`.
    fn mark(
        &self,
        base: &mut [usize],
        parent: &mut [Option<usize>],
        blossom: &mut [bool],
        mut at: usize,
        top: usize,
        mut child: usize,
    ) {
        while base[at] != top {
            let mate = self.mate[at].expect("inside of a blossom all are matched");
            blossom[base[at]] = true;
            blossom[base[mate]] = true;
            parent[at] = Some(child);
            child = mate;
            at = parent[mate].expect("an inner point was reached from an outer one");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_engine::below;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    /// The most fresh pairs of those that are left, by trying all.
    fn most(left: &[usize], fresh: &dyn Fn(usize, usize) -> bool) -> usize {
        let Some((&first, rest)) = left.split_first() else { return 0 };
        let with = |at: usize| {
            let mut others = rest.to_vec();
            let other = others.remove(at);
            usize::from(fresh(first, other)) + most(&others, fresh)
        };
        (0..rest.len()).map(with).max().unwrap_or_default()
    }

    /// The pairs as the documentation says them, by trying all.
    fn by_trying(count: usize, fresh: &dyn Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
        let mut left: Vec<usize> = (0..count).collect();
        let mut pairs = Vec::new();
        while !left.is_empty() {
            let goal = most(&left, fresh);
            let first = left.remove(0);
            let nearest = (0..left.len()).find(|&at| {
                let mut others = left.clone();
                let other = others.remove(at);
                usize::from(fresh(first, other)) + most(&others, fresh) == goal
            });
            pairs.push((first, left.remove(nearest.unwrap())));
        }
        pairs
    }

    #[test]
    fn pairs_are_those_that_trying_all_gives() {
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        for time in 0..1500 {
            let count = 2 * (1 + time % 5);
            let density = 1 + below(9, &mut rng);
            let edges: Vec<bool> = (0..count * count).map(|_| below(10, &mut rng) < density).collect();
            let fresh = |a: usize, b: usize| edges[a.min(b) * count + a.max(b)];
            assert_eq!(pairs(count, fresh), by_trying(count, &fresh), "{count}: {edges:?}");
        }
    }

    #[test]
    fn a_ring_of_odd_rings_is_matched() {
        // Seven triangles in a row, joined at their tips: only blossoms find the one perfect matching of its kind.
        let count = 22;
        let edge = |a: usize, b: usize| {
            let (a, b) = (a.min(b), a.max(b));
            (a / 3 == b / 3 && b < 21) || (a % 3 == 2 && b == a + 1)
        };
        let found = pairs(count, edge);
        assert!(found.iter().all(|&(a, b)| edge(a, b)), "{found:?}");
    }
}
