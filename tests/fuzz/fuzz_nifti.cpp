// SPDX-License-Identifier: Apache-2.0
// NIfTI files: read, saved again, and read from a gzip file. An input of two files (see `split_input`) is a
// pair of a header and elements, of ANALYZE 7.5 or NIfTI.
#include <algorithm>
#include <array>

#include "fuzz/files.hpp"
#include "fuzz/gzip.hpp"

namespace tenstride::fuzz {
namespace {

void require_same(const std::vector<io::NamedTensor>& some, const std::vector<io::NamedTensor>& others) {
  if (some.empty() || others.empty()) return;
  require(checksum(some[0].tensor) == checksum(others[0].tensor), "another file has the same elements");
  require(some[0].attributes == others[0].attributes, "another file has the same attributes");
}

void check_file(const std::string& bytes) {
  const std::vector<io::NamedTensor> tensors = load_all(scratch().file("x.nii", bytes));
  check_saved(".nii", tensors);
  if (bytes.starts_with("\x1f\x8b")) return;
  require_same(tensors, load_all(scratch().file("x.nii.gz", stored_gzip(bytes))));
}

/// Writes the files whose names end as those of a pair do, as halves of one, and gives their paths.
std::vector<std::string> write_pair(const std::vector<InputPart>& parts, bool is_packed) {
  static constexpr std::array<std::string_view, 4> ends{".hdr", ".img", ".hdr.gz", ".img.gz"};
  for (const std::string_view end : ends) std::filesystem::remove(scratch().path("x" + std::string(end)));
  std::vector<std::string> paths;
  for (const InputPart& part : parts) {
    const auto end = std::find_if(ends.begin(), ends.end(),
                                  [&](std::string_view known) { return part.name.ends_with(known); });
    if (end == ends.end()) continue;
    const bool packs = is_packed && !end->ends_with(".gz");
    const std::string name = "x" + std::string(*end) + (packs ? ".gz" : "");
    paths.push_back(scratch().file(name, packs ? stored_gzip(part.bytes) : part.bytes));
  }
  return paths;
}

/// A pair by the names of either half, saved again as a pair.
void check_pair(const std::vector<InputPart>& parts) {
  std::vector<io::NamedTensor> all;
  for (const bool is_packed : {false, true}) {
    const std::vector<std::string> paths = write_pair(parts, is_packed);
    if (paths.size() != 2) continue;
    for (const std::string& path : paths) {
      const std::vector<io::NamedTensor> tensors = load_all(path);
      require_same(all, tensors);
      if (all.empty()) all = tensors;
    }
  }
  std::filesystem::remove(scratch().path("saved.img"));
  check_saved(".hdr", all);
}

void check(const std::string& input) {
  const std::vector<InputPart> parts = split_input(input);
  if (parts.empty()) return check_file(input);
  check_pair(parts);
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::text_of(data, size));
  return 0;
}
