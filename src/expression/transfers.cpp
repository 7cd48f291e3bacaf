// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "expression/evaluator.hpp"
#include "tenstride/layout/text.hpp"

/// What a transfer to another device costs that it need not.
namespace tenstride::detail {
namespace {

class TransferHints {
 public:
  TransferHints(const std::vector<Step>& steps, const Step& step, const LedgerEntry& crossing)
      : steps_(steps), step_(step), crossing_(crossing) {}

  std::string text(bool source_is_pinned) {
    widened();
    if (copies_for_layout()) {
      add("lay it out once before, or send the whole and slice on " + name(link().to));
    }
    if (step_.source && steps_[*step_.source].op == "pin_memory" && link().memory == LinkMemory::pinned) {
      add("pin_memory() copied it once more, and waits for that: for one transfer .to() alone is faster; pin "
          "a buffer "
          "that is sent again, or let the loader pin");
    }
    if (source_is_pinned && link().memory == LinkMemory::pageable) {
      add("the pinned memory is not used: what is sent is a copy of it in pageable memory");
    }
    if (link().blocking == Blocking::non_blocking) {
      if (link().to.is_host()) {
        add("non_blocking to the cpu: the elements are there only after torch.cuda.synchronize()");
      } else if (link().memory == LinkMemory::pageable) {
        add("non_blocking has nothing to gain from pageable memory: the call waits until the bytes are in "
            "the driver's "
            "own buffer");
      }
    }
    return std::move(text_);
  }

 private:
  [[nodiscard]] const Link& link() const { return *crossing_.link; }
  void add(const std::string& hint) { text_ += (text_.empty() ? "" : "; ") + hint; }

  /// Whether elements were put in order for the sake of the link alone.
  [[nodiscard]] bool copies_for_layout() const {
    return step_.from && crossing_.src_dtype == step_.from_dtype && crossing_.src &&
           crossing_.src->strides != step_.from->strides && step_.bytes_moved > 0;
  }

  /// The narrowest type that the elements had on this side of the link, on the way from step to step.
  void widened() {
    DType narrowest = crossing_.src_dtype;
    const Index count = numel(*crossing_.src);
    std::optional<std::size_t> by;
    if (step_.from) narrow(narrowest, by, step_.from_dtype, std::nullopt);
    for (std::optional<std::size_t> at = step_.source; at; at = steps_[*at].source) {
      const Step& before = steps_[*at];
      if (before.link || numel(before.layout) != count) break;
      const std::optional<std::size_t> source = before.source;
      const bool is_one_to_one = before.from && numel(*before.from) == count;
      if (is_one_to_one) narrow(narrowest, by, before.from_dtype, at);
      // An element-wise result does not say what it was made of; the step before it does.
      if (source && numel(steps_[*source].layout) == count) {
        narrow(narrowest, by, steps_[*source].dtype, at);
      }
    }
    if (narrowest == crossing_.src_dtype) return;
    add(message(name(crossing_.src_dtype), " crosses the link, ",
                item_size(crossing_.src_dtype) / item_size(narrowest), " x the bytes of the ",
                name(narrowest), " it was made of", by ? message(" in step ", *by + 1) : std::string(),
                ": send ", name(narrowest), " and convert on ", name(link().to)));
  }

  static void narrow(DType& narrowest, std::optional<std::size_t>& by, DType type,
                     std::optional<std::size_t> step) {
    if (item_size(type) >= item_size(narrowest)) return;
    narrowest = type;
    by = step;
  }

  const std::vector<Step>& steps_;
  const Step& step_;
  const LedgerEntry& crossing_;
  std::string text_;
};

}  // namespace

void Evaluator::note_transfer(Step& step, const Tensor* source) {
  const std::vector<LedgerEntry>& entries = ledger_.entries();
  const auto crossing = std::find_if(entries.begin(), entries.end(),
                                     [](const LedgerEntry& entry) { return entry.link.has_value(); });
  if (crossing == entries.end()) return;
  step.kind = StepKind::transfer;
  step.link = crossing->link;
  step.bytes_transferred = crossing->bytes_read;
  step.bytes_moved = step.bytes_filled = 0;
  step.reason = to_string(*step.link);
  for (const LedgerEntry& entry : entries) {
    if (entry.kind != LedgerKind::copy) continue;
    step.bytes_moved =
        saturating_add(step.bytes_moved, saturating_add(entry.bytes_read, entry.bytes_written));
    step.reason += "; one more copy, " + entry.reason;
  }
  step.hint = TransferHints(result_.steps, step, *crossing).text(source != nullptr && source->is_pinned());
}

}  // namespace tenstride::detail
