// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "tenstride/base/export.hpp"

namespace tenstride {

/// The kinds of places for bytes. tenstride holds memory on `cpu` alone; `meta` stands for the cpu without
/// memory, and the others are foretold: sizes, strides and transfers are known, elements are not.
enum class DeviceKind : unsigned char { cpu, meta, cuda, mps, xpu };
/// "cpu", "meta", "cuda", "mps" or "xpu".
TENSTRIDE_API std::string_view name(DeviceKind kind);

/// A place for bytes: a kind, and which one of that kind where there are several.
/// Example: `Device::parse("cuda:1")` is the second of kind `cuda`; `name` of it is "cuda:1".
class Device {
 public:
  /// The memory of this process.
  static const Device cpu;
  /// Sizes but no memory: a chain run on it costs nothing and tells what it would do.
  static const Device meta;

  constexpr Device() = default;
  /// A device without an index, as PyTorch's "cuda": placing a tensor decides which one (`placed`).
  constexpr explicit Device(DeviceKind kind) : kind_(kind) {}
  /// Pre: 0 <= index < 128.
  constexpr Device(DeviceKind kind, int index) : kind_(kind), index_(static_cast<signed char>(index)) {}

  /// "cuda" or "cuda:1"; nothing where the kind is unknown or the index is none.
  static TENSTRIDE_API std::optional<Device> parse(std::string_view text);

  [[nodiscard]] constexpr DeviceKind kind() const noexcept { return kind_; }
  [[nodiscard]] constexpr std::optional<int> index() const noexcept {
    return index_ < 0 ? std::nullopt : std::optional<int>(index_);
  }
  /// Whether tensors on it have elements.
  [[nodiscard]] constexpr bool has_memory() const noexcept { return kind_ == DeviceKind::cpu; }
  /// Whether it is this machine's own memory, or stands for it without any: `cpu` and `meta`.
  [[nodiscard]] constexpr bool is_host() const noexcept {
    return kind_ == DeviceKind::cpu || kind_ == DeviceKind::meta;
  }
  /// The device that a tensor made on this one has, as in PyTorch: the cpu and meta without index, of others
  /// the first where none is named. Example: "cuda" gives "cuda:0", "cpu:0" gives "cpu".
  [[nodiscard]] constexpr Device placed() const noexcept {
    if (is_host()) return Device(kind_);
    return index_ < 0 ? Device(kind_, 0) : *this;
  }
  friend constexpr bool operator==(Device a, Device b) noexcept = default;

 private:
  DeviceKind kind_ = DeviceKind::cpu;
  /// Below 0 where none is named.
  signed char index_ = -1;
};
inline constexpr Device Device::cpu{DeviceKind::cpu};
inline constexpr Device Device::meta{DeviceKind::meta};

/// "cpu", "cuda:1".
TENSTRIDE_API std::string name(Device device);
/// As Python shows it: "device(type='cuda', index=1)".
TENSTRIDE_API std::string to_string(Device device);

/// What a real tensor (one with elements) on a device without memory here means: an error that says what to
/// use instead, or a tensor that is foretold.
enum class AbsentDevice : unsigned char { refuse, foretell };

namespace detail {
/// Throws RuntimeError where the device has no memory here and is not `meta`.
TENSTRIDE_API void require_present(Device device, std::string_view operation);
/// What to call a tensor without elements in an error: "a meta tensor", "a tensor foretold on cuda:0".
TENSTRIDE_API std::string without_memory_text(Device device);
}  // namespace detail

}  // namespace tenstride
