# Shell functions for the scripts of this project; source it, it runs nothing.
# shellcheck shell=bash

# The project's folder, whatever directory the script was called from.
PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly PROJECT

# The oldest compiler that the dependencies accept; rust-version in Cargo.toml.
readonly RUST_MINIMUM=1.89

say() { printf '%s\n' "$@" >&2; }

die() {
    say "error: $*"
    exit 1
}

# Seconds since the script started, for headings.
heading() { say "" "== $1 (${SECONDS} s)"; }

# Prints a command as a reader would type it, then runs it.
show() {
    printf '$ %s\n' "$*"
    "$@"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif ! command -v sudo >/dev/null; then
        die "needs root for: $* (run this as root, or install sudo)"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@" || die "sudo asks for a password and there is no terminal; run first: $*"
    fi
}

# Waits until a command succeeds: wait_for SECONDS WHAT COMMAND…
wait_for() {
    local limit=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" 2>/dev/null; do
        [ "$SECONDS" -lt "$limit" ] || die "gave up waiting for $what"
        sleep 0.1
    done
}

need_rust() {
    # rustup's own folder is not on the PATH of every shell.
    if ! command -v cargo >/dev/null && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
        PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
    fi
    if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
        die "Rust $RUST_MINIMUM or newer is needed and there is no cargo: https://rustup.rs"
    fi
    local found
    found=$(cd "$PROJECT" && rustc --version | cut -d' ' -f2) || die "rustc does not run"
    if [ "$(printf '%s\n' "$RUST_MINIMUM" "$found" | sort -V | head -n 1)" != "$RUST_MINIMUM" ]; then
        die "Rust $RUST_MINIMUM or newer is needed, this is $found (a distribution's own is often older): https://rustup.rs"
    fi
}

# Where cargo puts what it builds; CARGO_TARGET_DIR and cargo's own settings may move it.
target_folder() {
    (cd "$PROJECT" && cargo metadata --no-deps --format-version 1 --locked) |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])'
}
