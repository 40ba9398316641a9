//! The harness itself: a test that relies on a broken cut or restart would prove nothing.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::harness::{
    proxy::Proxy,
    rabbitmq::{Broker, Vhost, broker},
    topo::Workdir,
    wait::wait_for,
};

const LIMIT: Duration = Duration::from_secs(20);

async fn connects(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).await.is_ok()
}

#[tokio::test]
async fn a_broker_keeps_data_and_ports_over_stop_and_kill() {
    let mut broker = Broker::start();
    let port = broker.amqp_port();
    let kept = broker.management("PUT", "/api/vhosts/kept", "{}").0;
    assert_eq!(kept, 201);
    broker.stop();
    assert!(!connects(port).await);
    broker.start_again();
    broker.kill();
    assert!(!connects(port).await);
    broker.start_again();
    assert!(connects(port).await);
    assert_eq!(broker.management("GET", "/api/vhosts/kept", "").0, 200);
    assert!(broker.ctl(&["list_vhosts", "--quiet"]).contains("kept"));
}

#[tokio::test]
async fn a_broker_says_its_version_and_its_programs_are_of_it() {
    let (major, minor) = broker().version();
    let start = format!("{major}.{minor}.");
    let of_the_programs = broker().ctl(&["version"]);
    assert!(of_the_programs.starts_with(&start), "{start} {of_the_programs}");
}

#[tokio::test]
async fn a_vhost_may_have_any_name_and_is_gone_afterwards() {
    let vhost = Vhost::fresh("odd /%\" ünï");
    assert!(vhost.name().starts_with("odd /%\" ünï"));
    assert_eq!(vhost.management("GET", "queues", "", "").0, 200);
    assert!(vhost.amqp_url().contains("/odd%20%2F%25%22%20"));
    assert_eq!(vhost.management_url(), vhost.broker().management_url());
    let name = vhost.name().to_owned();
    drop(vhost);
    assert!(
        !broker().management("GET", "/api/vhosts", "").1.contains(name.split('"').next().expect("a part"))
    );
}

#[tokio::test]
async fn the_proxy_passes_stalls_cuts_and_refuses() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let echo = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut read, mut write) = stream.split();
                tokio::io::copy(&mut read, &mut write).await
            });
        }
    });
    let proxy = Proxy::start(port).await;
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).await.expect("the proxy listens");
    let mut byte = [0];
    stream.write_all(b"1").await.expect("open");
    stream.read_exact(&mut byte).await.expect("echo");
    assert_eq!(proxy.connections(), 1);

    for (to_server, to_client) in [(true, false), (false, true), (true, true)] {
        proxy.stall(to_server, to_client);
        stream.write_all(b"2").await.expect("open");
        let read = tokio::time::timeout(Duration::from_millis(100), stream.read_exact(&mut byte)).await;
        assert!(read.is_err(), "a stalled proxy passed a byte");
        proxy.resume();
        stream.read_exact(&mut byte).await.expect("echo after the stall");
    }

    proxy.cut();
    assert!(matches!(stream.read(&mut byte).await, Ok(0) | Err(_)));
    wait_for("the cut connection to be gone", LIMIT, async || (proxy.connections() == 0).then_some(())).await;

    proxy.refuse();
    let mut refused = TcpStream::connect(("127.0.0.1", proxy.port())).await.expect("the port stays");
    assert!(matches!(refused.read(&mut byte).await, Ok(0) | Err(_)));
    proxy.resume();
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.port())).await.expect("the proxy listens");
    stream.write_all(b"3").await.expect("open");
    stream.read_exact(&mut byte).await.expect("echo");
    echo.abort();
}

#[tokio::test]
async fn commands_get_files_environment_input_and_signals() {
    let work = Workdir::new().file("a/b.txt", "text\n").env("TOPO_BROKER_URL", "amqp://there");
    let script = "cat a/b.txt; echo $TOPO_BROKER_URL; read line; echo $line; read line; echo err >&2; exit 3";
    let mut running = work.spawn_program("/bin/sh", &["-c", script]);
    running.write("typed\n").await;
    wait_for("the line", LIMIT, async || running.stdout().contains("typed").then_some(())).await;
    let finished = running.wait(LIMIT).await.expect_code(3);
    assert_eq!(finished.stdout, "text\namqp://there\ntyped\n");
    assert_eq!(finished.stderr, "err\n");

    let mut running = work.spawn_program("/bin/sh", &["-c", "cat"]);
    assert!(running.is_running() && running.stderr().is_empty());
    running.signal("KILL");
    assert_eq!(running.wait(LIMIT).await.status.code(), None);

    assert!(work.topo(&["--version"]).await.status.code().is_some());
}
