#!/bin/sh
# Installs what the long tests need beside Node, on Debian and Ubuntu: servers for failover, a pooler, false clocks.
set -eu
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql pgbouncer faketime systemd
