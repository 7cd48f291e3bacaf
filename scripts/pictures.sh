#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws the pictures of the documents that tenstride itself makes: scripts/pictures.sh PROGRAM [FOLDER]. A test
# (python.test_show) compares those in docs/images with it.
set -euo pipefail

program=$1
folder=${2:-$(dirname "$0")/../docs/images}

draw() {
  "$program" show "$2" "${@:3}" -o "$folder/$1" --force || [ "${refused:-}" = yes ]
}

draw layout.svg 'x = torch.arange(12).view(3,4); y = x.permute(1,0); z = y.contiguous()'
draw storage.svg 'x = torch.arange(12).view(2,3,2)'
draw slice.svg 'x = torch.arange(15).view(3,5); y = x[1:, ::2]; z = x[:, 4]'
draw broadcast.svg 'row = torch.arange(3); x = row.expand(4,3)'
draw reshape.svg 'x = torch.arange(6).view(2,3); y = x.T; z = x.view(6); w = z.view(3,2)'
refused=yes draw refused.svg 'x = torch.arange(12).view(2,3,2); y = x.permute(0,2,1); y.view(-1)'
draw bytes.svg 'x = torch.tensor([1.0, 2.0, 3.0]); y = x.view(torch.int16); z = y[1::2]'
draw walk.svg 'torch.arange(24).view(4,6).t().contiguous()' --what walk
draw chain.svg 'x = torch.zeros(2,3,4); x.permute(0,2,1).reshape(2,12).transpose(0,1).reshape(4,3,2)' --what atoms
draw notation.svg 'x = torch.arange(16).view(2,8); rearrange(x, "t (h d) -> h t d", h=2)'
draw ranks.svg 'x = torch.arange(24).view(4,6); y = x.t(); z = x.view(24)' --mesh 2,2 --placements 'S(0),S(1)'
