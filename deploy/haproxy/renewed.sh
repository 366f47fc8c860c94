#!/bin/sh
# Gives HAProxy a certificate that certbot has got or renewed: certbot ... --deploy-hook /etc/haproxy/renewed.sh
set -eu
# The key is root's alone. A file that is there already keeps its owner, with Docker the image's user.
umask 077
# HAProxy wants one file.
cat "$RENEWED_LINEAGE/fullchain.pem" "$RENEWED_LINEAGE/privkey.pem" > /etc/haproxy/example.com.pem
# HAProxy reads it now, for TCP and QUIC. With Docker: docker compose -f FILE kill -s USR2 proxy
systemctl reload haproxy
