// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/format/result_attributes.hpp"
#include "io/format/stack.hpp"
#include "tenstride/io/file_pattern.hpp"
#include "tenstride/io/result_facts.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The name of the new axis, where the files name theirs.
constexpr std::string_view stack_axis_name = "file";

std::string address_of(const std::string& path, const std::string& name) {
  return name.empty() ? path : path + "::" + name;
}

std::string scaling_text(const FileInfo& info) {
  return Scalar(info.scale).to_string() + ", " + Scalar(info.shift).to_string();
}

/// Throws where a file cannot stand beside the first.
void require_alike(const FileInfo& first, const FileInfo& other, const TensorAddress& pattern,
                   std::string_view operation) {
  const auto refuse = [&](const auto&... pieces) {
    throw FileError(message(operation, ": \"", other.address(), "\" must ", pieces...,
                            " to be stacked with the other files of \"", pattern.file, '"'),
                    other.path);
  };
  if (!other.obstacle.empty()) refuse(other.obstacle, ',');
  if (other.layout.shape != first.layout.shape) {
    refuse("have the shape of \"", first.address(), "\", ", first.layout.shape, " and not ",
           other.layout.shape, ',');
  }
  if (other.dtype != first.dtype) {
    refuse("have the type of \"", first.address(), "\", ", name(first.dtype), " and not ", name(other.dtype),
           ',');
  }
  if (other.scale != first.scale || other.shift != first.shift) {
    refuse("have the scale and shift of \"", first.address(), "\", ", scaling_text(first), " and not ",
           scaling_text(other), ',');
  }
}

/// Removes the attributes that another file does not have alike.
void keep_shared(ResultAttributes::Json& attributes, const std::string& other_text) {
  const ResultAttributes::Json other = ResultAttributes(other_text).json;
  for (auto entry = attributes.begin(); entry != attributes.end();) {
    const auto found = other.find(entry.key());
    // Texts, since NaN is not equal to itself.
    const bool is_shared = found != other.end() && python_json_text(*found) == python_json_text(*entry);
    entry = is_shared ? std::next(entry) : attributes.erase(entry);
  }
}

/// What is true of the first file with a new axis before its own, and of the others.
void take_facts(FileInfo& stack, const FileInfo& first) {
  ResultFacts facts = facts_of_result(first, "x.unsqueeze(0)", first.kind);
  stack.attributes = std::move(facts.attributes);
  stack.axis_names = std::move(facts.axis_names);
  if (!stack.axis_names.empty()) stack.axis_names[0] = stack_axis_name;
}

}  // namespace

FileInfo stack_info(const TensorAddress& pattern, std::string_view operation) {
  FileInfo first;
  FileInfo stack;
  ResultAttributes::Json shared;
  for (const std::string& path : files_of_pattern(pattern.file, operation)) {
    const std::string address = address_of(path, pattern.names);
    FileInfo member = read_file_info(address, operation);
    stack.files.push_back(address);
    stack.file_nbytes += member.file_nbytes;
    if (stack.files.size() == 1) {
      require_readable({member}, operation);
      shared = ResultAttributes(member.attributes).json;
      first = std::move(member);
      continue;
    }
    require_alike(first, member, pattern, operation);
    if (member.default_fill != first.default_fill) first.default_fill.reset();
    if (!shared.empty()) keep_shared(shared, member.attributes);
  }
  first.attributes = shared.empty() ? std::string() : python_json_text(shared);
  first.further = {};
  take_facts(stack, first);
  Dims shape{static_cast<Index>(stack.files.size())};
  for (const Index extent : first.layout.shape) shape.push_back(extent);
  stack.kind = first.kind;
  stack.format =
      message(first.format, " in ", stack.files.size(), stack.files.size() == 1 ? " file" : " files");
  stack.path = address_of(pattern.file, pattern.names);
  stack.dtype = first.dtype;
  stack.layout = row_major(shape, operation);
  stack.storage = ElementStorage::chunked;
  stack.chunk = Dims{1};
  for (const Index extent : first.layout.shape) stack.chunk.push_back(std::max<Index>(extent, 1));
  stack.codec = first.codec;
  stack.scale = first.scale;
  stack.shift = first.shift;
  stack.default_fill = first.default_fill;
  return stack;
}

}  // namespace tenstride::io
