// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operations/run.hpp"
#include "operations/schema.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/operations/value.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/pattern/pattern.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/tensor/factory.hpp"

/// The operations of the notation as one table, and how arguments find their parameters.
namespace tenstride::detail {

/// The text asks for what does not exist: an unknown name, a wrong argument. Becomes a Failure.
struct NotationError {
  std::string type;
  std::string message;
  TextRange range;
};

struct Argument {
  Value value;
  TextRange range;
  std::string keyword;
};

/// How an operation's result stands to its first tensor; the step's kind follows from it and from what
/// happened.
enum class OpClass : unsigned char {
  query,         ///< no tensor comes back
  fresh,         ///< a factory or an element-wise result
  view,          ///< always a view
  view_or_self,  ///< a view, or the very same tensor where nothing changes
  view_or_copy,  ///< a view where possible
  self_or_copy,  ///< the very same tensor, or a copy
  copy,          ///< always a copy
  in_place,      ///< the tensor itself, written to or changed
};

// As the tables of operations say them.
inline constexpr auto fresh = OpClass::fresh;
inline constexpr auto view = OpClass::view;
inline constexpr auto copy = OpClass::copy;
inline constexpr auto in_place = OpClass::in_place;

/// The longest list that an expression makes.
inline constexpr Index max_items = 1'000'000;

/// Where an operation can be called: `x.op()`, `torch.op(x)`, `x.op`. Added together.
enum Form : unsigned { method = 1, function = 2, both = 3, attribute = 4 };

/// Whether the function, not the method, takes a tensor as `out` that its result is written to.
enum class OutRule : unsigned char {
  none,      ///< no, or the schema says so and `run` sees to it
  same,      ///< yes, one of the result's element type
  castable,  ///< or of a higher kind: float32 for int64, not int64 for float32
  reduced,   ///< of the result's type, and it may be a part of what is read
  copied,    ///< of the result's type, and it may be anything that is read
  apart,     ///< of the result's type, and it must not share memory with what is read
};

/// An operation: what it is called with, what it does, and what of it users read.
struct Operation {
  Operation(std::string_view schema_text, unsigned forms, OpClass kind, const Run& function,
            std::string_view description)
      : Operation(schema_text, forms, kind, function, OutRule::none, description) {}
  Operation(std::string_view schema_text, unsigned forms, OpClass kind, const Run& function, OutRule rule,
            std::string_view description);

  /// A function that takes `out` by its rule has it as its last parameter, and no method has it.
  [[nodiscard]] TENSTRIDE_API std::span<const Parameter> parameters(bool is_method) const;

  Schema schema;
  /// How many parameters may be given by position.
  std::size_t by_position = 0;
  std::string_view name;
  unsigned form;
  OpClass op_class;
  Run run;
  OutRule out;
  /// What it does, what it refuses, and an example that is run as a test, for docstrings and the reference.
  std::string_view text;
  bool draws_numbers = false;
  /// Whether the entries that it gives are a Size, not a tuple.
  bool gives_size = false;
  /// The direct function of a call without arguments, and its slots; null where there is none.
  const Direct* plain = nullptr;
  std::vector<Slot> plain_slots;
};

/// What lives as long as one evaluation.
struct Session {
  Device device = Device::cpu;
  /// Whether a tensor may go to a device that has no memory here.
  AbsentDevice absent = AbsentDevice::refuse;
  Generator generator{0};
};

/// One call under way: the tensor it begins with and its arguments, each where its parameter stands.
class Call {
 public:
  TENSTRIDE_API Call(const Operation& operation, Session& session, TextRange range, std::optional<Value> self,
                     std::vector<Argument> arguments);

  /// Carries the operation out, and puts its result into `out` where the operation's rule takes one.
  TENSTRIDE_API Value run();
  /// Factories that are not told a device make their tensors there.
  void set_default_device(Device device) noexcept { default_device_ = device; }

  [[nodiscard]] const Operation& operation() const noexcept { return operation_; }
  [[nodiscard]] Session& session() const noexcept { return session_; }
  [[nodiscard]] const Value& self_value() const noexcept { return *self_; }
  [[nodiscard]] const Tensor& self() const { return *std::as_const(*self_).tensor(); }
  [[nodiscard]] Tensor& mutable_self() { return *self_->tensor(); }
  [[nodiscard]] bool has_self() const noexcept { return self_.has_value() && self_->tensor() != nullptr; }

  /// Whether the parameter was given, be it as None.
  [[nodiscard]] bool was_given(std::size_t parameter) const { return bound_[parameter].has_value(); }
  /// Whether the parameter was given, and not as None.
  [[nodiscard]] bool has(std::size_t parameter) const;
  [[nodiscard]] bool is_optional(std::size_t parameter) const { return parameters_[parameter].is_optional(); }
  /// How many parameters stand up to the last one that was given, and not as None; `out` is not counted.
  [[nodiscard]] std::size_t count_given() const;
  [[nodiscard]] const Value& value(std::size_t parameter) const;
  /// Where it is not given, the number that the schema has for that; likewise below.
  [[nodiscard]] Index index(std::size_t parameter) const;
  [[nodiscard]] Index index(std::size_t parameter, Index otherwise) const;
  [[nodiscard]] std::optional<Index> maybe_index(std::size_t parameter) const;
  /// A tuple, list or Size of ints; no single int: `unflatten(1, 3)` is a TypeError.
  [[nodiscard]] Dims dims(std::size_t parameter) const;
  /// The sizes, where PyTorch takes a single int for a list of one: `sum(0)`.
  [[nodiscard]] Dims dims_or_index(std::size_t parameter) const;
  [[nodiscard]] bool is_index(std::size_t parameter) const;
  [[nodiscard]] bool is_tensor(std::size_t parameter) const;
  [[nodiscard]] bool is_dtype(std::size_t parameter) const;
  /// Whether the first parameter was spelled out: `broadcast_shapes(2, 3)`, not `broadcast_shapes((2, 3))`.
  [[nodiscard]] bool is_spread() const noexcept { return is_spread_; }
  [[nodiscard]] const Tensor& tensor(std::size_t parameter) const;
  /// The tensor, to be written to.
  [[nodiscard]] Tensor& mutable_tensor(std::size_t parameter);
  [[nodiscard]] TENSTRIDE_API std::vector<Tensor> tensors(std::size_t parameter) const;
  [[nodiscard]] Scalar number(std::size_t parameter) const;
  [[nodiscard]] double real(std::size_t parameter) const;
  [[nodiscard]] bool flag(std::size_t parameter) const;
  [[nodiscard]] bool flag(std::size_t parameter, bool otherwise) const;
  [[nodiscard]] Operand operand(std::size_t parameter) const;
  /// The tensor, or the number in its place.
  [[nodiscard]] Operand first_operand() const;
  [[nodiscard]] std::string text(std::size_t parameter) const;
  [[nodiscard]] std::optional<std::string> maybe_text(std::size_t parameter) const;
  [[nodiscard]] std::optional<DType> dtype(std::size_t parameter) const;
  /// A device, its name, or an int: so many of cuda.
  [[nodiscard]] std::optional<Device> device(std::size_t parameter) const;
  /// The device for a fresh tensor: the parameter's, or what stands for it in a forecast, or `otherwise`.
  /// Throws RuntimeError for one without memory here, where nothing is foretold and no ledger is open.
  [[nodiscard]] Device device_for_fresh(std::size_t parameter, Device otherwise) const;
  /// What a factory makes: the dtype at that parameter, the device at the next one. Both are those of `out`
  /// where that is given; throws RuntimeError where they are said to be others.
  [[nodiscard]] TensorOptions fresh_options(std::size_t parameter) const;
  /// The device that is named, or the one that factories use.
  [[nodiscard]] std::optional<Device> fresh_device(std::size_t parameter) const;
  /// What makes the like of the tensor: dtype, device, memory format from that parameter on.
  [[nodiscard]] LikeOptions like_options(std::size_t parameter) const;
  /// Which parameter is `out`, where it is given and not None.
  [[nodiscard]] std::optional<std::size_t> out_parameter() const;
  [[nodiscard]] std::optional<MemoryFormat> maybe_format(std::size_t parameter) const;
  [[nodiscard]] MemoryFormat format(std::size_t parameter) const;
  /// What `**` took.
  [[nodiscard]] const std::vector<AxisSize>& sizes() const noexcept { return sizes_; }
  /// Numbers in lists of lists, as elements of `dtype` take them; tensors among them stand for one number
  /// each.
  [[nodiscard]] Nested nested(std::size_t parameter, std::optional<DType> dtype) const;
  [[noreturn]] void fail_type(std::size_t parameter, std::string_view wanted) const;

 private:
  void bind(std::vector<Argument> arguments);
  void take_self(std::vector<Argument>& arguments);
  bool take_spread(std::vector<Argument>& arguments);
  bool take_size(const Argument& argument);
  void require_ours(std::size_t parameter) const;
  [[nodiscard]] std::vector<Tensor> read_tensors(std::size_t out) const;
  void write_out(Tensor& out, const Tensor& made, OutRule rule, std::size_t parameter) const;
  [[nodiscard]] Device place(Device given, Device otherwise) const;
  [[noreturn]] void fail(std::string_view what, TextRange range) const;
  [[nodiscard]] std::string names() const;

  const Operation& operation_;
  Session& session_;
  TextRange range_;
  std::optional<Value> self_;
  bool is_method_;
  bool is_spread_ = false;
  std::optional<Device> default_device_;
  std::span<const Parameter> parameters_;
  std::vector<std::optional<Argument>> bound_;
  std::vector<AxisSize> sizes_;
};

/// The tables, each in its own file.
std::vector<Operation> view_operations();
std::vector<Operation> part_operations();
std::vector<Operation> conversion_operations();
std::vector<Operation> copy_operations();
std::vector<Operation> view_copy_operations();
std::vector<Operation> notation_operations();
std::vector<Operation> factory_operations();
std::vector<Operation> random_operations();
std::vector<Operation> query_operations();
std::vector<Operation> attribute_operations();
std::vector<Operation> comparison_operations();
std::vector<Operation> arithmetic_operations();
std::vector<Operation> reduction_operations();
std::vector<Operation> in_place_operations();
std::vector<Operation> selection_operations();
std::vector<Operation> scatter_operations();

/// A tensor among lists of numbers, where `lengths` of lists are expected from its level on: without any one
/// number (TypeError, ValueError and RuntimeError where elements of `dtype` do not take it, by PyTorch's
/// rules), else its rows. Example: in `tensor([[1, 2], x])` x stands where a list of 2 is expected.
TENSTRIDE_API Nested nested_tensor(const Tensor& x, std::span<const Index> lengths,
                                   std::optional<DType> dtype);
/// The type in which numbers and tensors in lists meet; nothing where there is no tensor.
std::optional<DType> dtype_of_tensors(const Value& data);

/// A number, or that in a tensor of rank 0. Throws RuntimeError for a tensor with axes.
Scalar value_of(const Call& call, std::size_t parameter);
/// The tensor given as that parameter, made ready for `fill` in the sizes: what `fill` refuses of a tensor of
/// that type is refused before anything changes.
template <typename Fill>
Value fill_out(Call& call, std::size_t out, const Dims& size, const Fill& fill) {
  Tensor& result = call.mutable_tensor(out);
  static_cast<void>(result.mutable_storage_data());  // refuses a read-only tensor
  Tensor nothing = empty(Dims::filled(std::max<std::size_t>(size.size(), 1), 0),
                         {.dtype = result.dtype(), .device = result.device()});
  fill(nothing);
  result.resize_(size);
  fill(result);
  return call.value(out);
}
/// The numbers in a row that a factory has made, or `out` with them: in its own shape where it has as many
/// elements.
Value numbers_into_out(Call& call, Tensor numbers);

/// What the call did: its class, and what came of it.
TENSTRIDE_API StepKind kind_of(const Call& call, const Tensor& result);

/// Whether `x.name = value` writes to elements: of real and imag alone.
TENSTRIDE_API bool is_part(std::string_view name);
/// `x.real` or `x.imag`. Throws RuntimeError for imag of a real tensor.
TENSTRIDE_API Tensor part_of(const Tensor& x, std::string_view name);
/// `x.real = value` and `x.imag = value`: the value, a number or a tensor that broadcasts, is converted to
/// the part's type. Gives the view that was written to. Throws TypeError for any other value.
TENSTRIDE_API Tensor write_part(const Tensor& x, std::string_view name, const Value& value);

/// The operation of that name that can be called so, or null.
TENSTRIDE_API const Operation* find_operation(std::string_view name, Form form);
/// All names that can be called so, in order.
TENSTRIDE_API std::vector<std::string> operation_names(Form form);

/// "float32", "channels_last", "pi" and the like: what stands behind `torch.` and is no function.
const std::vector<std::string>& constant_names();

/// An int, or the int in a tensor of one integer element; nothing for any other value.
std::optional<Index> to_index(const Value& value);
std::vector<Value> to_values(std::vector<Tensor> tensors);
/// A list of tensors as a tuple.
Value tuple_value(std::vector<Tensor> tensors);

}  // namespace tenstride::detail
