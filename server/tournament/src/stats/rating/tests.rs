//! Ratings against the definition of the model, and their intervals against simulations.

use super::*;
use crate::played::{Entrant, TableScore};
use crate::stats::simulate::{Field, rng, table, uniform};
use rand_core::Rng;

fn group(number: u32, tables: Vec<TableScore>) -> Group {
    Group { number, round: 0, tables }
}

/// A game of these, the first being the best.
fn ranked(order: &[u16]) -> TableScore {
    let points: Vec<_> =
        order.iter().zip((0..100).rev()).map(|(who, points)| (Entrant(*who), points)).collect();
    table(0, &points)
}

fn places(entrants: usize, groups: &[Group]) -> Places {
    let mut places = Places::new(entrants);
    groups.iter().for_each(|group| places.push(group));
    places
}

fn wins(times: u32, winner: u16, loser: u16) -> Vec<Group> {
    (0..times).map(|number| group(number, vec![ranked(&[winner, loser])])).collect()
}

fn field(skills: &[f64], players: usize) -> Field {
    Field { skills: skills.to_vec(), players, hands: 4.0, games: 4.0, memory: 0.0 }
}

/// The logarithm of the likelihood by its definition: ties are all their orders, each for an equal part.
fn likelihood(groups: &[Group], logs: &[f64]) -> f64 {
    fn drawn(left: &[(u8, usize)], logs: &[f64]) -> f64 {
        let Some(best) = left.iter().map(|(place, _)| *place).min() else { return 0.0 };
        let sum: f64 = left.iter().map(|(_, who)| logs[*who].exp()).sum();
        let first: Vec<_> = left.iter().filter(|(place, _)| *place == best).collect();
        let then = |&&(_, chosen): &&(u8, usize)| {
            let rest: Vec<_> = left.iter().copied().filter(|(_, who)| *who != chosen).collect();
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
fn the_fit_has_the_largest_likelihood_of_the_definition() {
    let mut rng = rng(21);
    // Few points and much luck: many ties, of up to four.
    let field = Field { games: 1.0, hands: 0.5, ..field(&[0.0, 0.3, 0.6, 0.9, -0.5, -1.0], 4) };
    let groups: Vec<Group> = (0..40).map(|number| field.group(number, &mut rng)).collect();
    let has_ties = |table: &TableScore| !table.seats.iter().any(|seat| seat.place == 4);
    assert!(groups.iter().flat_map(|group| &group.tables).any(has_ties));
    let places = places(6, &groups);
    let (logs, _) = places.fit(&places.sets(), places.middling(), Exactness::FULL);
    let top = likelihood(&groups, &logs);
    for who in 0..6 {
        for off in [-0.01, 0.01] {
            let mut near = logs.clone();
            near[who] += off;
            let lower = top - likelihood(&groups, &near);
            assert!(lower > 0.0, "{who} {off}: {lower}");
        }
        // Flat at the top: the slope is that of rounding.
        let step = |by: f64| {
            let mut near = logs.clone();
            near[who] += by;
            likelihood(&groups, &near)
        };
        assert!((step(1e-4) - step(-1e-4)).abs() < 1e-8);
    }
}

#[test]
fn three_wins_of_four_are_190_units() {
    let groups = [wins(3000, 0, 1), wins(1000, 1, 0)].concat();
    let ratings = places(2, &groups).ratings();
    assert!((ratings[0] - ratings[1] - 400.0 * 3f64.log10()).abs() < 0.5, "{ratings:?}");
    assert_eq!(ratings[0], -ratings[1]);
}

#[test]
fn a_tie_is_half_a_win_for_each() {
    let tie = |number| group(number, vec![table(0, &[(Entrant(0), 5), (Entrant(1), 5)])]);
    let ties: Vec<Group> = (0..20).map(tie).collect();
    assert_eq!(places(2, &ties).ratings(), [0.0, 0.0]);
    let with_wins = [wins(10, 0, 1), ties].concat();
    let as_halves = [wins(20, 0, 1), wins(10, 1, 0)].concat();
    assert_eq!(places(2, &with_wins).ratings(), places(2, &as_halves).ratings());
}

#[test]
fn the_order_of_games_does_not_matter_at_all() {
    let mut rng = rng(8);
    let field = field(&[0.0, 1.0, 2.0, 3.0, 4.0], 3);
    let groups: Vec<Group> = (0..60).map(|number| field.group(number, &mut rng)).collect();
    let ratings = places(5, &groups).ratings();
    for _ in 0..5 {
        let mut tables: Vec<TableScore> = groups.iter().flat_map(|group| group.tables.clone()).collect();
        for at in (1..tables.len()).rev() {
            tables.swap(at, rng.next_u32() as usize % (at + 1));
        }
        // Cut into groups anew, too.
        let cut: Vec<Group> = tables.chunks(7).zip(0..).map(|(part, n)| group(n, part.to_vec())).collect();
        assert_eq!(places(5, &cut).ratings(), ratings);
    }
}

#[test]
fn whoever_wins_or_loses_everything_has_a_rating_and_no_interval() {
    let groups = [wins(500, 0, 1), wins(30, 1, 2), wins(30, 2, 1), wins(50, 1, 3), wins(50, 2, 3)].concat();
    let ratings = places(5, &groups).ratings_with_intervals();
    assert!(ratings.iter().all(|rating| rating.rating.is_finite() && rating.rating.abs() < 2000.0));
    assert!(ratings.is_sorted_by(|a, b| a.rating > b.rating || a.interval.is_some() || b.interval.is_none()));
    assert!(ratings[0].rating > ratings[1].rating + 500.0);
    let told: Vec<bool> = ratings.iter().map(|rating| rating.interval.is_some()).collect();
    // The last one has not played at all.
    assert_eq!(told, [false, true, true, false, false]);
}

#[test]
fn parts_that_never_met_are_each_rated_around_the_middle() {
    let groups = [wins(60, 0, 1), wins(40, 1, 0), wins(90, 2, 3), wins(10, 3, 2)].concat();
    let ratings = places(4, &groups).ratings();
    assert!((ratings[0] + ratings[1]).abs() < 1e-6 && (ratings[2] + ratings[3]).abs() < 1e-6, "{ratings:?}");
    assert!(ratings[2] > ratings[0] && ratings[0] > 0.0);
}

#[test]
fn one_group_is_enough_for_ratings_and_none_for_zeros() {
    assert_eq!(places(3, &[]).ratings(), [0.0; 3]);
    assert!(places(0, &[]).ratings_with_intervals().is_empty());
    let one = places(3, &[group(0, vec![ranked(&[2, 0, 1])])]).ratings_with_intervals();
    assert!(one[2].rating > one[0].rating && one[0].rating > one[1].rating);
    assert!(one.iter().all(|rating| rating.interval.is_none()));
    // All alone, and nobody at all.
    assert_eq!(places(1, &[group(0, vec![ranked(&[0]), ranked(&[])])]).ratings(), [0.0]);
}

#[test]
fn the_history_ends_with_the_ratings_of_now() {
    let mut rng = rng(2);
    let field = field(&[0.0, 1.0, 2.0], 2);
    let groups: Vec<Group> = (0..101).map(|number| field.group(number, &mut rng)).collect();
    let history = history(3, &groups, 40);
    assert_eq!(history.len(), 40);
    assert!(history.is_sorted_by(|a, b| a.groups < b.groups));
    let last = history.last().unwrap();
    assert_eq!(last.groups, 101);
    for (then, now) in last.ratings.iter().zip(places(3, &groups).ratings()) {
        assert!((then - now).abs() < 0.01, "{then} {now}");
    }
    assert_eq!(super::history(3, &groups[..5], 40).len(), 5);
    assert!(super::history(3, &[], 40).is_empty());
}

/// A game by the model itself: whoever is the first to ring, each with a rate of its strength.
fn by_the_model(strengths: &[f64], players: usize, rng: &mut impl Rng) -> TableScore {
    let mut ring: Vec<(f64, u16)> = vec![];
    while ring.len() < players {
        let who = (uniform(rng) * strengths.len() as f64) as u16;
        if !ring.iter().any(|(_, there)| *there == who) {
            ring.push((-uniform(rng).ln() / strengths[usize::from(who)], who));
        }
    }
    ring.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked(&ring.iter().map(|(_, who)| *who).collect::<Vec<_>>())
}

#[test]
fn intervals_hold_the_true_ratings_as_often_as_promised() {
    let truth = [250.0, 100.0, 20.0, -60.0, -110.0, -200.0];
    let strengths: Vec<f64> = truth.iter().map(|rating: &f64| (rating / ELO).exp()).collect();
    let mut rng = rng(31);
    // With the fit made again, and by one step.
    for (players, work) in [(2, WORK_FOR_FITS), (3, WORK_FOR_FITS), (3, 0)] {
        let (mut held, mut of) = (0, 0);
        for _ in 0..200 {
            let mut places = Places::new(6);
            for number in 0..150 {
                // Games of a deal go the same way more often than not: both count, as one group.
                let game = by_the_model(&strengths, players, &mut rng);
                let again = if uniform(&mut rng) < 0.5 {
                    game.clone()
                } else {
                    by_the_model(&strengths, players, &mut rng)
                };
                places.push(&group(number, vec![game, again]));
            }
            for (rating, truth) in places.with_intervals(work).iter().zip(truth) {
                held += u32::from(rating.interval.unwrap().holds(truth));
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
fn one_step_gives_about_the_same_intervals_as_fitting_again() {
    let mut rng = rng(6);
    let field = field(&[0.0, 1.0, 2.0, 3.0], 3);
    let mut places = Places::new(4);
    (0..400).for_each(|number| places.push(&field.group(number, &mut rng)));
    let (fits, steps) = (places.with_intervals(bootstrap::WORK), places.with_intervals(0));
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
fn a_large_field_is_rated_in_a_moment() {
    let skills: Vec<f64> = (0..256).map(|who| f64::from(who) / 50.0).collect();
    let field = field(&skills, 4);
    let mut rng = rng(1);
    let mut places = Places::new(256);
    (0..4000).for_each(|number| places.push(&field.group(number, &mut rng)));
    let ratings = places.ratings_with_intervals();
    assert!(ratings.iter().filter(|rating| rating.interval.is_some()).count() > 250);
    assert!(ratings[255].rating > ratings[0].rating);
}
