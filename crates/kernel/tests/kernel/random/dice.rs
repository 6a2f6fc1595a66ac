//! A small generator of numbers that follow from a seed (SplitMix64).

#[derive(Clone, Debug)]
pub(super) struct Dice {
    state: u64,
    /// In a wild world expressions often have no value; in the others runs live longer.
    pub(super) wild: bool,
}

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
        Dice { state, wild: seed.is_multiple_of(4) }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end)).expect("below a u32")
    }

    pub(super) fn one_in(&mut self, many: u32) -> bool {
        self.below(many) == 0
    }

    pub(super) fn pick<'p, T>(&mut self, from: &'p [T]) -> &'p T {
        let count = u32::try_from(from.len()).expect("a short list");
        &from[self.below(count) as usize]
    }
}
