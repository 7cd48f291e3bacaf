// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride {

/// Which of Python's exceptions PyTorch raises in the same place.
enum class ErrorKind : unsigned char { runtime, index, value, type };

/// "RuntimeError", "IndexError", "ValueError" or "TypeError".
TENSTRIDE_API std::string_view name(ErrorKind kind);

/// The root of every exception of the library. `what()` is the whole message, which begins with the
/// operation: "permute: order (0,2,2) must list each axis 0..2 once (shape (2,3,4))".
class TENSTRIDE_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// A call that PyTorch refuses with RuntimeError.
class TENSTRIDE_API RuntimeError : public Error {
 public:
  explicit RuntimeError(const std::string& message) : Error(ErrorKind::runtime, message) {}
};

/// A call that PyTorch refuses with ValueError.
class TENSTRIDE_API ValueError : public Error {
 public:
  explicit ValueError(const std::string& message) : Error(ErrorKind::value, message) {}
};

/// A call that PyTorch refuses with TypeError.
class TENSTRIDE_API TypeError : public Error {
 public:
  explicit TypeError(const std::string& message) : Error(ErrorKind::type, message) {}
};

/// Something out of range: an axis, or an index along an axis.
class TENSTRIDE_API IndexError : public Error {
 public:
  IndexError(const std::string& message, Index given, Index lowest, Index highest)
      : Error(ErrorKind::index, message), given_(given), lowest_(lowest), highest_(highest) {}
  [[nodiscard]] Index given() const noexcept { return given_; }
  [[nodiscard]] Index lowest() const noexcept { return lowest_; }
  [[nodiscard]] Index highest() const noexcept { return highest_; }

 private:
  Index given_;
  Index lowest_;
  Index highest_;
};

/// An axis outside [-rank, rank-1].
class TENSTRIDE_API AxisError : public IndexError {
 public:
  using IndexError::IndexError;
};

/// A shape that does not fit: sizes whose product differs, that cannot be broadcast, that are negative.
class TENSTRIDE_API ShapeError : public RuntimeError {
 public:
  ShapeError(const std::string& message, Dims from, Dims to)
      : RuntimeError(message), from_(std::move(from)), to_(std::move(to)) {}
  /// The shape the operation began with.
  [[nodiscard]] const Dims& from() const noexcept { return from_; }
  /// The shape that was asked for.
  [[nodiscard]] const Dims& to() const noexcept { return to_; }

 private:
  Dims from_;
  Dims to_;
};

/// A product or sum of sizes that does not fit 64 bits.
class TENSTRIDE_API OverflowError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// More axes than `max_rank`.
class TENSTRIDE_API RankError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Memory that is too short, cannot be had, or must not be written.
class TENSTRIDE_API StorageError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// A text that does not parse; `position` is the byte where it stops making sense.
class TENSTRIDE_API ParseError : public ValueError {
 public:
  ParseError(const std::string& message, std::size_t position) : ValueError(message), position_(position) {}
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

/// A file that cannot be read or written, or is not what it says.
class TENSTRIDE_API FileError : public RuntimeError {
 public:
  FileError(const std::string& message, std::string path) : RuntimeError(message), path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

namespace detail {
/// "(2,3,4)"
TENSTRIDE_API std::string to_text(const Dims& dims);
}  // namespace detail

}  // namespace tenstride
