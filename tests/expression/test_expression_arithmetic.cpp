// SPDX-License-Identifier: Apache-2.0
// Arithmetic in the notation: operators as Python binds them, operations as PyTorch calls them.
#include <gtest/gtest.h>

#include "tenstride/expression/expression.hpp"

namespace tenstride {
namespace {

std::string shown(std::string_view text) {
  const Evaluation result = evaluate(Program::parse(text), {});
  if (result.failure) return result.failure->type + ": " + result.failure->message;
  return result.value.str();
}

TEST(NotationArithmetic, HasPythonsOperators) {
  EXPECT_EQ(shown("arange(4) + 1"), "tensor([1, 2, 3, 4])");
  EXPECT_EQ(shown("1 - arange(3)"), "tensor([ 1,  0, -1])");
  EXPECT_EQ(shown("2 * arange(3) * 0.5"), "tensor([0., 1., 2.])");
  EXPECT_EQ(shown("1 / tensor([2, 4])"), "tensor([0.5000, 0.2500])");
  EXPECT_EQ(shown("tensor([-7, 7]) // 2"), "tensor([-4,  3])");
  EXPECT_EQ(shown("7 % tensor([-4, 4])"), "tensor([-1,  3])");
  EXPECT_EQ(shown("2 ** arange(4) ** 2"), "tensor([  1,   2,  16, 512])");
  EXPECT_EQ(shown("-arange(3) + +arange(3)"), "tensor([0, 0, 0])");
  EXPECT_EQ(shown("~tensor([True, False])"), "tensor([False,  True])");
  EXPECT_EQ(shown("abs(tensor([-1.5]))"), "tensor([1.5000])");
}

TEST(NotationArithmetic, BindsBitsAsPythonDoes) {
  EXPECT_EQ(shown("x = arange(6); x[(x > 1) & (x < 4) | (x == 5)]"), "tensor([2, 3, 5])");
  EXPECT_EQ(shown("1 | 2 ^ 3 & 2 + 1"), "1");
  EXPECT_EQ(shown("~5 & 7"), "2");
  EXPECT_EQ(shown("True ^ True"), "False");
  EXPECT_EQ(shown("True | 2"), "3");
  EXPECT_EQ(shown("1.5 & 1"), "TypeError: '&' is not defined between float and int");
  EXPECT_EQ(shown("~1.5"), "TypeError: '~' is not defined for float");
}

TEST(NotationArithmetic, WritesAugmentedAssignmentsInPlace) {
  EXPECT_EQ(shown("x = arange(4); y = x.view(2, 2); x += 10; y"), "tensor([[10, 11],\n        [12, 13]])");
  EXPECT_EQ(shown("x = arange(4).view(2, 2); x[0] *= 5; x.t()[1] -= 1; x"),
            "tensor([[0, 4],\n        [2, 2]])");
  EXPECT_EQ(shown("x = tensor([True, False]); y = x; x &= tensor([False, True]); y"),
            "tensor([False, False])");
  EXPECT_EQ(
      shown("x = arange(3); x += 0.5"),
      "RuntimeError: add_: the result's dtype float32 must go into self's dtype int64, which is of a lower "
      "kind");
  EXPECT_EQ(shown("n = 2; n **= tensor([1, 2]); n"), "tensor([2, 4])");
  EXPECT_EQ(shown("n = 6; n |= 1; n ^= 2; n &= 12; n"), "4");
  EXPECT_EQ(shown("a = 2\na *= 3; a -= 1; a //= 2; a **= 3; a %= 5; a /= 2\na"), "1.5");
  EXPECT_EQ(shown("t = (1,)\nu = t\nt += (2,)\nt, u"), "((1, 2), (1,))");
  EXPECT_EQ(shown("l = [1]\nl += [2]"),
            "TypeError: '+=' would change a list in place; write a = a + b, which makes another");
}

TEST(NotationArithmetic, CallsOperationsAsPyTorchDoes) {
  EXPECT_EQ(shown("torch.add(arange(3), arange(3), alpha=10)"), "tensor([ 0, 11, 22])");
  EXPECT_EQ(shown("arange(3).sub_(1)"), "tensor([-1,  0,  1])");
  EXPECT_EQ(shown("torch.div(tensor([-7, 7]), 2, rounding_mode='trunc')"), "tensor([-3,  3])");
  EXPECT_EQ(shown("torch.div(arange(2), 2, rounding_mode='up')"),
            "RuntimeError: div: rounding_mode 'up' must be None, 'trunc' or 'floor'");
  EXPECT_EQ(shown("torch.where(arange(3) > 0, 1.5, arange(3))"), "tensor([0.0000, 1.5000, 1.5000])");
  EXPECT_EQ(shown("arange(3).where(arange(3) > 1, -1)"), "tensor([-1, -1,  2])");
  EXPECT_EQ(shown("torch.pow(2, arange(3))"), "tensor([1, 2, 4])");
  EXPECT_EQ(shown("arange(5).clamp(min=1, max=3)"), "tensor([1, 1, 2, 3, 3])");
  EXPECT_EQ(shown("torch.maximum(arange(3), 1)"),
            "TypeError: maximum: other must be a Tensor, int 1 is given");
  EXPECT_EQ(shown("arange(3).add('a')"),
            "TypeError: add: other must be a Tensor or a number, str 'a' is given");
  EXPECT_EQ(shown("arange(6.).view(2, 3).sum(1, keepdim=True)"), "tensor([[ 3.],\n        [12.]])");
  EXPECT_EQ(shown("arange(6.).view(2, 3).mean((0, 1))"), "tensor(2.5000)");
  EXPECT_EQ(shown("tensor([[1, 5], [7, 2]]).max(1)"), "(tensor([5, 7]), tensor([1, 0]))");
  EXPECT_EQ(shown("tensor([[1, 5], [7, 2]]).max()"), "tensor(7)");
  EXPECT_EQ(shown("torch.max(tensor([1, 5]), tensor([3, 3]))"), "tensor([3, 5])");
  EXPECT_EQ(shown("tensor([[1, 5], [7, 2]]).argmax()"), "tensor(2)");
}

TEST(NotationArithmetic, TakesANumberFirst) {
  EXPECT_EQ(shown("torch.add(1, arange(3))"), "tensor([1, 2, 3])");
  EXPECT_EQ(shown("torch.sub(2.5, arange(2), alpha=2)"), "tensor([2.5000, 0.5000])");
  EXPECT_EQ(shown("torch.div(7, tensor([2, -2]), rounding_mode='floor')"), "tensor([ 3, -4])");
  EXPECT_EQ(shown("torch.mul(2, 3)"), "tensor(6)");
  EXPECT_EQ(shown("torch.bitwise_or(1, tensor([2, 4]))"), "tensor([3, 5])");
  EXPECT_EQ(shown("torch.pow(2, 3)"), "TypeError: pow: exponent must be a Tensor, int 3 is given");
  EXPECT_EQ(shown("torch.add('a', arange(2))"),
            "TypeError: add: input must be a Tensor or a number, str 'a' is given");
  EXPECT_EQ(shown("torch.eq(1, arange(2))"), "TypeError: eq: input must be a Tensor, int 1 is given");
}

TEST(NotationArithmetic, TakesAConditionAlone) {
  EXPECT_EQ(shown("torch.where(tensor([0, 3, 4]))"), "(tensor([1, 2]),)");
  EXPECT_EQ(shown("torch.where(arange(3) > 1, 1)"), "TypeError: where: the argument 'other' is missing");
  EXPECT_EQ(shown("torch.nonzero(arange(3), as_tuple=True, out=tensor(0))"),
            "RuntimeError: nonzero: out must not be given with as_tuple=True");
}

TEST(NotationArithmetic, RepeatsThePositionsOfNumbersAlone) {
  EXPECT_EQ(shown("torch.repeat_interleave(tensor([1, 2, 3]))"), "tensor([0, 1, 1, 2, 2, 2])");
  EXPECT_EQ(shown("arange(2).repeat_interleave(2, output_size=4)"), "tensor([0, 0, 1, 1])");
  EXPECT_EQ(
      shown("arange(2).repeat_interleave(2, output_size=5)"),
      "RuntimeError: repeat_interleave: output_size 5 must be 4, the size that the repeats make (shape (2))");
  EXPECT_EQ(shown("torch.repeat_interleave(tensor([[1, 2]]))"),
            "RuntimeError: repeat_interleave: repeats alone must have 1 axis (shape (1,2))");
}

TEST(NotationArithmetic, TakesTensorsAmongNumbers) {
  EXPECT_EQ(shown("tensor([tensor([1]), tensor([2])])"), "tensor([1, 2])");
  EXPECT_EQ(shown("tensor([[1, 2], tensor([3, 4])])"), "tensor([[1, 2],\n        [3, 4]])");
  EXPECT_EQ(shown("tensor([1, tensor(2, dtype=torch.float64)])"), "tensor([1., 2.], dtype=torch.float64)");
  const std::string text =
      "tensor: a tensor among numbers must have 1 element, not 2 (shape (2)); stack(list) joins tensors";
  EXPECT_EQ(shown("tensor([tensor([1, 2])])"), "TypeError: " + text);
  EXPECT_EQ(shown("tensor([tensor([1., 2.])])"), "ValueError: " + text);
  EXPECT_EQ(shown("tensor([tensor(1.5)], dtype=torch.uint8)"),
            "TypeError: tensor: a tensor of float32 must be of integers or bool for dtype uint8");
  EXPECT_EQ(shown("tensor([[1], tensor(2)])"),
            "TypeError: tensor: a tensor of rank 0 must be a list (as the first entry of its level)");
  EXPECT_EQ(
      shown("tensor([[1, 2], tensor([3])])"),
      "ValueError: tensor: a tensor of 1 entries must have 2 (as the first list of its level; shape (1))");
}

TEST(NotationArithmetic, HasNoAddressWithoutElements) {
  EXPECT_EQ(shown("ones(4)[4:].data_ptr()"), "0");
  EXPECT_EQ(shown("ones(2, 3)[:, 3:].data_ptr()"), "0");
}

TEST(NotationArithmetic, RefusesWhatIsNotDefined) {
  EXPECT_EQ(shown("zeros(2) + [1]"), "TypeError: '+' is not defined between Tensor and list");
  EXPECT_EQ(shown("~zeros(2)"), "TypeError: ~: dtype float32 must be bool or an integer type");
}

TEST(NotationArithmetic, MakesAStepOfEachResult) {
  const Evaluation result = evaluate(Program::parse("x = arange(6).view(2, 3).t(); y = -x + 1; y *= 2"), {});
  ASSERT_FALSE(result.failure);
  ASSERT_EQ(result.steps.size(), 6U);
  EXPECT_EQ(result.steps[3].op, "neg");
  EXPECT_EQ(result.steps[3].kind, StepKind::fresh);
  EXPECT_EQ(result.steps[3].source, 2U);
  EXPECT_EQ(result.steps[3].layout.strides, (Dims{1, 3}));
  EXPECT_EQ(result.steps[4].op, "add");
  EXPECT_EQ(result.steps[5].op, "mul_");
  EXPECT_EQ(result.steps[5].kind, StepKind::self);
  EXPECT_EQ(result.totals.copies, 0);
}

}  // namespace
}  // namespace tenstride
