# SPDX-License-Identifier: Apache-2.0
# https://codegive.com/blog/numpy_change_channel_order.php
# From (height, width, channels) to (channels, height, width): why is reshape wrong?
# expect: view line 9
# expect: scramble line 11
# expect: copy line 12
import numpy as np

image = np.arange(2 * 4 * 3, dtype="uint8").reshape(2, 4, 3)
chw = image.transpose(2, 0, 1)
bad = image.reshape(3, 2, 4)
ready = np.ascontiguousarray(chw)
print(chw[0].tolist(), bad[0].tolist(), ready.flags.owndata, sep="\n")
