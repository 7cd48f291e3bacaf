// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tenstride::fuzz {

/// Changes inputs at random, by what has broken readers of files before.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// One of the seeds, changed in one to eight places; some take bytes of another seed.
  std::string mutate(const std::vector<std::string>& seeds) {
    static constexpr std::size_t max_size = std::size_t{1} << 20;
    std::string input = seeds[below(seeds.size())];
    const std::size_t changes = 1 + below(8);
    for (std::size_t i = 0; i < changes; ++i) change(input, seeds[below(seeds.size())]);
    if (input.size() > max_size) input.resize(max_size);
    return input;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : static_cast<std::size_t>(random_() % end); }
  /// Small ones far more often: headers stand in front, and changes of single fields go further than others.
  std::size_t place(std::size_t size) { return below(1 + below(size)); }

  void change(std::string& input, const std::string& other) {
    const std::size_t at = place(input.size());
    const std::size_t count = std::min(1 + below(std::size_t{1} << below(7)), input.size() - at);
    switch (below(9)) {
      case 0:
        if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        return;
      case 1:
        if (!input.empty()) input[at] = static_cast<char>(below(256));
        return;
      case 2:
        return put_number(input, at);
      case 3:
        input.erase(at, count);
        return;
      case 4:
        input.insert(at, input.substr(at, count));
        return;
      case 5:
        input.insert(at, std::string(1 + below(8), static_cast<char>(below(256))));
        return;
      case 6: {
        const std::size_t from = place(other.size());
        input.insert(at, other, from, count);
        return;
      }
      case 7: {
        const std::size_t from = place(other.size());
        input.replace(at, count, other, from, count);
        return;
      }
      default:
        if (below(4) == 0) input.resize(at);
        return put_digits(input);
    }
  }

  /// A number at the edges of what its width holds, in either byte order.
  void put_number(std::string& input, std::size_t at) {
    static constexpr std::array<std::uint64_t, 12> numbers{
        0, 1, 2, 16, 64, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff};
    const std::size_t width = std::min(std::size_t{1} << below(4), input.size() - at);
    const std::uint64_t number = numbers[below(numbers.size())] - below(2);
    const bool is_highest_first = below(2) == 0;
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t byte = is_highest_first ? width - 1 - i : i;
      input[at + i] = static_cast<char>((number >> (8 * byte)) & 0xff);
    }
  }

  /// Another number in place of one in decimal digits.
  void put_digits(std::string& input) {
    static constexpr std::array<const char*, 10> numbers{"0",
                                                         "1",
                                                         "-1",
                                                         "65",
                                                         "256",
                                                         "2147483648",
                                                         "4294967295",
                                                         "9223372036854775807",
                                                         "18446744073709551616",
                                                         "1e400"};
    static constexpr std::string_view digits = "0123456789";
    const std::size_t at = input.find_first_of(digits, place(input.size()));
    if (at == std::string::npos) return;
    const std::size_t end = std::min(input.find_first_not_of(digits, at), input.size());
    input.replace(at, end - at, numbers[below(numbers.size())]);
  }

  std::mt19937_64 random_;
};

}  // namespace tenstride::fuzz
