#!/bin/sh
# Gives nginx a certificate that certbot has got or renewed: certbot ... --deploy-hook /etc/nginx/renewed.sh
set -eu
# The key is root's alone.
umask 077
mkdir -p /etc/nginx/tls
# Copies: certbot's files are symlinks to paths a container cannot see.
cp -L "$RENEWED_LINEAGE/fullchain.pem" "$RENEWED_LINEAGE/privkey.pem" /etc/nginx/tls/
# nginx reads them now, for TCP and QUIC. With Docker: docker compose -f FILE kill -s HUP proxy
systemctl reload nginx
