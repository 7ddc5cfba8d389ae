//! Draws that depend on nothing but the seed of the run.

/// A number from 0 (included) to 1 (excluded) for the n-th draw of one stream. The same arguments
/// always give the same number.
pub(super) fn chance(seed: u64, stream: u64, n: u64) -> f64 {
    let mixed = mix(mix(mix(seed).wrapping_add(stream)).wrapping_add(n));
    // The upper 53 bits fill the mantissa of a double exactly.
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

/// The output function of the SplitMix64 generator: spreads every bit of its input over all bits.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_repeat_and_spread() {
        let draws: Vec<f64> = (0..10_000).map(|n| chance(7, 1, n)).collect();
        assert_eq!(draws, (0..10_000).map(|n| chance(7, 1, n)).collect::<Vec<_>>());
        let below = draws.iter().filter(|draw| **draw < 0.25).count();
        assert!((2_300..2_700).contains(&below), "{below}");
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
    }
}
