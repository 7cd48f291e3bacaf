// SPDX-License-Identifier: Apache-2.0
// From an expression to what a picture of it shows: the tensors, the storages, and where elements came from.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/message.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/picture/picture.hpp"

namespace tenstride {
namespace {

/// Storages up to this size are kept as they are at each step, so that a later write does not show earlier.
constexpr std::size_t max_bytes_kept = std::size_t{1} << 16;
/// Copies of up to so many elements are followed element by element.
constexpr Index max_followed = 4096;

std::string name_of_storage(std::size_t number) {
  std::string name(1, static_cast<char>('A' + number % 26));
  return number < 26 ? name : name + std::to_string(number / 26);
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// The tensor as it is now.
std::optional<Tensor> as_it_is(const Tensor& tensor) {
  if (!tensor.has_memory() || tensor.is_complex()) return std::nullopt;
  if (tensor.storage().nbytes() > max_bytes_kept || tensor.storage().nbytes() % tensor.element_size() != 0)
    return tensor;
  return Tensor(tensor.flat_storage().clone().storage(), tensor.layout(), tensor.dtype());
}

/// Operations that leave the n-th element the n-th, whether they copy or not.
bool keeps_order(std::string_view op) {
  static constexpr std::array<std::string_view, 19> names{
      "contiguous", "clone", "to",   "reshape", "reshape_as", "flatten", "ravel", "float",   "double", "half",
      "bfloat16",   "int",   "long", "short",   "char",       "byte",    "bool",  "type_as", "type"};
  return std::find(names.begin(), names.end(), op) != names.end();
}

/// Where each position of the copy came from, as its plan has it; empty where the plan is not one that reads
/// the one source alone.
std::map<Index, Index> followed(const Step& step) {
  std::map<Index, Index> moved;
  if (step.plans.size() != 1 || step.plan_count != 1 || step.plans[0].count != numel(step.layout))
    return moved;
  const Index count = step.plans[0].count;
  if (count > max_followed) return moved;
  const Nest nest = step.plans[0].in_elements();
  for (Index n = 0; n < count / nest.elements; ++n) {
    Index dst = nest.dst_offset;
    Index src = nest.src_offset;
    Index rest = n;
    for (std::size_t i = nest.size(); i-- > 0;) {
      dst += rest % nest[i].extent * nest[i].dst_stride;
      src += rest % nest[i].extent * nest[i].src_stride;
      rest /= nest[i].extent;
    }
    for (Index item = 0; item < nest.elements; ++item) moved[dst + item] = src + item;
  }
  if (static_cast<Index>(moved.size()) != count) moved.clear();
  return moved;
}

class Story {
 public:
  Story(std::string_view expression, const ExplainOptions& options)
      : expression_(expression), options_(options) {}

  Picture run() {
    try {
      const Program program = Program::parse(expression_);
      Evaluation forecast =
          evaluate(program, {.inputs = on_meta(), .device = Device::meta, .open_file = options_.open_file});
      const bool is_large = forecast.totals.peak_bytes > options_.max_bytes;
      const auto watch = [this](const Step&, const Tensor& tensor) {
        tensors_.push_back({tensor, as_it_is(tensor)});
      };
      inputs_ = is_large ? on_meta() : options_.inputs;
      const Device device = is_large ? Device::meta : Device::cpu;
      evaluation_ = evaluate(program, {.inputs = inputs_,
                                       .device = device,
                                       .absent = AbsentDevice::foretell,
                                       .on_step = watch,
                                       .open_file = options_.open_file});
    } catch (const ParseError& error) {
      picture_.error = detail::message("SyntaxError: ", error.what());
      picture_.is_wrong_notation = true;
      return std::move(picture_);
    }
    for (const auto& [name, tensor] : inputs_) add_input(name, tensor);
    for (std::size_t i = 0; i < evaluation_.steps.size(); ++i) add_step(i);
    if (evaluation_.failure) add_failure(*evaluation_.failure);
    return std::move(picture_);
  }

 private:
  struct Seen {
    Tensor tensor;
    std::optional<Tensor> values;
  };

  [[nodiscard]] std::map<std::string, Tensor> on_meta() const {
    std::map<std::string, Tensor> result;
    for (const auto& [name, tensor] : options_.inputs) {
      result.emplace(name, Tensor(tensor.storage().without_memory(), tensor.layout(), tensor.dtype()));
    }
    return result;
  }

  std::size_t storage_of(const Tensor& tensor) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (known_[i].shares_storage(tensor)) return i;
    }
    known_.push_back(tensor);
    picture_.storages.push_back({name_of_storage(picture_.storages.size()),
                                 static_cast<Index>(tensor.storage().nbytes()), std::nullopt});
    return known_.size() - 1;
  }

  void add_input(const std::string& name, const Tensor& tensor) {
    PictureTensor shown;
    shown.title = name;
    shown.layout = tensor.layout();
    shown.dtype = tensor.dtype();
    shown.storage = storage_of(tensor);
    shown.values = as_it_is(options_.inputs.at(name));
    picture_.tensors.push_back(std::move(shown));
    storage_of_input_.push_back(picture_.tensors.back().storage);
    if (first_link_) return;
    first_link_ = true;
    picture_.chains.push_back({name, Chain(tensor.layout())});
  }

  /// The call with what stands before it in its statement, where that is a name or a factory's name only.
  [[nodiscard]] std::string title(TextRange range) const {
    std::size_t begin = range.begin;
    while (begin > 0 && is_part_of_title(expression_[begin - 1])) --begin;
    const std::string_view before = expression_.substr(begin, range.begin - begin);
    const bool opens =
        begin > 0 && std::string_view("([{,").find(expression_[begin - 1]) != std::string_view::npos;
    const bool follows_call =
        begin > 0 && std::string_view(")]}").find(expression_[begin - 1]) != std::string_view::npos;
    if (opens || follows_call || before.find("==") != std::string_view::npos) begin = range.begin;
    std::string text(expression_.substr(begin, range.end - begin));
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\t', ' ');
    while (!text.empty() && is_blank(text.front())) text.erase(0, 1);
    return text;
  }
  static bool is_part_of_title(char c) {
    return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_' || c == '.' || c == '=' || c == ' ';
  }

  /// "torch.arange(12).view(3,4)" is one tensor to everyone.
  [[nodiscard]] bool shapes_a_range(const Step& step, std::size_t number) const {
    if (step.op != "view" && step.op != "reshape") return false;
    if (step.kind != StepKind::view || !step.source || *step.source + 1 != number) return false;
    const Step& made = evaluation_.steps[*step.source];
    return (made.op == "arange" || made.op == "linspace") && made.range.end == step.range.begin;
  }

  void add_step(std::size_t number) {
    const Step& step = evaluation_.steps[number];
    const Seen& seen = tensors_[number];
    PictureTensor shown;
    shown.title = title(step.range);
    shown.kind = step.kind;
    shown.layout = step.layout;
    shown.dtype = step.dtype;
    shown.values = seen.values;
    shown.bytes_moved = step.bytes_moved;
    shown.bytes_transferred = step.bytes_transferred;
    shown.hint = step.hint.substr(0, step.hint.find('\n'));
    shown.step = number;
    const std::size_t known = known_.size();
    shown.storage = storage_of(seen.tensor);
    if (shown.storage == known) picture_.storages.back().origin = origin_of(step);
    if (shapes_a_range(step, number)) {
      shown.title = title({evaluation_.steps[*step.source].range.begin, step.range.end});
      shown.kind = StepKind::fresh;
      picture_.tensors.back() = std::move(shown);
      if (!picture_.chains.empty())
        picture_.chains.back() = {picture_.tensors.back().title, Chain(step.layout)};
      return;
    }
    for (std::size_t i = 0; i < step.plans.size(); ++i) {
      const std::string which = step.plans.size() > 1 ? detail::message(", plan ", i + 1) : "";
      picture_.copies.push_back({shown.title + which, step.plans[i], number});
    }
    add_link(step, shown.title);
    picture_.tensors.push_back(std::move(shown));
  }

  /// A chain is drawn from where the last tensor came from that layout operations did not make.
  void add_link(const Step& step, const std::string& title) {
    if (step.chain && !picture_.chains.empty()) {
      picture_.chains.push_back({title, *step.chain});
    } else if (step.kind == StepKind::fresh || !step.chain) {
      picture_.chains.assign(1, {title, Chain(step.layout)});
    }
  }

  [[nodiscard]] std::optional<PictureOrigin> origin_of(const Step& step) const {
    if (step.kind != StepKind::copy || !step.from) return std::nullopt;
    PictureOrigin origin;
    if (step.source) {
      const auto at = std::find_if(known_.begin(), known_.end(), [&](const Tensor& tensor) {
        return tensor.shares_storage(tensors_[*step.source].tensor);
      });
      origin.storage = static_cast<std::size_t>(at - known_.begin());
    } else if (storage_of_input_.size() == 1) {
      origin.storage = storage_of_input_[0];
    } else {
      return std::nullopt;
    }
    origin.from = *step.from;
    origin.from_dtype = step.from_dtype;
    origin.to = step.layout;
    origin.to_dtype = step.dtype;
    if (keeps_order(step.op) && numel(origin.from) == numel(origin.to)) return origin;
    origin.moved = followed(step);
    if (origin.moved.empty()) return std::nullopt;
    return origin;
  }

  void add_failure(const Failure& failure) {
    if (failure.obstacle) {
      PictureRefusal refusal;
      refusal.title = title(failure.range);
      refusal.obstacle = *failure.obstacle;
      refusal.dtype = failure.dtype;
      refusal.step = evaluation_.steps.size();
      if (failure.source) {
        refusal.storage = storage_of(tensors_[*failure.source].tensor);
      } else if (!storage_of_input_.empty()) {
        refusal.storage = storage_of_input_[0];
      }
      picture_.refusal = std::move(refusal);
    }
    const std::string message = failure.message.substr(0, failure.message.find('\n'));
    picture_.error = detail::message(failure.type, ": ", message);
    picture_.is_wrong_notation = failure.cause == Failure::Cause::notation;
  }

  std::string_view expression_;
  const ExplainOptions& options_;
  std::map<std::string, Tensor> inputs_;
  Evaluation evaluation_;
  std::vector<Seen> tensors_;
  /// One tensor for each storage of the picture.
  std::vector<Tensor> known_;
  std::vector<std::size_t> storage_of_input_;
  bool first_link_ = false;
  Picture picture_;
};

}  // namespace

Picture picture_of(std::string_view expression, const ExplainOptions& options) {
  return Story(expression, options).run();
}

Picture picture_of(const Tensor& tensor, std::string title) {
  Picture picture;
  picture.storages.push_back({"A", static_cast<Index>(tensor.storage().nbytes()), std::nullopt});
  PictureTensor shown;
  shown.title = std::move(title);
  shown.layout = tensor.layout();
  shown.dtype = tensor.dtype();
  shown.values = as_it_is(tensor);
  picture.chains.push_back({shown.title, Chain(tensor.layout())});
  picture.tensors.push_back(std::move(shown));
  return picture;
}

Picture picture_of(const Layout& layout, std::string title) {
  count_elements(layout.shape, "picture");
  const std::optional<Reach> touched = reach(layout, "picture");
  if (touched && touched->lowest < 0) {
    throw ValueError(detail::message("picture: the lowest position (", touched->lowest,
                                     ") must not lie before the storage (layout ", to_string(layout), ")"));
  }
  const Index length = touched ? checked_add(touched->highest, 1, "picture") : 0;
  Picture picture;
  const Index bytes = checked_multiply(length, static_cast<Index>(item_size(DType::float32)), "picture");
  picture.storages.push_back({"A", bytes, std::nullopt});
  PictureTensor shown;
  shown.title = std::move(title);
  shown.layout = layout;
  picture.chains.push_back({shown.title, Chain(layout)});
  picture.tensors.push_back(std::move(shown));
  return picture;
}

std::optional<PictureSubject> picture_subject(std::string_view name) {
  if (name == "tensors") return PictureSubject::tensors;
  if (name == "atoms") return PictureSubject::atoms;
  if (name == "walk") return PictureSubject::walk;
  return std::nullopt;
}

}  // namespace tenstride
