// SPDX-License-Identifier: Apache-2.0
#include "operations/schema.hpp"

#include <gtest/gtest.h>

#include "operations/call.hpp"

namespace tenstride::detail {
namespace {

TEST(Schema, ReadsNamesTypesAndDefaults) {
  const Schema schema = parse_schema(
      "flatten(Tensor self, int start_dim=0, int|int[]? dim=None, *, bool keepdim=False) -> Tensor[]");
  EXPECT_EQ(schema.name, "flatten");
  EXPECT_EQ(schema.self, "Tensor");
  EXPECT_FALSE(schema.takes_number());
  EXPECT_EQ(schema.result, "Tensor[]");
  ASSERT_EQ(schema.parameters.size(), 3U);
  EXPECT_EQ(schema.parameters[0].name, "start_dim");
  EXPECT_EQ(schema.parameters[0].type, "int");
  EXPECT_TRUE(schema.parameters[0].has_number);
  EXPECT_EQ(schema.parameters[0].absent.integer, 0);
  EXPECT_EQ(schema.parameters[1].type, "int|int[]?");
  EXPECT_EQ(schema.parameters[1].otherwise, "None");
  EXPECT_FALSE(schema.parameters[1].has_number);
  EXPECT_FALSE(schema.parameters[1].is_keyword_only);
  EXPECT_TRUE(schema.parameters[2].is_keyword_only);
  EXPECT_EQ(schema.find("keepdim"), 2U);
  EXPECT_EQ(schema.find("other"), 3U);
}

TEST(Schema, KnowsWhatIsSpelledOutAndWhatTakesAnyName) {
  const Schema sizes = parse_schema("zeros(int... size, *, TensorOptions options) -> Tensor");
  EXPECT_FALSE(sizes.takes_self());
  EXPECT_TRUE(sizes.parameters[0].is_spread);
  EXPECT_EQ(sizes.parameters[0].type, "int");
  ASSERT_EQ(sizes.parameters.size(), 5U);
  EXPECT_EQ(sizes.parameters[1].name, "dtype");
  EXPECT_TRUE(sizes.parameters[1].is_keyword_only);
  EXPECT_EQ(sizes.parameters[4].name, "layout");
  const Schema pattern = parse_schema("rearrange(Tensor self, str pattern, *, int **axes_lengths) -> Tensor");
  EXPECT_TRUE(pattern.parameters[1].is_any);
  EXPECT_TRUE(pattern.parameters[1].is_optional());
  EXPECT_EQ(pattern.find("axes_lengths"), 2U);  // it takes other names than its own
  EXPECT_TRUE(parse_schema("add(Tensor|Scalar self, Tensor|Scalar other) -> Tensor").takes_number());
}

/// What a C++ function takes there, in the words of schemas.
bool is_told(SlotKind kind, const Parameter& parameter) {
  const auto has = [&](std::string_view word) { return parameter.type.find(word) != std::string_view::npos; };
  switch (kind) {
    case SlotKind::integer:
    case SlotKind::maybe_integer:
      return has("int");
    case SlotKind::list:
      return has("int[]") || (has("int") && parameter.is_spread);
    case SlotKind::ints:
      return has("int|int[]") || (has("int") && parameter.is_spread);
    case SlotKind::tensor:
      return has("Tensor");
    case SlotKind::operand:
    case SlotKind::maybe_operand:
      return has("Tensor|Scalar");
    case SlotKind::number:
      return has("Scalar");
    case SlotKind::real:
      return has("float");
    case SlotKind::flag:
      return has("bool");
    case SlotKind::dtype:
    case SlotKind::maybe_dtype:
      return has("ScalarType");
    case SlotKind::format:
      return has("MemoryFormat");
  }
  return false;
}

TEST(OperationTable, SchemasSayWhatFunctionsTake) {
  std::size_t functions = 0;
  for (const Form form : {Form::method, Form::function, Form::attribute}) {
    for (const std::string& name : operation_names(form)) {
      const Operation& operation = *find_operation(name, form);
      EXPECT_FALSE(operation.text.empty()) << name;
      EXPECT_FALSE(operation.schema.result.empty()) << name;
      EXPECT_TRUE(operation.schema.takes_self() || form == Form::function) << name;
      for (const Direct& direct : operation.run.directs) {
        ++functions;
        ASSERT_LE(direct.count, operation.schema.parameters.size()) << name;
        for (std::size_t i = 0; i < direct.count; ++i) {
          EXPECT_TRUE(is_told(direct.takes[i], operation.schema.parameters[i])) << name << " " << i;
        }
      }
    }
  }
  EXPECT_GT(functions, 300U);
}

}  // namespace
}  // namespace tenstride::detail
