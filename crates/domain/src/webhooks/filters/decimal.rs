use std::cmp::Ordering;

/// A number of a JSON text, exact whatever its length: `0.1` is a tenth, and `1`, `1.0` and `10e-1` are equal. A double
/// would make `9007199254740993` equal to its neighbour.
///
/// The exponent is exact up to [`Decimal::EXPONENT_DIGITS_MAX`] digits. Beyond it, a number is only known to be larger, or
/// closer to zero, than all numbers within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    is_negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: String,
    /// The number is 0.`digits` times ten to this power.
    power: i64,
}

impl Decimal {
    /// The longest exponent that a filter may write, in digits. No payload is long enough to carry a number with a larger
    /// exponent back into this range.
    pub(super) const EXPONENT_DIGITS_MAX: usize = 9;
    /// The longest exponent that is computed with, in digits: sums stay within 64 bits.
    const COMPUTED_DIGITS_MAX: usize = 18;

    /// The number that `text` is in JSON.
    pub(super) fn of_json(text: &str) -> Self {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Self { is_negative: false, digits: String::new(), power: 0 };
        }
        let leading_zeros = all.len() - significant.len();
        let point = signed(whole.len()).saturating_sub(signed(leading_zeros));
        Self { is_negative, digits: digits.to_owned(), power: point.saturating_add(power_of(exponent)) }
    }

    /// Whether a filter may write this number: see [`Decimal::EXPONENT_DIGITS_MAX`].
    pub(super) fn is_comparable(text: &str) -> bool {
        let exponent = text.split_once(['e', 'E']).map_or("", |(_, exponent)| exponent);
        exponent.trim_start_matches(['+', '-']).trim_start_matches('0').len() <= Self::EXPONENT_DIGITS_MAX
    }

    /// -1, 0 or 1.
    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sizes = || self.power.cmp(&other.power).then_with(|| self.digits.cmp(&other.digits));
        self.sign().cmp(&other.sign()).then_with(|| if self.is_negative { sizes().reverse() } else { sizes() })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// An exponent that is too long to compute with becomes the largest, or the smallest.
fn power_of(exponent: &str) -> i64 {
    let (is_negative, digits) = exponent.strip_prefix('-').map_or((false, exponent), |rest| (true, rest));
    let digits = digits.trim_start_matches('+').trim_start_matches('0');
    let size = if digits.len() > Decimal::COMPUTED_DIGITS_MAX { i64::MAX } else { digits.parse().unwrap_or(0) };
    if is_negative { -size } else { size }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_compare_by_their_value_and_not_by_their_text() {
        for (one, order, other) in [
            ("1", Ordering::Equal, "1.0"),
            ("1", Ordering::Equal, "10e-1"),
            ("0.001", Ordering::Equal, "1E-3"),
            ("-0", Ordering::Equal, "0e99"),
            ("100", Ordering::Equal, "1e+2"),
            ("1e002", Ordering::Equal, "100.000"),
            ("9007199254740993", Ordering::Greater, "9007199254740992"),
            ("0.1", Ordering::Less, "0.10000000000000000000001"),
            ("1e400", Ordering::Less, "1e401"),
            ("-1e400", Ordering::Greater, "-1e401"),
            ("1e-400", Ordering::Less, "1e-399"),
            ("-1", Ordering::Less, "0"),
            ("0", Ordering::Less, "1e-999999999"),
            ("2", Ordering::Less, "10"),
            ("-2", Ordering::Greater, "-10"),
            ("0.5", Ordering::Less, "5"),
            ("1e999999999", Ordering::Less, "1e99999999999999999999999"),
            ("1e-999999999", Ordering::Greater, "1e-99999999999999999999999"),
        ] {
            assert_eq!(Decimal::of_json(one).cmp(&Decimal::of_json(other)), order, "{one} {other}");
            assert_eq!(Decimal::of_json(other).cmp(&Decimal::of_json(one)), order.reverse(), "{other} {one}");
        }
    }

    #[test]
    fn a_filter_may_not_write_exponents_without_an_order() {
        for (text, is_comparable) in [("1e999999999", true), ("1e-0000999999999", true), ("1e1000000000", false)] {
            assert_eq!(Decimal::is_comparable(text), is_comparable, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_whole_numbers(one: i64, other: i64, zeros in 0..30_usize) {
            let written = |number: i64| format!("{number}{}e-{zeros}", "0".repeat(zeros));
            let order = Decimal::of_json(&written(one)).cmp(&Decimal::of_json(&other.to_string()));
            prop_assert_eq!(order, one.cmp(&other));
        }
    }
}
