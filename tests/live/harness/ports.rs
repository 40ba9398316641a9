//! Ports that nobody else uses.
//!
//! Outside the range from which the kernel takes the local ports of outgoing connections, so that a server
//! can be stopped and started again on its port. A lock file per port keeps two test runs apart.

use std::{
    fs::{self, File},
    net::TcpListener,
    os::unix::fs::MetadataExt,
    sync::Mutex,
};

const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// Locks of the ports taken by this process, held until it ends.
static TAKEN: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// A loopback TCP port that is free and stays reserved for this process.
pub(crate) fn free() -> u16 {
    // One folder per user: the files of another can't be opened. The port itself is tried below.
    let user = fs::metadata("/proc/self").expect("a process has an owner").uid();
    let locks = std::env::temp_dir().join(format!("topo-test-ports-{user}"));
    fs::create_dir_all(&locks).expect("a directory for port locks");
    let mut taken = TAKEN.lock().expect("no test panics while taking a port");
    let start = u16::try_from(std::process::id() % u32::from(COUNT)).expect("in range");
    for step in 0..COUNT {
        let port = FIRST + (start + step) % COUNT;
        let lock = File::options().create(true).append(true).open(locks.join(port.to_string()));
        let lock = lock.expect("a writable folder of port locks");
        if lock.try_lock().is_ok() && TcpListener::bind(("127.0.0.1", port)).is_ok() {
            taken.push(lock);
            return port;
        }
    }
    panic!("no free port between {FIRST} and {}", FIRST + COUNT);
}
