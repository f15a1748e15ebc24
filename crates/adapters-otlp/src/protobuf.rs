/// A protobuf message. Fields that have their default value are left out, as the format allows.
/// See <https://protobuf.dev/programming-guides/encoding/>.
#[derive(Default)]
pub(crate) struct Message(Vec<u8>);

/// How the value of a field is encoded.
#[derive(Clone, Copy)]
enum WireType {
    Varint = 0,
    Fixed64 = 1,
    Length = 2,
    Fixed32 = 5,
}

impl Message {
    /// The bytes of the message.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// A field of the types `bytes` and `string`.
    #[must_use]
    pub(crate) fn bytes(mut self, field: u32, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        if !bytes.is_empty() {
            self.length_delimited(field, bytes);
        }
        self
    }

    /// A field that is a message, also if that is empty.
    #[must_use]
    pub(crate) fn message(mut self, field: u32, message: &Self) -> Self {
        self.length_delimited(field, &message.0);
        self
    }

    /// A repeated field of messages.
    #[must_use]
    pub(crate) fn messages(self, field: u32, messages: impl IntoIterator<Item = Self>) -> Self {
        messages.into_iter().fold(self, |message, part| message.message(field, &part))
    }

    /// A field of the types `uint64` and `enum`.
    #[must_use]
    pub(crate) fn number(self, field: u32, number: u64) -> Self {
        if number == 0 { self } else { self.present_number(field, number) }
    }

    /// A field of the type `int64` that is one of several (`oneof`), and so is written also if it is 0.
    #[must_use]
    pub(crate) fn present_number(mut self, field: u32, number: u64) -> Self {
        self.tag(field, WireType::Varint);
        self.varint(number);
        self
    }

    /// A field of the type `fixed64`.
    #[must_use]
    pub(crate) fn fixed64(mut self, field: u32, number: u64) -> Self {
        self.tag(field, WireType::Fixed64);
        self.0.extend(number.to_le_bytes());
        self
    }

    /// A field of the type `fixed32`.
    #[must_use]
    pub(crate) fn fixed32(mut self, field: u32, number: u32) -> Self {
        self.tag(field, WireType::Fixed32);
        self.0.extend(number.to_le_bytes());
        self
    }

    fn length_delimited(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, WireType::Length);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn tag(&mut self, field: u32, wire_type: WireType) {
        self.varint(u64::from(field << 3 | wire_type as u32));
    }

    /// Seven bits a byte, the lowest first. The high bit says that more follow.
    fn varint(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }
}
