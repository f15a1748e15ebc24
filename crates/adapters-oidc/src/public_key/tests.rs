use serde_json::json;

use super::*;
use crate::test_keys::{TestKey, encode, with};

fn read(jwk: &Value) -> Result<PublicKey, LeftAside> {
    PublicKey::from_jwk(jwk.as_object().unwrap())
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Runs one file of Wycheproof's; the answer is how many of its signatures were found good, and how many not.
fn run_wycheproof(file: &str, algorithm: Algorithm) -> (usize, usize) {
    let path = format!("{}/../../tests/vectors/wycheproof/{file}_test.json", env!("CARGO_MANIFEST_DIR"));
    let content: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut good, mut bad) = (0, 0);
    for group in content["testGroups"].as_array().unwrap() {
        let key = read(&jwk_of(group)).ok();
        for case in group["tests"].as_array().unwrap() {
            let message = unhex(case["msg"].as_str().unwrap());
            let signature = encode(unhex(case["sig"].as_str().unwrap()));
            let is_good = key.as_ref().is_some_and(|key| key.verifies(algorithm, &message, &signature));
            match case["result"].as_str().unwrap() {
                "valid" => assert!(is_good, "{file}: {case}"),
                "invalid" => assert!(!is_good, "{file}: {case}"),
                _ => {}
            }
            if is_good { good += 1 } else { bad += 1 }
        }
    }
    assert_eq!(good + bad, usize::try_from(content["numberOfTests"].as_u64().unwrap()).unwrap(), "{file}");
    (good, bad)
}

/// The group's public key as a JWK: its own where it has one without `alg`, else built from its numbers.
fn jwk_of(group: &Value) -> Value {
    let key = &group["publicKey"];
    let number = |name: &str| encode(unhex(key[name].as_str().unwrap()));
    if key["modulus"].is_string() {
        return json!({"kty": "RSA", "n": number("modulus"), "e": number("publicExponent")});
    }
    if let Some(point) = key["uncompressed"].as_str() {
        let point = unhex(point);
        let (x, y) = point[1..].split_at(point.len() / 2);
        let curve = if x.len() == 32 { "P-256" } else { "P-384" };
        return json!({"kty": "EC", "crv": curve, "x": encode(x), "y": encode(y)});
    }
    group["publicKeyJwk"].clone()
}

#[test]
fn wycheproof_signatures() {
    let table = [
        ("rsa_signature_2048_sha256", Algorithm::RS256),
        ("rsa_signature_2048_sha384", Algorithm::RS384),
        ("rsa_signature_2048_sha512", Algorithm::RS512),
        ("rsa_pss_2048_sha256_mgf1_32", Algorithm::PS256),
        ("rsa_pss_2048_sha384_mgf1_48", Algorithm::PS384),
        ("rsa_pss_4096_sha512_mgf1_64", Algorithm::PS512),
        ("ecdsa_secp256r1_sha256_p1363", Algorithm::ES256),
        ("ecdsa_secp384r1_sha384_p1363", Algorithm::ES384),
        ("ed25519", Algorithm::EdDSA),
    ];
    for (file, algorithm) in table {
        let (good, bad) = run_wycheproof(file, algorithm);
        assert!(good > 0 && bad > 0, "{file}: {good} good, {bad} bad");
    }
}

#[test]
fn the_key_says_what_it_may_be_used_with() {
    let all = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];
    let fitting = |jwk: &Value| {
        let key = read(jwk).ok().unwrap();
        all.into_iter().filter(|name| key.fits(algorithm_named(name).unwrap())).collect::<Vec<_>>()
    };
    let rsa = TestKey::rsa().jwk("a");
    assert_eq!(fitting(&rsa), all[..6]);
    assert_eq!(fitting(&with(&rsa, "alg", json!("PS384"))), ["PS384"]);
    assert_eq!(fitting(&TestKey::p256().jwk("a")), ["ES256"]);
    assert_eq!(fitting(&TestKey::p384().jwk("a")), ["ES384"]);
    assert_eq!(fitting(&TestKey::ed25519(1).jwk("a")), ["EdDSA"]);
    assert_eq!(fitting(&with(&TestKey::ed25519(1).jwk("a"), "alg", json!("Ed25519"))), ["EdDSA"]);
}

#[test]
fn each_algorithm_verifies_its_own_signatures_only() {
    let (rsa, p256, p384, ed25519) = (TestKey::rsa(), TestKey::p256(), TestKey::p384(), TestKey::ed25519(1));
    let makers = [
        (&rsa, "RS256"),
        (&rsa, "RS384"),
        (&rsa, "RS512"),
        (&rsa, "PS256"),
        (&rsa, "PS384"),
        (&rsa, "PS512"),
        (&p256, "ES256"),
        (&p384, "ES384"),
        (&ed25519, "EdDSA"),
    ];
    for (key, signed_with) in makers {
        let public = read(&key.jwk("a")).ok().unwrap();
        let signature = encode(key.sign(signed_with, b"text"));
        for (_, checked_with) in makers {
            let is_good = public.verifies(algorithm_named(checked_with).unwrap(), b"text", &signature);
            assert_eq!(is_good, signed_with == checked_with, "{signed_with} as {checked_with}");
        }
    }
    let bound = read(&with(&rsa.jwk("a"), "alg", json!("PS384"))).ok().unwrap();
    assert!(!bound.verifies(Algorithm::RS256, b"text", &encode(rsa.sign("RS256", b"text"))), "the key's alg binds");
}

#[test]
fn keys_that_are_left_aside() {
    let (rsa, p256, ed25519) = (TestKey::rsa().jwk("a"), TestKey::p256().jwk("a"), TestKey::ed25519(1).jwk("a"));
    let weak = encode([0xff; 128]); // 1024 bits
    let just_too_short = encode([&[0x7f][..], &[0xff; 255]].concat()); // 2047 bits
    let padded = encode([&[0; 128][..], &[0xff; 128]].concat()); // 1024 bits that look like 2048
    let wrong = [
        (
            &rsa,
            json!({
                "n": [weak, just_too_short, padded, encode(vec![0xff; 1_025]), "", 1],
                "e": ["AQ", "Ag", "AA", "", "AQAB="],
                "alg": ["HS256", "none", "RSA-OAEP", "ES256", null],
                "use": ["enc", null],
                "key_ops": [["encrypt"], "verify"],
                "d": ["AQAB"], "kid": [1], "kty": ["rsa"],
            }),
        ),
        (&p256, json!({"crv": ["P-384", "P-521", "secp256k1"], "x": [encode([1; 31])], "y": [encode([1; 33])]})),
        (&ed25519, json!({"crv": ["X25519", "Ed448"], "x": [encode([1; 31])]})),
    ];
    for (key, changes) in &wrong {
        for (name, values) in changes.as_object().unwrap() {
            for value in values.as_array().unwrap() {
                assert!(read(&with(key, name, value.clone())).is_err(), "{name}: {value}");
            }
        }
    }
    for jwk in [
        json!({"kid": "a", "kty": "oct", "alg": "HS256", "k": "c2VjcmV0"}),
        json!({"kid": "a", "kty": "AKP", "alg": "ML-DSA-44", "pub": "AAAA"}),
        json!({"kid": "a"}),
        json!({}),
    ] {
        assert!(read(&jwk).is_err(), "{jwk}");
    }
    for good in
        [with(&rsa, "use", json!("sig")), with(&rsa, "key_ops", json!(["verify"])), with(&rsa, "x5c", json!(["AAAA"]))]
    {
        assert!(read(&good).is_ok(), "{good}");
    }
}

#[test]
fn a_point_off_the_curve_verifies_nothing() {
    let key = TestKey::p256();
    let signature = encode(key.sign("ES256", b"text"));
    let bent = with(&key.jwk("a"), "y", json!(encode([7; 32])));
    assert!(!read(&bent).is_ok_and(|key| key.verifies(Algorithm::ES256, b"text", &signature)));
}

#[test]
fn points_of_small_order_are_no_keys() {
    let low = |first: u8, middle: u8, last: u8| [&[first][..], &[middle; 30], &[last]].concat();
    let order_8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05";
    let order_8_too = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a";
    let mut points = vec![
        low(0, 0, 0),
        low(1, 0, 0),
        low(0xec, 0xff, 0x7f),
        low(0xed, 0xff, 0x7f),
        low(0xee, 0xff, 0x7f),
        low(0xff, 0xff, 0x7f),
        unhex(order_8),
        unhex(order_8_too),
    ];
    points.extend(points.clone().into_iter().map(|mut point| {
        point[31] |= 0x80;
        point
    }));
    for point in points {
        let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": encode(&point)});
        assert_eq!(read(&jwk).err(), Some(LeftAside("a point of small order")), "{point:x?}");
    }
    // Without the refusal, this signature would hold for every message (R and the key are the neutral element).
    let neutral = DecodingKey::from_ed_der(&low(1, 0, 0));
    let nothing = encode([low(1, 0, 0), vec![0; 32]].concat());
    let is_forged = jsonwebtoken::crypto::verify(&nothing, b"any text", &neutral, Algorithm::EdDSA);
    assert!(is_forged.unwrap(), "the library has begun to look: the refusal may go");
}

#[test]
fn rsa_keys_with_the_mark_of_roca_are_no_keys() {
    // 65537^128 has 2049 bits and the mark; it takes no chip to make one. With its last bit but one flipped it has no
    // mark.
    let mut marked = vec![1_u8];
    for _ in 0..128 {
        // Times 65537, with the lowest byte first: the number plus a copy that is moved by two bytes.
        let moved = [&[0, 0][..], &marked].concat();
        let mut carry = 0;
        marked = moved
            .iter()
            .enumerate()
            .map(|(at, byte)| {
                let sum = u16::from(*byte) + u16::from(marked.get(at).copied().unwrap_or(0)) + carry;
                carry = sum >> 8;
                sum.to_le_bytes()[0]
            })
            .collect();
        marked.extend((carry > 0).then_some(1));
    }
    marked.reverse();
    let jwk = |modulus: &[u8]| json!({"kty": "RSA", "n": encode(modulus), "e": "AQAB"});
    assert_eq!(read(&jwk(&marked)).err(), Some(LeftAside("an RSA key that can be factored")));
    *marked.last_mut().unwrap() ^= 2;
    assert!(read(&jwk(&marked)).is_ok());
    for _ in 0..3 {
        assert!(read(&TestKey::rsa().jwk("a")).is_ok());
    }
}
