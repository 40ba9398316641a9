# RabbitMQ of other versions: systems of newer Debian suites, unpacked into a cache folder and never booted.
# Needs common.sh and packages.sh.
# shellcheck shell=bash

# The version that the distribution installs, and then those that are unpacked: VERSION:SUITE:SCRIPT, where SCRIPT
# is debootstrap's description of the suite. This is the only list of versions.
readonly BASE_BROKER=3.10
readonly UNPACKED_BROKERS=(4.0:trixie:trixie 4.3:forky:sid)

# Which live tests scripts/test runs on every version, by parts of their names: what is made of a topology, and a
# message through it.
# shellcheck disable=SC2034
readonly EVERY_BROKER_TESTS=(
    apply:: limits:: prune:: waiting:: drift:: destroy import doctor:: permissions:: lint:: matrix
    harness_works:: refused:: status:: publish::every_line consume::
)

broker_versions() {
    local entry
    for entry in "${UNPACKED_BROKERS[@]}"; do echo "${entry%%:*}"; done
}

broker_cache() { echo "${TOPO_BROKER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/topo/brokers}"; }

# The folder with the system of a version; nothing needs to be there yet.
broker_root() { echo "$(broker_cache)/$1"; }

# The Debian archive that apt uses here, unless another is named.
broker_mirror() {
    local site
    if [ -n "${TOPO_BROKER_MIRROR:-}" ]; then
        echo "$TOPO_BROKER_MIRROR"
        return
    fi
    # shellcheck disable=SC2016
    site=$(apt-get indextargets --format '$(SITE)' \
        "Origin: Debian" "Label: Debian" "Created-By: Packages" 2>/dev/null | head -n 1) || true
    [ -n "$site" ] || die "apt knows no Debian archive here (is apt-get update missing?);" \
        "name one in TOPO_BROKER_MIRROR"
    echo "$site"
}

# The version of the server in a system, such as 4.0.5.
broker_version() {
    local version
    version=$(dpkg-query --admindir="$1/var/lib/dpkg" --show --showformat='${Version}' rabbitmq-server) || return 1
    version=${version#*:}
    echo "${version%%[-+~]*}"
}

# Unpacks a version unless it is there: prepare_broker VERSION. Two runs wait for each other.
prepare_broker() {
    local wanted=$1 entry version='' suite script root
    for entry in "${UNPACKED_BROKERS[@]}"; do
        IFS=: read -r version suite script <<<"$entry"
        [ "$version" != "$wanted" ] || break
    done
    [ "$version" = "$wanted" ] || die "no RabbitMQ $wanted; there are $BASE_BROKER and" "$(broker_versions | xargs)"
    root=$(broker_root "$version")
    mkdir -p "$(broker_cache)"
    (
        flock 9
        [ -d "$root" ] || unpack_broker "$version" "$suite" "$script" "$root"
    ) 9>"$root.lock"
}

# unpack_broker VERSION SUITE SCRIPT ROOT: the folder appears when all of it is right.
unpack_broker() {
    local version=$1 suite=$2 script=$3 root=$4 mirror found http_proxy=${http_proxy:-}
    install_missing_debootstrap
    mirror=$(broker_mirror) || exit 1
    [ -n "$http_proxy" ] || eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
    say "unpacking RabbitMQ $version of Debian's $suite into $root (once; about a minute and 370 MB)"
    # A run that was killed may have left its part.
    as_root rm -rf --one-file-system "$root.part"
    # What debootstrap mounts goes away with the namespace, however it ends.
    as_root unshare --mount env http_proxy="$http_proxy" debootstrap --variant=minbase \
        --include=rabbitmq-server "$suite" "$root.part" "$mirror" "/usr/share/debootstrap/scripts/$script" \
        >"$root.log" 2>&1 || die "debootstrap of $suite failed: $(tail -n 3 "$root.log")"
    found=$(broker_version "$root.part") || die "$suite came without rabbitmq-server"
    [[ $found == "$version".* ]] || die "Debian's $suite has RabbitMQ $found now, not $version"
    # shellcheck disable=SC2016
    as_root sh -c 'rm -f "$1"/var/cache/apt/archives/*.deb && echo "127.0.0.1 localhost" >"$1/etc/hosts"' \
        sh "$root.part"
    as_root mv -T "$root.part" "$root"
}

# Says how programs of an unpacked system are run here: "itself" when the tests can do it, "sudo" when root has to
# mount the folders for them; ends with advice when neither works.
way_into_brokers() {
    if unshare --mount true 2>/dev/null || unshare --user --map-root-user --mount true 2>/dev/null; then
        echo itself
    else
        as_root true || exit 1
        echo sudo
    fi
}

# Runs live tests against a version that is there: live_tests_on VERSION NAME…
live_tests_on() {
    local version=$1 way settings code=0
    shift
    local command=(cargo test --locked --test live --no-fail-fast -- "$@")
    if [ "$version" = "$BASE_BROKER" ]; then
        TOPO_TEST_BROKER_ROOT='' "${command[@]}"
        return
    fi
    way=$(way_into_brokers) || return 1
    export TOPO_TEST_BROKER_ROOT
    TOPO_TEST_BROKER_ROOT=$(broker_root "$version")
    if [ "$way" = itself ]; then
        "${command[@]}"
        return
    fi
    # sudo would drop the environment.
    settings=$(mktemp) && export -p >"$settings"
    as_root unshare --mount bash "$PROJECT/scripts/lib/in-broker" "$TOPO_TEST_BROKER_ROOT" "${TMPDIR:-/tmp}" \
        "$(id -u)" "$(id -g)" "$settings" "${command[@]}" || code=$?
    rm -f "$settings"
    return "$code"
}
