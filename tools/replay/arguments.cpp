// SPDX-License-Identifier: Apache-2.0
#include "replay/arguments.hpp"

#include <stdexcept>

namespace replay {

using tenstride::Dims;
using tenstride::Index;
using tenstride::MemoryFormat;

Dims to_dims(const Json& list) {
  Dims result;
  for (const Json& value : list) result.push_back(value.get<Index>());
  return result;
}

tenstride::DType to_dtype(const Json& name) {
  const auto text = name.get<std::string>();
  const auto type = tenstride::parse_dtype(text);
  if (!type) throw std::invalid_argument("unknown dtype " + text);
  return *type;
}

std::vector<tenstride::BasicIndex> to_indices(const Json& list) {
  const auto maybe = [](const Json& value) {
    return value.is_null() ? std::nullopt : std::optional(value.get<Index>());
  };
  std::vector<tenstride::BasicIndex> result;
  for (const Json& entry : list) {
    const auto kind = entry.at(0).get<std::string>();
    if (kind == "i") {
      result.emplace_back(entry.at(1).get<Index>());
    } else if (kind == "s") {
      result.emplace_back(
          tenstride::Slice{maybe(entry.at(1)), maybe(entry.at(2)), maybe(entry.at(3)).value_or(1)});
    } else if (kind == "n") {
      result.emplace_back(tenstride::NewAxis{});
    } else if (kind == "e") {
      result.emplace_back(tenstride::Ellipsis{});
    } else {
      throw std::invalid_argument("unknown kind of index " + kind);
    }
  }
  return result;
}

const Json& Arguments::at(const std::string& name) {
  used_.insert(name);
  return values_.at(name);
}

bool Arguments::has(const std::string& name) {
  used_.insert(name);
  return values_.contains(name) && !values_.at(name).is_null();
}

std::optional<Index> Arguments::maybe_index(const std::string& name) {
  return has(name) ? std::optional(index(name)) : std::nullopt;
}

Dims Arguments::one_or_more(const std::string& name) {
  const Json& value = at(name);
  return value.is_array() ? to_dims(value) : Dims{value.get<Index>()};
}

MemoryFormat Arguments::memory_format(const std::string& name, MemoryFormat otherwise) {
  if (!has(name)) return otherwise;
  const auto text = at(name).get<std::string>();
  for (const MemoryFormat format : {MemoryFormat::contiguous, MemoryFormat::channels_last,
                                    MemoryFormat::channels_last_3d, MemoryFormat::preserve}) {
    if (tenstride::name(format) == text) return format;
  }
  throw std::invalid_argument("unknown memory format " + text);
}

tenstride::Scalar Arguments::number(const std::string& name) {
  const Json& value = at(name);
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return value.get<double>();
}

std::vector<std::string> Arguments::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_.items()) {
    if (!used_.contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace replay
