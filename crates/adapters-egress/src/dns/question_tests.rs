use proptest::prelude::*;

use super::*;

const ID: [u8; 2] = [0xbe, 0xef];
/// A name that points to the name of the question.
const SAME_NAME: [u8; 2] = [0xc0, 0x0c];

fn question() -> Question {
    Question::about(&HostName::parse("Receiver.Example").unwrap(), RecordType::A, ID)
}

/// The answer of a server that repeats the question.
fn answer(flags: [u8; 2], records: &[Vec<u8>]) -> Vec<u8> {
    let mut message = question().bytes().to_vec();
    message[2..4].copy_from_slice(&flags);
    message[7] = u8::try_from(records.len()).unwrap();
    message.extend(records.concat());
    message
}

fn record(record_type: u8, seconds: u8, data: &[u8]) -> Vec<u8> {
    let length = u8::try_from(data.len()).unwrap();
    [&SAME_NAME[..], &[0, record_type, 0, 1, 0, 0, 0, seconds, 0, length], data].concat()
}

#[test]
fn a_question_is_one_name_in_labels() {
    let expected = b"\xbe\xef\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x08receiver\x07example\x00\x00\x01\x00\x01";
    assert_eq!(question().bytes(), expected);
    assert_eq!(Question::about_the_root(ID).bytes()[HEADER_BYTES..], [0, 0, 2, 0, 1]);
}

#[test]
fn addresses_are_read_behind_aliases_and_hold_as_long_as_the_shortest() {
    let alias = record(5, 7, b"\x01a\x07example\x00");
    let records = [alias, record(1, 60, &[8, 8, 8, 8]), record(1, 9, &[8, 8, 4, 4])];
    let addresses = vec![IpAddr::from([8, 8, 8, 8]), IpAddr::from([8, 8, 4, 4])];
    let read = question().read(&answer([0x81, 0x80], &records));
    assert_eq!(read, Some(Answer::Addresses(addresses, Duration::from_secs(7))));
}

#[test]
fn each_code_has_its_meaning() {
    let other_type = record(28, 60, &[0; 16]);
    for (flags, records, expected) in [
        ([0x81, 0x80], &[][..], Answer::Nothing),
        ([0x81, 0x80], &[other_type], Answer::Nothing),
        ([0x81, 0x83], &[], Answer::Nothing),
        ([0x81, 0x82], &[], Answer::Failed(2)),
        ([0x81, 0x85], &[], Answer::Failed(5)),
        ([0x83, 0x80], &[], Answer::Truncated),
    ] {
        assert_eq!(question().read(&answer(flags, records)), Some(expected), "{flags:x?}");
    }
    let refused_without_the_question = [&ID[..], &[0x81, 0x85, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
    assert_eq!(question().read(&refused_without_the_question), Some(Answer::Failed(5)));
}

#[test]
fn what_answers_another_question_is_ignored() {
    let good = answer([0x81, 0x80], &[record(1, 60, &[8, 8, 8, 8])]);
    assert!(question().read(&good).is_some());
    for (index, byte) in [(0, 0), (1, 0), (2, 0x01), (2, 0x89), (5, 2), (13, b'x'), (30, 28)] {
        let mut other = good.clone();
        other[index] = byte;
        assert_eq!(question().read(&other), None, "{index}");
    }
    let mut other_case = good;
    other_case[13] = b'R';
    assert!(question().read(&other_case).is_some(), "names have no case");
}

proptest! {
    #[test]
    fn no_message_breaks_the_reader(tail in prop::collection::vec(any::<u8>(), 0..80), count: u8, keep in 0_usize..200) {
        let mut message = answer([0x81, 0x80], &[]);
        message[7] = count;
        message.extend(tail);
        message.truncate(keep);
        let _ = question().read(&message);
    }
}
