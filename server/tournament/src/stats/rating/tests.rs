//! Ratings checked against the definition of the model, and their intervals against simulations.

use parlor_testkit::rng_with_default_seed;

use super::*;
use crate::results::{Entrant, TableScore};
use crate::stats::simulate::{Field, table, uniform};
use rand_core::Rng;

fn group(number: u32, tables: Vec<TableScore>) -> Group {
    Group { number, round: 0, tables }
}

/// A game with these entrants, best first.
fn ranked(order: &[u16]) -> TableScore {
    let points: Vec<_> =
        order.iter().zip((0..100).rev()).map(|(entrant, points)| (Entrant(*entrant), points)).collect();
    table(0, &points)
}

fn model(entrants: usize, groups: &[Group]) -> PlackettLuce {
    let mut model = PlackettLuce::new(entrants);
    groups.iter().for_each(|group| model.push(group));
    model
}

fn wins(times: u32, winner: u16, loser: u16) -> Vec<Group> {
    (0..times).map(|number| group(number, vec![ranked(&[winner, loser])])).collect()
}

fn field(skills: &[f64], players: usize) -> Field {
    Field { skills: skills.to_vec(), players, hands: 4.0, games: 4.0, memory: 0.0 }
}

/// Log-likelihood by its definition: a tie is the mean of all its orders.
fn log_likelihood(groups: &[Group], logs: &[f64]) -> f64 {
    fn drawn(left: &[(u8, usize)], logs: &[f64]) -> f64 {
        let Some(best) = left.iter().map(|(place, _)| *place).min() else { return 0.0 };
        let sum: f64 = left.iter().map(|(_, entrant)| logs[*entrant].exp()).sum();
        let first: Vec<_> = left.iter().filter(|(place, _)| *place == best).collect();
        let then = |&&(_, chosen): &&(u8, usize)| {
            let rest: Vec<_> = left.iter().copied().filter(|(_, entrant)| *entrant != chosen).collect();
            logs[chosen] - sum.ln() + drawn(&rest, logs)
        };
        first.iter().map(then).sum::<f64>() / first.len() as f64
    }
    let tables = groups.iter().flat_map(|group| &group.tables);
    let seats = tables.map(|table| table.seats.iter().map(|s| (s.place, s.entrant.index())).collect());
    let games: f64 = seats.map(|seats: Vec<_>| drawn(&seats, logs)).sum();
    games + logs.iter().map(|log| log / 2.0 - log.exp().ln_1p()).sum::<f64>()
}

#[test]
fn fit_maximises_the_log_likelihood() {
    let mut rng = rng_with_default_seed(21);
    // Few points and much luck: many ties of up to four.
    let field = Field { games: 1.0, hands: 0.5, ..field(&[0.0, 0.3, 0.6, 0.9, -0.5, -1.0], 4) };
    let groups: Vec<Group> = (0..40).map(|number| field.group(number, &mut rng)).collect();
    let has_ties = |table: &TableScore| !table.seats.iter().any(|seat| seat.place == 4);
    assert!(groups.iter().flat_map(|group| &group.tables).any(has_ties));
    let model = model(6, &groups);
    let (logs, _) = model.fit(&model.sets(), model.neutral_start(), Tolerance::FULL);
    let top = log_likelihood(&groups, &logs);
    for entrant in 0..6 {
        for off in [-0.01, 0.01] {
            let mut near = logs.clone();
            near[entrant] += off;
            let lower = top - log_likelihood(&groups, &near);
            assert!(lower > 0.0, "{entrant} {off}: {lower}");
        }
        // The gradient at the maximum is 0 up to rounding.
        let step = |by: f64| {
            let mut near = logs.clone();
            near[entrant] += by;
            log_likelihood(&groups, &near)
        };
        assert!((step(1e-4) - step(-1e-4)).abs() < 1e-8);
    }
}

#[test]
fn three_wins_of_four_are_190_elo() {
    let groups = [wins(3000, 0, 1), wins(1000, 1, 0)].concat();
    let ratings = model(2, &groups).ratings();
    assert!((ratings[0] - ratings[1] - 400.0 * 3f64.log10()).abs() < 0.5, "{ratings:?}");
    assert_eq!(ratings[0], -ratings[1]);
}

#[test]
fn tie_counts_as_half_a_win_for_each() {
    let tie = |number| group(number, vec![table(0, &[(Entrant(0), 5), (Entrant(1), 5)])]);
    let ties: Vec<Group> = (0..20).map(tie).collect();
    assert_eq!(model(2, &ties).ratings(), [0.0, 0.0]);
    let with_wins = [wins(10, 0, 1), ties].concat();
    let as_halves = [wins(20, 0, 1), wins(10, 1, 0)].concat();
    assert_eq!(model(2, &with_wins).ratings(), model(2, &as_halves).ratings());
}

#[test]
fn ratings_do_not_depend_on_the_order_of_games() {
    let mut rng = rng_with_default_seed(8);
    let field = field(&[0.0, 1.0, 2.0, 3.0, 4.0], 3);
    let groups: Vec<Group> = (0..60).map(|number| field.group(number, &mut rng)).collect();
    let ratings = model(5, &groups).ratings();
    for _ in 0..5 {
        let mut tables: Vec<TableScore> = groups.iter().flat_map(|group| group.tables.clone()).collect();
        for at in (1..tables.len()).rev() {
            tables.swap(at, rng.next_u32() as usize % (at + 1));
        }
        // Different groups, too.
        let cut: Vec<Group> = tables.chunks(7).zip(0..).map(|(part, n)| group(n, part.to_vec())).collect();
        assert_eq!(model(5, &cut).ratings(), ratings);
    }
}

#[test]
fn entrant_that_wins_or_loses_all_games_has_a_rating_without_interval() {
    let groups = [wins(500, 0, 1), wins(30, 1, 2), wins(30, 2, 1), wins(50, 1, 3), wins(50, 2, 3)].concat();
    let ratings = model(5, &groups).ratings_with_intervals();
    assert!(ratings.iter().all(|rating| rating.rating.is_finite() && rating.rating.abs() < 2000.0));
    assert!(ratings.is_sorted_by(|a, b| a.rating > b.rating || a.interval.is_some() || b.interval.is_none()));
    assert!(ratings[0].rating > ratings[1].rating + 500.0);
    let has_interval: Vec<bool> = ratings.iter().map(|rating| rating.interval.is_some()).collect();
    // The last entrant has not played.
    assert_eq!(has_interval, [false, true, true, false, false]);
}

#[test]
fn components_that_never_met_are_each_rated_around_zero() {
    let groups = [wins(60, 0, 1), wins(40, 1, 0), wins(90, 2, 3), wins(10, 3, 2)].concat();
    let ratings = model(4, &groups).ratings();
    assert!((ratings[0] + ratings[1]).abs() < 1e-6 && (ratings[2] + ratings[3]).abs() < 1e-6, "{ratings:?}");
    assert!(ratings[2] > ratings[0] && ratings[0] > 0.0);
}

#[test]
fn one_group_gives_ratings_and_no_groups_give_zeros() {
    assert_eq!(model(3, &[]).ratings(), [0.0; 3]);
    assert!(model(0, &[]).ratings_with_intervals().is_empty());
    let one = model(3, &[group(0, vec![ranked(&[2, 0, 1])])]).ratings_with_intervals();
    assert!(one[2].rating > one[0].rating && one[0].rating > one[1].rating);
    assert!(one.iter().all(|rating| rating.interval.is_none()));
    // A table of one, and an empty one.
    assert_eq!(model(1, &[group(0, vec![ranked(&[0]), ranked(&[])])]).ratings(), [0.0]);
}

#[test]
fn history_ends_with_the_current_ratings() {
    let mut rng = rng_with_default_seed(2);
    let field = field(&[0.0, 1.0, 2.0], 2);
    let groups: Vec<Group> = (0..101).map(|number| field.group(number, &mut rng)).collect();
    let history = history(3, &groups, 40);
    assert_eq!(history.len(), 40);
    assert!(history.is_sorted_by(|a, b| a.groups < b.groups));
    let last = history.last().unwrap();
    assert_eq!(last.groups, 101);
    for (then, now) in last.ratings.iter().zip(model(3, &groups).ratings()) {
        assert!((then - now).abs() < 0.01, "{then} {now}");
    }
    assert_eq!(super::history(3, &groups[..5], 40).len(), 5);
    assert!(super::history(3, &[], 40).is_empty());
}

/// A game sampled from the model: entrants finish in the order of exponential times with their strengths as
/// rates.
fn sample_game(strengths: &[f64], players: usize, rng: &mut impl Rng) -> TableScore {
    let mut times: Vec<(f64, u16)> = vec![];
    while times.len() < players {
        let entrant = (uniform(rng) * strengths.len() as f64) as u16;
        if !times.iter().any(|(_, other)| *other == entrant) {
            times.push((-uniform(rng).ln() / strengths[usize::from(entrant)], entrant));
        }
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked(&times.iter().map(|(_, entrant)| *entrant).collect::<Vec<_>>())
}

#[test]
fn bootstrap_intervals_cover_the_true_ratings() {
    let truth = [250.0, 100.0, 20.0, -60.0, -110.0, -200.0];
    let strengths: Vec<f64> = truth.iter().map(|rating: &f64| (rating / ELO).exp()).collect();
    let mut rng = rng_with_default_seed(31);
    // By refits, and by single Newton steps.
    for (players, work) in [(2, WORK_FOR_FITS), (3, WORK_FOR_FITS), (3, 0)] {
        let (mut held, mut of) = (0, 0);
        for _ in 0..200 {
            let mut model = PlackettLuce::new(6);
            for number in 0..150 {
                // Games of a deal are correlated: half of the time the second repeats the first.
                let game = sample_game(&strengths, players, &mut rng);
                let again = if uniform(&mut rng) < 0.5 {
                    game.clone()
                } else {
                    sample_game(&strengths, players, &mut rng)
                };
                model.push(&group(number, vec![game, again]));
            }
            for (rating, truth) in model.with_intervals(work).iter().zip(truth) {
                held += u32::from(rating.interval.unwrap().contains(truth));
                of += 1;
            }
        }
        let share = f64::from(held) / f64::from(of);
        println!(
            "{players} players, work {work}: {:.1}% of the intervals hold the true rating",
            share * 100.0
        );
        assert!((0.91..0.98).contains(&share), "{share}");
    }
}

/// Enough for 200 fits of 150 groups of six.
const WORK_FOR_FITS: usize = 3_000_000;

#[test]
fn single_newton_steps_give_similar_intervals_to_refits() {
    let mut rng = rng_with_default_seed(6);
    let field = field(&[0.0, 1.0, 2.0, 3.0], 3);
    let mut model = PlackettLuce::new(4);
    (0..400).for_each(|number| model.push(&field.group(number, &mut rng)));
    let (fits, steps) = (model.with_intervals(bootstrap::WORK_BUDGET), model.with_intervals(0));
    for (fit, step) in fits.iter().zip(&steps) {
        let (a, b) = (fit.interval.unwrap(), step.interval.unwrap());
        let width = a.high - a.low;
        assert!(
            (a.low - b.low).abs() < 0.25 * width && (a.high - b.high).abs() < 0.25 * width,
            "{a:?} {b:?}"
        );
    }
}

#[test]
fn large_field_gets_ratings_and_intervals() {
    let skills: Vec<f64> = (0..256).map(|entrant| f64::from(entrant) / 50.0).collect();
    let field = field(&skills, 4);
    let mut rng = rng_with_default_seed(1);
    let mut model = PlackettLuce::new(256);
    (0..4000).for_each(|number| model.push(&field.group(number, &mut rng)));
    let ratings = model.ratings_with_intervals();
    assert!(ratings.iter().filter(|rating| rating.interval.is_some()).count() > 250);
    assert!(ratings[255].rating > ratings[0].rating);
}
