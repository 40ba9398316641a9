//! Where the programs of RabbitMQ come from: this machine, or a system unpacked into a folder.
//!
//! `TOPO_TEST_BROKER_ROOT` names such a folder (`scripts/broker-matrix` makes them). Its programs run by
//! `chroot` in a mount namespace of their own, with this machine's devices, processes and temporary files: the same
//! paths hold on both sides, every step replaces itself by the next one, so that signals reach the server, and
//! nothing is left to unmount.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

/// Where packages put the server's own scripts; the wrappers in `/usr/sbin` would change the user.
const SCRIPTS: [&str; 3] = ["/usr/lib/rabbitmq/bin", "/usr/local/lib/rabbitmq/bin", "/opt/rabbitmq/sbin"];

/// `$1`: the system's folder, `$2`: the folder of temporary files, the rest: the command.
const ENTER: &str = r#"
set -e
root=$1 temporary=$2; shift 2
[ -d "$root$temporary" ] || mkdir -p "$root$temporary"
for folder in /dev /proc "$temporary"; do mount --rbind "$folder" "$root$folder"; done
exec chroot "$root" "$@"
"#;

/// A namespace for mounts as root, and as anybody else where the kernel lets everybody have namespaces.
const NAMESPACES: [&[&str]; 2] =
    [&["unshare", "--mount"], &["unshare", "--user", "--map-root-user", "--mount"]];

/// The RabbitMQ that this test run uses.
#[derive(Debug)]
pub(crate) struct Installation {
    /// What to put before a program of it; nothing for this machine's own.
    enter: Vec<String>,
    scripts: PathBuf,
}

impl Installation {
    /// The one of this run; fails the test with advice when there is none.
    pub(crate) fn of_this_run() -> &'static Self {
        static FOUND: LazyLock<Installation> = LazyLock::new(Installation::find);
        &FOUND
    }

    fn find() -> Self {
        let root = std::env::var_os("TOPO_TEST_BROKER_ROOT").unwrap_or_default();
        let root = root.into_string().expect("a UTF-8 path");
        let scripts = SCRIPTS.iter().find(|dir| Path::new(&format!("{root}{dir}/rabbitmq-server")).exists());
        let Some(scripts) = scripts.map(PathBuf::from) else {
            let advice = if root.is_empty() {
                "apt-get install rabbitmq-server"
            } else {
                "scripts/broker-matrix makes them"
            };
            panic!(
                "these tests start a real RabbitMQ and found none in {SCRIPTS:?} of \"{root}/\": {advice}"
            );
        };
        let enter = if root.is_empty() { Vec::new() } else { way_into(&root) };
        Self { enter, scripts }
    }

    /// The command that runs one of the server's own scripts, such as `rabbitmqctl`.
    pub(crate) fn script(&self, name: &str) -> Vec<String> {
        let path = self.scripts.join(name);
        self.program(path.to_str().expect("a UTF-8 path"))
    }

    /// The command that runs a program on its path, such as `epmd`.
    pub(crate) fn program(&self, name: &str) -> Vec<String> {
        self.enter.iter().cloned().chain([name.to_owned()]).collect()
    }
}

/// The first way to run programs of the system in `root` that works for this user.
fn way_into(root: &str) -> Vec<String> {
    let temporary = std::env::temp_dir();
    let temporary = temporary.to_str().expect("a UTF-8 path");
    let mut ways = vec![words(&["chroot", root])];
    // Whoever mounted the folders beforehand has given this process the right to use them.
    ways.retain(|_| Path::new(root).join("proc/self").exists());
    ways.extend(
        NAMESPACES.map(|before| words(&[before, &["sh", "-c", ENTER, "enter", root, temporary]].concat())),
    );
    let mut refusals = Vec::new();
    for way in ways {
        let output = Command::new(&way[0]).args(&way[1..]).arg("true").stdin(Stdio::null()).output();
        let output = output.expect("util-linux and coreutils are there");
        if output.status.success() {
            return way;
        }
        refusals.push(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    panic!(
        "no way to run the RabbitMQ in {root}: not as root, and user namespaces are not allowed here \
         ({}); scripts/broker-matrix does it with sudo",
        refusals.join("; ")
    );
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
