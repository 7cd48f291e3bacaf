// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/page_runs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_set>

#include "io/tiff/ome_images.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// What is known of a page before runs are made.
struct TiffPageFacts {
  std::uint64_t directory = 0;
  std::uint64_t number = 0;
  /// Its place among the formats; none where it cannot be read.
  std::optional<std::size_t> format{};
  bool is_secondary = false;
  bool begins_run = false;
  bool is_taken = false;
};

/// Formats and runs that are compared with a page: the last ones.
constexpr std::size_t max_compared = 64;

class RunFinder {
 public:
  RunFinder(TiffReader& reader, std::string_view operation) : reader_(reader), operation_(operation) {}

  TiffRuns runs() {
    pages_ = read_chain(reader_, seen_, broken_);
    take_ome_images();
    take_pages();
    const std::size_t in_chain = runs_.size();
    for (std::size_t i = 0; i < in_chain; ++i) {
      if (runs_[i].obstacle.empty()) take_sub_pages(i);
    }
    if (!broken_.empty()) runs_.push_back({.name = {}, .format = {}, .directories = {}, .obstacle = broken_});
    name_runs();
    return {std::move(runs_), std::move(others_)};
  }

 private:
  /// Throws FileError where there is no page at all; otherwise says in `broken` why not all are found.
  std::vector<TiffPageFacts> read_chain(TiffReader& reader, std::unordered_set<std::uint64_t>& seen,
                                        std::string& broken) {
    std::vector<TiffPageFacts> pages;
    TiffDirectory page;
    for (std::uint64_t at = reader.first_directory(); at != 0; at = page.next) {
      const std::uint64_t number = pages.size();
      if (!seen.insert(at).second) {
        broken = message("has a loop of pages: behind page ", number - 1, " follows the directory at byte ",
                         at, " again");
        break;
      }
      if (number == max_tiff_pages) {
        broken = message("has more pages than ", max_tiff_pages);
        break;
      }
      try {
        reader.read_directory(at, page);
      } catch (const FileError& error) {
        if (number == 0) throw;
        broken = reader.file().reason_of(error);
        break;
      }
      pages.push_back(facts_of(reader, page, number));
    }
    return pages;
  }

  TiffPageFacts facts_of(TiffReader& reader, const TiffDirectory& page, std::uint64_t number) {
    TiffPageFacts facts{page.begin, number};
    try {
      facts.is_secondary = is_secondary_page(reader, page);
      facts.format = place_of(read_tiff_format(reader, page, number));
    } catch (const FileError&) {
      // Why is said of the run.
    }
    facts.begins_run = number > 0 && reader.text_begins(page, tiff_tag::image_description, "{\"shape\":");
    return facts;
  }

  std::size_t place_of(const TiffFormat& format) {
    const std::size_t last = formats_.size();
    for (std::size_t i = last; i-- > 0 && last - i <= max_compared;) {
      if (formats_[i] == format) return i;
    }
    formats_.push_back(format);
    return last;
  }

  /// The pages of each image that the first page's OME-XML names, in its order.
  void take_ome_images() {
    if (!pages_[0].format) return;
    TiffDirectory first;
    reader_.read_directory(pages_[0].directory, first);
    const std::optional<std::string> text = reader_.text(first, tiff_tag::image_description);
    if (!text || !is_ome_text(*text)) return;
    const std::string& path = reader_.file().path();
    const std::size_t name = path.find_last_of('/') + 1;
    const auto format_of = [&](const OmePlane& plane) -> const TiffFormat* {
      const TiffPageFacts* const page = find_page(file_number(plane.file), plane.page);
      return page != nullptr && page->format ? &formats_[*page->format] : nullptr;
    };
    for (const OmeImage& image : read_ome_images(*text, std::string_view(path).substr(name), format_of)) {
      take_ome_image(image);
    }
    const bool has_all =
        std::all_of(pages_.begin(), pages_.end(), [](const TiffPageFacts& page) { return page.is_taken; });
    if (!has_all && broken_.empty()) broken_ = missing_;
  }

  /// From 1 on of another file, whose pages are read; nothing where it cannot be.
  std::optional<std::uint32_t> file_number(std::string_view name) {
    if (name.empty()) return 0;
    const auto found = file_numbers_.find(name);
    if (found != file_numbers_.end()) return found->second;
    return file_numbers_.emplace(name, open_other(std::string(name))).first->second;
  }

  std::optional<std::uint32_t> open_other(const std::string& name) {
    // Of the same folder, so that no file names others of the machine.
    const bool may_open = name.find('/') == std::string::npos && others_.size() < max_tiff_files;
    const std::string& path = reader_.file().path();
    try {
      if (!may_open) reader_.file().refuse(name);
      const auto file =
          std::make_shared<const TiffFile>(path.substr(0, path.find_last_of('/') + 1) + name, operation_);
      const auto reader = std::make_shared<TiffReader>(*file);
      std::unordered_set<std::uint64_t> seen;
      std::string broken;
      other_pages_.push_back(read_chain(*reader, seen, broken));
      others_.push_back({file, reader});
      return static_cast<std::uint32_t>(others_.size());
    } catch (const FileError&) {
      // Which it is, is told below.
    }
    missing_ = message("has an image of several files, of which \"", name, "\" cannot be read beside it");
    return std::nullopt;
  }

  TiffPageFacts* find_page(std::optional<std::uint32_t> file, std::uint64_t page) {
    if (!file) return nullptr;
    std::vector<TiffPageFacts>& pages = *file == 0 ? pages_ : other_pages_[*file - 1];
    return page < pages.size() ? &pages[page] : nullptr;
  }

  void take_ome_image(const OmeImage& image) {
    std::vector<TiffPageFacts*> taken;
    bool is_good = runs_.size() < max_tiff_runs;
    for (const OmePlane& plane : image.planes) {
      TiffPageFacts* const page = find_page(file_number(plane.file), plane.page);
      is_good = is_good && !page->is_taken && (taken.empty() || page->format == taken[0]->format);
      if (!is_good) break;
      page->is_taken = true;
      taken.push_back(page);
    }
    if (!is_good) {
      for (TiffPageFacts* const page : taken) page->is_taken = false;
      return;
    }
    TiffPageRun run{
        .name = {}, .format = formats_[*taken[0]->format], .directories = {}, .first = taken[0]->number};
    const bool has_others = std::any_of(image.planes.begin(), image.planes.end(),
                                        [](const OmePlane& plane) { return !plane.file.empty(); });
    for (std::size_t i = 0; i < taken.size(); ++i) {
      run.directories.push_back(taken[i]->directory);
      if (has_others) run.files.push_back(*file_number(image.planes[i].file));
    }
    run.axes = image.axes;
    runs_.push_back(std::move(run));
  }

  void take_pages() {
    const bool has_primary = std::any_of(pages_.begin(), pages_.end(),
                                         [](const TiffPageFacts& page) { return !page.is_secondary; });
    std::optional<std::size_t> run;
    std::vector<TiffPageFacts> below;
    const std::size_t images = runs_.size();
    for (const TiffPageFacts& page : pages_) {
      if (page.is_taken) continue;
      if (page.is_secondary && has_primary) {
        // A smaller copy that comes first stands below the page that follows.
        run || images > 0 ? add_below(run.value_or(images - 1), page) : below.push_back(page);
        continue;
      }
      const bool continues = run && page.format && !page.begins_run && runs_[*run].obstacle.empty() &&
                             runs_[*run].format == formats_[*page.format];
      if (!continues) run = add_run(page);
      if (!run) return;
      if (continues) runs_[*run].directories.push_back(page.directory);
      for (const TiffPageFacts& copy : below) add_below(*run, copy);
      below.clear();
    }
  }

  /// None where there are too many.
  std::optional<std::size_t> add_run(const TiffPageFacts& page, std::optional<std::size_t> parent = {}) {
    if (runs_.size() >= max_tiff_runs) {
      if (broken_.empty()) broken_ = message("has more tensors than ", max_tiff_runs);
      return std::nullopt;
    }
    TiffPageRun run{.name = {}, .format = {}, .directories = {page.directory}, .first = page.number};
    run.parent = parent;
    if (page.format) {
      run.format = formats_[*page.format];
    } else {
      run.obstacle = reason_of(page);
    }
    runs_.push_back(std::move(run));
    return runs_.size() - 1;
  }

  std::string reason_of(const TiffPageFacts& page) {
    try {
      TiffDirectory directory;
      reader_.read_directory(page.directory, directory);
      static_cast<void>(is_secondary_page(reader_, directory));
      static_cast<void>(read_tiff_format(reader_, directory, page.number));
      return {};
    } catch (const FileError& error) {
      return reader_.file().reason_of(error);
    }
  }

  /// Adds a page to the run of its format below another run, where there is one from `first` on.
  void add_below(std::size_t parent, const TiffPageFacts& page, std::size_t first = 0) {
    const std::size_t last = runs_.size();
    for (std::size_t i = last; i-- > first && last - i <= max_compared && page.format;) {
      TiffPageRun& run = runs_[i];
      if (run.parent != parent || !run.obstacle.empty() || run.format != formats_[*page.format]) continue;
      run.directories.push_back(page.directory);
      return;
    }
    add_run(page, parent);
  }

  /// What the SubIFDs of a run's pages say, those of one format as one tensor. Of what stands below a run
  /// already they stand below that, too.
  void take_sub_pages(std::size_t number) {
    const std::size_t parent = runs_[number].parent.value_or(number);
    const std::vector<std::uint64_t> directories = runs_[number].directories;
    const std::size_t first_run = runs_.size();
    for (std::size_t i = 0; i < directories.size(); ++i) {
      if (!runs_[number].files.empty() && runs_[number].files[i] != 0) continue;
      TiffDirectory page;
      reader_.read_directory(directories[i], page);
      std::vector<std::uint64_t> waiting = sub_directories(page);
      while (!waiting.empty()) {
        const std::uint64_t at = waiting.back();
        waiting.pop_back();
        if (at == 0 || !seen_.insert(at).second) continue;
        if (seen_.size() > max_tiff_pages) {
          broken_ = message("has more pages than ", max_tiff_pages);
          return;
        }
        try {
          reader_.read_directory(at, page);
        } catch (const FileError& error) {
          if (!add_broken(parent, reader_.file().reason_of(error))) return;
          continue;
        }
        add_below(parent, facts_of(reader_, page, runs_[number].first + i), first_run);
        waiting.push_back(page.next);
        const std::vector<std::uint64_t> further = sub_directories(page);
        waiting.insert(waiting.end(), further.begin(), further.end());
      }
    }
  }

  bool add_broken(std::size_t parent, std::string reason) {
    if (runs_.size() >= max_tiff_runs) return false;
    TiffPageRun run{.name = {}, .format = {}, .directories = {}, .first = runs_[parent].first};
    run.parent = parent;
    run.obstacle = std::move(reason);
    runs_.push_back(std::move(run));
    return true;
  }

  /// The last first.
  std::vector<std::uint64_t> sub_directories(const TiffDirectory& page) {
    const TiffTag* const tag = page.find(tiff_tag::sub_ifds);
    std::vector<std::uint64_t> result;
    try {
      const std::uint64_t count = tag == nullptr ? 0 : std::min(tag->count, max_tiff_pages);
      for (std::uint64_t i = count; i-- > 0;) result.push_back(reader_.integer(*tag, i));
    } catch (const FileError& error) {
      if (broken_.empty()) broken_ = reader_.file().reason_of(error);
    }
    return result;
  }

  /// Puts what stands below a run behind it.
  void name_runs() {
    std::vector<TiffPageRun> ordered;
    std::vector<std::vector<std::size_t>> below(runs_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].parent) below[*runs_[i].parent].push_back(i);
    }
    std::size_t number = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].parent) continue;
      const std::string name = std::to_string(number++);
      const std::size_t place = ordered.size();
      runs_[i].name = name;
      ordered.push_back(std::move(runs_[i]));
      for (std::size_t k = 0; k < below[i].size(); ++k) {
        TiffPageRun& run = runs_[below[i][k]];
        run.name = message(name, ".", k + 1);
        run.parent = place;
        ordered.push_back(std::move(run));
      }
    }
    if (ordered.size() == 1) ordered[0].name.clear();
    runs_ = std::move(ordered);
  }

  TiffReader& reader_;
  std::string_view operation_;
  std::vector<TiffPageFacts> pages_;
  std::vector<TiffOtherFile> others_;
  std::vector<std::vector<TiffPageFacts>> other_pages_;
  std::map<std::string, std::optional<std::uint32_t>, std::less<>> file_numbers_;
  /// Which file could not be read.
  std::string missing_;
  std::vector<TiffFormat> formats_;
  std::unordered_set<std::uint64_t> seen_;
  std::vector<TiffPageRun> runs_;
  /// Why not all pages were found.
  std::string broken_;
};

}  // namespace

TiffRuns find_tiff_runs(TiffReader& reader, std::string_view operation) {
  return RunFinder(reader, operation).runs();
}

}  // namespace tenstride::io
