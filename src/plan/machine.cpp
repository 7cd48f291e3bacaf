// SPDX-License-Identifier: Apache-2.0
#include "tenstride/plan/machine.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cache_file.hpp"
#include "base/message.hpp"
#include "plan/processor.hpp"

namespace tenstride {
namespace {

constexpr std::string_view heading = "tenstride machine 3\n";

constexpr std::array instruction_names{std::string_view("portable"), std::string_view("avx2"),
                                       std::string_view("avx512")};
constexpr std::array store_names{std::string_view("ordinary"), std::string_view("streaming")};
constexpr std::array stream_names{std::string_view("several"), std::string_view("one")};
constexpr std::array block_store_names{std::string_view("interleaved"), std::string_view("burst")};
constexpr std::array profile_names{std::string_view("cascade_lake"), std::string_view("emerald_rapids"),
                                   std::string_view("zen3"), std::string_view("zen5")};
constexpr std::array profiles{&Machine::cascade_lake, &Machine::emerald_rapids, &Machine::zen3,
                              &Machine::zen5};
static_assert(profiles.size() == profile_names.size());

constexpr std::array figures{std::pair{std::string_view("l1_bytes"), &Machine::l1_bytes},
                             std::pair{std::string_view("l2_bytes"), &Machine::l2_bytes},
                             std::pair{std::string_view("l3_bytes"), &Machine::l3_bytes},
                             std::pair{std::string_view("permuted_bytes"), &Machine::permuted_bytes}};

/// Removes the line "key word", with its line feed, from the front of the text and sets `kind` to the index
/// of the word. Returns false where the text begins otherwise or the word is none of `words`.
template <class Kind, std::size_t count>
bool take_word(std::string_view& text, std::string_view key, const std::array<std::string_view, count>& words,
               Kind& kind) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::string line = detail::message(key, " ", words[i], "\n");
    if (!text.starts_with(line)) continue;
    text.remove_prefix(line.size());
    kind = static_cast<Kind>(i);
    return true;
  }
  return false;
}

}  // namespace

Machine Machine::cascade_lake() {
  return {.l1_bytes = Index{32} << 10,
          .l2_bytes = Index{1} << 20,
          .l3_bytes = Index{35} << 20,
          .permuted_bytes = 16,
          .instructions = InstructionSet::avx512,
          .stores = SequentialStores::ordinary,
          .streams = MemoryStreams::several};
}

Machine Machine::emerald_rapids() {
  return {.l1_bytes = Index{48} << 10,
          .l2_bytes = Index{2} << 20,
          .l3_bytes = Index{260} << 20,
          .permuted_bytes = 64,
          .instructions = InstructionSet::avx512,
          .stores = SequentialStores::streaming,
          .streams = MemoryStreams::several};
}

Machine Machine::zen3() {
  return {.l1_bytes = Index{32} << 10,
          .l2_bytes = Index{512} << 10,
          .l3_bytes = Index{32} << 20,
          .permuted_bytes = 16,
          .instructions = InstructionSet::avx2,
          .stores = SequentialStores::streaming,
          .streams = MemoryStreams::one,
          .block_stores = BlockStores::burst,
          .costs = detail::costs_of(BlockStores::burst)};
}

Machine Machine::zen5() {
  return {.l1_bytes = Index{48} << 10,
          .l2_bytes = Index{1} << 20,
          .l3_bytes = Index{32} << 20,
          .permuted_bytes = 64,
          .instructions = InstructionSet::avx512,
          .stores = SequentialStores::streaming,
          .streams = MemoryStreams::one};
}

namespace {

thread_local const Machine* scoped_machine = nullptr;

}  // namespace

MachineScope::MachineScope(const Machine& machine) : machine_(machine), outer_(scoped_machine) {
  scoped_machine = &machine_;
}

MachineScope::~MachineScope() {
  scoped_machine = outer_;
}

const Machine& planned_machine() {
  return scoped_machine != nullptr ? *scoped_machine : Machine::here();
}

std::string_view name(InstructionSet instructions) {
  return instruction_names[static_cast<std::size_t>(instructions)];
}

std::string_view name(SequentialStores stores) {
  return store_names[static_cast<std::size_t>(stores)];
}

std::string_view name(MemoryStreams streams) {
  return stream_names[static_cast<std::size_t>(streams)];
}

std::string_view name(BlockStores stores) {
  return block_store_names[static_cast<std::size_t>(stores)];
}

std::span<const std::string_view> machine_names() {
  return profile_names;
}

std::optional<Machine> machine_named(std::string_view name) {
  if (name == "here") return Machine::here();
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (name == profile_names[i]) return profiles[i]();
  }
  return std::nullopt;
}

std::string to_text(const Machine& machine) {
  std::string text(heading);
  for (const auto& [key, value] : figures) text += detail::message(key, " ", machine.*value, "\n");
  text += detail::message("instructions ", name(machine.instructions), "\nstores ", name(machine.stores),
                          "\nstreams ", name(machine.streams), "\nblock_stores ", name(machine.block_stores),
                          "\n");
  for (const auto& [key, value] : cost_constants())
    text += detail::message(key, " ", detail::number(machine.costs.*value), "\n");
  return text + "end\n";
}

std::optional<Machine> machine_from_text(std::string_view text) {
  if (text.starts_with("processor ")) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  if (!text.starts_with(heading)) return std::nullopt;
  text.remove_prefix(heading.size());
  Machine machine;
  const auto take = [&text](std::string_view key, double least, double most) {
    std::optional<double> figure = detail::take_figure(text, key);
    if (!figure || *figure < least || *figure > most || !text.starts_with('\n'))
      return std::optional<double>();
    text.remove_prefix(1);
    return figure;
  };
  // A cache of less than 16 bytes or more than a terabyte shows that the file is damaged, and so does a cost
  // below zero or of a megabyte.
  for (const auto& [key, value] : figures) {
    const std::optional<double> bytes = take(key, 16, 1e12);
    if (!bytes) return std::nullopt;
    machine.*value = static_cast<Index>(*bytes);
  }
  if (!take_word(text, "instructions", instruction_names, machine.instructions) ||
      !take_word(text, "stores", store_names, machine.stores) ||
      !take_word(text, "streams", stream_names, machine.streams) ||
      !take_word(text, "block_stores", block_store_names, machine.block_stores))
    return std::nullopt;
  for (const auto& [key, value] : cost_constants()) {
    const std::optional<double> cost = take(key, 0, 1e6);
    if (!cost) return std::nullopt;
    machine.costs.*value = *cost;
  }
  return text == "end\n" ? std::optional(machine) : std::nullopt;
}

}  // namespace tenstride
