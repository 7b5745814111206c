//! The tree of a search: what was tried after what, and how it went.
//!
//! It is the tree of one observer. A node stands for a sequence of actions that the observer has seen, whichever world
//! they were done in; so at a node different actions are available in different worlds, and each child counts how
//! often it was.

use parlor_engine::{MAX_SEATS, Seat};

/// What everyone made of a playout: the points of each seat, less the mean of the others'.
pub(crate) type Rewards = [f32; MAX_SEATS];

/// How strongly actions that were tried little are tried again.
const EXPLORATION: f32 = 1.5;

/// The place of a node in its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// Before anything was done.
    pub(crate) const ROOT: NodeId = NodeId(0);

    const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
struct Node<A> {
    /// Who did what to come here; nothing at the root.
    came_by: Option<(Seat, A)>,
    visits: u32,
    /// How often the action could be chosen.
    available: u32,
    /// The sum of the rewards of the seat that came here.
    total: f64,
    first_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
}

impl<A> Node<A> {
    const fn new(came_by: Option<(Seat, A)>, available: u32, next_sibling: Option<NodeId>) -> Node<A> {
        Node { came_by, visits: 0, available, total: 0.0, first_child: None, next_sibling }
    }

    fn mean(&self) -> f32 {
        (self.total / f64::from(self.visits.max(1))) as f32
    }
}

/// See above.
#[derive(Clone, Debug)]
pub(crate) struct Tree<A> {
    nodes: Vec<Node<A>>,
    /// How widely rewards spread: the sum of their squares, and how many there were.
    squares: f64,
    count: u32,
    /// For each legal action, the child it leads to; kept to spare allocations.
    found: Vec<Option<NodeId>>,
}

impl<A: Copy + Eq> Tree<A> {
    pub(crate) fn new() -> Tree<A> {
        Tree { nodes: vec![Node::new(None, 0, None)], squares: 0.0, count: 0, found: Vec::new() }
    }

    /// Chooses one of the legal actions of a seat at a node, and says where it leads and whether it was never tried
    /// before.
    ///
    /// The upper confidence bound of each action decides, with its share of trust as a prior (PUCT):
    /// `mean / spread + c * trust * sqrt(times available) / (1 + times tried)`. It has no logarithm, so every machine
    /// computes it alike. An action that was never tried counts as good as those that were, on average.
    pub(crate) fn descend(
        &mut self,
        from: NodeId,
        seat: Seat,
        legal: &[A],
        trust: &[f32],
    ) -> (usize, NodeId, bool) {
        self.found.clear();
        self.found.resize(legal.len(), None);
        let (mut tried, mut total) = (0, 0.0);
        let mut next = self.nodes[from.index()].first_child;
        while let Some(id) = next {
            let node = &mut self.nodes[id.index()];
            next = node.next_sibling;
            let Some((_, action)) = node.came_by.filter(|(by, _)| *by == seat) else {
                continue;
            };
            if let Some(place) = legal.iter().position(|other| *other == action) {
                node.available += 1;
                tried += node.visits;
                total += node.total;
                self.found[place] = Some(id);
            }
        }
        let untried = (total / f64::from(tried.max(1))) as f32;
        let spread = self.spread();
        let come_by = self.nodes[from.index()].visits + 1;
        let mut best = (0, f32::NEG_INFINITY);
        for (place, trust) in trust.iter().enumerate().take(legal.len()) {
            let (mean, visits, available) = match self.found[place] {
                Some(id) => {
                    let node = &self.nodes[id.index()];
                    (node.mean(), node.visits, node.available)
                }
                None => (untried, 0, come_by),
            };
            let explore = EXPLORATION * trust * (available as f32).sqrt() / (1 + visits) as f32;
            let bound = mean / spread + explore;
            if bound > best.1 {
                best = (place, bound);
            }
        }
        let place = best.0;
        match self.found[place] {
            Some(id) => (place, id, false),
            None => (place, self.grow(from, seat, legal[place], come_by), true),
        }
    }

    fn grow(&mut self, from: NodeId, seat: Seat, action: A, available: u32) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let sibling = self.nodes[from.index()].first_child.replace(id);
        self.nodes.push(Node::new(Some((seat, action)), available, sibling));
        id
    }

    /// Notes how a playout through these nodes went.
    pub(crate) fn learn(&mut self, path: &[NodeId], rewards: &Rewards) {
        for id in path {
            let node = &mut self.nodes[id.index()];
            node.visits += 1;
            if let Some((seat, _)) = node.came_by {
                let reward = f64::from(rewards[seat.index()]);
                node.total += reward;
                self.squares += reward * reward;
                self.count += 1;
            }
        }
    }

    /// The size of a usual reward, so that exploration means the same in every game.
    fn spread(&self) -> f32 {
        let mean = self.squares / f64::from(self.count.max(1));
        (mean as f32).sqrt().max(0.5)
    }

    /// The action at the root that was tried most; of several, the one that went best.
    pub(crate) fn most_tried(&self) -> Option<A> {
        let mut best: Option<&Node<A>> = None;
        let mut next = self.nodes[NodeId::ROOT.index()].first_child;
        while let Some(id) = next {
            let node = &self.nodes[id.index()];
            next = node.next_sibling;
            let merit = (node.visits, node.mean());
            if best.is_none_or(|best| merit > (best.visits, best.mean())) {
                best = Some(node);
            }
        }
        best.and_then(|node| node.came_by).map(|(_, action)| action)
    }
}
