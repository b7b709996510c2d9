//! SIMD lanes: eight floats in one vector register, and the operations on them that a forward pass
//! needs.
//!
//! This is safe Rust. Its loops have constant lengths, so the compiler translates each into one
//! instruction if the target has AVX. The code fixes the order of every sum: the same input gives
//! the same bits.

pub const WIDTH: usize = 8;

/// Eight floats, aligned so that they are within one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub struct Lanes(pub(super) [f32; WIDTH]);

impl Lanes {
    #[inline(always)]
    pub fn add(&mut self, other: &Lanes) {
        for (sum, x) in self.0.iter_mut().zip(&other.0) {
            *sum += x;
        }
    }

    #[inline(always)]
    pub fn add_scaled(&mut self, scale: f32, other: &Lanes) {
        for (sum, &x) in self.0.iter_mut().zip(&other.0) {
            *sum = multiply_add(scale, x, *sum);
        }
    }

    #[inline(always)]
    pub fn relu(mut self) -> Lanes {
        for x in &mut self.0 {
            *x = if *x > 0.0 { *x } else { 0.0 };
        }
        self
    }
}

#[inline(always)]
pub fn dot(a: &[Lanes], b: &[Lanes]) -> f32 {
    // Four independent sums hide the latency of a multiplication.
    let mut sums = [Lanes::default(); 4];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut add = |sum: usize, a: &Lanes, b: &Lanes| {
        for ((sum, &x), &y) in sums[sum].0.iter_mut().zip(&a.0).zip(&b.0) {
            *sum = multiply_add(x, y, *sum);
        }
    };
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|at| add(at, &a[at], &b[at]));
    }
    for (at, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        add(at, a, b);
    }
    let [mut first, second, mut third, fourth] = sums;
    first.add(&second);
    third.add(&fourth);
    first.add(&third);
    let [a, b, c, d, e, f, g, h] = first.0;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// `x * y + z`, fused if the target has an instruction for it. On other targets, a fused operation
/// would be a slow function call.
#[inline(always)]
pub fn multiply_add(x: f32, y: f32, z: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        x.mul_add(y, z)
    } else {
        x * y + z
    }
}

/// e to the power `x` with a relative error below 2e-7. `x` is clamped to -80 to 80, so that
/// neither the result nor a half of it is a subnormal number, which processors compute slowly.
///
/// Unlike the function of the C library, it gives the same bits on all targets with the same
/// [`multiply_add`], and the compiler can vectorize it.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    /// Adding this constant to a small number rounds the number to an integer; the lowest bits of
    /// the sum are the integer.
    const ROUND: f32 = 12_582_912.0;
    // The natural logarithm of 2 in two parts. The first part has few bits, so that its multiples
    // are exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-80.0, 80.0);
    let shifted = multiply_add(x, std::f32::consts::LOG2_E, ROUND);
    let whole = shifted - ROUND;
    let rest = multiply_add(whole, -LN_2_LOW, multiply_add(whole, -LN_2_HIGH, x));
    // The coefficients of the Cephes library.
    let mut power = 1.987_569_1e-4;
    for coefficient in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ] {
        power = multiply_add(power, rest, coefficient);
    }
    let fraction = multiply_add(power, rest * rest, rest) + 1.0;
    // 2 to the power `whole`: the exponent of a float has a bias of 127 and is above 23 bits of
    // fraction.
    fraction * f32::from_bits((shifted.to_bits() + 127) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_over_its_range_and_bounded_beyond() {
        for step in -8_000..=8_000 {
            let x = step as f32 / 100.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 2e-7, "exp({x}) is off by {error}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e30), exp(-80.0));
        assert!(exp(1e30).is_finite());
    }
}
