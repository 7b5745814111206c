//! `GamePair`: a random game, and a second one with other hidden cards that a viewer cannot tell from it.

use std::ops::Range;

use parlor_engine::{AnyAction, AnyEvent, Seat, ShuffleId, Viewer, below, shuffle};
use parlor_host::table::Entry;
use rand_chacha::ChaCha8Rng;

use crate::model_table::{Deals, ModelTable, Observation, Operation, ROUNDS, deck};
use crate::table_kind::{DECISION_MS, HIDDEN_MS, TableKind};

/// Number of steps of a game. The more steps, the less stays hidden from the viewer.
const STEPS: Range<usize> = 10..30;
/// Number of attempts to swap two cards of the second deal; a swap that the viewer would notice is undone.
const SWAPS: usize = 60;

/// Two games that a viewer cannot tell apart, with the operations of each, step by step.
pub(crate) struct GamePair {
    pub(crate) kind: TableKind,
    pub(crate) viewer: Viewer,
    pub(crate) deals: [Deals; 2],
    pub(crate) steps: Vec<[Vec<Operation>; 2]>,
    /// For each step, the number of operations before the hidden answers, the same in both games.
    pub(crate) public: Vec<usize>,
    /// Actions that were legal for some seat at some time.
    pub(crate) actions: Vec<AnyAction>,
}

impl GamePair {
    /// Plays random steps, and then permutes the cards that are still hidden from the viewer.
    pub(crate) fn new(kind: TableKind, viewer: Viewer, rng: &mut ChaCha8Rng) -> GamePair {
        let max_steps = STEPS.start + below((STEPS.end - STEPS.start) as u32, rng) as usize;
        let deck = deck(kind);
        let deal = |round| {
            let mut cards = deck.clone();
            shuffle(&mut cards, rng);
            (ShuffleId::deal(round), cards)
        };
        let deals: Deals = (0..ROUNDS).map(deal).collect();
        let played = RandomGame::play(kind, &deals, viewer, max_steps, rng);
        let mut second = deals.clone();
        let mut operations: Vec<Vec<Operation>> =
            played.steps.iter().map(|step| step.operations.clone()).collect();
        for _ in 0..SWAPS {
            let round = below(ROUNDS.into(), rng) as usize;
            let cards = &mut second[round].1;
            let [one, other] = [0; 2].map(|_| below(cards.len() as u32, rng) as usize);
            if cards[one] == cards[other] {
                continue;
            }
            cards.swap(one, other);
            match played.replay(kind, &second, viewer) {
                Some(same) => operations = same,
                None => second[round].1.swap(one, other),
            }
        }
        let public = played.steps.iter().map(|step| step.main).collect();
        let steps =
            played.steps.into_iter().zip(operations).map(|(step, same)| [step.operations, same]).collect();
        GamePair { kind, viewer, deals: [deals, second], steps, public, actions: played.actions }
    }

    /// True if the game is cut off before its end: a result would show the think time of each seat.
    pub(crate) fn is_cut_off(&self) -> bool {
        let mut model = ModelTable::dealt(self.kind, &self.deals[0]);
        let operations = self.steps.iter().flat_map(|[first, _]| first);
        operations.for_each(|operation| drop(model.apply(operation, self.viewer)));
        model.is_playing()
    }

    /// True if the views of another viewer differ at some time.
    pub(crate) fn differ(&self) -> bool {
        let mut models = self.deals.each_ref().map(|deals| ModelTable::dealt(self.kind, deals));
        let views_differ = |models: &[ModelTable; 2]| {
            Viewer::all(self.kind.players)
                .any(|viewer| models[0].table.view(viewer) != models[1].table.view(viewer))
        };
        self.steps.iter().any(|operations| {
            let differ = views_differ(&models);
            for (model, operations) in models.iter_mut().zip(operations) {
                operations.iter().for_each(|operation| drop(model.apply(operation, self.viewer)));
            }
            differ || views_differ(&models)
        })
    }
}

/// One step of a game: an operation, followed by the answers to hidden decisions of other seats.
struct Step {
    operations: Vec<Operation>,
    /// The action played by each operation.
    actions: Vec<Option<AnyAction>>,
    /// Number of operations before the hidden answers: 0 in the first step, else 1.
    main: usize,
    observation: Observation,
}

/// A randomly played game.
struct RandomGame {
    steps: Vec<Step>,
    actions: Vec<AnyAction>,
}

/// Records one step while it is played.
struct StepRecorder<'a> {
    model: &'a mut ModelTable,
    viewer: Viewer,
    operations: Vec<Operation>,
    actions: Vec<Option<AnyAction>>,
    /// The game events that the viewer received in each operation.
    events: Vec<Vec<AnyEvent>>,
}

impl StepRecorder<'_> {
    fn new(model: &mut ModelTable, viewer: Viewer) -> StepRecorder<'_> {
        StepRecorder { model, viewer, operations: Vec::new(), actions: Vec::new(), events: Vec::new() }
    }

    fn apply(&mut self, operation: Operation) {
        self.actions.push(match operation {
            Operation::Act { seat, index } => {
                self.model.table.legal_actions(seat).get(index as usize).copied()
            }
            Operation::Resign { .. } | Operation::Wait { .. } => None,
        });
        self.events.push(self.model.apply(&operation, self.viewer));
        self.operations.push(operation);
    }

    /// Seats other than the viewer's with a hidden decision.
    fn hidden(&self) -> Vec<Seat> {
        self.model.hidden().into_iter().filter(|seat| !self.viewer.is(*seat)).collect()
    }

    fn index_of(&self, seat: Seat, action: AnyAction) -> Option<u32> {
        let legal = self.model.table.legal_actions(seat);
        legal.iter().position(|offered| *offered == action).map(|index| index as u32)
    }

    /// Plays this action for a seat, or the default action where it is not legal.
    fn answer(&mut self, seat: Seat, action: Option<AnyAction>) {
        let default = || self.model.default_action(seat).and_then(|action| self.index_of(seat, action));
        let index = action.and_then(|action| self.index_of(seat, action)).or_else(default);
        self.apply(Operation::Act { seat, index: index.expect("a legal default action") });
    }
}

impl RandomGame {
    fn play(
        kind: TableKind,
        deals: &Deals,
        viewer: Viewer,
        max_steps: usize,
        rng: &mut ChaCha8Rng,
    ) -> RandomGame {
        let mut model = ModelTable::dealt(kind, deals);
        let mut played = RandomGame { steps: Vec::new(), actions: Vec::new() };
        while model.is_playing() && played.steps.len() < max_steps {
            let chosen = (!played.steps.is_empty()).then(|| played.choose(kind, &model, viewer, rng));
            let mut recorder = StepRecorder::new(&mut model, viewer);
            let main = usize::from(chosen.is_some());
            if let Some(operation) = chosen {
                recorder.apply(operation);
            }
            while let Some(seat) = recorder.hidden().first().copied() {
                // A held window ends by itself: not every seat has to answer.
                if kind.held && below(4, rng) == 0 {
                    break;
                }
                // Without a clock no other decision can time out together with a hidden one.
                if !kind.held && !kind.timed && below(5, rng) == 0 {
                    let operation = recorder.model.time_out(&recorder.model.hidden(), HIDDEN_MS);
                    recorder.apply(operation);
                } else {
                    let legal = recorder.model.table.legal_actions(seat);
                    let any = legal[below(legal.len() as u32, rng) as usize];
                    recorder.answer(seat, (below(4, rng) == 0).then_some(any));
                }
            }
            let StepRecorder { operations, actions, events, .. } = recorder;
            let observation = model.observation(viewer, events);
            played.actions.extend(model.asked().iter().flat_map(|seat| model.table.legal_actions(*seat)));
            played.steps.push(Step { operations, actions, main, observation });
        }
        played
    }

    fn choose(&self, kind: TableKind, model: &ModelTable, viewer: Viewer, rng: &mut ChaCha8Rng) -> Operation {
        // Hidden decisions of other seats have been answered, or end with the window.
        let is_choosable = |seat: &Seat| !model.table.is_secret(*seat) || viewer.is(*seat);
        let seats: Vec<Seat> = model.asked().into_iter().filter(is_choosable).collect();
        let is_held = model.table.window_is_held();
        if is_held && (seats.is_empty() || below(2, rng) == 0) {
            return Operation::Wait { ms: HIDDEN_MS, entries: vec![Entry::WindowClosed] };
        }
        let is_quiet = !is_held && model.hidden().is_empty();
        if kind.timed && is_quiet && below(12, rng) == 0 {
            return model.time_out(&model.public(), DECISION_MS);
        }
        let has_resigned =
            || self.steps.iter().flat_map(|step| &step.operations).any(Operation::is_resignation);
        if is_quiet && below(30, rng) == 0 && !has_resigned() {
            let number = below(kind.players.into(), rng) as usize;
            let seat = Seat::all(kind.players).nth(number).expect("a seat");
            if model.table.resign(seat).is_ok() {
                return Operation::Resign { seat };
            }
        }
        let seat = seats[below(seats.len() as u32, rng) as usize];
        Operation::Act { seat, index: below(model.table.legal_actions(seat).len() as u32, rng) }
    }

    /// Replays the game with other deals: the operations of each step, or `None` if the viewer would notice.
    fn replay(&self, kind: TableKind, deals: &Deals, viewer: Viewer) -> Option<Vec<Vec<Operation>>> {
        let mut model = ModelTable::dealt(kind, deals);
        let mut steps = Vec::new();
        for step in &self.steps {
            let mut recorder = StepRecorder::new(&mut model, viewer);
            let operations = step.operations.iter().zip(&step.actions);
            for (operation, action) in operations.clone().take(step.main) {
                let same = same_operation(recorder.model, viewer, operation, *action)?;
                recorder.apply(same);
            }
            for (operation, action) in operations.skip(step.main) {
                match operation {
                    Operation::Act { seat, .. } if recorder.hidden().contains(seat) => {
                        recorder.answer(*seat, *action);
                    }
                    Operation::Wait { ms, .. } => {
                        let operation = recorder.model.time_out(&recorder.model.hidden(), *ms);
                        recorder.apply(operation);
                    }
                    Operation::Act { .. } | Operation::Resign { .. } => {}
                }
            }
            while let Some(seat) = recorder.hidden().first().copied().filter(|_| !kind.held) {
                recorder.answer(seat, None);
            }
            let StepRecorder { operations, events, .. } = recorder;
            if model.observation(viewer, events) != step.observation {
                return None;
            }
            steps.push(operations);
        }
        Some(steps)
    }
}

/// The same operation on another model; `None` if it is impossible there, or the viewer would see a
/// difference.
fn same_operation(
    model: &ModelTable,
    viewer: Viewer,
    operation: &Operation,
    action: Option<AnyAction>,
) -> Option<Operation> {
    match operation {
        Operation::Act { seat, index } => {
            let legal = model.table.legal_actions(*seat);
            let same = legal.iter().position(|offered| Some(*offered) == action).map(|index| index as u32);
            let index = if viewer.is(*seat) {
                same.filter(|same| same == index)?
            } else {
                // Other seats may play another action, as long as the viewer does not see it.
                same.or_else(|| index.checked_rem(legal.len() as u32))?
            };
            Some(Operation::Act { seat: *seat, index })
        }
        Operation::Resign { seat } => model.table.resign(*seat).is_ok().then(|| operation.clone()),
        Operation::Wait { ms, entries } if *entries == [Entry::WindowClosed] => {
            model.table.window_is_held().then(|| Operation::Wait { ms: *ms, entries: entries.clone() })
        }
        Operation::Wait { ms, .. } => {
            let is_quiet = !model.table.window_is_held() && model.hidden().is_empty();
            let same = model.time_out(&model.public(), *ms);
            (is_quiet && same == *operation).then_some(same)
        }
    }
}
