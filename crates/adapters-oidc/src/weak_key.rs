//! Well-formed keys without any security.

/// Whether the point has an order of 1, 2, 4 or 8 (RFC 8032). With such a key a signature is valid for every message,
/// and aws-lc does not check. The y coordinate shows it, in canonical and non-canonical forms.
pub(crate) fn is_small_order(mut point: [u8; 32]) -> bool {
    const ORDER_8: [u8; 32] = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ];
    const ORDER_8_TOO: [u8; 32] = [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ];
    point[31] &= 0x7f; // the sign of x
    let middle = &point[1..31];
    let is_zero_or_one = point[0] <= 1 && middle.iter().all(|byte| *byte == 0) && point[31] == 0;
    // 2^255 - 20 (which is -1) and every encoding that is not canonical.
    let is_minus_one_or_above = point[0] >= 0xec && middle.iter().all(|byte| *byte == 0xff) && point[31] == 0x7f;
    is_zero_or_one || is_minus_one_or_above || point == ORDER_8 || point == ORDER_8_TOO
}

/// Whether the RSA modulus has the form of keys from chips with the ROCA weakness (CVE-2017-15361), which can be
/// factored: a power of 65537 modulo each of the first primes. At most one of a hundred million other keys has this
/// form by chance.
pub(crate) fn is_of_roca(modulus: &[u8]) -> bool {
    const PRIMES: [u32; 38] = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107,
        109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ];
    PRIMES.iter().all(|prime| {
        let residue = modulus.iter().fold(0, |residue, byte| (residue * 256 + u32::from(*byte)) % prime);
        is_power_of_65537(residue, *prime)
    })
}

fn is_power_of_65537(residue: u32, prime: u32) -> bool {
    let powers = std::iter::successors(Some(1), |power| Some(power * (65_537 % prime) % prime));
    powers.take(prime as usize).any(|power| power == residue)
}
