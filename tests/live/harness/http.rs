//! The smallest HTTP client: the tests set up a broker without the code under test.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

/// `guest:guest`
const AUTHORIZATION: &str = "Basic Z3Vlc3Q6Z3Vlc3Q=";

/// Status and body of one request to the management API; `None` when nobody answers.
pub(crate) fn request(port: u16, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    // HTTP/1.0: the answer ends with the connection and is never chunked.
    write!(
        stream,
        "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: {AUTHORIZATION}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, body.to_owned()))
}
