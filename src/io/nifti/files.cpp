// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "io/input.hpp"
#include "io/nifti/fields.hpp"
#include "io/stream/inflate_stream.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

enum class NiftiHalf : unsigned char { header, elements };

/// The name of one half of a pair, and those that the other half may have: first the one packed alike.
/// Example: of "brain.hdr.gz" those are "brain.img.gz" and "brain.img".
struct HalfName {
  NiftiHalf half = NiftiHalf::header;
  std::array<std::string, 2> others;
};

/// The suffix that stands for another, in its letters: of ".HDR" and ".img" it is ".IMG".
std::string in_letters_of(std::string_view suffix, std::string_view other) {
  std::string result(other);
  const bool is_upper = suffix.size() > 1 && suffix[1] >= 'A' && suffix[1] <= 'Z';
  for (char& letter : result) {
    if (is_upper && letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return result;
}

std::optional<HalfName> half_of(std::string_view path) {
  constexpr std::string_view packed = ".gz", header = ".hdr", elements = ".img";
  const bool is_packed = has_suffix(path, packed);
  std::string_view stem = path;
  if (is_packed) stem.remove_suffix(packed.size());
  const bool is_header = has_suffix(stem, header);
  if (!is_header && !has_suffix(stem, elements)) return std::nullopt;
  const std::string_view own = stem.substr(stem.size() - header.size());
  stem.remove_suffix(own.size());
  const std::string other = in_letters_of(own, is_header ? elements : header);
  const std::string end =
      is_packed ? std::string(path.substr(path.size() - packed.size())) : in_letters_of(own, packed);
  std::array<std::string, 2> others{message(stem, other, end), message(stem, other)};
  if (!is_packed) std::swap(others[0], others[1]);
  return HalfName{is_header ? NiftiHalf::header : NiftiHalf::elements, std::move(others)};
}

std::optional<std::string> other_file(const HalfName& name) {
  for (const std::string& path : name.others) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) == 0) return path;
  }
  return std::nullopt;
}

/// What a header is read from: the first bytes of a file, or of what it unpacks to.
struct HeaderStart {
  std::vector<std::byte> bytes;
  NiftiPacking packing = NiftiPacking::none;
  std::uint64_t file_nbytes = 0;

  [[nodiscard]] std::string_view chars() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

HeaderStart start_of(const std::string& path, std::string_view operation) {
  const Storage file = map_input(path, operation);
  HeaderStart start{std::vector<std::byte>(max_nifti_header), NiftiPacking::none, file.nbytes()};
  if (is_gzip(bytes_of(file))) {
    start.packing = NiftiPacking::gzip;
    start.bytes.resize(InflateStream(path, {0, file.nbytes()}, "gzip", operation).read(start.bytes));
  } else {
    const auto bytes = bytes_of(file).first(std::min(file.nbytes(), max_nifti_header));
    start.bytes.assign(bytes.begin(), bytes.end());
  }
  return start;
}

/// The length of a header in either byte order, as ANALYZE 7.5 has it too.
bool has_length(std::string_view chars) {
  using namespace std::string_view_literals;
  constexpr std::array lengths{"\x5c\x01\0\0"sv, "\0\0\x01\x5c"sv, "\x1c\x02\0\0"sv, "\0\0\x02\x1c"sv};
  return std::any_of(lengths.begin(), lengths.end(),
                     [&](std::string_view length) { return chars.starts_with(length); });
}

/// The length of a header, and its mark.
bool has_nifti_start(std::string_view chars) {
  using namespace std::string_view_literals;
  const auto has_mark = [&](std::size_t begin, std::string_view single, std::string_view pair) {
    const std::string_view mark = chars.substr(std::min(begin, chars.size()), 4);
    return mark == single || mark == pair;
  };
  return has_length(chars) && (has_mark(344, "n+1\0"sv, "ni1\0"sv) || has_mark(4, "n+2\0"sv, "ni2\0"sv));
}

/// The header of a pair, by the name of its elements; nothing where no such file begins as a header does.
/// A damaged one is taken for it, so that it is refused.
std::optional<std::string> header_beside(const std::string& path) {
  const std::optional<HalfName> name = half_of(path);
  if (!name || name->half != NiftiHalf::elements) return std::nullopt;
  const std::optional<std::string> header = other_file(*name);
  try {
    if (header && has_length(start_of(*header, "sniff").chars())) return header;
  } catch (const FileError&) {
    return header;
  }
  return std::nullopt;
}

std::string elements_beside(const std::string& path, bool is_analyze, std::string_view operation) {
  const std::string_view what = is_analyze ? "an ANALYZE 7.5 header (it has no mark of NIfTI at byte 344)"
                                           : "the header of a NIfTI pair";
  const auto refuse = [&](const auto&... pieces) {
    throw FileError(message(operation, ": \"", path, "\" is ", what, " and must ", pieces...), path);
  };
  const std::optional<HalfName> name = half_of(path);
  if (!name || name->half != NiftiHalf::header)
    refuse("be named NAME.hdr, beside NAME.img with the elements");
  const std::optional<std::string> elements = other_file(*name);
  if (!elements) refuse("have its elements in \"", name->others[0], "\" or \"", name->others[1], '"');
  return *elements;
}

/// A single file that is named as a header, beside elements: by the mark its own elements are meant, by the
/// names the others, and readers differ.
void require_no_elements_beside(const NiftiFile& file) {
  const std::optional<HalfName> name = half_of(file.data_path);
  if (!name || name->half != NiftiHalf::header) return;
  const std::optional<std::string> elements = other_file(*name);
  if (!elements) return;
  throw FileError(message("nifti: \"", file.data_path, "\" has the mark 'n+", file.header.version,
                          "' of a file with its own elements and must not stand beside \"", *elements,
                          "\" (readers differ in which they take; rename one of them)"),
                  file.data_path);
}

/// Unpacks the gzip file of a header to its end, as what follows a header that was read may be damaged; or as
/// far as extensions are read, as it may unpack to a thousand times its size.
void check_packed(const std::string& path, std::uint64_t nbytes, std::string_view operation) {
  InflateStream stream(path, {0, nbytes}, "gzip", operation);
  std::vector<std::byte> buffer(std::size_t{1} << 16);
  std::uint64_t unpacked = 0;
  while (unpacked <= max_nifti_extensions && stream.read(buffer) == buffer.size()) unpacked += buffer.size();
}

/// Finds out whether the elements are packed: by the name alone, as elements may begin as a gzip file does.
/// Those that are longer or shorter than the header says, and begin so, are one.
void find_elements(NiftiFile& file, const std::string& path, std::string_view operation) {
  file.data_path = path;
  const bool is_packed = has_suffix(path, ".gz");
  file.packing = is_packed ? NiftiPacking::gzip : NiftiPacking::none;
  const Storage data = map_input(path, operation);
  file.data_nbytes = data.nbytes();
  const bool has_length_of_elements = data.nbytes() == file.header.data_begin + file.header.nbytes;
  if (is_packed || has_length_of_elements || !is_gzip(bytes_of(data))) return;
  throw FileError(message("nifti: \"", path, "\" begins as a gzip file does and has ", data.nbytes(),
                          " bytes, its elements end at byte ", file.header.data_begin + file.header.nbytes,
                          "; packed elements must be in a file named \"", path, ".gz\""),
                  path);
}

void check_elements(const NiftiFile& file) {
  const NiftiHeader& header = file.header;
  if (file.packing == NiftiPacking::none) return check_nifti_data(header, file.data_nbytes, file.data_path);
  // How long the content is, only unpacking tells; it cannot be longer than this.
  const std::uint64_t most = file.data_nbytes * max_inflation;
  if (header.data_begin <= most && header.nbytes <= most - header.data_begin) return;
  throw FileError(message("nifti: \"", file.data_path, "\" is a gzip file of ", file.data_nbytes,
                          " bytes, which unpack to at most ", most, ", and must hold ", header.nbytes,
                          " bytes of elements from byte ", header.data_begin, " on (shape ",
                          header.layout.shape, ", ", name(header.dtype), ")"),
                  file.data_path);
}

/// The first bytes of a file, or of what it unpacks to, up to `end` where there are as many.
std::string bytes_up_to(const std::string& path, const HeaderStart& start, std::uint64_t end,
                        std::string_view operation) {
  if (start.packing == NiftiPacking::none) {
    const Storage file = map_input(path, operation);
    const auto bytes =
        bytes_of(file).first(static_cast<std::size_t>(std::min<std::uint64_t>(file.nbytes(), end)));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  InflateStream stream(path, {0, start.file_nbytes}, "gzip", operation);
  std::string all;
  std::string part(std::size_t{1} << 16, '\0');
  while (all.size() < end) {
    part.resize(std::min<std::uint64_t>(part.size(), end - all.size()));
    const std::size_t count = stream.read(std::as_writable_bytes(std::span(part)));
    all.append(part, 0, count);
    if (count < part.size()) break;
  }
  return all;
}

/// Sets what stands between the header and the elements, or in a pair behind the header.
void read_extensions(NiftiFile& file, const std::string& path, const HeaderStart& start,
                     std::string_view operation) {
  if (file.header.is_analyze) return;
  const auto version = static_cast<NiftiVersion>(file.header.version);
  const std::size_t begin = nifti_start_nbytes(version);
  const bool has_any = start.bytes.size() >= begin - 3 && start.bytes[begin - 4] != std::byte{0};
  if (!has_any) return;
  const std::uint64_t end = file.header.files == NiftiFiles::pair ? UINT64_MAX : file.header.data_begin;
  const std::uint64_t most = begin + max_nifti_extensions;
  const std::string bytes = bytes_up_to(path, start, std::min(end, most + 1), operation);
  file.are_extensions_too_long = bytes.size() > most;
  if (bytes.size() <= begin || file.are_extensions_too_long) return;
  file.header.extensions =
      parse_nifti_extensions(std::string_view(bytes).substr(begin), file.header.byte_order);
}

}  // namespace

NewNiftiNames new_nifti_names(const std::string& path) {
  NewNiftiNames names{path, path, has_suffix(path, ".gz") ? NiftiPacking::gzip : NiftiPacking::none};
  if (const std::optional<HalfName> name = half_of(path))
    (name->half == NiftiHalf::header ? names.elements : names.header) = name->others[0];
  return names;
}

bool is_nifti(const FileStart& start) {
  if (start.is_folder) return false;
  if (header_beside(start.path)) return true;
  const std::optional<HalfName> name = half_of(start.path);
  const bool is_header = name && name->half == NiftiHalf::header;
  const auto is_known = [&](std::string_view chars) {
    return has_nifti_start(chars) || (is_header && has_length(chars));
  };
  if (!is_gzip(start.bytes))
    return is_known({reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size()});
  // What the name tells needs no undamaged start, and is refused with what is wrong.
  if (has_suffix(start.path, ".nii.gz")) return true;
  try {
    return is_known(start_of(start.path, "sniff").chars());
  } catch (const FileError&) {
    return is_header;
  }
}

NiftiFile read_nifti(const std::string& path, std::string_view operation) {
  const std::optional<std::string> beside = header_beside(path);
  const std::string header_path = beside.value_or(path);
  const HeaderStart start = start_of(header_path, operation);
  // Where the elements are, and how many bytes that file has, the header tells.
  NiftiFile file{parse_nifti_header(start.bytes, UINT64_MAX, header_path), header_path, start.packing,
                 start.file_nbytes};
  if (file.header.files == NiftiFiles::pair) {
    if (start.packing == NiftiPacking::gzip) check_packed(header_path, start.file_nbytes, operation);
    find_elements(file, beside ? path : elements_beside(path, file.header.is_analyze, operation), operation);
  } else {
    require_no_elements_beside(file);
  }
  check_elements(file);
  read_extensions(file, header_path, start, operation);
  return file;
}

}  // namespace tenstride::io
