// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/zarr/refuse.hpp"
#include "tenstride/base/dims.hpp"

namespace tenstride::io {

/// Parses the text of a file. NaN, Infinity and -Infinity, which Python writes though JSON has none, are
/// taken, too. Refused with a FileError: what is not JSON, the same name twice in an object, more than 64
/// levels, more than max_zarr_metadata bytes.
nlohmann::json parse_zarr_json(std::string_view text, std::string_view file);

/// A value with the file and the field where it stands, to be read by rules. Refusals are FileErrors:
/// `zarr: "x/zarr.json" has shape[1] = -3, which must be an integer from 0 to 9223372036854775807`.
class JsonField {
 public:
  JsonField(const nlohmann::json& value, std::string_view file, std::string name = {})
      : value_(&value), file_(file), name_(std::move(name)) {}

  [[nodiscard]] const nlohmann::json& value() const noexcept { return *value_; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] bool is_null() const noexcept { return value_->is_null(); }
  /// Another value that errors tell by the name of this one.
  [[nodiscard]] JsonField with(const nlohmann::json& value) const { return {value, file_, name_}; }
  /// Whether this is that text; of another kind of value false.
  [[nodiscard]] bool is(std::string_view text) const {
    return value_->is_string() && value_->get_ref<const std::string&>() == text;
  }

  /// A member of an object. Refused where there is none.
  [[nodiscard]] JsonField at(std::string_view member) const;
  /// A member that may be missing.
  [[nodiscard]] std::optional<JsonField> find(std::string_view member) const;
  /// A member, or what stands for it where it is missing or this is no object.
  [[nodiscard]] JsonField find_or(std::string_view member, const nlohmann::json& otherwise) const;
  /// Refuses an object with any other members.
  void allow_only(std::initializer_list<std::string_view> members) const;
  /// The members of a list.
  [[nodiscard]] std::vector<JsonField> items() const;

  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] Index integer(Index min, Index max) const;
  /// A list of at most max_rank integers of at least `min`.
  [[nodiscard]] Dims dims(Index min) const;
  /// A list of integers that names each axis of `rank` once.
  [[nodiscard]] Dims axes(std::size_t rank) const;

  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... rule) const {
    refuse_zarr(file_, "has ", shown(), ", which must be ", rule...);
  }

 private:
  /// `shape[1] = -3`, shortened.
  [[nodiscard]] std::string shown() const;

  const nlohmann::json* value_;
  std::string file_;
  std::string name_;
};

}  // namespace tenstride::io
