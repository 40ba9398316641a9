# Installs what is missing from the distribution's packages, without starting or creating any service.
# shellcheck shell=bash

# Where the distribution puts programs that are not on the PATH.
readonly RABBITMQ_FOLDERS=(/usr/lib/rabbitmq/bin /usr/local/lib/rabbitmq/bin /opt/rabbitmq/sbin)

rabbitmq_folder() {
    local folder
    for folder in "${RABBITMQ_FOLDERS[@]}"; do
        if [ -x "$folder/rabbitmq-server" ]; then
            echo "$folder"
            return
        fi
    done
    return 1
}

# The newest installed PostgreSQL that has server programs.
postgres_folder() {
    local folder
    folder=$(printf '%s\n' /usr/lib/postgresql/*/bin /usr/local/pgsql/bin | sort -rV | while read -r bin; do
        if [ -x "$bin/initdb" ] && [ -x "$bin/postgres" ]; then
            echo "$bin"
            break
        fi
    done)
    [ -n "$folder" ] && echo "$folder"
}

# Fills MISSING with the packages to install.
find_missing() {
    MISSING=()
    rabbitmq_folder >/dev/null || MISSING+=(rabbitmq-server)
    postgres_folder >/dev/null || MISSING+=(postgresql)
    command -v psql >/dev/null || MISSING+=(postgresql-client)
    # One test connects through a pooler.
    [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null || MISSING+=(pgbouncer)
    command -v python3 >/dev/null || MISSING+=(python3)
    # SQLite and the cryptography are compiled from C.
    command -v cc >/dev/null || MISSING+=(gcc libc6-dev)
    command -v setpriv >/dev/null || MISSING+=(util-linux)
}

install_missing() {
    find_missing
    [ "${#MISSING[@]}" -gt 0 ] || return 0
    install_packages "${MISSING[@]}"
    find_missing
    [ "${#MISSING[@]}" -eq 0 ] || die "still missing after the installation: ${MISSING[*]}"
}

install_packages() {
    command -v apt-get >/dev/null || die "missing, and there is no apt-get to install them: $*"
    say "installing from the distribution's packages: $*"
    as_root bash "$PROJECT/scripts/lib/install-packages" "$@"
}

# What unpacks the systems of other brokers; not every user has its folder on the PATH.
install_missing_debootstrap() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v debootstrap >/dev/null || install_packages debootstrap
    command -v debootstrap >/dev/null || die "still missing after the installation: debootstrap"
}

# Installs packages that only some checks need, when that works without a question; never fails.
install_if_possible() {
    command -v apt-get >/dev/null || return 0
    if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; then
        say "installing from the distribution's packages: $*"
        as_root bash "$PROJECT/scripts/lib/install-packages" "$@" || say "that did not work"
    fi
}
