// SPDX-License-Identifier: Apache-2.0
#include "tenstride/memory/device.hpp"

#include <array>
#include <charconv>

#include "base/message.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride {
namespace {

constexpr std::array<std::string_view, 5> kinds{"cpu", "meta", "cuda", "mps", "xpu"};
constexpr int max_index = 127;

/// Digits without a leading 0, as PyTorch wants them.
std::optional<int> parse_index(std::string_view digits) {
  int index = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_whole = error == std::errc{} && end == digits.data() + digits.size();
  if (!is_whole || index < 0 || index > max_index || (digits.size() > 1 && digits[0] == '0'))
    return std::nullopt;
  return index;
}

}  // namespace

std::string_view name(DeviceKind kind) {
  return kinds[static_cast<std::size_t>(kind)];
}

std::optional<Device> Device::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != text.substr(0, colon)) continue;
    const auto kind = static_cast<DeviceKind>(i);
    if (colon == std::string_view::npos) return Device(kind);
    const std::optional<int> index = parse_index(text.substr(colon + 1));
    return index ? std::optional(Device(kind, *index)) : std::nullopt;
  }
  return std::nullopt;
}

std::string name(Device device) {
  if (!device.index()) return std::string(name(device.kind()));
  return detail::message(name(device.kind()), ":", *device.index());
}

std::string to_string(Device device) {
  return detail::message("device(type='", name(device.kind()), "'",
                         device.index() ? detail::message(", index=", *device.index()) : "", ")");
}

void detail::require_present(Device device, std::string_view operation) {
  if (device.is_host()) return;
  throw RuntimeError(
      message(operation, ": device '", name(device),
              "' must have memory here, and tenstride holds memory on the cpu only; stay on the cpu "
              "and hand the tensor over by DLPack, or foretell the transfer: `tenstride explain`, or "
              "x.to(\"meta\") first"));
}

std::string detail::without_memory_text(Device device) {
  return device == Device::meta ? std::string("a meta tensor")
                                : message("a tensor foretold on ", name(device));
}

}  // namespace tenstride
