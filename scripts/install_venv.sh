#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by other scripts: install_venv FOLDER REQUIREMENTS makes a virtual environment with what a file asks for; where it
# is there, nothing changes. It tells what it does by their function `say`.

install_venv() {
  local venv=$1 requirements=$2
  if [ -x "$venv/bin/python3" ] && cmp -s "$requirements" "$venv/installed-requirements.txt"; then
    say "$venv has what $requirements asks for"
    return
  fi
  say "making $venv with what $requirements asks for"
  python3 -m venv --clear "$venv"
  "$venv/bin/python3" -m pip install --quiet --disable-pip-version-check -r "$requirements"
  cp "$requirements" "$venv/installed-requirements.txt"
}
