// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Arithmetic in place.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText in_place_texts[] = {
    {"abs_", R"(Takes the sign away, in place; gives the tensor itself.

>>> torch.tensor([-1, 2]).abs_()
tensor([1, 2])
)"},
    {"absolute_", R"(Takes the sign away in place: another name of `abs_`.

>>> torch.tensor([-1, 2]).absolute_()
tensor([1, 2])
)"},
    {"add_",
     R"(Adds a tensor or a number, `other` taken `alpha` times, in place; gives the tensor itself. Raises
RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold the
result.

>>> torch.arange(3).add_(1)
tensor([1, 2, 3])
)"},
    {"bitwise_and_",
     R"(Keeps the bits that `other` has too, in place; gives the tensor itself. Raises RuntimeError where
`other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.tensor([6, 5]).bitwise_and_(3)
tensor([2, 1])
)"},
    {"bitwise_not_", R"(Inverts all bits, in place; gives the tensor itself.

>>> torch.tensor([0, 5]).bitwise_not_()
tensor([-1, -6])
)"},
    {"bitwise_or_",
     R"(Adds the bits that `other` has, in place; gives the tensor itself. Raises RuntimeError where `other`
does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.tensor([6, 5]).bitwise_or_(3)
tensor([7, 7])
)"},
    {"bitwise_xor_",
     R"(Inverts the bits that `other` has, in place; gives the tensor itself. Raises RuntimeError where
`other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.tensor([6, 5]).bitwise_xor_(3)
tensor([5, 6])
)"},
    {"clamp_",
     R"(Moves the elements into the range from `min` to `max`, in place; gives the tensor itself. Raises
RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold the
result.

>>> torch.arange(5).clamp_(1, 3)
tensor([1, 1, 2, 3, 3])
)"},
    {"clamp_max_",
     R"(Lowers elements above `max` to it, in place; gives the tensor itself.

>>> torch.arange(4).clamp_max_(2)
tensor([0, 1, 2, 2])
)"},
    {"clamp_min_",
     R"(Raises elements below `min` to it, in place; gives the tensor itself.

>>> torch.arange(4).clamp_min_(2)
tensor([2, 2, 2, 3])
)"},
    {"clip_", R"(Moves the elements into the range from `min` to `max` in place: another name of `clamp_`.

>>> torch.arange(5).clip_(min=2)
tensor([2, 2, 2, 3, 4])
)"},
    {"div_",
     R"(Divides by a tensor or a number, rounded by `rounding_mode` as `div`, in place; gives the tensor
itself. Raises RuntimeError where `other` does not expand to this tensor's sizes, or this type
cannot hold the result.

>>> torch.ones(2).div_(2)
tensor([0.5000, 0.5000])
)"},
    {"divide_", R"(Divides by a tensor or a number in place: another name of `div_`.

>>> torch.ones(2).divide_(2)
tensor([0.5000, 0.5000])
)"},
    {"floor_divide_",
     R"(Divides by a tensor or a number and rounds down, in place; gives the tensor itself. Raises
RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold the
result.

>>> torch.tensor([7, -7]).floor_divide_(2)
tensor([ 3, -4])
)"},
    {"logical_and_", R"(Writes whether both are not zero, in place; gives the tensor itself.

>>> torch.tensor([0, 2]).logical_and_(torch.tensor([1, 1]))
tensor([0, 1])
)"},
    {"logical_not_", R"(Writes whether the element is zero, in place; gives the tensor itself.

>>> torch.tensor([0, 2]).logical_not_()
tensor([1, 0])
)"},
    {"logical_or_", R"(Writes whether one is not zero, in place; gives the tensor itself.

>>> torch.tensor([0, 2]).logical_or_(torch.tensor([0, 0]))
tensor([0, 1])
)"},
    {"logical_xor_", R"(Writes whether exactly one is not zero, in place; gives the tensor itself.

>>> torch.tensor([0, 2]).logical_xor_(torch.tensor([1, 1]))
tensor([1, 0])
)"},
    {"mul_",
     R"(Multiplies by a tensor or a number, in place; gives the tensor itself. Raises RuntimeError where
`other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.arange(3).mul_(2)
tensor([0, 2, 4])
)"},
    {"multiply_", R"(Multiplies by a tensor or a number in place: another name of `mul_`.

>>> torch.arange(3).multiply_(2)
tensor([0, 2, 4])
)"},
    {"neg_", R"(Changes the sign, in place; gives the tensor itself.

>>> torch.arange(3).neg_()
tensor([ 0, -1, -2])
)"},
    {"negative_", R"(Changes the sign in place: another name of `neg_`.

>>> torch.arange(3).negative_()
tensor([ 0, -1, -2])
)"},
    {"pow_",
     R"(Raises to the power of a tensor or a number, in place; gives the tensor itself. Raises RuntimeError
where `other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.arange(3).pow_(2)
tensor([0, 1, 4])
)"},
    {"remainder_",
     R"(Leaves the remainder of `floor_divide`, in place; gives the tensor itself. Raises RuntimeError where
`other` does not expand to this tensor's sizes, or this type cannot hold the result.

>>> torch.tensor([7, -7]).remainder_(3)
tensor([1, 2])
)"},
    {"square_",
     R"(Multiplies the elements by themselves, in place; gives the tensor itself. Raises RuntimeError for bool.

>>> torch.tensor([-2, 3]).square_()
tensor([4, 9])
)"},
    {"sub_",
     R"(Subtracts a tensor or a number, `other` taken `alpha` times, in place; gives the tensor itself.
Raises RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold
the result.

>>> torch.arange(3).sub_(1)
tensor([-1,  0,  1])
)"},
    {"subtract_", R"(Subtracts a tensor or a number in place: another name of `sub_`.

>>> torch.arange(3).subtract_(1)
tensor([-1,  0,  1])
)"},
    {"true_divide_",
     R"(Divides by a tensor or a number, without rounding, in place; gives the tensor itself. Raises
RuntimeError where `other` does not expand to this tensor's sizes, or this type cannot hold the
result.

>>> torch.ones(2).true_divide_(4)
tensor([0.2500, 0.2500])
)"},
};
static_assert(is_sorted(in_place_texts));

}  // namespace

std::span<const OperationText> texts_of_in_place() {
  return in_place_texts;
}

}  // namespace tenstride::python
