// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tenstride/base/error.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/tensor/factory.hpp"

// Functions, loops, conditions and what is caught: Python's meaning of them, and their bounds.
namespace tenstride {
namespace {

/// What is printed, then the value, or the failure's type.
std::string shown(const std::string& text) {
  const Evaluation evaluation = evaluate(Program::parse(text));
  std::string result = evaluation.output;
  if (evaluation.failure) return result + evaluation.failure->type;
  return result + (evaluation.value.is_none() ? "" : evaluation.value.repr());
}

std::string refused(const std::string& text) {
  try {
    Program::parse(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "parsed";
}

std::string failed(const std::string& text) {
  const Evaluation evaluation = evaluate(Program::parse(text));
  if (!evaluation.failure) return "done";
  return evaluation.failure->type + ": " + evaluation.failure->message + '\n' +
         point_at(text, evaluation.failure->range);
}

const std::string idx_to_pos =
    "def idx_to_pos(a, idx):\n"
    "    return sum(i * s for i, s in zip(idx, a.stride()))\n";
const std::string is_contiguous =
    "def is_contiguous(a):\n"
    "    expected_stride = 1\n"
    "    for x, y in reversed(tuple(zip(a.shape, a.stride()))):\n"
    "        if y != expected_stride:\n"
    "            return False\n"
    "        expected_stride *= x\n"
    "    return True\n";
const std::string test_view =
    "def test_view(tensor, sizes):\n"
    "    try:\n"
    "        tensor.view(*sizes)\n"
    "    except Exception as e:\n"
    "        print(e)\n"
    "        print(f\"View was Failed: tensor.is_contiguos == {tensor.is_contiguous()}\")\n"
    "    else:\n"
    "        print(f\"View was Successful: tensor.is_contiguos == {tensor.is_contiguous()}\")\n";

TEST(Functions, OfWellKnownTextsAnswerAsInPython) {
  const std::string x = "x = torch.randn(2, 3, 2)\nx_permuted = x.permute(0, 2, 1)\n";
  EXPECT_EQ(shown(x + idx_to_pos + "assert x[1, 2, 0] == x.storage()[idx_to_pos(x, (1, 2, 0))]"), "");
  EXPECT_EQ(shown(x + idx_to_pos + "y = x.view(2, 6)\nidx_to_pos(y, (1, 4))"), "10");
  EXPECT_EQ(shown(x + idx_to_pos + "idx_to_pos(x, (0, 0, 2)), idx_to_pos(x, (0, 1, 0))"), "(2, 2)");
  EXPECT_EQ(shown(x + idx_to_pos + "idx_to_pos(x_permuted, (0, 0, 3)), idx_to_pos(x_permuted, (0, 1, 0))"),
            "(6, 1)");
  EXPECT_EQ(shown(x + is_contiguous + "is_contiguous(x), is_contiguous(x_permuted)"), "(True, False)");
  EXPECT_EQ(shown(test_view + "tens_A = torch.rand((2,3,4)) # 3-dimensional tensor of shape (2,3,4)\n"
                              "sizes = (3,4,2)\n"
                              "# Let's try to use view\n"
                              "test_view(tens_A, sizes)\n"
                              "perm_tens_A = tens_A.permute(0,2,1) # change order of axis\n"
                              "test_view(perm_tens_A, sizes)\n"),
            "View was Successful: tensor.is_contiguos == True\n"
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two contiguous subspaces). Use .reshape(...) instead.\n"
            "View was Failed: tensor.is_contiguos == False\n");
}

TEST(Functions, HaveScopesOfTheirOwn) {
  EXPECT_EQ(shown("z = 1\ndef f(a):\n  z = a\n  return z\nf(5), z"), "(5, 1)");
  EXPECT_EQ(shown("z = 1\ndef f(): return z\nz = 2\nf()"), "2") << "a global is read when the call runs";
  EXPECT_EQ(shown("z = 1\ndef f():\n  z += 1\nf()"), "UnboundLocalError");
  EXPECT_EQ(shown("z = 1\ndef f():\n  print(z)\n  for z in [2]: pass\nf()"), "UnboundLocalError");
  EXPECT_EQ(shown("def f(a): return g(a)\ndef g(b): return a\nf(1)"), "NameError")
      << "a caller's names are not seen";
  EXPECT_EQ(shown("def f(n):\n  if n == 0: return 1\n  m = n\n  r = f(n - 1)\n  return m * r\nf(5)"), "120");
  EXPECT_EQ(shown("def f(a, b): return a - b\nf(b=1, a=3), f(3, b=1)"), "(2, 2)");
  EXPECT_EQ(shown("def f(): pass\nf() == None"), "True");
  EXPECT_EQ(shown("def f(): return\nprint(f())"), "None\n");
  EXPECT_EQ(shown("def f(): return 1, 2\na, b = f()\na + b"), "3");
  EXPECT_EQ(shown("def zip(a): return 7\nzip(1)"), "7") << "a builtin's name can be taken";
  EXPECT_EQ(shown("def f(x):\n  x = x.T\n  return x.shape\ny = torch.zeros(2, 3)\nf(y), y.shape"),
            "(torch.Size([3, 2]), torch.Size([2, 3]))");
  EXPECT_EQ(shown("def f(x): x[0] = 7\ny = torch.zeros(2)\nf(y)\ny"), "tensor([7., 0.])");
  EXPECT_EQ(shown("def f(x): return x\nf"), "<function f>");
}

TEST(Functions, TellWhatIsWrongWithACall) {
  EXPECT_EQ(failed("def f(a): pass\nf()"), "TypeError: f: the argument 'a' is missing\n  f()\n  ^~~");
  EXPECT_EQ(failed("def f(a): pass\nf(1, 2)"),
            "TypeError: f: argument 2 is one too many, at most 1 can be given\n  f(1, 2)\n       ^");
  EXPECT_EQ(failed("def f(a): pass\nf(1, a=2)"),
            "TypeError: f: the argument 'a' is given twice\n  f(1, a=2)\n         ^");
  EXPECT_EQ(failed("def f(a): pass\nf(b=2)"), "TypeError: f: there is no argument 'b'\n  f(b=2)\n      ^");
  EXPECT_EQ(failed("def f(a):\n  b = a\n  return b + 'c'\nf(1)"),
            "TypeError: '+' is not defined between int and str\n    return b + 'c'\n             ^");
}

TEST(Loops, ReturnFromTheMiddleAndKeepTheirNames) {
  EXPECT_EQ(shown("def f(l):\n  for i in l:\n    for j in l:\n      if i * j > 3: return i, j\nf([1, 2, 3])"),
            "(2, 2)");
  EXPECT_EQ(shown("for i in range(3):\n  pass\ni"), "2");
  EXPECT_EQ(shown("n = 0\nfor i, (a, b) in enumerate(zip([1, 2], [3, 4]), 10):\n  n += i * a * b\nn"), "118");
  EXPECT_EQ(shown("for i in 'ab': print(i); print('-')\n"), "a\n-\nb\n-\n");
  EXPECT_EQ(shown("for r in torch.arange(4).view(2, 2): print(r)"), "tensor([0, 1])\ntensor([2, 3])\n");
  EXPECT_EQ(shown("for i in []: pass\ni"), "NameError");
  EXPECT_EQ(shown("for i in 1, 2: print(i)"), "1\n2\n");
  EXPECT_EQ(shown("for i in torch.tensor(1): pass"), "TypeError");
}

TEST(Conditions, TakeTheFirstThatHolds) {
  const std::string f =
      "def f(n):\n  if n < 0:\n    return 'less'\n  elif n == 0: return 'none'\n\n  # more\n  else:\n"
      "    return 'more'\n";
  EXPECT_EQ(shown(f + "f(-1), f(0), f(1)"), "('less', 'none', 'more')");
  EXPECT_EQ(shown("if torch.zeros(2): pass"), "RuntimeError");
  EXPECT_EQ(shown("a = 2\na *= 3; a -= 1; a //= 2; a **= 3; a %= 5; a /= 2\na"), "1.5");
  EXPECT_EQ(shown("t = (1,)\nu = t\nt += (2,)\nt, u"), "((1, 2), (1,))");
  EXPECT_EQ(shown("l = [1]\nl += [2]"), "TypeError") << "Python would change every name of the list";
}

TEST(Comprehensions, HaveNamesOfTheirOwn) {
  EXPECT_EQ(shown("i = 7\nl = [i * i for i in range(4) if i % 2 == 1]\nl, i"), "([1, 9], 7)");
  EXPECT_EQ(shown("[j for j in range(3)]; j"), "NameError");
  EXPECT_EQ(shown("x = [3, 4]\n[x for x in x]"), "[3, 4]") << "the items are those of the scope around";
  EXPECT_EQ(shown("[[i + j for j in range(2)] for i in range(2)]"), "[[0, 1], [1, 2]]");
  EXPECT_EQ(shown("def f(n): return [n + i for i in range(2)]\n[f(i) for i in range(2)]"),
            "[[0, 1], [1, 2]]");
  EXPECT_EQ(shown("def f(): return i\n[f() for i in range(2)]"), "NameError") << "a call does not see them";
  EXPECT_EQ(shown("sum((i for i in range(4)), 10), max(i for i in [1, 5, 2]), tuple(i for i in 'ab')"),
            "(16, 5, ('a', 'b'))");
  EXPECT_EQ(shown("i = 1\ntry:\n  [1 / i for i in [2, 0]]\nexcept ZeroDivisionError: pass\ni"), "1");
  EXPECT_EQ(shown("g = (i for i in [1])"), "TypeError");
  EXPECT_EQ(shown("len(i for i in [1])"), "TypeError");
}

TEST(Exceptions, AreCaughtAsPythonCatchesThem) {
  const std::string view = "try:\n  torch.zeros(2, 3).T.view(6)\n";
  EXPECT_EQ(
      shown(view + "except ValueError: print('v')\nexcept RuntimeError as e: print('r')\nelse: print('e')"),
      "r\n");
  EXPECT_EQ(shown(view + "except ValueError: print('v')"), "RuntimeError") << "what fits no clause goes on";
  EXPECT_EQ(shown(view + "except: print('all')"), "all\n");
  EXPECT_EQ(shown(view + "except (ValueError, RuntimeError): print('both')"), "both\n");
  EXPECT_EQ(shown("try: pass\nexcept Exception: print('no')\nelse: print('else')"), "else\n");
  EXPECT_EQ(shown("e = 1\n" + view + "except Exception as e: pass\ne"), "NameError")
      << "e ends with the block";
  EXPECT_EQ(shown("try: assert 1 == 2\nexcept AssertionError as e: print([e], str(e) == '')"),
            "[AssertionError()] True\n");
  EXPECT_EQ(shown("try: assert 1 == 2, 'why'\nexcept Exception as e: e"), "");
  EXPECT_EQ(shown("try: assert 1 == 2, 'why'\nexcept Exception as e: print(e)"), "why\n");
  EXPECT_EQ(shown("def f():\n  try: return 1 / 0\n  except Exception: return 'caught'\nf()"), "'caught'");
  EXPECT_EQ(shown("def f(): return 1 / 0\ntry: f()\nexcept Exception: pass\nx = 3\nx"), "3")
      << "names are bound outside of the call again";
  EXPECT_EQ(shown("try: 1 / 0\nexcept Exception:\n  nothing"), "NameError");
  EXPECT_EQ(shown("def f(): return f()\ntry: f()\nexcept RuntimeError as e: print(e)"),
            "f: calls must not be nested deeper than 100\n");
}

TEST(FStrings, AreFormattedAsInPython) {
  EXPECT_EQ(shown("x = torch.zeros(2)\nf'{x} {x[0]} {{}} {(1, \"a\")}{x.shape}' + f''"),
            "\"tensor([0., 0.]) 0.0 {} (1, 'a')torch.Size([2])\"");
  EXPECT_EQ(refused("f'a{1'"), "expression: '{' is never closed\n  f'a{1'\n     ^");
  EXPECT_EQ(
      refused("f'{1:.2f}'"),
      "expression: a format in an f-string's braces is not part of the notation\n  f'{1:.2f}'\n      ^\n"
      "this is Python beyond the notation: python -m tenstride explain FILE runs it");
  EXPECT_EQ(shown("print('a\\tb\\n', 'c\\\\')"), "a\tb\n c\\\n");
}

TEST(Blocks, AreThoseOfPythonsIndentation) {
  EXPECT_EQ(refused("def f():\nreturn 1"),
            "expression: an indented block was expected after 'def'\n  return 1\n  ^~~~~~");
  EXPECT_EQ(refused("for i in [1]:"),
            "expression: an indented block was expected after 'for'\n  for i in [1]:\n  ^~~");
  EXPECT_EQ(refused("if 1:\n  a\n    b"),
            "expression: the line is indented more than its block\n      b\n      ^");
  EXPECT_EQ(refused("if 1:\n    a\n  b"),
            "expression: the line is indented as no block around it\n    b\n    ^");
  EXPECT_EQ(refused("a; if 1: b"), "expression: 'if' must begin a line\n  a; if 1: b\n     ^~");
  EXPECT_EQ(refused("return 1"), "expression: a 'return' must stand inside of a 'def'\n  return 1\n  ^~~~~~");
  EXPECT_EQ(refused("if 1 b"), "expression: ':' was expected, 'b' stands here\n  if 1 b\n       ^");
  EXPECT_EQ(refused("else: b"), "expression: 'else' must follow the block it belongs to\n  else: b\n  ^~~~");
  EXPECT_EQ(refused("try: a\nb"), "expression: a 'try' must have an 'except'\n  try: a\n  ^~~");
  EXPECT_EQ(refused("for 1 in a: b"),
            "expression: only a name, names, an attribute as in y.real, or brackets as in y[0, 0] can be "
            "assigned to\n  for 1 in a: b\n"
            "      ^");
  EXPECT_EQ(refused("def f(a, a): b"),
            "expression: the parameter 'a' is given twice\n  def f(a, a): b\n           ^");
  EXPECT_EQ(shown("if 1:\n\tif 0:\n\t\tpass\n        else:\n                print('tabs are 8 wide')"),
            "tabs are 8 wide\n");
  EXPECT_EQ(shown(">>> def f(a):\n...     return (a +\n... 1)\n...\n>>> f(1)"), "2");
  EXPECT_EQ(shown("if 0: print(1); print(2)\nelse: print(3); print(4)"), "3\n4\n");
}

TEST(Blocks, TellTheirStepsAsOthers) {
  ExplainSession session;
  session.explain("def flattened(a):\n  b = a.T\n  return b.reshape(-1)");
  const std::string told = to_text(session.explain("flattened(torch.zeros(2, 3))"));
  EXPECT_TRUE(told.starts_with(
      "1  torch.zeros(2, 3)  (2,3):(3,1)+0  float32  contiguous      new   24 B\n"
      "2  .T                 (3,2):(1,3)+0  float32  not contiguous  view  axes out of order\n"
      "3  .reshape(-1)       (6):(1)+0      float32  contiguous      copy  48 B moved: no view: axes 0 and 1 "
      "would merge, axis 0 has stride 1 and must have 6 (since step 2)\n"))
      << told;
  const Explanation refused =
      session.explain("def viewed(a):\n  return a.T.view(-1)\nviewed(torch.zeros(2, 3))");
  EXPECT_EQ(refused.failure_cause, 4U);
  EXPECT_TRUE(refused.message.ends_with("(step 5) made (3,2):(1,3)+0 of the contiguous (2,3):(3,1)+0"));
}

TEST(Blocks, ThatAskForElementsAreForecastUpToThere) {
  EXPECT_EQ(
      to_text(explain("x = torch.ones(1)\ntry:\n  if x[0] == 1: print('one')\nexcept Exception: print(0)"))
              .find("one\n") == std::string::npos,
      false);
  EXPECT_EQ(explain("for i in range(3): x = torch.zeros(10**9)", {.max_bytes = 1000}).evaluation.steps.size(),
            3U);
}

TEST(HostileBlocks, AreStopped) {
  const auto type = [](const std::string& text) { return evaluate(Program::parse(text)).failure->type; };
  EXPECT_EQ(type("def f(): return f()\nf()"), "RecursionError");
  EXPECT_EQ(type("def f(n): return f(n + 1) + f(n + 1)\nf(0)"), "RecursionError");
  EXPECT_EQ(type("for i in range(10**6):\n  for j in range(10**6):\n    try: pass\n    except: pass"),
            "RuntimeError");
  EXPECT_EQ(type("def f():\n  try: f()\n  except: f()\nf()"), "RuntimeError");
  EXPECT_EQ(type("l = [1]\nfor i in range(10**5): l = [l]"), "ValueError");
  EXPECT_EQ(type("l = (1,)\nfor i in range(10**5): l = (l, l)"), "ValueError");
  EXPECT_EQ(type("s = 'a'\nfor i in range(10**5): s = s + s"), "ValueError");
  EXPECT_EQ(type("x = torch.zeros(2, 3)\nfor i in range(10**6): x = x.T"), "RuntimeError");
  std::string deep = "def f(): return ";
  for (int i = 0; i < 90; ++i) deep += "-(";
  deep += "f()" + std::string(90, ')');
  EXPECT_EQ(type(deep + "\nf()"), "RecursionError");
  std::string nested = "def f():\n";
  for (std::size_t i = 1; i <= 95; ++i) nested += std::string(i, ' ') + "if 1:\n";
  EXPECT_EQ(type(nested + std::string(96, ' ') + "f()\nf()"), "RecursionError");
  std::string blocks;
  for (int i = 0; i < 300; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "if 1:\n";
  EXPECT_NE(refused(blocks).find("must not be nested deeper than 200"), std::string::npos);
}

}  // namespace
}  // namespace tenstride
