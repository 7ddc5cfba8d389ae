//! Work on many items at once.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Works on every item, on as many threads as `jobs`, and gives the results in the order of the
/// items. A panic of one ends the whole with it.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let share = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..jobs.min(items.len())).map(|_| scope.spawn(share)).collect();
        let mut results = share();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_whatever_the_threads() {
        let items: Vec<usize> = (0..100).collect();
        let squares: Vec<usize> = items.iter().map(|n| n * n).collect();
        for jobs in [0, 1, 3, 200] {
            assert_eq!(side_by_side(&items, jobs, |n| n * n), squares);
        }
        assert!(side_by_side(&[], 4, |n: &usize| *n).is_empty());
    }
}
