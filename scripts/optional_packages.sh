#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by other scripts: install_optional PACKAGE… installs Debian or Ubuntu packages,
# one by one, because a release may lack some of them. It tells what it does by their function `say`.

install_optional() {
  local missing=() root=() package
  for package in "$@"; do
    if ! dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$'; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "all $# packages are installed"
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then root=(sudo); fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 update -q
  for package in "${missing[@]}"; do
    say "installing $package"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900 install -q -y \
      --no-install-recommends "$package" || say "$package is not available here; what needs it is left out"
  done
}
