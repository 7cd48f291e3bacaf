// SPDX-License-Identifier: Apache-2.0
// Reductions compared with a plain read of the same bytes, plus a fill if there are many results: the tables
// of bench/notes/reductions.md.
#include "tenstride/reduce/reduce.hpp"

#include "session.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ops/reduce_pattern.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::bench {
namespace {

struct ReductionCase {
  std::string_view pattern;
  Dims shape;  ///< of 4-byte elements
};

std::vector<ReductionCase> reduction_cases() {
  return {
      {"a b -> a", {4096, 4096}},
      {"a b -> b", {4096, 4096}},
      {"a b ->", {4096, 4096}},
      {"a b c -> a c", {64, 512, 512}},
      {"a b c -> b", {64, 512, 512}},
      {"b h w c -> c", {8, 724, 964, 3}},
      {"b c h w -> c", {32, 64, 96, 96}},
      {"b h w c -> c", {32, 96, 96, 64}},
      {"b c h w -> b c", {256, 64, 32, 32}},
      {"b c h w -> b c", {512, 672, 7, 7}},
      {"(h 2) (w 2) c -> h w c", {2048, 2744, 3}},
      {"b (h 2) (w 2) -> b h w", {16, 1024, 1024}},
      {"b (h 2) (w 2) c -> b h w c", {16, 128, 128, 64}},
  };
}

struct ReductionRow {
  ReductionCase what;
  DType dtype = DType::float32;
  Reduction reduction = Reduction::sum;
  Dims shape;  ///< of this type: the first axis is longer for shorter elements
  [[nodiscard]] std::string name() const {
    std::string text = std::string(tenstride::name(reduction)) + " of " +
                       std::string(tenstride::name(dtype)) + ", " + std::string(what.pattern) + ", ";
    for (std::size_t d = 0; d < what.shape.size(); ++d) {
      text += (d == 0 ? "" : "x") + std::to_string(what.shape[d]);
    }
    return text;
  }
};

/// Adds the table's rows of about 64 MB (`times` 1), which large caches hold, or of `times` as much. In a
/// smoke run the first axis is short.
void add_rows(std::vector<ReductionRow>& rows, Scope scope, Index times) {
  for (ReductionCase what : reduction_cases()) {
    const bool is_pool = what.pattern.find("2)") != std::string_view::npos;
    what.shape[0] *= times;
    for (const DType dtype : {DType::float32, DType::int32, DType::int16, DType::uint8, DType::float16}) {
      for (const Reduction reduction : {Reduction::sum, Reduction::prod, Reduction::max}) {
        if (reduction == Reduction::prod && is_floating_point(dtype)) continue;
        // Skipped: the results are gigabytes, which the system would clear for each call.
        if (times > 1 && is_pool && reduced_dtype(reduction, dtype) != dtype) continue;
        ReductionRow row{what, dtype, reduction, what.shape};
        row.shape[0] *= 4 / static_cast<Index>(item_size(dtype));
        if (scope == Scope::smoke) row.shape[0] = 8;
        rows.push_back(std::move(row));
      }
    }
  }
}

std::vector<ReductionRow> reduction_rows(Scope scope) {
  std::vector<ReductionRow> rows;
  add_rows(rows, scope, 1);
  if (scope == Scope::full) add_rows(rows, scope, 16);
  return rows;
}

}  // namespace

std::vector<std::string> reduction_names(Scope scope) {
  std::vector<std::string> names;
  for (const ReductionRow& row : reduction_rows(scope)) names.push_back("reductions/" + row.name());
  return names;
}

Json run_reductions(Session& session) {
  Json records = Json::array();
  const Options& options = session.options();
  for (const ReductionRow& row : reduction_rows(options.scope)) {
    if (!options.wants("reductions/" + row.name())) continue;
    const Tensor x = full(row.shape, 1, {.dtype = row.dtype});
    const std::string pattern(row.what.pattern);
    const auto reduced = [=, reduction = row.reduction] { return reduce(x, pattern, reduction); };
    const std::size_t written = reduced().nbytes();
    const bool has_many_results = written > x.nbytes() / 20;
    session.destination().require(has_many_results ? written : 1);
    for (const int threads : options.threads) {
      session.set_threads(threads);
      std::vector<Contender> contenders = session.plain_read_contenders(
          x.storage_data(), x.nbytes(), has_many_results ? written : 0, threads);
      const std::size_t plain = contenders.size();
      contenders.push_back(
          {"tenstride", fresh_call(reduced, [](const Tensor& result) { return result.data_ptr(); }), true});
      const std::size_t bytes = x.nbytes() + (has_many_results ? written : 0);
      Json record = {{"family", "reductions"},
                     {"name", row.name()},
                     {"destination", "fresh"},
                     {"threads", threads},
                     {"bytes", bytes}};
      session.time(contenders, plain, bytes, record);
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace tenstride::bench
