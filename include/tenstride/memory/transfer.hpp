// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"
#include "tenstride/memory/device.hpp"
#include "tenstride/memory/to_options.hpp"

/// Bytes that go from one device's memory to another's: foretold, never carried out. What crosses and what is
/// copied on either side is what PyTorch 2.6 does between the cpu and CUDA
/// (aten/src/ATen/native/cuda/Copy.cu). See docs/devices.md.
namespace tenstride {

/// The memory of this machine that a link reads or writes: `pinned` is page-locked and read by the device
/// itself, `pageable` goes through a buffer of the driver's. Between two devices there is none (`peer`).
enum class LinkMemory : unsigned char { pageable, pinned, peer };
/// "pageable", "pinned" or "peer".
TENSTRIDE_API std::string_view name(LinkMemory memory);

/// How bytes cross. The side without memory here that stands for the cpu (`meta`) is named as the cpu.
struct Link {
  Device from;
  Device to;
  LinkMemory memory = LinkMemory::pageable;
  Blocking blocking = Blocking::blocking;
  friend bool operator==(const Link&, const Link&) = default;
};
/// "cpu to cuda:0, pageable, blocking".
TENSTRIDE_API std::string to_string(const Link& link);

/// Bytes per second of a link, and the seconds that the smallest transfer takes. The defaults are round
/// figures of a PCIe 4.0 x16 slot (32 GB/s on paper), not measurements of this machine: good to a factor of 2
/// or 3, to be replaced by measured ones.
struct LinkSpeed {
  double pageable = 6e9;
  double pinned = 25e9;
  double peer = 25e9;
  /// Bytes read plus written per second within the device's own memory, for copies before or after the
  /// transfer.
  double device_memory = 1e12;
  double call_seconds = 1e-5;
  friend bool operator==(const LinkSpeed&, const LinkSpeed&) = default;
};

/// The defaults, or what the environment variable TENSTRIDE_LINK says: GB/s of pageable, pinned and peer
/// transfers, as "12:50" or "12:50:300". What is not readable so counts as not said.
TENSTRIDE_API LinkSpeed link_speed();

/// Seconds that so many bytes take. Example: `transfer_seconds(6'000'000'000, LinkMemory::pageable)` is
/// about 1.
TENSTRIDE_API double transfer_seconds(Index bytes, LinkMemory memory, const LinkSpeed& speed = link_speed());

}  // namespace tenstride
