// SPDX-License-Identifier: Apache-2.0
// Which pages of a file are one tensor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/tiff/directory.hpp"
#include "io/tiff/format.hpp"
#include "io/tiff/page_axes.hpp"

namespace tenstride::io {

/// A file that pages of another one's tensor are in.
struct TiffOtherFile {
  std::shared_ptr<const TiffFile> file;
  std::shared_ptr<TiffReader> reader;
};

/// Pages that are one tensor.
struct TiffPageRun {
  /// "0", "1", …; "0.1" for the first of those that stand below "0": its smaller copies and masks.
  std::string name;
  TiffFormat format;
  /// Where the directory of each page begins.
  std::vector<std::uint64_t> directories;
  /// For each page the number of the other file that it is in, from 1 on, or 0; empty where all are in the
  /// file itself.
  std::vector<std::uint32_t> files{};
  /// The number of the first page in the file, for errors; below a page that page's.
  std::uint64_t first = 0;
  /// What the pages are, where OME-XML says which they are.
  std::optional<TiffPageAxes> axes{};
  /// The run that it stands below.
  std::optional<std::size_t> parent{};
  /// Why they cannot be read; empty where they can.
  std::string obstacle{};
};

/// A file has at most so many pages, in the chain and below pages.
inline constexpr std::uint64_t max_tiff_pages = std::uint64_t{1} << 20;
/// And so many tensors: what is left is listed as one that cannot be read.
inline constexpr std::size_t max_tiff_runs = 4096;

/// An image is in at most so many files, which are open at once.
inline constexpr std::size_t max_tiff_files = 256;

/// All pages of a file, at least one run. The first is the one that is meant where none is named. Pages of
/// one format that follow each other are a run, which smaller copies and masks between them do not end; a
/// description by tifffile begins one, and those of OME-XML's images are what it says. SubIFDs stand below
/// their pages. Where the chain of pages is broken or goes in a loop, what was found before is read, and a
/// run without pages tells it. Throws FileError where no page can be found.
struct TiffRuns {
  std::vector<TiffPageRun> runs;
  std::vector<TiffOtherFile> others;
};
TiffRuns find_tiff_runs(TiffReader& reader, std::string_view operation);

}  // namespace tenstride::io
