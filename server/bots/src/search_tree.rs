//! Search tree of one observer: visit counts and rewards of action sequences.
//!
//! A node stands for a sequence of actions visible to the observer, shared by all sampled worlds. At a node
//! different actions are available in different worlds, so each child counts how often it was available.

use parlor_engine::{MAX_SEATS, Seat};

/// Rewards of a playout by seat: the seat's points less the mean of the others'.
pub(crate) type Rewards = [f32; MAX_SEATS];

/// Exploration constant `c` of PUCT.
const EXPLORATION: f32 = 1.5;

/// Index of a node in its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(crate) const ROOT: NodeId = NodeId(0);

    const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
struct Node<A> {
    /// Seat and action that lead here; `None` at the root.
    incoming: Option<(Seat, A)>,
    visits: u32,
    /// Number of visits of the parent in which the action was available.
    available: u32,
    /// Sum of the rewards of the acting seat.
    total: f64,
    first_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
}

impl<A> Node<A> {
    const fn new(incoming: Option<(Seat, A)>, available: u32, next_sibling: Option<NodeId>) -> Node<A> {
        Node { incoming, visits: 0, available, total: 0.0, first_child: None, next_sibling }
    }

    fn mean(&self) -> f32 {
        (self.total / f64::from(self.visits.max(1))) as f32
    }
}

/// A search tree over actions `A`.
#[derive(Clone, Debug)]
pub(crate) struct SearchTree<A> {
    nodes: Vec<Node<A>>,
    /// Sum of the squares of all rewards.
    squares: f64,
    /// Number of rewards.
    count: u32,
    /// Scratch buffer: for each legal action, its child node.
    children: Vec<Option<NodeId>>,
}

impl<A: Copy + Eq> SearchTree<A> {
    pub(crate) fn new() -> SearchTree<A> {
        SearchTree { nodes: vec![Node::new(None, 0, None)], squares: 0.0, count: 0, children: Vec::new() }
    }

    /// Selects one of the legal actions of a seat at a node. Returns its index, its child node, and whether
    /// the child is new.
    ///
    /// Selection is by upper confidence bound with a prior (PUCT): `mean / spread + c * prior * sqrt(times
    /// available) / (1 + visits)`. It has no logarithm, so every machine computes the same. An unvisited
    /// action has the mean of the visited ones.
    pub(crate) fn select(
        &mut self,
        from: NodeId,
        seat: Seat,
        legal: &[A],
        priors: &[f32],
    ) -> (usize, NodeId, bool) {
        self.children.clear();
        self.children.resize(legal.len(), None);
        let (mut visits, mut total) = (0, 0.0);
        let mut next = self.nodes[from.index()].first_child;
        while let Some(id) = next {
            let node = &mut self.nodes[id.index()];
            next = node.next_sibling;
            let Some((_, action)) = node.incoming.filter(|(by, _)| *by == seat) else {
                continue;
            };
            if let Some(index) = legal.iter().position(|other| *other == action) {
                node.available += 1;
                visits += node.visits;
                total += node.total;
                self.children[index] = Some(id);
            }
        }
        let mean_of_visited = (total / f64::from(visits.max(1))) as f32;
        let spread = self.spread();
        let parent_visits = self.nodes[from.index()].visits + 1;
        let mut best = (0, f32::NEG_INFINITY);
        for (index, prior) in priors.iter().enumerate().take(legal.len()) {
            let (mean, visits, available) = match self.children[index] {
                Some(id) => {
                    let node = &self.nodes[id.index()];
                    (node.mean(), node.visits, node.available)
                }
                None => (mean_of_visited, 0, parent_visits),
            };
            let explore = EXPLORATION * prior * (available as f32).sqrt() / (1 + visits) as f32;
            let bound = mean / spread + explore;
            if bound > best.1 {
                best = (index, bound);
            }
        }
        let index = best.0;
        match self.children[index] {
            Some(id) => (index, id, false),
            None => (index, self.add_child(from, seat, legal[index], parent_visits), true),
        }
    }

    fn add_child(&mut self, from: NodeId, seat: Seat, action: A, available: u32) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let sibling = self.nodes[from.index()].first_child.replace(id);
        self.nodes.push(Node::new(Some((seat, action)), available, sibling));
        id
    }

    /// Adds the rewards of a playout to the nodes of its path.
    pub(crate) fn backpropagate(&mut self, path: &[NodeId], rewards: &Rewards) {
        for id in path {
            let node = &mut self.nodes[id.index()];
            node.visits += 1;
            if let Some((seat, _)) = node.incoming {
                let reward = f64::from(rewards[seat.index()]);
                node.total += reward;
                self.squares += reward * reward;
                self.count += 1;
            }
        }
    }

    /// Root mean square of the rewards, at least 0.5: normalises exploration across games.
    fn spread(&self) -> f32 {
        let mean = self.squares / f64::from(self.count.max(1));
        (mean as f32).sqrt().max(0.5)
    }

    /// The most visited action at the root, ties by mean reward.
    pub(crate) fn most_visited_action(&self) -> Option<A> {
        let mut best: Option<&Node<A>> = None;
        let mut next = self.nodes[NodeId::ROOT.index()].first_child;
        while let Some(id) = next {
            let node = &self.nodes[id.index()];
            next = node.next_sibling;
            let rank = (node.visits, node.mean());
            if best.is_none_or(|best| rank > (best.visits, best.mean())) {
                best = Some(node);
            }
        }
        best.and_then(|node| node.incoming).map(|(_, action)| action)
    }
}
