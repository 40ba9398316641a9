//! A look through a management API that answers with less than it should.

use std::collections::BTreeMap;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use topo::{
    adapters::management::ManagementClient,
    domain::{code::Code, diff::diff, observed::Observed, secret::Secret, topology::QueueKind},
    ports::{
        link::{LinkError, LinkKind},
        topology::TopologyBroker as _,
    },
};

use crate::support::topology;

type Answers = BTreeMap<&'static str, (u16, &'static str)>;

async fn serve(mut stream: TcpStream, answers: &Answers) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await?);
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let (status, body) = answers.get(path).copied().unwrap_or((404, r#"{"error":"Object Not Found"}"#));
    let length = body.len();
    let answer =
        format!("HTTP/1.1 {status} x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).await
}

/// What the vhost `a/b é` shows with these answers in place of good ones.
async fn look(changed: &[(&'static str, (u16, &'static str))]) -> Result<Observed, LinkError> {
    let mut answers = Answers::from([
        ("/api/overview", (200, r#"{"rabbitmq_version":"4.0.5"}"#)),
        ("/api/queues/a%2Fb%20%C3%A9", (200, "[]")),
        ("/api/exchanges/a%2Fb%20%C3%A9", (200, "[]")),
        ("/api/bindings/a%2Fb%20%C3%A9", (200, "[]")),
        ("/api/policies/a%2Fb%20%C3%A9", (200, r#"[{"name":"p","definition":{"expires":5}}]"#)),
        ("/api/operator-policies/a%2Fb%20%C3%A9", (200, r#"[{"name":"o","definition":{"message-ttl":5}}]"#)),
        ("/api/vhosts/a%2Fb%20%C3%A9", (200, r#"{"default_queue_type":"stream"}"#)),
    ]);
    answers.extend(changed.iter().copied());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let [amqp, api] = ["amqp://u:p@127.0.0.1/a%2Fb%20%C3%A9".to_owned(), format!("http://127.0.0.1:{port}")]
        .map(|url| Secret::new(&*url, "test"));
    let client = ManagementClient::new(&amqp, Some(&api), None).unwrap();
    let topology = topology(amqp.expose(), 2, QueueKind::Quorum);
    let server = async {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            serve(stream, &answers).await.unwrap();
        }
    };
    tokio::select! {
        observed = client.observe(&topology) => observed,
        () = server => unreachable!("it serves for ever"),
    }
}

fn foreign(observed: &Observed) -> Vec<Code> {
    let topology = topology("amqp://127.0.0.1", 2, QueueKind::Quorum);
    diff(&topology, observed, &[]).changes.iter().filter_map(|change| change.hazard).collect()
}

const REFUSED: (u16, &str) = (401, r#"{"error":"not_authorised","reason":"Access refused."}"#);
const BROKEN: (u16, &str) = (500, "");
const PAGE: (u16, &str) = (200, "<html>");

#[tokio::test]
async fn everything_is_asked_for_in_an_odd_vhost() {
    let seen = look(&[]).await.unwrap();
    assert_eq!(seen.unread, [""; 0]);
    assert_eq!(foreign(&seen), [Code::PolicyExpires, Code::PolicyExpires, Code::DefaultQueueType]);
}

#[tokio::test]
async fn what_cannot_be_read_is_said_and_hides_nothing_else() {
    for answer in [REFUSED, BROKEN, PAGE] {
        let seen = look(&[("/api/policies/a%2Fb%20%C3%A9", answer)]).await.unwrap();
        assert_eq!(foreign(&seen), [Code::PolicyExpires, Code::DefaultQueueType], "{answer:?}");
        let [said] = seen.unread.as_slice() else { panic!("{:?}", seen.unread) };
        assert!(said.starts_with("policies were not checked: "), "{said}");

        let both = ["/api/policies/a%2Fb%20%C3%A9", "/api/operator-policies/a%2Fb%20%C3%A9"];
        let seen = look(&both.map(|path| (path, answer))).await.unwrap();
        assert_eq!((seen.policies.as_ref(), seen.unread.len()), (None, 2), "{answer:?}");

        // Nobody is told of a default that explains nothing.
        let seen = look(&[("/api/vhosts/a%2Fb%20%C3%A9", answer)]).await.unwrap();
        assert_eq!((seen.default_queue_type, seen.unread), (None, vec![]), "{answer:?}");
        let classic = (200, r#"[{"name":"orders.ledger.g1.0","type":"classic"}]"#);
        let queues = ("/api/queues/a%2Fb%20%C3%A9", classic);
        let seen = look(&[("/api/vhosts/a%2Fb%20%C3%A9", answer), queues]).await.unwrap();
        assert!(seen.unread[0].starts_with("the default queue type of the vhost was not checked: "));
    }
}

#[tokio::test]
async fn without_objects_and_bindings_there_is_no_look() {
    for path in
        ["/api/queues/a%2Fb%20%C3%A9", "/api/bindings/a%2Fb%20%C3%A9", "/api/exchanges/a%2Fb%20%C3%A9"]
    {
        let kind = |answer| async move { look(&[(path, answer)]).await.unwrap_err().kind };
        assert_eq!(kind(REFUSED).await, LinkKind::Refused, "{path}");
        assert_eq!(kind(BROKEN).await, LinkKind::Protocol, "{path}");
        assert_eq!(kind(PAGE).await, LinkKind::Protocol, "{path}");
        assert_eq!(kind((404, "{}")).await, LinkKind::VhostMissing, "{path}");
    }
}
