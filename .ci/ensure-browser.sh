#!/usr/bin/env bash
# Chromium for the tests of the console in a real browser: from Debian's packages, where it is not there and can be installed.
set -u
for program in "${PAYBATCH_CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser; do
  [ -n "$program" ] && [ -x "$program" ] && exit 0
done
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 1
export DEBIAN_FRONTEND=noninteractive
install() { timeout 240 apt-get install -y -qq --no-install-recommends chromium fonts-liberation >/dev/null 2>&1; }
install || { timeout 120 apt-get update -qq >/dev/null 2>&1 && install; }
[ -x /usr/bin/chromium ]
