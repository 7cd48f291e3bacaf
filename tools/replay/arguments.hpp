// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/scalar.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/layout/views.hpp"

namespace replay {

using Json = nlohmann::json;

tenstride::Dims to_dims(const Json& list);
/// Throws std::invalid_argument for a name no type has.
tenstride::DType to_dtype(const Json& name);
/// ["i",n], ["s",start,stop,step], ["n"], ["e"].
std::vector<tenstride::BasicIndex> to_indices(const Json& list);

/// The recorded arguments of a call, and which of them were asked for: one that nobody asks for would be
/// ignored in silence otherwise. Throws std::invalid_argument or Json's exceptions for what is not there or
/// is something else.
class Arguments {
 public:
  explicit Arguments(const Json& values) : values_(values) {}

  [[nodiscard]] const Json& at(const std::string& name);
  /// Whether the argument is there and not null.
  [[nodiscard]] bool has(const std::string& name);

  [[nodiscard]] tenstride::Index index(const std::string& name) { return at(name).get<tenstride::Index>(); }
  [[nodiscard]] tenstride::Index index(const std::string& name, tenstride::Index otherwise) {
    return has(name) ? index(name) : otherwise;
  }
  [[nodiscard]] std::optional<tenstride::Index> maybe_index(const std::string& name);
  [[nodiscard]] tenstride::Dims dims(const std::string& name) { return to_dims(at(name)); }
  /// A number stands for a list of one.
  [[nodiscard]] tenstride::Dims one_or_more(const std::string& name);
  [[nodiscard]] tenstride::DType dtype(const std::string& name) { return to_dtype(at(name)); }
  [[nodiscard]] tenstride::MemoryFormat memory_format(const std::string& name,
                                                      tenstride::MemoryFormat otherwise);
  /// A bool, an int or a float.
  [[nodiscard]] tenstride::Scalar number(const std::string& name);
  /// The names nobody asked for.
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  const Json& values_;
  std::set<std::string> used_;
};

}  // namespace replay
