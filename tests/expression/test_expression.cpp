// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/nearest_name.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

Evaluation run(const std::string& text) {
  return evaluate(Program::parse(text));
}

/// What Python's prompt would show.
std::string shown(const std::string& text) {
  const Evaluation evaluation = run(text);
  if (evaluation.failure) return evaluation.failure->type + ": " + evaluation.failure->message;
  return evaluation.value.repr();
}

std::string layout(const std::string& text) {
  const Evaluation evaluation = run(text);
  if (evaluation.failure) return evaluation.failure->type + ": " + evaluation.failure->message;
  return to_string(evaluation.value.tensor()->layout());
}

std::string parse_error(const std::string& text) {
  try {
    static_cast<void>(Program::parse(text));
  } catch (const ParseError& error) {
    return error.what();
  }
  return "parsed";
}

/// "op kind" of each step.
std::string kinds(const std::string& text) {
  std::string result;
  for (const Step& step : run(text).steps) {
    if (!result.empty()) result += ", ";
    result += step.op + ' ' + std::string(name(step.kind));
  }
  return result;
}

TEST(PointAt, ShowsTheLineAndACaretUnderThePlace) {
  EXPECT_EQ(point_at("x.perm(0)", {2, 6}), "  x.perm(0)\n    ^~~~");
  EXPECT_EQ(point_at("a = 1\nb = c\n", {10, 11}), "  b = c\n      ^");
  EXPECT_EQ(point_at("x", {1, 1}), "  x\n   ^");
  EXPECT_EQ(point_at("\xC3\xA4.b", {3, 4}), "  \xC3\xA4.b\n    ^");
  EXPECT_EQ(point_at("", {0, 0}), "  \n  ^");
}

const std::string beyond = "\nthis is Python beyond the notation: python -m tenstride explain FILE runs it";

TEST(Parse, NamesTheMistakeAndWhatWasExpected) {
  EXPECT_EQ(parse_error("x.permute(0, 2"), "expression: '(' is never closed\n  x.permute(0, 2\n           ^");
  EXPECT_EQ(parse_error("x.permute(0 2)"),
            "expression: ',' or ')' was expected, '2' stands here\n  x.permute(0 2)\n              ^");
  EXPECT_EQ(parse_error("x."), "expression: a name after '.' was expected, the text ends\n  x.\n    ^");
  EXPECT_EQ(parse_error("x[]"), "expression: an index was expected, ']' stands here\n  x[]\n    ^");
  EXPECT_EQ(parse_error(""), "expression: an expression was expected, the text is empty\n  \n  ^");
  EXPECT_EQ(parse_error("x = = 2"), "expression: a value was expected, '=' stands here\n  x = = 2\n      ^");
  EXPECT_EQ(parse_error("3 = x"),
            "expression: only a name, names, an attribute as in y.real, or brackets as in y[0, 0] can be "
            "assigned to\n  3 = x\n  ^");
  EXPECT_EQ(parse_error("x y"),
            "expression: the end of the statement was expected, 'y' stands here\n  x y\n    ^");
  EXPECT_EQ(parse_error("x.view(\n  2,\n  3 4)"),
            "expression: ',' or ')' was expected, '4' stands here\n    3 4)\n      ^");
  EXPECT_EQ(parse_error("while x"),
            "expression: 'while' of Python is not part of the notation\n  while x\n  ^~~~~" + beyond);
  EXPECT_EQ(parse_error("x @ y"), "expression: '@' is not part of the notation\n  x @ y\n    ^" + beyond);
  EXPECT_EQ(parse_error("1 < 2 < 3"),
            "expression: comparisons cannot be chained; join them with `and`\n  1 < 2 < 3\n        ^");
  EXPECT_EQ(parse_error("f(a=1, a=2)"),
            "expression: the argument 'a' is given twice\n  f(a=1, a=2)\n         ^");
  EXPECT_EQ(
      parse_error("f(a=1, 2)"),
      "expression: an argument without a name must not follow one with a name\n  f(a=1, 2)\n         ^");
  EXPECT_EQ(parse_error("'abc"), "expression: the string opened with ' is never closed\n  'abc\n  ^~~~");
  EXPECT_EQ(parse_error("12ab"), "expression: a number must not run into a name\n  12ab\n  ^~~~");
  EXPECT_EQ(parse_error("2 \xC3\x97 3"), "expression: '\xC3\x97' has no meaning here\n  2 \xC3\x97 3\n    ^");
  EXPECT_EQ(parse_error("99999999999999999999"),
            "expression: the number must fit a signed 64-bit integer\n  99999999999999999999\n  "
            "^~~~~~~~~~~~~~~~~~~~");
  EXPECT_EQ(parse_error("import numpy"),
            "expression: a module other than torch, tenstride and einops is not part of the notation\n"
            "  import numpy\n         ^~~~~" +
                beyond);
}

TEST(Parse, SaysWhatRunsPythonBeyondTheNotation) {
  EXPECT_EQ(
      parse_error("y = [i for i in x]"),
      "expression: 'for' of Python is not part of the notation\n  y = [i for i in x]\n         ^~~" + beyond);
  EXPECT_EQ(parse_error("x + len(y)"),
            "expression: 'len' of Python is not part of the notation\n  x + len(y)\n      ^~~" + beyond);
  EXPECT_EQ(parse_error("f'{x}'"),
            "expression: an f-string is not part of the notation\n  f'{x}'\n  ^~" + beyond);
  const std::vector<std::string> texts{"import torch.nn.functional as F",
                                       "import torch as t",
                                       "import torch, torch.nn as nn",
                                       "from torch import *",
                                       "class A: pass",
                                       "with torch.no_grad(): x",
                                       "f = lambda x: x",
                                       "x = 1 if y else 2",
                                       "a, *b = x",
                                       "x: int = 3",
                                       "def f(x):\n  return x",
                                       "for i in x: i",
                                       "if x: y",
                                       "else: b",
                                       "assert x",
                                       "pass",
                                       "sum(i for i in x)",
                                       "print(*[i for i in x])",
                                       "sum(x), max(x)",
                                       "float(1)",
                                       "x in y",
                                       "@cached\ndef f(x): return x",
                                       "a = b = 1",
                                       "{1: 2}",
                                       "\"\"\"Doubles.\"\"\"",
                                       "try:\n  x\nexcept: x\nfinally: x"};
  for (const std::string& text : texts) EXPECT_TRUE(parse_error(text).ends_with(beyond)) << parse_error(text);
  for (const char* const text : {"x.permute(0 2)", "3 = x", "1 < 2 < 3", "'abc"}) {
    EXPECT_FALSE(parse_error(text).ends_with(beyond)) << text;
  }
}

TEST(Parse, RefusesTextsNestedTooDeep) {
  for (const std::string& text : {std::string(100'000, '('), std::string(100'000, '-') + '1',
                                  std::string(100'000, '['), "not " + std::string(1000, '(')}) {
    EXPECT_THROW(static_cast<void>(Program::parse(text)), ParseError);
  }
  std::string chain = "x";
  for (int i = 0; i < 50'000; ++i) chain += ".T";
  EXPECT_THROW(static_cast<void>(Program::parse(chain)), ParseError);
  EXPECT_THROW(static_cast<void>(Program::parse(std::string((1 << 16) + 1, ' '))), ParseError);
}

TEST(Evaluate, ComputesWithPythonsNumbers) {
  EXPECT_EQ(shown("1 * 6 + 2 * 2 + 0 * 1"), "10");
  EXPECT_EQ(shown("-7 // 2, -7 % 2, 7 / 2, 2 ** 10, -2 ** 2, 2 ** -1"), "(-4, 1, 3.5, 1024, -4, 0.5)");
  EXPECT_EQ(shown("1 + 2j"), "(1+2j)");
  EXPECT_EQ(shown("not 1 == 2 and 3 > 2"), "True");
  EXPECT_EQ(shown("(2,) + (3, 4) == (2, 3, 4)"), "True");
  EXPECT_EQ(shown("[0] * 3"), "[0, 0, 0]");
  EXPECT_EQ(shown("'a' + 'b'"), "'ab'");
  EXPECT_EQ(shown("1_000"), "1000");
  EXPECT_EQ(shown("1 / 0"), "ZeroDivisionError: '/' by zero");
  EXPECT_EQ(shown("9223372036854775807 + 1"),
            "OverflowError: the result of '+' must fit a signed 64-bit integer");
  EXPECT_EQ(shown("1 + 'a'"), "TypeError: '+' is not defined between int and str");
  EXPECT_EQ(shown("[0] * 10000000"), "ValueError: the list must have at most 1000000 items");
}

TEST(Evaluate, PrintsValuesInALine) {
  EXPECT_EQ(run("print('old:', (6, 2, 1)); print(); print('a\\tb\\n', 'c\\\\')").output,
            "old: (6, 2, 1)\n\na\tb\n c\\\n");
  EXPECT_EQ(shown("print(1, sep='-')"), "TypeError: print: there is no argument 'sep'");
  EXPECT_EQ(shown("print = [1]; print[0]"), "1") << "a name like any other";
}

TEST(Evaluate, StopsWhereListsGrowWithoutBounds) {
  const auto stopped = [](const std::string& first, const std::string& next) {
    std::string text = first;
    for (int i = 0; i < 5000; ++i) text += next;
    return shown(text);
  };
  const std::string text =
      "ValueError: the lists of a program must have at most 4000000 items together, nested no deeper than "
      "500";
  EXPECT_EQ(stopped("l = [1]", "\nl = [l]"), text);
  EXPECT_EQ(stopped("l = (1,)", "\nl = (l, l)"), text);
  EXPECT_EQ(stopped("s = 'a'", "\ns = s + s"), text);
  EXPECT_EQ(stopped("l = [0] * 1000", "\nl[0:1]"), text);
  EXPECT_EQ(shown("[[0] * 1000000] * 1000000"), "ValueError: the list must have at most 1000000 items");
}

TEST(Evaluate, SkipsPromptsAndIndentation) {
  EXPECT_EQ(shown(">>> x = (1 +\n... 1)\n...\n>>> x\n"), "2");
  EXPECT_EQ(shown(">>> x = [1, # one\n... 2, ...]; ...\n>>> x"), "[1, 2, Ellipsis]");
  EXPECT_EQ(shown("    x = 1\n\tx + 1\n"), "2");
}

TEST(Evaluate, TakesSizesAsATupleOrSpelledOut) {
  for (const char* text :
       {"torch.arange(12).view(2, 6)", "arange(12).view((2, 6))", "torch.arange(12).view([2, 6])",
        "torch.arange(12).view(size=(2, 6))", "tenstride.arange(12).view(*(2, 6))",
        "x = arange(12); x.reshape(shape=(2, 6))", "torch.reshape(torch.arange(12), (2, 6))",
        "torch.arange(12).view(2, -1)", "torch.arange(12).view(torch.zeros(2, 6).shape)"}) {
    EXPECT_EQ(layout(text), "(2,6):(6,1)+0") << text;
  }
  EXPECT_EQ(layout("zeros(2, 3, 4).movedim((0, 1), (-2, -1))"), "(4,2,3):(1,12,4)+0");
  EXPECT_EQ(layout("torch.zeros((3, 1)).expand(-1, 4)"), "(3,4):(1,0)+0");
  EXPECT_EQ(layout("torch.permute(zeros(2, 3), dims=(1, 0))"), "(3,2):(1,3)+0");
  EXPECT_EQ(layout("torch.arange(2, 10, step=2)"), "(4):(1)+0");
  EXPECT_EQ(
      shown("torch.zeros(2, 3).size(), zeros(2, 3).size(-1), zeros(2, 3).stride(), zeros(2, 3).stride(0)"),
      "(torch.Size([2, 3]), 3, (3, 1), 3)");
}

TEST(Evaluate, IndexesAsPythonDoes) {
  const std::string x = "x = torch.arange(24).view(2, 3, 4); ";
  EXPECT_EQ(layout(x + "x[1]"), "(3,4):(4,1)+12");
  EXPECT_EQ(layout(x + "x[1:, ::2]"), "(1,2,4):(12,8,1)+12");
  EXPECT_EQ(layout(x + "x[..., None, -1]"), "(2,3,1):(12,4,4)+3");
  EXPECT_EQ(layout(x + "x[:, ::-1]"), "(2,3,4):(12,-4,1)+8");
  EXPECT_EQ(layout(x + "x[(1, 2, 0)]"), "():()+20");
  EXPECT_EQ(layout(x + "x[[0, 1], :, [2, 3]]"), "(2,3):(3,1)+0");
  EXPECT_EQ(layout(x + "x[[[0, 1], [1, 2]]]"), "(2,4):(4,1)+0");  // x[[0, 1], [1, 2]]
  EXPECT_EQ(layout(x + "x[[None, 1]]"), "(1,3,4):(24,4,1)+12");
  EXPECT_EQ(shown(x + "x[x > 20].tolist()"), "[21, 22, 23]");
  EXPECT_EQ(shown(x + "x[1, 2, 0].item()"), "20");
  EXPECT_EQ(shown(x + "x.shape[1:], x.shape[-1], x.stride()[0]"), "(torch.Size([3, 4]), 4, 12)");
  EXPECT_EQ(shown(x + "x.storage()[1 * 12 + 2 * 4]"), "20");
  EXPECT_EQ(shown(x + "x.shape[3]"), "IndexError: index 3 must be in -3..2 (3 items)");
  EXPECT_EQ(shown("y = torch.zeros(2, 2); y[0, 0] = 3; y[1] = torch.ones(2); y[:, 1] = torch.tensor([5, 6]); "
                  "y.tolist()"),
            "[[3.0, 5.0], [1.0, 6.0]]");
}

TEST(Evaluate, AssignsToRealAndImag) {
  EXPECT_EQ(shown("x = torch.zeros(2, dtype=torch.complex64); x.real = 3; x.imag = torch.arange(2); x"),
            "tensor([3.+0.j, 3.+1.j])");
  EXPECT_EQ(shown("x = torch.tensor([1 + 2j]); x.conj().imag = 5; x.imag += 1; x"), "tensor([1.-4.j])");
  EXPECT_EQ(kinds("x = torch.tensor([1j]); x.real = 1; x.real"), "tensor new, fill_ self, real view");
  EXPECT_EQ(
      shown("x = torch.zeros(2); x.T = 1"),
      "AttributeError: the attribute 'T' of a Tensor cannot be assigned to, only real and imag of a Tensor");
  EXPECT_EQ(shown("x = torch.zeros(2); x.imag = 1"), "RuntimeError: imag: the dtype float32 must be complex");
  EXPECT_EQ(shown("x = torch.ones(2).chalf(); x.real = [1, 2]"),
            "TypeError: real: what is assigned must be a number or a Tensor, not list");
}

TEST(Evaluate, KeepsOneTensorUnderAllItsNames) {
  EXPECT_EQ(shown("x = torch.zeros(2, 3); y = x; y.t_(); x.shape"), "torch.Size([3, 2])");
  EXPECT_EQ(shown("x = torch.zeros(2); y = x.contiguous(); y[0] = 1; x.tolist()"), "[1.0, 0.0]");
  EXPECT_EQ(shown("a, b = torch.arange(4).split(2); b.tolist()"), "[2, 3]");
  EXPECT_EQ(shown("a, b = 1, 2, 3"), "ValueError: 2 names cannot take 3 values");
}

TEST(Evaluate, TellsKindsByPyTorchsCatalogue) {
  EXPECT_EQ(kinds("zeros(2, 3).permute(1, 0).contiguous().contiguous()"),
            "zeros new, permute view, contiguous copy, contiguous self");
  EXPECT_EQ(kinds("zeros(2, 3).T.reshape(6)"), "zeros new, T view, reshape copy");
  EXPECT_EQ(kinds("zeros(6).reshape(2, 3)"), "zeros new, reshape view");
  EXPECT_EQ(kinds("zeros(2, 3).flatten(1, 1)"), "zeros new, flatten self");
  EXPECT_EQ(kinds("zeros(2).real"), "zeros new, real self");
  EXPECT_EQ(kinds("torch.atleast_2d(zeros(2, 3))"), "zeros new, atleast_2d self");
  EXPECT_EQ(kinds("torch.atleast_1d(torch.tensor(1)).t()"), "tensor new, atleast_1d view, t view");
  EXPECT_EQ(kinds("torch.atleast_2d(zeros(2))"), "zeros new, atleast_2d view");
  EXPECT_EQ(kinds("zeros(2).to(float32).to(torch.float16).half()"), "zeros new, to self, to copy, half self");
  EXPECT_EQ(kinds("zeros(2).clone().flip(0)"), "zeros new, clone copy, flip copy");
  EXPECT_EQ(kinds("zeros(4).split(2)"), "zeros new, split view, split view");
  EXPECT_EQ(kinds("zeros(2)[None]"), "zeros new, index view");
  EXPECT_EQ(kinds("zeros(2)[[0]]"), "zeros new, index copy");
  EXPECT_EQ(kinds("torch.cat((zeros(2), ones(3)))"), "zeros new, ones new, cat copy");
  EXPECT_EQ(kinds("x = zeros(2); x[0] = 1; x == 1"), "zeros new, index_put_ self, eq new");
}

TEST(Evaluate, CountsBytesReadAndWritten) {
  const Evaluation evaluation = run("torch.zeros(2, 3).T.contiguous().to(torch.float64)");
  ASSERT_EQ(evaluation.steps.size(), 4U);
  EXPECT_EQ(evaluation.steps[0].bytes_allocated, 24);
  EXPECT_EQ(evaluation.steps[0].bytes_moved, 0);
  EXPECT_EQ(evaluation.steps[1].bytes_allocated, 0);
  EXPECT_TRUE(evaluation.steps[1].shares_storage);
  EXPECT_EQ(evaluation.steps[2].bytes_moved, 48);
  EXPECT_EQ(evaluation.steps[3].bytes_moved, 24 + 48);
  EXPECT_EQ(evaluation.steps[2].reason, "strides (1,3) are not the row-major (2,1)");
  EXPECT_EQ(evaluation.steps[3].reason, "float32 to float64");
  EXPECT_EQ(evaluation.totals.copies, 2U);
  EXPECT_EQ(evaluation.totals.bytes_moved, 48 + 72);
  // The zeros are dead when the second copy is made: 24 + 24, then 24 + 48.
  EXPECT_EQ(evaluation.totals.peak_bytes, 72);
}

TEST(Evaluate, TakesPatterns) {
  EXPECT_EQ(kinds("rearrange(zeros(2, 3, 4), 'a b c -> c a b')"), "zeros new, rearrange view");
  EXPECT_EQ(kinds("einops.repeat(zeros(2), 'a -> a n', n=3)"), "zeros new, repeat view");
  EXPECT_EQ(shown("reduce(torch.arange(6).view(2, 3), 'a b -> b', 'sum').tolist()"), "[3, 5, 7]");
  EXPECT_EQ(shown("rearrange(torch.arange(6), '(a b) -> b a', a=2).tolist()"), "[[0, 3], [1, 4], [2, 5]]");
  EXPECT_EQ(shown("rearrange(zeros(2), 'a -> a', a=1.5)"),
            "TypeError: rearrange: the size of 'a' must be an int, float 1.5 is given");
  const Evaluation once = run("rearrange(zeros(2, 3, 4), 'a b c -> (c a) b')");
  EXPECT_EQ(once.steps[1].reason, "the pattern puts together axes that are apart in memory");
  EXPECT_EQ(kinds("rearrange(zeros(6, 4).T, 'a (b c) -> (c a) b', b=2)"),
            "zeros new, T view, rearrange view");
}

TEST(Evaluate, ForecastsTheSameOnMeta) {
  for (const char* text :
       {"torch.randn(2, 3, 4).permute(2, 0, 1).reshape(4, -1).to(torch.float16).flip(0)",
        "x = torch.arange(60).view(3, 4, 5); y = x[:, ::2].contiguous(); torch.cat((y, y), dim=1).T.clone()",
        "torch.stack(torch.zeros(4, 4).chunk(2)).roll(1, 0).repeat(2, 1, 1)"}) {
    const Program program = Program::parse(text);
    const Evaluation real = evaluate(program), meta = evaluate(program, {.device = Device::meta});
    ASSERT_FALSE(real.failure) << text;
    ASSERT_EQ(real.steps.size(), meta.steps.size()) << text;
    for (std::size_t i = 0; i < real.steps.size(); ++i) {
      EXPECT_EQ(real.steps[i].layout, meta.steps[i].layout) << text << i;
      EXPECT_EQ(real.steps[i].kind, meta.steps[i].kind) << text << i;
      EXPECT_EQ(real.steps[i].bytes_moved, meta.steps[i].bytes_moved) << text << i;
      EXPECT_EQ(real.steps[i].bytes_allocated, meta.steps[i].bytes_allocated) << text << i;
    }
    EXPECT_EQ(real.totals.peak_bytes, meta.totals.peak_bytes) << text;
  }
}

TEST(Evaluate, NamesTheTransposeWhereAReshapeReordersSizes) {
  const auto hint = [](const std::string& text) { return run(text).steps.back().hint; };
  EXPECT_EQ(hint("zeros(2, 3).reshape(3, 2)"),
            "the sizes (2,3) are reordered to (3,2) but no axis is moved, so the elements are scrambled; "
            "probably meant: .transpose(0, 1)");
  EXPECT_EQ(hint("zeros(2, 3, 4).view(4, 2, 3)"),
            "the sizes (2,3,4) are reordered to (4,2,3) but no axis is moved, so the elements are scrambled; "
            "probably meant: .permute(2, 0, 1)");
  EXPECT_EQ(hint("zeros(2, 1, 3).view(3, 2)"),
            "the sizes (2,1,3) are reordered to (3,2) but no axis is moved, so the elements are scrambled; "
            "probably meant: .permute(2, 0, 1).view(3, 2)");
  EXPECT_EQ(hint("zeros(2, 3).reshape(2, 3)"), "");
  EXPECT_EQ(hint("zeros(2, 1, 3).reshape(2, 3, 1)"), "");
  EXPECT_EQ(hint("zeros(2, 3).reshape(6)"), "");
  EXPECT_EQ(hint("zeros(2, 6).reshape(3, 4)"), "");
}

TEST(Evaluate, RefusesWithTheNearestName) {
  EXPECT_EQ(shown("torch.zeros(2).permut(0)"),
            "AttributeError: Tensor has no method 'permut'; did you mean 'permute'?");
  EXPECT_EQ(shown("torch.zeross(2)"), "NameError: there is no function 'zeross'; did you mean 'zeros'?");
  EXPECT_EQ(shown("torch.range(3)"),
            "NameError: there is no function 'range'; did you mean 'arange'? It leaves its end out");
  EXPECT_EQ(shown("torch.rnage(3)"), "NameError: there is no function 'rnage'; did you mean 'arange'?");
  EXPECT_EQ(shown("prnt(3)"), "NameError: there is no function 'prnt'; did you mean 'print'?");
  EXPECT_EQ(
      shown("np.zeros(3)"),
      "NameError: the name 'np' is not defined; NumPy's code is explained by python -m tenstride explain "
      "FILE");
  EXPECT_EQ(
      shown("torch.nn.Linear(3, 4)"),
      "AttributeError: torch has no 'nn' here; Python with its modules is explained by python -m tenstride "
      "explain FILE");
  EXPECT_EQ(shown("torch.flaot32"), "AttributeError: torch has no 'flaot32' here; did you mean 'float32'?");
  EXPECT_EQ(shown("abc = 1; abd"), "NameError: the name 'abd' is not defined; did you mean 'abc'?");
  EXPECT_EQ(shown("torch.zeros(2).T()"), "AttributeError: 'T' is an attribute and is not called: .T");
  EXPECT_EQ(shown("torch.zeros(2).contiguous"),
            "AttributeError: 'contiguous' is a method and must be called: .contiguous(…)");
  EXPECT_EQ(shown("torch.zeros(2).view_as_real()"),
            "AttributeError: 'view_as_real' is a function: torch.view_as_real(x)");
  EXPECT_EQ(shown("torch.view(torch.zeros(2), 2)"), "NameError: 'view' is a method: x.view(…)");
  EXPECT_EQ(shown("zeros(2, 3).transpose(0)"), "TypeError: transpose: the argument 'dim1' is missing");
  EXPECT_EQ(
      shown("zeros(2, 3).transpose(0, 1, 2)"),
      "TypeError: transpose: argument 3 is one too many, at most 2 can be given by position (dim0, dim1)");
  EXPECT_EQ(shown("zeros(2, 3).transpose(0, dim2=1)"),
            "TypeError: transpose: there is no argument 'dim2'; did you mean 'dim0'?");
  EXPECT_EQ(shown("zeros(2, 3).transpose(0, 'a')"),
            "TypeError: transpose: dim1 must be an int, str 'a' is given");
  EXPECT_EQ(shown("torch.permute(zeros(2, 3), 1, 0)"),
            "TypeError: permute: in the form of a function, dims must be one tuple: dims=(1, …)");
  EXPECT_EQ(shown("zeros(2) + [1]"), "TypeError: '+' is not defined between Tensor and list");
  EXPECT_EQ(
      shown("zeros(2) and 1"),
      "RuntimeError: bool: a tensor of 2 elements has no truth value, must have 1; see .all() and .any()");
}

TEST(Evaluate, PlacesAFailureInTheText) {
  const Evaluation evaluation = run("x = torch.zeros(2, 3)\nx.permute(0, 2)");
  ASSERT_TRUE(evaluation.failure);
  EXPECT_EQ(evaluation.failure->type, "IndexError");
  EXPECT_EQ(evaluation.failure->cause, Failure::Cause::operation);
  EXPECT_EQ(evaluation.failure->range, (TextRange{23, 37}));
  EXPECT_EQ(evaluation.failure->source, std::optional<std::size_t>(0));
}

TEST(Evaluate, LeavesOutLinksAtTheEnd) {
  const Program program = Program::parse("y = x.T; y[1:].reshape(-1).contiguous()");
  const EvaluateOptions options{.inputs = {{"x", arange(6).view({2, 3})}}, .links_left_out = 2};
  EXPECT_EQ(to_string(evaluate(program, options).value.tensor()->layout()), "(2,2):(1,3)+1");
  EXPECT_THROW(static_cast<void>(evaluate(program, {.inputs = options.inputs, .links_left_out = 4})),
               ValueError);
}

TEST(Evaluate, DrawsTheSameNumbersEachTime) {
  EXPECT_EQ(shown("torch.rand(3).tolist()"), shown("torch.rand(3).tolist()"));
  EXPECT_EQ(shown("torch.manual_seed(0); torch.rand(3)"), "tensor([0.4963, 0.7682, 0.0885])");
  EXPECT_EQ(shown("torch.equal(torch.randn(4), torch.randn(4))"), "False");
}

TEST(NearestName, TakesOneMistakeInThreeLetters) {
  EXPECT_EQ(nearest_name("permut", {"view", "permute"}), "permute");
  EXPECT_EQ(nearest_name("veiw", {"view", "permute"}), "view");
  EXPECT_EQ(nearest_name("x", {"t"}), std::nullopt);
  EXPECT_EQ(nearest_name("abcdef", {"view", "permute"}), std::nullopt);
}

}  // namespace
}  // namespace tenstride
