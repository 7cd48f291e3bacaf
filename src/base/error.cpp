// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/error.hpp"

#include "base/message.hpp"

namespace tenstride {

std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::index:
      return "IndexError";
    case ErrorKind::value:
      return "ValueError";
    case ErrorKind::type:
      return "TypeError";
    case ErrorKind::runtime:
      break;
  }
  return "RuntimeError";
}

namespace detail {

std::string to_text(const Dims& dims) {
  std::string text = "(";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(dims[i]);
  }
  return text + ')';
}

void throw_overflow(std::string_view operation, Index a, char sign, Index b) {
  throw OverflowError(message(operation, ": ", a, " ", sign, " ", b, " must fit a signed 64-bit integer"));
}

void throw_rank_too_large(std::size_t rank) {
  throw RankError(
      message("dims: ", rank, " entries given, must be at most ", max_rank, " (the largest rank)"));
}

}  // namespace detail
}  // namespace tenstride
