# An nginx of this host and its headers, from Debian's archive. Sourced, POSIX sh; wants host.sh.

machine=$(uname -m)
peers_cache=${XDG_CACHE_HOME:-$HOME/.cache}/pronghorn
peers_home=${PRONGHORN_PEERS:-$peers_cache/peers}
servers_home=${PRONGHORN_SERVERS:-$peers_cache/servers}

# find_nginx [VERSION]: sets nginx (the program), nginx_version (its package's), and where it is of a root of servers
# nginx_suite (that root's) and nginx_libraries (where its own stand), else nothing. Of all that have HTTP/3 and that
# version: what PRONGHORN_NGINX names, else the system's, else the newest of a root.
find_nginx() {
    wanted=${1:-}
    nginx_suite='' nginx_libraries=''
    for nginx in ${PRONGHORN_NGINX:-} "$(command -v nginx || true)" /usr/sbin/nginx; do
        [ -n "$nginx" ] && [ -x "$nginx" ] && "$nginx" -V 2>&1 | grep -q http_v3_module || continue
        wanted_is "$("$nginx" -V 2>&1 | sed -n 's|^nginx version: [^/]*/\([0-9.]*\).*|\1|p')" || continue
        nginx_version=$(dpkg-query -W -f '${Version}' nginx 2>/dev/null || true)
        case $(dpkg-query -W -f '${Maintainer}' nginx 2>/dev/null || true) in
            *debian.org* | *ubuntu.com*) return ;;
        esac
        fail "$nginx is not of a package of Debian's or Ubuntu's, whose headers would be at hand." \
            "build the module in that nginx's own source tree: docs/gateway.md"
    done
    newest=$(in_roots | sort -V | tail -n 1)
    [ -n "$newest" ] || fail "there is no nginx${wanted:+ $wanted} with HTTP/3 to build the module for." \
        "scripts/servers nginx${wanted:+@$wanted}"
    nginx_version=${newest%% *} servers=${newest#* }
    nginx=$servers/usr/sbin/nginx
    nginx_suite=$(recorded suite "$servers")
    nginx_libraries=$(echo "$servers"/usr/lib/*-linux-gnu*)
}

# wanted_is VERSION: whether it is the wanted one, of which any is where none is wanted.
wanted_is() {
    case $1. in
        "${wanted:+$wanted.}"*) return 0 ;;
    esac
    return 1
}

# in_roots: of each root of servers with a wanted nginx its package's version, and the root.
in_roots() {
    for each in "$servers_home"/*-"$machine"; do
        [ -x "$each/usr/sbin/nginx" ] || continue
        version=$(recorded nginx "$each")
        ! wanted_is "${version%%-*}" || echo "$version $each"
    done
}

# recorded NAME ROOT: what the record of a root of servers has under that name.
recorded() {
    sed -n "s/.*\"$1\": \"\(.*\)\".*/\1/p" "$2/pronghorn-servers.json"
}

# build_id PROGRAM: the name that the linker gave it, in hexadecimal.
build_id() {
    readelf -n "$1" | sed -n 's/.*Build ID: *//p' | head -n 1
}

# private_apt FOLDER COMMAND…: apt-get with lists and cache of its own in FOLDER, which needs no root; for a root of servers
# from Debian's archive of its suite, of whatever day (as pronghorn/servers.py has it), else from this host's sources.
private_apt() {
    at=$1
    shift
    mkdir -p "$at/lists/partial" "$at/cache/archives/partial"
    [ -f "$at/status" ] || : >"$at/status"
    set -- -q -o "Dir::State=$at" -o "Dir::State::lists=$at/lists" -o "Dir::State::status=$at/status" \
        -o "Dir::Cache=$at/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none \
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
        -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false "$@"
    if [ -n "$nginx_libraries" ]; then
        by="[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
        {
            echo "deb $by http://deb.debian.org/debian $nginx_suite main"
            echo "deb $by http://deb.debian.org/debian-security $nginx_suite-security main"
        } >"$at/sources.list"
        set -- -o Acquire::Check-Valid-Until=false -o "Dir::Etc::sourcelist=$at/sources.list" -o Dir::Etc::sourceparts=/nonexistent "$@"
    fi
    apt-get "$@"
}

# need_nginx_headers WORK: sets nginx_headers: nginx's own headers and those that they need, configured as Debian did, with
# all of their packages; made in the folder WORK where they aren't there.
need_nginx_headers() {
    nginx_headers=$peers_home/nginx-headers-$nginx_version-$machine
    [ ! -d "$nginx_headers" ] || return 0
    say "fetching and configuring nginx's headers ($nginx_version)"
    mkdir -p "$1/debs" "$1/packages"
    chmod 755 "$1" "$1/debs"
    (
        private_apt "$1/apt" update && cd "$1/debs" &&
            private_apt "$1/apt" download "nginx-dev=$nginx_version" libpcre2-dev libssl-dev zlib1g-dev
    ) >"$1/log" 2>&1 || {
        tail -n 6 "$1/log" >&2
        fail "Debian's archive doesn't give nginx-dev $nginx_version." \
            "where it holds a newer nginx by now: .venv/bin/pronghorn servers --anew nginx@${nginx_version%%-*}; then scripts/autoquic"
    }
    for package in "$1"/debs/*.deb; do
        dpkg-deb -x "$package" "$1/packages"
    done
    mkdir "$1/headers"
    cp -r "$1/packages/usr/share/nginx/src/." "$1/headers"
    mv "$1/packages/usr/include" "$1/headers/include"
    link_nginx_libraries "$1/headers/link"
    configure_nginx "$1/headers" || {
        tail -n 8 "$1/headers/log" >&2
        fail "nginx's headers could not be configured." "see that cc works, and the message above"
    }
    [ -d "$nginx_headers" ] || mv "$1/headers" "$nginx_headers"
}

# link_nginx_libraries FOLDER: the libraries that nginx links with, under the names that a linker looks for.
link_nginx_libraries() {
    mkdir -p "$1"
    for each in crypt crypto pcre2-8 ssl z; do
        library=$(find "${nginx_libraries:-/usr/lib/$machine-linux-gnu}" -name "lib$each.so.*" | sort | head -n 1)
        [ -z "$library" ] || ln -sf "$library" "$1/lib$each.so"
    done
}

# configure_nginx FOLDER: runs nginx's configure there as Debian did; headers of packages stand in FOLDER/include, libraries
# in FOLDER/link.
configure_nginx() {
    (
        cd "$1"
        cat >run-configure <<'END'
. ./conf_flags
exec ./configure "${NGX_CONF_FLAGS[@]}" "$@"
END
        bash run-configure --with-cc-opt="-O2 -fPIC -Iinclude -Iinclude/$machine-linux-gnu" \
            --with-ld-opt="-Llink -Wl,--unresolved-symbols=ignore-in-shared-libs -Wl,-rpath-link,${nginx_libraries:-/usr/lib}" \
            >log 2>&1
    )
}
