use domain::Timestamp;

/// ASN.1 tags of X.509 (RFC 5280, section 4.1).
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xA0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// When a certificate in DER expires (`notAfter`); `None` if that cannot be read.
pub(crate) fn expiry_of(certificate: &[u8]) -> Option<Timestamp> {
    let (certificate, _) = element_of(SEQUENCE, certificate)?;
    let (mut fields, _) = element_of(SEQUENCE, certificate)?;
    if let Some((_, rest)) = element_of(VERSION, fields) {
        fields = rest;
    }
    // The serial number, the algorithm of the signature, and the issuer.
    for _ in 0..3 {
        fields = element(fields)?.2;
    }
    let (validity, _) = element_of(SEQUENCE, fields)?;
    let (_, _, after_not_before) = element(validity)?;
    let (tag, not_after, _) = element(after_not_before)?;
    time(tag, str::from_utf8(not_after).ok()?)
}

/// The tag, the content, and the rest.
fn element(input: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], rest) = input.split_first_chunk::<2>()?;
    let (length, rest) = match first {
        0..=0x7F => (usize::from(first), rest),
        // The number of bytes of the length.
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (bytes.iter().fold(0, |length, &byte| (length << 8) | usize::from(byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The content and the rest, if the element has this tag.
fn element_of(wanted: u8, input: &[u8]) -> Option<(&[u8], &[u8])> {
    element(input).filter(|(tag, ..)| *tag == wanted).map(|(_, content, rest)| (content, rest))
}

/// `YYMMDDHHMMSSZ`, with years from 1950 to 2049, or `YYYYMMDDHHMMSSZ`.
fn time(tag: u8, text: &str) -> Option<Timestamp> {
    let full = match tag {
        UTC_TIME => format!("{}{text}", if text.get(..2)? < "50" { "20" } else { "19" }),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let digits = |start: usize, end: usize| full.get(start..end);
    let (year, month, day) = (digits(0, 4)?, digits(4, 6)?, digits(6, 8)?);
    let (hour, minute, rest) = (digits(8, 10)?, digits(10, 12)?, full.get(12..)?);
    Timestamp::parse_rfc3339(&format!("{year}-{month}-{day}T{hour}:{minute}:{rest}"))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn certificate(year: i32) -> Vec<u8> {
        let mut parameters = CertificateParams::new(vec!["gatepost.example".to_owned()]).unwrap();
        parameters.not_after = date_time_ymd(year, 2, 3);
        parameters.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn the_end_is_read_in_both_forms_of_time() {
        for year in [2027, 2049, 2050, 4096] {
            let expected = Timestamp::parse_rfc3339(&format!("{year}-02-03T00:00:00Z")).unwrap();
            assert_eq!(expiry_of(&certificate(year)), Some(expected));
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        let whole = certificate(2027);
        for length in 0..100 {
            assert_eq!(expiry_of(&whole[..length]), None, "{length}");
        }
        for wrong in [&b"\x30\x80"[..], b"\x30\x85\x01\x01\x01\x01\x01", b"\x30\x84\xff\xff\xff\xff\x00", b"MII"] {
            assert_eq!(expiry_of(wrong), None, "{wrong:?}");
        }
    }
}
