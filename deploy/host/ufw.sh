#!/bin/sh
# Opens a server's ports for HTTP/3 in ufw. Run it as root. ufw has rules for IPv4 and IPv6 at once; it lets the ICMP
# messages through that finding a path's MTU needs. Ports that Docker publishes don't pass ufw.
set -eu
# If ufw isn't on yet and you are here over SSH, allow that before "ufw enable", or you lock yourself out:
# ufw allow 22/tcp
# 80 redirects to HTTPS; 443 over TCP has HTTP/1.1 and HTTP/2.
ufw allow 80/tcp
ufw allow 443/tcp
# HTTP/3 is UDP. "ufw allow https" opens TCP alone.
ufw allow 443/udp
