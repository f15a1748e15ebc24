use serde_json::{Value, json};

use super::random::Random;
use super::wire::Request;

/// A malformed request.
pub(crate) struct Malformed {
    pub(crate) bytes: Vec<u8>,
    /// Whether the HTTP is valid: the server must answer, and the connection must stay usable unless the answer closes
    /// it. `None`: the server may treat the bytes as a request or not.
    pub(crate) method: Option<String>,
}

impl Malformed {
    /// Invalid HTTP, or invalid framing.
    pub(crate) fn framing(random: &mut Random, token: &str) -> Self {
        let bytes = match random.below(8) {
            0 => {
                let length = 1 + random.below(600);
                random.bytes(length)
            }
            1 => [request_line(random).as_bytes(), b"host: a\r\n\r\n"].concat(),
            2 => format!("GET /livez HTTP/1.1\r\n{}\r\n\r\n", header_line(random, token)).into_bytes(),
            3 => raw_header(random),
            4 => body_length(random, token),
            5 => chunks(random, token),
            6 => other_protocol(random),
            _ => damaged(random, token),
        };
        Self { bytes, method: None }
    }

    /// Valid HTTP with an invalid request.
    pub(crate) fn content(random: &mut Random, token: &str) -> Self {
        let request = match random.below(6) {
            0 | 1 => Request::new(writing(random), "/api/api-keys").bearer(token).json(&body(random, token)),
            2 => spoiled_body(random, token),
            3 => odd_headers(random, token),
            4 => odd_target(random, token),
            _ => odd_credential(random, token),
        };
        Self { bytes: request.bytes(), method: Some(request.method) }
    }
}

fn writing(random: &mut Random) -> &'static str {
    ["POST", "DELETE"][random.below(2)]
}

fn request_line(random: &mut Random) -> String {
    let method = random
        .one_of(&["GET", "", "get", "G\u{0}T", "GET GET", "ПОЛУЧИ", "GET\t", "POST", &"A".repeat(9000)])
        .to_owned();
    let long = format!("/{}", "a".repeat(random.below(70_000)));
    let target = random
        .one_of(&[
            "/",
            "",
            "*",
            "//",
            "livez",
            "http://",
            "http://[::1",
            "/\u{0}",
            "/%",
            "/%zz",
            "/%00",
            "/é",
            "/ /",
            "?",
            "#",
            &long,
        ])
        .to_owned();
    let version = random.one_of(&[
        "HTTP/1.1",
        "HTTP/1.0",
        "HTTP/0.9",
        "HTTP/9.9",
        "HTTP/2.0",
        "http/1.1",
        "",
        "HTTP/",
        "FTP/1.1",
        "HTTP/1.1 ",
    ]);
    let end = random.one_of(&["\r\n", "\r\n", "\n", "\r", "\n\r", ""]);
    format!("{method} {target} {version}{end}")
}

fn header_line(random: &mut Random, token: &str) -> String {
    let long = "a".repeat(1 + random.below(200_000));
    let many = "x: y\r\n".repeat(random.below(300));
    let name = random
        .one_of(&[
            "host",
            "",
            " host",
            "host ",
            "ho st",
            "x\u{0}",
            "é",
            "content-length",
            "transfer-encoding",
            "connection",
            "authorization",
            "x-id-token",
            "expect",
            "upgrade",
            "x-forwarded-for",
            "forwarded",
            &long,
        ])
        .to_owned();
    let value = random
        .one_of(&[
            "",
            " ",
            "\u{0}",
            "\r",
            "\u{7f}",
            "é",
            "-1",
            "1e9",
            "chunked",
            "chunked, chunked",
            "close, keep-alive",
            "100-continue",
            "h2c",
            token,
            &long,
        ])
        .to_owned();
    let colon = random.one_of(&[":", ": ", " : ", "", "=", "::"]);
    format!("{many}{name}{colon}{value}")
}

fn raw_header(random: &mut Random) -> Vec<u8> {
    let length = random.below(300);
    [b"GET /api/whoami HTTP/1.1\r\nx-api-key: ".as_slice(), &random.bytes(length), b"\r\n\r\n"].concat()
}

fn body_length(random: &mut Random, token: &str) -> Vec<u8> {
    let lengths = random.one_of(&[
        "content-length: -1",
        "content-length: +5",
        "content-length: 0x10",
        "content-length: 18446744073709551616",
        "content-length: 9999999999999999999999",
        "content-length: 5\r\ncontent-length: 6",
        "content-length: 5, 5",
        "content-length: 5\r\ntransfer-encoding: chunked",
        "content-length: ",
        "content-length: five",
        "content-length: 1000000000",
        "transfer-encoding: gzip",
        "transfer-encoding: chunked\r\ntransfer-encoding: identity",
        "content-length: 3",
    ]);
    format!("POST /api/api-keys HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n{lengths}\r\n\r\n{{\"label\":\"x\"}}").into_bytes()
}

fn chunks(random: &mut Random, token: &str) -> Vec<u8> {
    let head = format!(
        "POST /api/api-keys HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let chunks = random.one_of(&[
        "zz\r\nab\r\n0\r\n\r\n",
        "-1\r\n\r\n",
        "ffffffffffffffffff\r\n",
        "5\r\nab\r\n0\r\n\r\n",
        "2\r\nabcdef\r\n0\r\n\r\n",
        "2;x=y\r\n{}\r\n0\r\n\r\n",
        "2\n{}\n0\n\n",
        "0\r\nx: y\r\n\r\n",
        "0\r\n",
        "",
        "\r\n\r\n",
        "7fffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}\r\n0\r\n\r\n\r\n\r\n",
    ]);
    [head.as_bytes(), chunks.as_bytes()].concat()
}

fn other_protocol(random: &mut Random) -> Vec<u8> {
    let greetings: [&[u8]; 7] = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"EHLO example.org\r\n",
        b"\x00\x00\x00\x08\x04\xd2\x16\x2f",
        b"GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n\r\n\x81\x05hello",
        b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\n\r\n",
    ];
    random.one_of(&greetings).to_vec()
}

/// A valid request with a few bytes changed, removed or duplicated, or with its end cut off.
fn damaged(random: &mut Random, token: &str) -> Vec<u8> {
    let mut bytes = Request::new("POST", "/api/api-keys").bearer(token).json(&json!({ "label": "damaged" })).bytes();
    for _ in 0..=random.below(5) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = random.next().to_le_bytes()[0],
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, bytes[at]),
            _ => bytes.truncate(at + 1),
        }
    }
    bytes
}

/// A value where a string is expected.
fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(random.next()),
        3 => json!(-1.5e300),
        4 => json!(""),
        5 => json!("\u{0}"),
        6 => json!("a\u{1}\u{7f}\u{85}\u{2028}\u{feff}\u{202e}b"),
        7 => json!("'; DROP TABLE api_keys; --"),
        8 => json!("e\u{301}".repeat(random.below(120))),
        9 => json!("x".repeat(random.below(20_000))),
        10 => json!("key_01h455vb4pex5vsknk084sn02q"),
        11 => json!("2031-02-29T25:61:61Z"),
        12 if depth > 0 => json!([value(random, depth - 1), value(random, depth - 1)]),
        13 if depth > 0 => json!({ "label": value(random, depth - 1), "": value(random, depth - 1) }),
        _ => json!("ci"),
    }
}

fn body(random: &mut Random, token: &str) -> Value {
    if random.below(6) == 0 {
        return value(random, 3);
    }
    let mut body = json!({});
    for name in ["label", "keyId", "expiresAt", "idToken", "scopes", "__proto__", ""] {
        if random.below(2) == 0 {
            body[name] = value(random, 2);
        }
    }
    if random.below(2) == 0 {
        body["idToken"] = json!(token);
    }
    body
}

/// Invalid JSON, in invalid encodings.
fn spoiled_body(random: &mut Random, token: &str) -> Request {
    let media_type = random.one_of(&[
        "application/json",
        "application/json",
        "application/json; charset=utf-16",
        "application/problem+json",
        "text/json",
        "",
        "a/b/c",
        "application/json;;;",
        "multipart/form-data",
        "application/x-www-form-urlencoded",
    ]);
    let mut request = Request::new(writing(random), "/api/api-keys").bearer(token).header("content-type", media_type);
    let sound = body(random, token).to_string().into_bytes();
    request.body = match random.below(10) {
        0 => sound[..random.below(sound.len())].to_vec(),
        1 => [sound.as_slice(), b"}"].concat(),
        2 => [b"\xef\xbb\xbf", sound.as_slice()].concat(),
        3 => String::from_utf8_lossy(&sound).encode_utf16().flat_map(u16::to_le_bytes).collect(),
        4 => b"{\"label\":\"\xff\xfe\xc3\x28\"}".to_vec(),
        5 => br#"{"label":"\ud800","keyId":"\udc00\ud800"}"#.to_vec(),
        6 => [b"[".repeat(1 + random.below(8_000)), b"]".to_vec()].concat(),
        7 => format!("{}\"a\"{}", "{\"label\":".repeat(500), "}".repeat(500)).into_bytes(),
        8 => format!("{{\"label\":\"a\",\"label\":\"b\",\"idToken\":\"{token}\",\"idToken\":7}}").into_bytes(),
        _ => {
            let length = 1 + random.below(17_000);
            random.bytes(length)
        }
    };
    request
}

fn odd_headers(random: &mut Random, token: &str) -> Request {
    let names = words(
        "x-request-id accept accept-encoding content-encoding if-match if-modified-since range origin referer \
         x-forwarded-for forwarded x-forwarded-proto access-control-request-method cookie te trailer via \
         traceparent user-agent",
    );
    let long = "a".repeat(random.below(6_000));
    let values = [
        "",
        "*",
        "gzip",
        "bytes=-1",
        "null",
        "300.300.300.300",
        "for=\"[::1\"",
        "é",
        "()",
        ",,,,",
        "00-0-0-0",
        "Mon, 99 Foo 0000 99:99:99 GMT",
        &long,
    ];
    let method = random.one_of(&["GET", "POST", "DELETE", "OPTIONS", "PUT"]);
    let path = random.one_of(&["/api/api-keys", "/api/whoami", "/readyz", "/docs", "/openapi.json"]);
    let mut request = Request::new(method, path).bearer(token);
    for _ in 0..=random.below(6) {
        request = request.header(random.one_of(&names), random.one_of(&values));
    }
    if method == "POST" || method == "DELETE" { request.json(&body(random, token)) } else { request }
}

fn odd_target(random: &mut Random, token: &str) -> Request {
    let long = format!("/{}", "a/".repeat(random.below(3_000)));
    let mut paths = words(
        "/api/api-keys/ /api//api-keys /api/api-keys/../api-keys /api/api-keys;x=y /api/api-keys?label=x&label[]=y \
         /api/api-keys?%00=%ff /api/api%2Dkeys /api/%61pi-keys /%2e%2e/%2e%2e/etc/passwd /docs/../../Cargo.toml \
         /docs/errors/ /docs/errors/%00 /docs/errors/..%2f.. /docs/%ff /.well-known/openid-configuration \
         /readyz?verbose=% /livez?% /api/whoami?x=%zz /dev/oidc/token",
    );
    paths.push(&long);
    let path = random.one_of(&paths);
    let method = random.one_of(&words("GET HEAD POST PUT DELETE OPTIONS CONNECT TRACE PROPFIND"));
    Request::new(method, path).bearer(token)
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

fn odd_credential(random: &mut Random, token: &str) -> Request {
    let (head, rest) = token.split_at(random.below(token.len()));
    let half = format!("{head}.{rest}");
    let long = "A".repeat(1 + random.below(30_000));
    let credential = random
        .one_of(&[
            "",
            " ",
            "Bearer",
            "Bearer ",
            "Bearer  a b",
            "bearer\ta",
            "Basic eDp5",
            "Digest x",
            "null",
            "..",
            "a..b",
            "eyJhbGciOiJub25lIn0.e30.",
            "svc_live_",
            "svc_live_é",
            &half,
            &long,
        ])
        .to_owned();
    let name = random.one_of(&["authorization", "x-id-token", "x-api-key"]);
    let path = random.one_of(&["/api/api-keys", "/api/whoami"]);
    let prefix = random.one_of(&["", "Bearer "]);
    let request = Request::new("GET", path).header(name, &format!("{prefix}{credential}"));
    if random.below(3) == 0 { request.bearer(token) } else { request }
}
