// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/page_runs.hpp"

#include <algorithm>
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
  explicit RunFinder(TiffReader& reader) : reader_(reader) {}

  std::vector<TiffPageRun> runs() {
    read_chain();
    take_ome_images();
    take_pages();
    const std::size_t in_chain = runs_.size();
    for (std::size_t i = 0; i < in_chain; ++i) {
      if (runs_[i].obstacle.empty()) take_sub_pages(i);
    }
    if (!broken_.empty()) runs_.push_back({.name = {}, .format = {}, .directories = {}, .obstacle = broken_});
    name_runs();
    return std::move(runs_);
  }

 private:
  void read_chain() {
    TiffDirectory page;
    for (std::uint64_t at = reader_.first_directory(); at != 0; at = page.next) {
      const std::uint64_t number = pages_.size();
      if (!seen_.insert(at).second) {
        broken_ = message("has a loop of pages: behind page ", number - 1, " follows the directory at byte ",
                          at, " again");
        return;
      }
      if (number == max_tiff_pages) {
        broken_ = message("has more pages than ", max_tiff_pages);
        return;
      }
      try {
        reader_.read_directory(at, page);
      } catch (const FileError& error) {
        if (number == 0) throw;
        broken_ = reader_.file().reason_of(error);
        return;
      }
      pages_.push_back(facts_of(page, number));
    }
  }

  TiffPageFacts facts_of(const TiffDirectory& page, std::uint64_t number) {
    TiffPageFacts facts{page.begin, number};
    try {
      facts.is_secondary = is_secondary_page(reader_, page);
      facts.format = place_of(read_tiff_format(reader_, page, number));
    } catch (const FileError&) {
      // Why is said of the run.
    }
    facts.begins_run = number > 0 && reader_.text_begins(page, tiff_tag::image_description, "{\"shape\":");
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
    const auto format_of = [&](std::uint64_t page) -> const TiffFormat* {
      return page < pages_.size() && pages_[page].format ? &formats_[*pages_[page].format] : nullptr;
    };
    for (OmeImage& image : read_ome_images(*text, format_of)) take_ome_image(std::move(image));
  }

  void take_ome_image(OmeImage image) {
    const TiffPageFacts& first = pages_[image.pages[0]];
    for (const std::uint64_t page : image.pages) {
      if (pages_[page].is_taken || pages_[page].format != first.format) return;
    }
    TiffPageRun run{.name = {}, .format = formats_[*first.format], .directories = {}, .first = first.number};
    for (const std::uint64_t page : image.pages) {
      pages_[page].is_taken = true;
      run.directories.push_back(pages_[page].directory);
    }
    run.axes = std::move(image.axes);
    runs_.push_back(std::move(run));
  }

  void take_pages() {
    const bool has_primary = std::any_of(pages_.begin(), pages_.end(),
                                         [](const TiffPageFacts& page) { return !page.is_secondary; });
    std::optional<std::size_t> run;
    std::vector<TiffPageFacts> below;
    for (const TiffPageFacts& page : pages_) {
      if (page.is_taken) continue;
      if (page.is_secondary && has_primary) {
        // A smaller copy that comes first stands below the page that follows.
        run || !runs_.empty() ? add_below(run.value_or(runs_.size() - 1), page) : below.push_back(page);
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

  /// What the SubIFDs of a run's pages say, those of the same number and format as one tensor.
  void take_sub_pages(std::size_t parent) {
    const std::vector<std::uint64_t> directories = runs_[parent].directories;
    const std::size_t first_run = runs_.size();
    for (std::size_t i = 0; i < directories.size(); ++i) {
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
        TiffPageFacts facts = facts_of(page, runs_[parent].first + i);
        add_below(parent, facts, first_run);
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
  std::vector<TiffPageFacts> pages_;
  std::vector<TiffFormat> formats_;
  std::unordered_set<std::uint64_t> seen_;
  std::vector<TiffPageRun> runs_;
  /// Why not all pages were found.
  std::string broken_;
};

}  // namespace

std::vector<TiffPageRun> find_tiff_runs(TiffReader& reader) {
  return RunFinder(reader).runs();
}

}  // namespace tenstride::io
