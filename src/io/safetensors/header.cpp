// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors/header.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/message.hpp"
#include "io/safetensors/types.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;
using Json = nlohmann::json;

struct HeaderRefusal {
  std::string_view name;
  template <typename... Pieces>
  [[noreturn]] void operator()(const Pieces&... pieces) const {
    throw FileError(message("safetensors: \"", name, "\" ", pieces...), std::string(name));
  }
};

/// What the reader of the JSON expects next.
enum class Place : unsigned char {
  document,
  names,
  entry,
  metadata,
  shape,
  offsets,
};

/// Takes the header as it is parsed: never more than the entries themselves are in memory.
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  HeaderReader(SafetensorsHeader& header, const HeaderRefusal& refuse) : header_(header), refuse_(refuse) {}

  bool null() override { wrong("null"); }
  bool boolean(bool /*value*/) override { wrong("true or false"); }
  bool number_integer(number_integer_t value) override { wrong(message("the number ", value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override { wrong("the number " + text); }
  bool binary(binary_t& /*value*/) override { wrong("bytes"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::shape) {
      if (value > static_cast<number_unsigned_t>(std::numeric_limits<Index>::max())) {
        refuse_("has the size ", value, " in the shape of \"", entry_.name,
                "\", which must fit a signed 64-bit integer");
      }
      if (entry_.shape.size() == max_rank) {
        refuse_("has more than ", max_rank, " axes in the shape of \"", entry_.name,
                "\", which must be at most that many");
      }
      entry_.shape.push_back(static_cast<Index>(value));
    } else if (place_ == Place::offsets) {
      if (offsets_ == 2)
        refuse_("has more than two data_offsets of \"", entry_.name, "\", which must be [begin, end]");
      (offsets_++ == 0 ? entry_.begin : entry_.end) = value;
    } else {
      wrong(message("the number ", value));
    }
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata) {
      header_.metadata.emplace_back(key_, text);
    } else if (place_ == Place::entry && key_ == "dtype") {
      set_type(text);
    } else {
      wrong("the text \"" + text.substr(0, 40) + '"');
    }
    return true;
  }

  bool start_object(std::size_t /*elements*/) override {
    if (place_ == Place::document) {
      place_ = Place::names;
    } else if (place_ == Place::names && key_ == "__metadata__") {
      place_ = Place::metadata;
    } else if (place_ == Place::names) {
      entry_ = {};
      entry_.name = key_;
      has_type_ = has_shape_ = false;
      offsets_ = 0;
      place_ = Place::entry;
    } else {
      wrong("an object");
    }
    keys_.emplace_back();
    return true;
  }

  bool key(string_t& key) override {
    std::vector<std::string>& seen = keys_.back();
    key_ = key;
    // Of an entry's three keys this is enough; names are sorted once at the end.
    if (place_ == Place::entry && std::find(seen.begin(), seen.end(), key) != seen.end()) {
      refuse_("has the key \"", key, "\" of \"", entry_.name, "\" twice, which must stand once");
    }
    if (place_ == Place::entry && key != "dtype" && key != "shape" && key != "data_offsets") {
      refuse_("has the key \"", key.substr(0, 40), "\" of \"", entry_.name,
              "\", which must be dtype, shape or data_offsets");
    }
    seen.push_back(key);
    return true;
  }

  bool end_object() override {
    if (place_ == Place::entry) {
      if (offsets_ == 1) {
        refuse_("has one data_offset of \"", entry_.name, "\", ", entry_.begin,
                ", which must be [begin, end]");
      }
      const std::string_view missing = !has_type_      ? "dtype"
                                       : !has_shape_   ? "shape"
                                       : offsets_ == 0 ? "data_offsets"
                                                       : "";
      if (!missing.empty()) refuse_("must say the ", missing, " of \"", entry_.name, "\"");
      header_.entries.push_back(std::move(entry_));
      place_ = Place::names;
    } else {
      check_keys();
      place_ = place_ == Place::metadata ? Place::names : Place::document;
    }
    keys_.pop_back();
    return true;
  }

  bool start_array(std::size_t /*elements*/) override {
    if (place_ != Place::entry || (key_ != "shape" && key_ != "data_offsets")) wrong("an array");
    place_ = key_ == "shape" ? Place::shape : Place::offsets;
    return true;
  }
  bool end_array() override {
    if (place_ == Place::shape) has_shape_ = true;
    place_ = Place::entry;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    refuse_("has a header which must be JSON; it is not at byte ", position + 8);
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    const std::string where = place_ == Place::document || place_ == Place::names
                                  ? place_ == Place::document ? "" : " for \"" + key_.substr(0, 80) + '"'
                              : place_ == Place::metadata
                                  ? " for \"" + key_.substr(0, 80) + "\" of __metadata__"
                                  : " for " + key_ + " of \"" + entry_.name + '"';
    const std::string_view rule = place_ == Place::document || place_ == Place::names ? "an object"
                                  : place_ == Place::metadata                         ? "a text"
                                  : place_ == Place::entry
                                      ? key_ == "dtype" ? "a text" : "an array of numbers"
                                      : "numbers of at least 0";
    refuse_("has ", what, " in its header", where, ", where must be ", rule);
  }

  void set_type(const std::string& text) {
    has_type_ = true;
    entry_.type = text;
    for (const auto& [name, dtype] : safetensors_types) {
      if (name == text) entry_.dtype = dtype;
    }
    const bool is_foreign = std::any_of(safetensors_foreign_bits.begin(), safetensors_foreign_bits.end(),
                                        [&](const auto& foreign) { return foreign.first == text; });
    if (!entry_.dtype && !is_foreign) {
      refuse_("has the dtype \"", text.substr(0, 40), "\" of \"", entry_.name,
              "\", which must be one that the format knows (F32, BF16, I64, …)");
    }
  }

  void check_keys() {
    std::vector<std::string>& seen = keys_.back();
    std::sort(seen.begin(), seen.end());
    const auto twice = std::adjacent_find(seen.begin(), seen.end());
    if (twice != seen.end()) {
      refuse_("has the name \"", twice->substr(0, 80), "\" twice, which must stand once");
    }
  }

  SafetensorsHeader& header_;
  const HeaderRefusal& refuse_;
  Place place_ = Place::document;
  std::string key_;
  std::vector<std::vector<std::string>> keys_;
  SafetensorsEntry entry_;
  bool has_type_ = false;
  bool has_shape_ = false;
  int offsets_ = 0;
};

/// Bytes of a tensor; nothing where they do not fit 64 bits or are no whole bytes.
std::optional<std::uint64_t> nbytes_of(const SafetensorsEntry& entry) {
  std::uint64_t bits = entry.dtype ? 8 * item_size(*entry.dtype) : 0;
  for (const auto& [name, foreign] : safetensors_foreign_bits) {
    if (!entry.dtype && name == entry.type) bits = foreign;
  }
  Index count = 1;
  for (const Index size : entry.shape) {
    const std::optional<Index> product = try_multiply(count, size);
    if (!product) return std::nullopt;
    count = *product;
  }
  const std::optional<Index> all = try_multiply(count, static_cast<Index>(bits));
  if (!all || *all % 8 != 0) return std::nullopt;
  return static_cast<std::uint64_t>(*all / 8);
}

void check_ranges(SafetensorsHeader& header, std::uint64_t data_nbytes, const HeaderRefusal& refuse) {
  // Tensors without elements stand before those that begin where they do.
  std::stable_sort(header.entries.begin(), header.entries.end(),
                   [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  std::uint64_t covered = 0;
  for (const SafetensorsEntry& entry : header.entries) {
    if (entry.end < entry.begin || entry.end > data_nbytes) {
      refuse("has the data_offsets [", entry.begin, ", ", entry.end, "] of \"", entry.name,
             "\", which must be in rising order and within the ", data_nbytes, " bytes behind the header");
    }
    const std::optional<std::uint64_t> needed = nbytes_of(entry);
    if (!needed || *needed != entry.end - entry.begin) {
      refuse("has ", entry.end - entry.begin, " bytes for \"", entry.name, "\", which must have ",
             needed ? std::to_string(*needed) : std::string("a number of whole bytes that fits 63 bits"),
             " (shape ", entry.shape, ", ", entry.type, ")");
    }
    if (entry.begin != covered) {
      refuse("has \"", entry.name, "\" begin at byte ", entry.begin, " of its elements, which must be ",
             covered, ": the ranges of tensors must follow each other without ",
             entry.begin < covered ? "overlap" : "gap");
    }
    covered = entry.end;
  }
  if (covered != data_nbytes) {
    refuse("has ", data_nbytes, " bytes behind its header, which must all belong to tensors; ",
           data_nbytes - covered, " do not");
  }
}

std::string quoted(const std::string& text, std::string_view operation) {
  try {
    return Json(text).dump();
  } catch (const Json::type_error&) {
    throw ValueError(message(operation, ": the names and texts of a safetensors file must be UTF-8"));
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> start_of_file,
                                           std::uint64_t file_nbytes, std::string_view name) {
  const HeaderRefusal refuse{name};
  if (start_of_file.size() < 8)
    refuse("ends after ", start_of_file.size(), " bytes and must have at least 8");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    length |= std::to_integer<std::uint64_t>(start_of_file[i]) << (8 * i);
  }
  if (length > max_safetensors_header) {
    refuse("announces a header of ", length, " bytes, which must be at most ", max_safetensors_header);
  }
  if (length > file_nbytes - 8 || length > start_of_file.size() - 8) {
    refuse("announces a header of ", length, " bytes and must have them, but ends ", file_nbytes - 8,
           " bytes after byte 8");
  }
  const std::string_view text(reinterpret_cast<const char*>(start_of_file.data()) + 8,
                              static_cast<std::size_t>(length));
  if (!text.starts_with('{')) refuse("has a header which must begin with {");
  // The parser takes a zero byte for the end of the text.
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) refuse("has a header which must be JSON; it is not at byte ", zero + 9);
  SafetensorsHeader header;
  header.data_begin = 8 + length;
  HeaderReader reader(header, refuse);
  Json::sax_parse(text, &reader);
  check_ranges(header, file_nbytes - header.data_begin, refuse);
  return header;
}

FlatFile plan_safetensors(const std::vector<NewTensor>& tensors,
                          const std::vector<std::pair<std::string, std::string>>& metadata,
                          std::string_view operation) {
  std::vector<std::size_t> order(tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto width = [&](std::size_t i) { return item_size(component_type(tensors[i].dtype)); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return width(a) != width(b) ? width(a) > width(b) : tensors[a].name < tensors[b].name;
  });
  std::string text = "{";
  if (!metadata.empty()) {
    text += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata)
      text += quoted(key, operation) + ':' + quoted(value, operation) + ',';
    text.back() = '}';
    text += ',';
  }
  FlatFile file;
  file.parts.resize(tensors.size());
  std::set<std::string_view> names;
  std::uint64_t begin = 0;
  for (const std::size_t i : order) {
    const NewTensor& tensor = tensors[i];
    if (tensor.name.empty() || tensor.name == "__metadata__") {
      throw ValueError(message(operation, ": the name \"", tensor.name,
                               "\" of a tensor must be one, and not __metadata__"));
    }
    if (!names.insert(tensor.name).second) {
      throw ValueError(message(operation, ": the name \"", tensor.name, "\" must stand once in a file"));
    }
    const auto type = std::find_if(safetensors_types.begin(), safetensors_types.end(),
                                   [&](const auto& known) { return known.second == tensor.dtype; });
    if (type == safetensors_types.end()) {
      throw TypeError(message(operation, ": elements of ", tenstride::name(tensor.dtype), " (\"", tensor.name,
                              "\") must be of a type that safetensors has; use .to(complex64)"));
    }
    const Index count = count_elements(tensor.shape, operation);
    const Index nbytes = checked_multiply(count, static_cast<Index>(item_size(tensor.dtype)), operation);
    const std::uint64_t end = begin + static_cast<std::uint64_t>(nbytes);
    text += message(quoted(tensor.name, operation), ":{\"dtype\":\"", type->first,
                    "\",\"shape\":", Json(tensor.shape.to_vector()).dump(), ",\"data_offsets\":[", begin, ',',
                    end, "]},");
    file.parts[i] = {row_major(tensor.shape), begin};
    begin = end;
  }
  if (text.back() == ',') text.pop_back();
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > max_safetensors_header) {
    throw ValueError(message(operation, ": a safetensors header of ", text.size(), " bytes must be at most ",
                             max_safetensors_header));
  }
  for (std::size_t i = 0; i < 8; ++i) file.head += static_cast<char>((text.size() >> (8 * i)) & 0xff);
  file.head += text;
  for (FlatFile::Part& part : file.parts) part.begin += file.head.size();
  file.nbytes = file.head.size() + begin;
  return file;
}

}  // namespace tenstride::io
