//! The documented order of the legal actions, computed from the view, independently of the search for placements.

use super::*;

/// The place of a legal action in the order.
pub(super) fn key(view: &View, action: Action) -> Vec<i32> {
    match action {
        Action::Lay(placement) => {
            let card = placement.card();
            let mut key = vec![0, card.lower().into(), card.higher().into()];
            key.extend(place_key(view, placement));
            key
        }
        Action::Switch => vec![1],
        Action::PassCard => vec![2],
        Action::X2 => vec![3],
        Action::Swap(seat) => vec![4, seat.index() as i32],
        Action::Pass | Action::Decline => vec![5],
    }
}

/// The place of a placement among those of its card.
fn place_key(view: &View, placement: Placement) -> Vec<i32> {
    let toward = match placement.toward() {
        Direction::Right => 0,
        Direction::Down => 1,
        Direction::Left => 2,
        Direction::Up => 3,
    };
    if view.table.is_empty() {
        // By the rotation; a double that extends to the left or up is given from its other end.
        let away = placement.lower() != (0, 0);
        return vec![if away { toward + 2 } else { toward }];
    }
    let ends = [
        (0, placement.lower(), placement.card().lower()),
        (1, placement.higher(), placement.card().higher()),
    ];
    for (which, square, value) in ends {
        if let Some(anchor) = anchor(view, square, value) {
            let around = i32::from(square != (anchor.x, anchor.y));
            let (x, y) = square;
            let laid = view.table[usize::from(anchor.card)].placement;
            let half = i32::from((anchor.x, anchor.y) != laid.lower());
            return vec![which, anchor.card.into(), half, around, y.into(), x.into(), toward];
        }
    }
    panic!("neither segment of {placement} is anchored");
}

/// The segment at which a new one is anchored: the segment of its value that it covers, or the first one that it
/// touches if it covers none and touches no other value.
fn anchor(view: &View, square: Square, value: u8) -> Option<Segment> {
    let mut visible = view.visible();
    visible.sort_by_key(|segment| {
        let laid = view.table[usize::from(segment.card)].placement;
        (segment.card, (segment.x, segment.y) != laid.lower())
    });
    if let Some(covered) = visible.iter().find(|segment| (segment.x, segment.y) == square) {
        return (covered.value == value).then_some(*covered);
    }
    let share_an_edge = |segment: &Segment| {
        let (dx, dy) = ((segment.x - square.0).abs(), (segment.y - square.1).abs());
        dx.max(dy) == 2 && dx.min(dy) < 2
    };
    visible.retain(share_an_edge);
    visible.first().copied().filter(|_| visible.iter().all(|segment| segment.value == value))
}
