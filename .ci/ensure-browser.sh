#!/usr/bin/env bash
# Installs a browser for the tests of the console from Debian's packages, if it is missing and can be installed. The headless
# shell is preferred even where Chromium is installed: it needs little more than half of the processor time.
set -u
is_there() {
  for program in "$@"; do
    [ -n "$program" ] && [ -x "$program" ] && return 0
  done
  return 1
}
is_there "${PAYBATCH_CHROMIUM:-}" /usr/bin/chromium-headless-shell && exit 0
export DEBIAN_FRONTEND=noninteractive
install() { timeout 240 apt-get install -y -qq --no-install-recommends "$@" fonts-liberation >/dev/null 2>&1; }
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  install chromium-headless-shell || { timeout 120 apt-get update -qq >/dev/null 2>&1 && install chromium-headless-shell; } ||
    is_there /usr/bin/chromium || install chromium
fi
is_there /usr/bin/chromium-headless-shell /usr/bin/chromium /usr/bin/chromium-browser
