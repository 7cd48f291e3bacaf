// SPDX-License-Identifier: Apache-2.0
// Arithmetic compared with a plain copy that reads and writes as many bytes: the figures of
// docs/arithmetic.md.
#include "tenstride/elementwise/arithmetic.hpp"

#include "session.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::bench {
namespace {

struct ArithmeticCase {
  std::string name;
  std::size_t bytes;  ///< read and written
  std::function<Tensor()> run;
};

/// The cases, on n x n elements; float32 unless the name says another type.
std::vector<ArithmeticCase> arithmetic_cases(Index n) {
  const Tensor a = ones({n, n}), b = ones({n, n}), row = ones({n}), column = ones({n, 1});
  const Tensor pixels = a.view({n * n / 4, 4}), channels = ones({4}), mask = a > 0;
  const Tensor half = ones({n, n}, {.dtype = DType::bfloat16});
  const Tensor whole = ones({n, n / 2}, {.dtype = DType::int64});
  const Tensor pairs = ones({n, n / 2}, {.dtype = DType::complex64});
  const std::size_t one = a.nbytes();
  return {
      {"sum", 3 * one, [=] { return a + b; }},
      {"sum of permuted twins", 3 * one, [=] { return a.t() + b.t(); }},
      {"sum with a transpose", 3 * one, [=] { return a + b.t(); }},
      {"sum with a row", 2 * one, [=] { return a + row; }},
      {"sum with a column", 2 * one, [=] { return a + column; }},
      {"sum with four channels", 2 * one, [=] { return pixels + channels; }},
      {"sum with a number", 2 * one, [=] { return a + 1; }},
      {"absolute values", 2 * one, [=] { return abs(a); }},
      {"quotient", 3 * one, [=] { return a / b; }},
      {"maximum", 3 * one, [=] { return maximum(a, b); }},
      {"comparison", 2 * one + one / 4, [=] { return a > b; }},
      {"choice", 3 * one + one / 4, [=] { return where(mask, a, b); }},
      {"sum of bfloat16", 3 * one / 2, [=] { return half + half; }},
      {"product of int64", 2 * one, [=] { return whole * whole; }},
      {"product of complex64", 2 * one, [=] { return pairs * pairs; }},
      {"argmax along rows", one, [=] { return argmax(a, 1); }},
      {"argmax along columns", one, [=] { return argmax(a, 0); }},
  };
}

}  // namespace

std::vector<std::string> arithmetic_names() {
  std::vector<std::string> names;
  for (const ArithmeticCase& what : arithmetic_cases(4)) names.push_back("arithmetic/" + what.name);
  return names;
}

Json run_arithmetic(Session& session) {
  Json records = Json::array();
  const Options& options = session.options();
  const Index n = options.scope == Scope::smoke ? 64 : 4096;
  for (const ArithmeticCase& what : arithmetic_cases(n)) {
    if (!options.wants("arithmetic/" + what.name)) continue;
    const std::size_t plain_bytes = what.bytes / 2;
    session.source().require(plain_bytes);
    session.destination().require(plain_bytes);
    for (const int threads : options.threads) {
      session.set_threads(threads);
      std::vector<Contender> contenders = session.plain_copy_contenders(plain_bytes, threads);
      const std::size_t plain = contenders.size();
      contenders.push_back(
          {"tenstride", fresh_call(what.run, [](const Tensor& result) { return result.data_ptr(); }), true});
      Json record = {{"family", "arithmetic"},
                     {"name", what.name},
                     {"destination", "fresh"},
                     {"threads", threads},
                     {"bytes", what.bytes}};
      session.time(contenders, plain, what.bytes, record);
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace tenstride::bench
