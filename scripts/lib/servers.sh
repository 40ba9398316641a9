# Private servers for one run: own directories, free ports, own epmd, ended by process id.
# Needs common.sh and packages.sh.
# shellcheck shell=bash disable=SC2034

# What this run has started, oldest first: process id and the signal that ends it in order.
STARTED=()

# `setpriv` options that make a server end with this script, however that ends; empty to let it live on.
WITH_US=(--pdeathsig TERM)

free_ports() {
    python3 - "$1" <<'PY'
import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in held])
PY
}

random_word() { od -An -N12 -tx1 /dev/urandom | tr -d ' \n'; }

port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Starts a program in a session of its own, so that an interrupt typed here is not typed there:
# spawn SIGNAL USER LOG PROGRAM… ; PID has its process id.
spawn() {
    local signal=$1 user=$2 log=$3
    shift 3
    local switch=()
    if [ "$user" != "$(id -un)" ]; then
        switch=(--reuid "$user" --regid "$user" --init-groups)
    fi
    setsid setpriv "${WITH_US[@]}" "${switch[@]}" -- "$@" </dev/null >>"$log" 2>&1 &
    PID=$!
    STARTED+=("$PID $signal")
}

# Ends what this run started, newest first.
stop_servers() {
    local index pid signal limit
    for ((index = ${#STARTED[@]} - 1; index >= 0; index--)); do
        read -r pid signal <<<"${STARTED[index]}"
        kill "-$signal" "$pid" 2>/dev/null || continue
        limit=$((SECONDS + 30))
        while kill -0 "$pid" 2>/dev/null && [ "$SECONDS" -lt "$limit" ]; do sleep 0.1; done
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    STARTED=()
}

# The user for a server: `$1` when we are root and that user exists, else ourselves.
server_user() {
    if [ "$(id -u)" = 0 ] && id -u "$1" >/dev/null 2>&1; then echo "$1"; else id -un; fi
}

# start_rabbitmq FOLDER: sets BROKER_URL and MANAGEMENT_URL.
start_rabbitmq() {
    local folder=$1/rabbitmq scripts user word port management dist epmd
    scripts=$(rabbitmq_folder) || die "rabbitmq-server is not installed"
    user=$(server_user rabbitmq)
    word=$(random_word)
    read -r port management dist epmd < <(free_ports 4)
    mkdir -p "$folder"
    : >"$folder/rabbitmq-env.conf"
    echo "[rabbitmq_management]." >"$folder/enabled_plugins"
    cat >"$folder/rabbitmq.conf" <<EOC
listeners.tcp.1 = 127.0.0.1:$port
management.tcp.ip = 127.0.0.1
management.tcp.port = $management
default_user = topo
default_pass = $word
collect_statistics_interval = 1000
disk_free_limit.absolute = 50MB
log.console = false
EOC
    if [ "$user" != "$(id -un)" ]; then chown -R "$user" "$folder"; fi
    chmod -R go= "$folder"
    spawn TERM "$user" "$1/epmd.log" epmd -relaxed_command_check -address 127.0.0.1 -port "$epmd"
    wait_for 10 "epmd" port_open "$epmd"
    # RUNNING_UNDER_SYSTEMD makes the start script replace itself by the server, so that PID is the server's.
    spawn TERM "$user" "$1/rabbitmq.log" env \
        HOME="$folder" ERL_CRASH_DUMP="$folder/erl_crash.dump" \
        ERL_EPMD_PORT="$epmd" ERL_EPMD_ADDRESS=127.0.0.1 \
        RABBITMQ_NODENAME="topo-$$@localhost" RABBITMQ_DIST_PORT="$dist" \
        RABBITMQ_CONF_ENV_FILE="$folder/rabbitmq-env.conf" \
        RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf" \
        RABBITMQ_ADVANCED_CONFIG_FILE="$folder/advanced.config" \
        RABBITMQ_GENERATED_CONFIG_DIR="$folder/config" \
        RABBITMQ_ENABLED_PLUGINS_FILE="$folder/enabled_plugins" \
        RABBITMQ_MNESIA_BASE="$folder/mnesia" RABBITMQ_LOG_BASE="$folder/log" \
        RABBITMQ_PID_FILE="$folder/pid" \
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}" \
        RUNNING_UNDER_SYSTEMD=true \
        "$scripts/rabbitmq-server"
    wait_for_server "RabbitMQ" "$PID" "$1/rabbitmq.log" port_open "$port"
    wait_for_server "RabbitMQ's management API" "$PID" "$1/rabbitmq.log" port_open "$management"
    BROKER_URL="amqp://topo:$word@127.0.0.1:$port/%2f"
    MANAGEMENT_URL="http://topo:$word@127.0.0.1:$management"
}

# start_postgres FOLDER: sets DATABASE_URL.
start_postgres() {
    local folder=$1/postgres bin user word port
    bin=$(postgres_folder) || die "the PostgreSQL server is not installed"
    user=$(server_user postgres)
    [ "$user" != root ] || die "PostgreSQL does not run as root and there is no user postgres"
    word=$(random_word)
    read -r port < <(free_ports 1)
    mkdir -p "$folder"
    echo "$word" >"$folder/password"
    if [ "$user" != "$(id -un)" ]; then chown -R "$user" "$folder"; fi
    chmod -R go= "$folder"
    spawn TERM "$user" "$1/initdb.log" "$bin/initdb" --pgdata="$folder/data" --username=topo \
        --pwfile="$folder/password" --auth=scram-sha-256 --encoding=UTF8 --locale=C
    wait "$PID" || die "initdb failed: $(tail -n 5 "$1/initdb.log")"
    unset 'STARTED[-1]'
    # INT is the fast shutdown; TERM would wait for clients.
    spawn INT "$user" "$1/postgres.log" "$bin/postgres" -D "$folder/data" -p "$port" \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories=
    wait_for_server "PostgreSQL" "$PID" "$1/postgres.log" "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"
    DATABASE_URL="postgres://topo:$word@127.0.0.1:$port/postgres"
}

# wait_for_server NAME PID LOG COMMAND…: as wait_for, but stops when the server has ended.
wait_for_server() {
    local name=$1 pid=$2 log=$3
    shift 3
    local limit=$((SECONDS + 120))
    until "$@" 2>/dev/null; do
        kill -0 "$pid" 2>/dev/null || die "$name did not start: $(tail -n 20 "$log")"
        [ "$SECONDS" -lt "$limit" ] || die "$name did not answer within 120 s: $(tail -n 20 "$log")"
        sleep 0.1
    done
}
