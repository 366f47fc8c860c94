#!/bin/sh
# Opens a server's ports for HTTP/3 in firewalld's default zone, for IPv4 and IPv6. Run it as root.
set -eu
# 80 redirects to HTTPS; 443 over TCP has HTTP/1.1 and HTTP/2.
firewall-cmd --permanent --add-service=http
firewall-cmd --permanent --add-service=https
# HTTP/3 is UDP, which the service "https" leaves out. The service "http3" is missing before firewalld 1.2; the port
# isn't.
firewall-cmd --permanent --add-port=443/udp
# What is permanent counts from the next start, or from now on.
firewall-cmd --reload
