// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <tuple>
#include <utility>

#include "operations/call.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/tensor/ops_views.hpp"

/// C++ functions as what operations run: the types that a function takes and gives say how its arguments are
/// read and what becomes of its result.
namespace tenstride::detail {

/// What a function of any kind takes, its object first.
template <typename Function>
struct FunctionFacts : FunctionFacts<decltype(&Function::operator())> {};
template <typename R, typename... A>
struct FunctionFacts<R (*)(A...)> {
  using Result = R;
  using Arguments = std::tuple<A...>;
};
template <typename R, typename... A>
struct FunctionFacts<R (*)(A...) noexcept> : FunctionFacts<R (*)(A...)> {};
template <typename R, typename C, typename... A>
struct FunctionFacts<R (C::*)(A...) const>
    : FunctionFacts<std::conditional_t<std::is_same_v<C, Tensor>, R (*)(const Tensor&, A...), R (*)(A...)>> {
};
template <typename R, typename C, typename... A>
struct FunctionFacts<R (C::*)(A...) const noexcept> : FunctionFacts<R (C::*)(A...) const> {};
template <typename R, typename... A>
struct FunctionFacts<R (Tensor::*)(A...)> : FunctionFacts<R (*)(Tensor&, A...)> {};

/// An enumeration of no and yes, which a bool says.
template <typename T>
concept Answer = std::is_enum_v<T> && requires {
  T::no;
  T::yes;
};

/// How an argument of that type is read. `has_slot` where slots can hold one; `takes_none` where it is no
/// argument of the operation.
template <typename T>
struct Reading;

template <SlotKind slot>
struct SlotReading {
  static constexpr bool has_slot = true, takes_none = false;
  static constexpr SlotKind kind = slot;
};
struct CallReading {
  static constexpr bool has_slot = false, takes_none = false;
  static constexpr SlotKind kind{};
};
struct NoReading {
  static constexpr bool has_slot = true, takes_none = true;
  static constexpr SlotKind kind{};
  static bool fits(const Call&, std::size_t) { return true; }
};

template <>
struct Reading<Index> : SlotReading<SlotKind::integer> {
  static Index from(Call& call, std::size_t i) { return call.index(i); }
  static Index from(const Slot& slot) { return slot.integer; }
  static bool fits(const Call& call, std::size_t i) { return call.is_index(i) || !call.has(i); }
};
template <>
struct Reading<std::optional<Index>> : SlotReading<SlotKind::maybe_integer> {
  static std::optional<Index> from(Call& call, std::size_t i) { return call.maybe_index(i); }
  static std::optional<Index> from(const Slot& slot) {
    return slot.is_given ? std::optional(slot.integer) : std::nullopt;
  }
  static bool fits(const Call& call, std::size_t i) { return call.is_index(i) || !call.has(i); }
};
template <>
struct Reading<Dims> : SlotReading<SlotKind::list> {
  static Dims from(Call& call, std::size_t i) { return call.dims(i); }
  static const Dims& from(const Slot& slot) { return *slot.list; }
  static bool fits(const Call& call, std::size_t i) {
    return call.has(i) && call.value(i).sequence() != nullptr;
  }
};
/// An int or a list of ints, none of them where nothing is given.
struct Ints : Dims {};
template <>
struct Reading<Ints> : SlotReading<SlotKind::ints> {
  static Ints from(Call& call, std::size_t i) {
    return {call.has(i) || !call.is_optional(i) ? call.dims_or_index(i) : Dims{}};
  }
  static Ints from(const Slot& slot) { return {slot.is_given ? *slot.list : Dims{}}; }
  static bool fits(const Call&, std::size_t) { return true; }
};
template <>
struct Reading<Tensor> : SlotReading<SlotKind::tensor> {
  static const Tensor& from(Call& call, std::size_t i) { return call.tensor(i); }
  static const Tensor& from(const Slot& slot) { return *slot.tensor; }
  static bool fits(const Call& call, std::size_t i) { return call.is_tensor(i); }
};
template <>
struct Reading<Operand> : SlotReading<SlotKind::operand> {
  static Operand from(Call& call, std::size_t i) { return call.operand(i); }
  static Operand from(const Slot& slot) {
    return slot.tensor != nullptr ? Operand(*slot.tensor) : Operand(slot.number());
  }
};
template <>
struct Reading<std::optional<Operand>> : SlotReading<SlotKind::maybe_operand> {
  static std::optional<Operand> from(Call& call, std::size_t i) {
    return call.has(i) ? std::optional(call.operand(i)) : std::nullopt;
  }
  static std::optional<Operand> from(const Slot& slot) {
    return slot.is_given ? std::optional(Reading<Operand>::from(slot)) : std::nullopt;
  }
};
template <>
struct Reading<Scalar> : SlotReading<SlotKind::number> {
  static Scalar from(Call& call, std::size_t i) { return call.number(i); }
  static Scalar from(const Slot& slot) { return slot.number(); }
};
template <>
struct Reading<double> : SlotReading<SlotKind::real> {
  static double from(Call& call, std::size_t i) { return call.real(i); }
  static double from(const Slot& slot) {
    return slot.is_real ? slot.real : static_cast<double>(slot.integer);
  }
};
template <>
struct Reading<bool> : SlotReading<SlotKind::flag> {
  static bool from(Call& call, std::size_t i) { return call.flag(i); }
  static bool from(const Slot& slot) { return slot.integer != 0; }
};
template <Answer T>
struct Reading<T> : SlotReading<SlotKind::flag> {
  static T from(Call& call, std::size_t i) { return call.flag(i) ? T::yes : T::no; }
  static T from(const Slot& slot) { return slot.integer != 0 ? T::yes : T::no; }
};
template <>
struct Reading<CopyRule> : SlotReading<SlotKind::flag> {
  static CopyRule from(Call& call, std::size_t i) {
    if (!call.has(i)) return CopyRule::if_needed;
    return call.flag(i) ? CopyRule::always : CopyRule::never;
  }
  static CopyRule from(const Slot& slot) {
    if (!slot.is_given) return CopyRule::if_needed;
    return slot.integer != 0 ? CopyRule::always : CopyRule::never;
  }
};
template <>
struct Reading<std::optional<DType>> : SlotReading<SlotKind::maybe_dtype> {
  static std::optional<DType> from(Call& call, std::size_t i) { return call.dtype(i); }
  static std::optional<DType> from(const Slot& slot) {
    return slot.is_given ? std::optional(slot.dtype) : std::nullopt;
  }
};
template <>
struct Reading<DType> : SlotReading<SlotKind::dtype> {
  static DType from(Call& call, std::size_t i) { return *call.dtype(i); }
  static DType from(const Slot& slot) { return slot.dtype; }
  static bool fits(const Call& call, std::size_t i) { return call.is_dtype(i); }
};
template <>
struct Reading<MemoryFormat> : SlotReading<SlotKind::format> {
  static MemoryFormat from(Call& call, std::size_t i) { return call.format(i); }
  static MemoryFormat from(const Slot& slot) { return slot.format; }
};
template <>
struct Reading<TensorList> : CallReading {
  static std::vector<Tensor> from(Call& call, std::size_t i) { return call.tensors(i); }
};
template <>
struct Reading<TensorOptions> : CallReading {
  static TensorOptions from(Call& call, std::size_t i) { return call.fresh_options(i); }
};
template <>
struct Reading<LikeOptions> : CallReading {
  static LikeOptions from(Call& call, std::size_t i) { return call.like_options(i); }
};
template <>
struct Reading<Generator> : NoReading {
  static constexpr bool has_slot = false;
  static Generator& from(Call& call, std::size_t) { return call.session().generator; }
};
template <>
struct Reading<Caller> : NoReading {
  static Caller from(Call&, std::size_t) { return {}; }
  static Caller from(const Slot&) { return {}; }
};

/// What a call gives for a function's result.
inline Value to_value(Call& call, const Tensor&) {  // what it has written to
  return call.self_value();
}
inline Value to_value(Call&, Tensor&& made) {
  return std::move(made);
}
inline Value to_value(Call&, std::vector<Tensor>&& parts) {
  return tuple_value(std::move(parts));
}
template <std::integral T>
Value to_value(Call&, T number) {
  if constexpr (std::is_same_v<T, bool>) return Value(Scalar(number));
  return Value(Scalar(static_cast<Index>(number)));
}
inline Value to_value(Call& call, const Dims& entries) {
  return call.operation().gives_size ? Value::size_of(entries) : Value::tuple_of(entries);
}
inline Value to_value(Call&, const Scalar& number) {
  return Value(number);
}
Value to_value(Call&, Lists lists);
inline Value to_value(Call&, DType dtype) {
  return Value(Value::Variant(dtype));
}
inline Value to_value(Call&, Device device) {
  return Value(Value::Variant(device));
}

/// What a direct call gives for a function's result: the result itself, but nothing for what was written to.
template <typename R>
using DirectResult = std::conditional_t<
    std::is_same_v<R, Tensor&>, void,
    std::conditional_t<std::is_same_v<R, const Dims&>, const Dims*,
                       std::conditional_t<std::is_integral_v<R> && !std::is_same_v<R, bool>, Index,
                                          std::remove_cvref_t<R>>>>;

/// `std::invoke`, of which nothing is left also where code is compiled to be small.
template <auto function, typename First, typename... Rest>
[[gnu::always_inline]] inline decltype(auto) invoke_here(First&& first, Rest&&... rest) {
  if constexpr (std::is_member_function_pointer_v<decltype(function)>) {
    return (std::forward<First>(first).*function)(std::forward<Rest>(rest)...);
  } else {
    return function(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
}

/// A function whose first argument is the operation's tensor, where it has one.
template <bool has_self, auto function>
struct Bound {
  using Facts = FunctionFacts<std::remove_cv_t<decltype(function)>>;
  using Arguments = typename Facts::Arguments;
  using Result = DirectResult<typename Facts::Result>;
  static constexpr std::size_t first = has_self ? 1 : 0;
  using Indices = std::make_index_sequence<std::tuple_size_v<Arguments> - first>;
  template <std::size_t i>
  using ReadingOf = Reading<std::remove_cvref_t<std::tuple_element_t<i + first, Arguments>>>;

  /// How many parameters stand in front of argument `i`.
  template <std::size_t i>
  static constexpr std::size_t place = []<std::size_t... k>(std::index_sequence<k...>) {
    return (std::size_t{0} + ... + (ReadingOf<k>::takes_none ? 0 : 1));
  }
  (std::make_index_sequence<i>());
  static constexpr std::size_t count = place<std::tuple_size_v<Arguments> - first>;

  static Value of_call(Call& call) {
    const auto run = [&]<std::size_t... i>(std::index_sequence<i...>)->decltype(auto) {
      if constexpr (!has_self) {
        return std::invoke(function, ReadingOf<i>::from(call, place<i>)...);
      } else {
        return std::invoke(function, self_of(call), ReadingOf<i>::from(call, place<i>)...);
      }
    };
    return to_value(call, run(Indices()));
  }
  static decltype(auto) self_of(Call& call) {
    using Self = std::tuple_element_t<0, Arguments>;
    if constexpr (std::is_same_v<Self, const Operand&>) {
      return call.first_operand();
    } else if constexpr (std::is_same_v<Self, Tensor&>) {
      return (call.mutable_self());
    } else {
      return (call.self());
    }
  }

  /// Whether the arguments are of its types: of one of several functions.
  static bool fits(const Call& call) {
    const auto all_fit = [&]<std::size_t... i>(std::index_sequence<i...>) {
      return (true && ... && ReadingOf<i>::fits(call, place<i>));
    };
    return call.count_given() <= count && all_fit(Indices());
  }

  static Result of_slots([[maybe_unused]] Tensor* self, [[maybe_unused]] const Slot* slots) {
    const auto run = [&]<std::size_t... i>(std::index_sequence<i...>)->Result {
      if constexpr (!has_self) {
        return std::invoke(function, ReadingOf<i>::from(slots[place<i>])...);
      } else if constexpr (std::is_void_v<Result>) {
        invoke_here<function>(*self, ReadingOf<i>::from(slots[place<i>])...);
      } else if constexpr (std::is_pointer_v<Result>) {
        return &invoke_here<function>(std::as_const(*self), ReadingOf<i>::from(slots[place<i>])...);
      } else {
        return static_cast<Result>(
            invoke_here<function>(std::as_const(*self), ReadingOf<i>::from(slots[place<i>])...));
      }
    };
    return run(Indices());
  }
  template <std::size_t i>
  static constexpr void add_kind(Direct& made) {
    if constexpr (!ReadingOf<i>::takes_none) {
      made.takes[place<i>] = ReadingOf<i>::kind;
      constexpr SlotKind kind = ReadingOf<i>::kind;
      made.are_integers = made.are_integers && (kind == SlotKind::integer || kind == SlotKind::maybe_integer);
    }
  }
  /// What slots can hold of it, if they can.
  static constexpr std::optional<Direct> direct() {
    const auto make = []<std::size_t... i>(std::index_sequence<i...>)->std::optional<Direct> {
      if constexpr ((true && ... && ReadingOf<i>::has_slot) && count <= Direct::most &&
                    requires(Direct made) { made.function = of_slots; }) {
        // Set where it is made: to assign it is no constant expression by Clang with GCC 12's library.
        Direct made{.count = count, .function = of_slots};
        (add_kind<i>(made), ...);
        return made;
      }
      return std::nullopt;
    };
    return make(Indices());
  }
};

/// The first of the functions whose types the arguments have, or the last one, which says what is wrong.
template <bool has_self, auto function, auto... others>
Value run_fitting(Call& call) {
  if constexpr (sizeof...(others) > 0) {
    if (!Bound<has_self, function>::fits(call)) return run_fitting<has_self, others...>(call);
  }
  return Bound<has_self, function>::of_call(call);
}

/// The functions that slots can hold the arguments of.
template <bool has_self, auto... functions>
struct Directs {
  std::array<Direct, sizeof...(functions)> all{};
  std::size_t count = 0;

  constexpr Directs() {
    for (const std::optional<Direct>& direct : {Bound<has_self, functions>::direct()...}) {
      if (direct) all[count++] = *direct;
    }
  }
};
template <bool has_self, auto... functions>
constexpr Directs<has_self, functions...> directs;
template <bool has_self, auto... functions>
constexpr std::span<const Direct> direct_span{directs<has_self, functions...>.all.data(),
                                              directs<has_self, functions...>.count};

/// A function of the tensor that the operation is called on, or several that differ in what they take beside.
template <auto... functions>
constexpr Run runs{run_fitting<true, functions...>, direct_span<true, functions...>};
/// A function that gives a new tensor unless another one, which is asked first, says that the very same
/// tensor is the result.
template <auto is_itself, auto function>
Value make_or_itself(Call& call) {
  const bool is_same = Bound<true, is_itself>::of_call(call).number()->template to<bool>();
  return is_same ? call.self_value() : Bound<true, function>::of_call(call);
}
template <auto is_itself, auto function>
constexpr std::array<Direct, 1> direct_or_itself = [] {
  const Direct made = *Bound<true, function>::direct();
  return std::array{Direct{made.takes, made.count, made.are_integers,
                           MadeOrItself{Bound<true, is_itself>::of_slots, Bound<true, function>::of_slots}}};
}();
template <auto is_itself, auto function>
constexpr Run runs_unless{make_or_itself<is_itself, function>, direct_or_itself<is_itself, function>};
/// A function of the parameters alone: of an operation without `self`.
template <auto... functions>
constexpr Run makes{run_fitting<false, functions...>, direct_span<false, functions...>};
/// A function of the call, and others that do the same where they are given no more than they take.
template <Value (*call)(Call&), auto... functions>
constexpr Run runs_or{call, direct_span<true, functions...>};
template <Value (*call)(Call&), auto... functions>
constexpr Run makes_or{call, direct_span<false, functions...>};

}  // namespace tenstride::detail
