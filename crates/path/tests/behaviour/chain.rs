//! What a chain of states implies for the packets that it loses, worked out from its matrix.

/// States, how likely each moves to which, and how likely a packet that meets it is lost.
pub(crate) struct Chain<const N: usize> {
    pub(crate) moves: [[f64; N]; N],
    pub(crate) loss: [f64; N],
}

impl<const N: usize> Chain<N> {
    fn step(&self, weights: [f64; N]) -> [f64; N] {
        std::array::from_fn(|to| {
            (0..N)
                .map(|from| weights[from] * self.moves[from][to])
                .sum()
        })
    }

    fn losing(&self, weights: [f64; N]) -> [f64; N] {
        std::array::from_fn(|state| weights[state] * self.loss[state])
    }

    /// The states' shares in the long run.
    fn stationary(&self) -> [f64; N] {
        let even = [1.0 / N as f64; N];
        (0..100_000).fold(even, |weights, _| self.step(weights))
    }

    /// The share of lost packets, and the standard deviation of that share among `n` packets, for which it
    /// sums the covariances of packets up to 10 000 apart.
    pub(crate) fn share(&self, n: u64) -> (f64, f64) {
        let lost = self.losing(self.stationary());
        let share: f64 = lost.iter().sum();
        let mut weights = lost;
        let mut covariances = 0.0;
        for _ in 0..10_000 {
            weights = self.step(weights);
            covariances += self.losing(weights).iter().sum::<f64>() - share * share;
        }
        let spread = share * (1.0 - share) + 2.0 * covariances;
        (share, (spread / n as f64).sqrt())
    }

    /// The probabilities that a burst is 1 to `longest` - 1 long, and that it is longer.
    pub(crate) fn bursts(&self, longest: usize) -> Vec<f64> {
        let all = self.stationary();
        let lost = self.losing(all);
        let passed = std::array::from_fn(|state| all[state] - lost[state]);
        let mut burst = self.losing(self.step(passed));
        let bursts: f64 = burst.iter().sum();
        let mut at_least = 1.0;
        let mut probabilities = Vec::new();
        for _ in 1..longest {
            burst = self.losing(self.step(burst));
            let longer = burst.iter().sum::<f64>() / bursts;
            probabilities.push(at_least - longer);
            at_least = longer;
        }
        probabilities.push(at_least);
        probabilities
    }
}
