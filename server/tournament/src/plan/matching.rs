//! Pairs of neighbours, with as few as can be of those that should not be: maximum matchings in general graphs, by the
//! blossoms of Edmonds.
//!
//! [`pairs`] first finds the most pairs that are *fresh*. Then it goes through all in order and gives each the nearest
//! one after it with whom the number of fresh pairs still comes out the same. So the number of pairs that are not fresh
//! is the least there is, and the first in order have their nearest.

use std::collections::VecDeque;

/// Pairs up the numbers from 0 to `count - 1`, `count` being even.
pub(crate) fn pairs(count: usize, fresh: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let edges = (0..count).map(|a| (0..count).map(|b| a != b && fresh(a, b)).collect()).collect();
    let mut matching = Matching { edges, mate: vec![None; count], gone: vec![false; count] };
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

#[derive(Clone)]
struct Matching {
    edges: Vec<Vec<bool>>,
    mate: Vec<Option<usize>>,
    gone: Vec<bool>,
}

impl Matching {
    fn size(&self) -> usize {
        self.mate.iter().flatten().count() / 2
    }

    /// A maximum matching of the others, if it and the pair have as many fresh pairs as there are now.
    fn without(&self, one: usize, other: usize) -> Option<Matching> {
        let mut rest = self.clone();
        for who in [one, other] {
            rest.gone[who] = true;
            if let Some(mate) = rest.mate[who].take() {
                rest.mate[mate] = None;
            }
        }
        let wanted = self.size() - usize::from(self.edges[one][other]);
        for who in [self.mate[one], self.mate[other]].into_iter().flatten() {
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
