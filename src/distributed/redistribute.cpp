// SPDX-License-Identifier: Apache-2.0
#include "tenstride/distributed/redistribute.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/message.hpp"
#include "distributed/agreement.hpp"
#include "ledger/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::distributed {
namespace {

using detail::at;
using detail::message;

/// The most that a round packs: a transport sends no more at once.
constexpr Index max_round_bytes = Index{1} << 30;

/// A number that differs where plans do.
Index signature_of(const RedistributionProblem& problem, const RedistributeOptions& options) {
  const std::string text =
      message(problem.from.to_string(), problem.order, problem.to.to_string(), problem.itemsize, ' ',
              options.max_bytes, options.uses_shared_memory ? 's' : 'm');
  return static_cast<Index>(std::hash<std::string>()(text) >> 1);
}

}  // namespace

/// A part of a round, and where it begins in a buffer, in bytes.
struct Redistributor::BufferedPart {
  ExchangePart part;
  Index offset = 0;
};

/// What this rank does in a round.
struct Redistributor::RoundParts {
  std::vector<BufferedPart> staged;    ///< packs for near ranks
  std::vector<BufferedPart> read;      ///< unpacks from what near ranks have staged
  std::vector<BufferedPart> sent;      ///< packs and sends
  std::vector<BufferedPart> received;  ///< receives and unpacks
  std::vector<Index> staged_bytes;     ///< of each rank
  bool is_staged_near = false;         ///< by any rank of this machine
  Index sent_bytes = 0;
  Index received_bytes = 0;
};

Redistributor::Redistributor(Transport& transport, RedistributionPlan plan,
                             const RedistributeOptions& options)
    : transport_(transport),
      plan_(std::move(plan)),
      machines_(machines_of(transport, signature_of(plan_.problem, options), options.uses_shared_memory)) {
  if (plan_.problem.from.mesh.size() != transport.size()) {
    throw ValueError(message("redistribute: mesh ", plan_.problem.from.mesh.shape,
                             " must have as many ranks as there are, ", transport.size()));
  }
  bool stages = false;
  bool sends = false;
  for (const Exchange& exchange : plan_.exchanges) {
    if (exchange.sender != exchange.receiver) (is_near(exchange) ? stages : sends) = true;
  }
  const Index max_bytes = stages && sends ? options.max_bytes / 2 : options.max_bytes;
  rounds_ = plan_.rounds_of(std::min(max_bytes, 2 * max_round_bytes));
  staged_bytes_.assign(machines_.size(), 0);
  for (const ExchangeRound& round : rounds_) {
    const std::vector<Index> bytes = parts_of(round, {}).staged_bytes;
    for (std::size_t rank = 0; rank < bytes.size(); ++rank)
      staged_bytes_[rank] = std::max(staged_bytes_[rank], bytes[rank]);
  }
  const auto near = std::count(machines_.begin(), machines_.end(), machines_[at(transport.rank())]);
  threads_ = std::max(1, num_threads() / static_cast<int>(near));
}

void Redistributor::run(const Tensor& source, const Tensor& destination, Caller caller) {
  const detail::OperationScope scope("redistribute", caller);
  const ThreadScope threads(threads_);
  std::optional<RankTensors> mine;
  std::string refusal;
  try {
    detail::require_memory(source, "redistribute");
    detail::require_memory(destination, "redistribute", "written");
    if (detail::is_watched())
      detail::ledger_watch().require_allowed(detail::copy_entry(destination, source, source.numel()));
    mine.emplace(plan_, transport_.rank(), source, destination);
  } catch (const std::exception& error) {
    refusal = error.what();
  }
  const std::vector<Source> sources = agree_on_sources(mine ? &*mine : nullptr, source, refusal);
  try {
    mine->keep();
    take_all(*mine, sources, source.dtype());
    exchange_all(*mine, sources, source.dtype());
    mine->finish();
  } catch (const std::exception& error) {
    transport_.fail(error.what());
  }
}

void Redistributor::refuse(const std::string& message) {
  static_cast<void>(agree_on_sources(nullptr, {}, message));
}

Index Redistributor::buffer_bytes() const {
  return static_cast<Index>(staged_.nbytes() + sent_.nbytes() + received_.nbytes());
}

std::vector<Redistributor::Source> Redistributor::agree_on_sources(const RankTensors* mine,
                                                                   const Tensor& source,
                                                                   const std::string& refusal) {
  const std::size_t rank = plan_.common.size();
  constexpr std::ptrdiff_t facts = 5;  // before the strides
  std::vector<Index> own(facts + rank);
  own[4] = static_cast<Index>(source.dtype());
  if (mine == nullptr) {
    own[0] = 1;
  } else if (const Tensor& viewed = mine->source_in_common();
             viewed.shares_storage(source) && viewed.is_resolved()) {
    if (const std::optional<SharedPlace> place = transport_.place_of(viewed.data_ptr())) {
      own[1] = 1;
      own[2] = place->memory;
      own[3] = place->offset;
      std::copy(viewed.strides().begin(), viewed.strides().end(), own.begin() + facts);
    }
  }
  const std::vector<Index> all = gathered(transport_, own);
  std::vector<Source> sources;
  bool is_refused = false;
  for (auto of_rank = all.begin(); of_rank != all.end(); of_rank += std::ssize(own)) {
    is_refused |= of_rank[0] != 0;
    Source next{of_rank[1] != 0, {of_rank[2], of_rank[3]}, {}};
    for (std::size_t d = 0; d < rank; ++d)
      next.strides.push_back(of_rank[facts + static_cast<std::ptrdiff_t>(d)]);
    sources.push_back(std::move(next));
  }
  if (is_refused) throw_refusal(transport_, refusal);
  const auto dtype_of = [&](std::size_t of) { return static_cast<DType>(all[of * own.size() + 4]); };
  for (std::size_t other = 1; other < sources.size(); ++other) {
    if (dtype_of(other) == dtype_of(0)) continue;
    throw RuntimeError(message("redistribute: the dtype ", name(dtype_of(other)), " of rank ", other,
                               " must be that of rank 0, ", name(dtype_of(0))));
  }
  return sources;
}

bool Redistributor::is_near(const Exchange& exchange) const {
  return machines_[at(exchange.sender)] == machines_[at(exchange.receiver)];
}

bool Redistributor::is_taken(const Exchange& exchange, const std::vector<Source>& sources) const {
  return !sources.empty() && sources[at(exchange.sender)].is_shared && is_near(exchange);
}

Redistributor::RoundParts Redistributor::parts_of(const ExchangeRound& round,
                                                  const std::vector<Source>& sources) const {
  const Index rank = transport_.rank();
  RoundParts parts;
  parts.staged_bytes.assign(machines_.size(), 0);
  const auto add = [&](Index& bytes, const ExchangePart& part, std::vector<BufferedPart>* first,
                       std::vector<BufferedPart>* second) {
    if (first != nullptr) first->push_back({part, bytes});
    if (second != nullptr) second->push_back({part, bytes});
    bytes += part.elements * static_cast<Index>(plan_.problem.itemsize);
  };
  for (const ExchangePart& part : round) {
    const Exchange& exchange = plan_.exchanges[part.exchange];
    const bool is_sender = exchange.sender == rank;
    const bool is_receiver = exchange.receiver == rank;
    if (is_taken(exchange, sources)) continue;
    if (is_near(exchange)) {
      parts.is_staged_near |= machines_[at(exchange.sender)] == machines_[at(rank)];
      add(parts.staged_bytes[at(exchange.sender)], part, is_sender ? &parts.staged : nullptr,
          is_receiver ? &parts.read : nullptr);
    } else if (is_sender) {
      add(parts.sent_bytes, part, &parts.sent, nullptr);
    } else if (is_receiver) {
      add(parts.received_bytes, part, &parts.received, nullptr);
    }
  }
  return parts;
}
/// Kept for all runs. All ranks allocate what is shared where any has to.
void Redistributor::make_buffers(const std::vector<RoundParts>& rounds) {
  Index sent = 0;
  Index received = 0;
  bool is_staged = false;
  for (const RoundParts& parts : rounds) {
    sent = std::max(sent, parts.sent_bytes);
    received = std::max(received, parts.received_bytes);
    is_staged |= std::any_of(parts.staged_bytes.begin(), parts.staged_bytes.end(),
                             [](Index bytes) { return bytes > 0; });
  }
  if (is_staged && staged_.numel() == 0) {
    const Index bytes = std::max(2 * staged_bytes_[at(transport_.rank())], Index{1});
    staged_ = transport_.empty_shared({bytes}, DType::uint8);
  }
  if (sent > sent_.numel()) sent_ = empty({sent}, {.dtype = DType::uint8});
  if (received > received_.numel()) received_ = empty({received}, {.dtype = DType::uint8});
}

/// Takes from all ranks, beginning with the next one, so that not all read of one.
void Redistributor::take_all(RankTensors& mine, const std::vector<Source>& sources, DType dtype) {
  if (std::none_of(sources.begin(), sources.end(), [](const Source& source) { return source.is_shared; }))
    return;
  const Index rank = transport_.rank();
  std::vector<Exchange> taken;
  std::copy_if(plan_.exchanges.begin(), plan_.exchanges.end(), std::back_inserter(taken),
               [&](const Exchange& exchange) {
                 return exchange.receiver == rank && exchange.sender != rank && is_taken(exchange, sources);
               });
  std::stable_partition(taken.begin(), taken.end(),
                        [&](const Exchange& exchange) { return exchange.sender > rank; });
  for (const Exchange& exchange : taken) {
    const Source& source = sources[at(exchange.sender)];
    mine.take(exchange, from_blob(transport_.address_of(exchange.sender, source.place),
                                  plan_.held[at(exchange.sender)].local_shape(), source.strides, dtype));
  }
  transport_.sync_near();  // now they may be changed
}

void Redistributor::exchange_all(RankTensors& mine, const std::vector<Source>& sources, DType dtype) {
  std::vector<RoundParts> rounds;
  for (const ExchangeRound& round : rounds_) rounds.push_back(parts_of(round, sources));
  make_buffers(rounds);
  const auto elements = [&](std::byte* buffer, const BufferedPart& part) {
    return from_blob(buffer + part.offset, {part.part.elements}, dtype);
  };
  const auto bytes_of = [&](const BufferedPart& part) {
    return at(part.part.elements) * plan_.problem.itemsize;
  };
  const SharedPlace staged_place = transport_.place_of(staged_.storage_data()).value_or(SharedPlace{});
  bool is_second_half = false;
  for (const RoundParts& parts : rounds) {
    for (const BufferedPart& part : parts.received) {
      transport_.receive(plan_.exchanges[part.part.exchange].sender,
                         {received_.mutable_storage_data() + part.offset, bytes_of(part)});
    }
    for (const BufferedPart& part : parts.sent) {
      std::byte* const buffer = sent_.mutable_storage_data();
      Tensor packed = elements(buffer, part);
      mine.pack(part.part, packed);
      transport_.send(plan_.exchanges[part.part.exchange].receiver, {buffer + part.offset, bytes_of(part)});
    }
    const auto half_of = [&](Index rank) { return is_second_half ? staged_bytes_[at(rank)] : 0; };
    for (const BufferedPart& part : parts.staged) {
      Tensor packed = elements(staged_.mutable_storage_data() + half_of(transport_.rank()), part);
      mine.pack(part.part, packed);
    }
    if (parts.is_staged_near) {
      transport_.sync_near();
      for (const BufferedPart& part : parts.read) {
        const Index sender = plan_.exchanges[part.part.exchange].sender;
        std::byte* const buffer = transport_.address_of(sender, staged_place) + half_of(sender);
        mine.unpack(part.part, elements(buffer, part));
      }
      is_second_half = !is_second_half;
    }
    while (const std::optional<std::size_t> number = transport_.wait_received()) {
      const BufferedPart& part = parts.received[*number];
      mine.unpack(part.part, elements(received_.mutable_storage_data(), part));
    }
    transport_.wait_sent();
  }
}

}  // namespace tenstride::distributed
