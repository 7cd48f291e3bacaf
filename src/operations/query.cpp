// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "operations/runs.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/elementwise/elementwise.hpp"

/// Questions about tensors, shapes and element types.
namespace tenstride::detail {
namespace {

constexpr auto query = OpClass::query;

Value to_list(const Nested& nested) {
  if (!nested.is_list()) return Value(nested.scalar());
  Value::Sequence list{Value::SequenceKind::list, {}};
  for (const Nested& item : nested.items()) list.items.push_back(to_list(item));
  return Value(Value::Variant(std::move(list)));
}

Value untyped_storage(Call& call) {
  const Tensor& self = call.self();
  const Layout bytes{{static_cast<Index>(self.storage().nbytes())}, {1}, 0};
  return Value(Value::Variant(StorageBytes{with_layout(self, bytes, DType::uint8)}));
}

/// Whether the order of the axes could be told in several ways, and not by exactly one of the formats.
bool is_ambiguous(const Tensor& x, const std::vector<MemoryFormat>& formats) {
  bool has_twins = false;
  for (std::size_t d = 0; d < x.layout().rank(); ++d) {
    has_twins = has_twins || x.shape()[d] == 1 || (d > 0 && x.strides()[d] == x.strides()[d - 1]);
  }
  const auto is_seen = [&](MemoryFormat format) { return x.is_contiguous(format); };
  return has_twins && std::count_if(formats.begin(), formats.end(), is_seen) != 1;
}

/// `dim_order()`, `dim_order(ambiguity_check=True)` or a list of memory formats.
Value dim_order_of(Call& call) {
  std::vector<MemoryFormat> formats;
  bool checks = false;
  if (call.has(0)) {
    const Value::Sequence* const listed = call.value(0).sequence();
    const bool is_list = listed != nullptr && listed->kind == Value::SequenceKind::list;
    if (is_list) {
      for (const Value& item : listed->items) {
        const auto* const format = std::get_if<MemoryFormat>(&item.variant());
        if (format == nullptr) call.fail_type(0, "a bool or a list of memory formats");
        formats.push_back(*format);
      }
    }
    checks = is_list || call.flag(0);
  }
  if (checks && is_ambiguous(call.self(), formats)) {
    throw RuntimeError(
        message("dim_order: the order of the axes must be told by sizes and strides, or by exactly one of "
                "the memory formats that are given (shape ",
                call.self().shape(), ", strides ", call.self().strides(), ")"));
  }
  return Value::tuple_of(dim_order(call.self().layout()));
}

Dims sizes_of(const Call& call, const Value& shape) {
  const std::optional<Index> alone = to_index(shape);
  if (alone) return {*alone};
  if (shape.sequence() == nullptr) {
    throw RuntimeError(message("broadcast_shapes: a shape must be an int, or a tuple or list of ints (",
                               shape.type_name(), " ", shape.repr(), ")"));
  }
  Dims sizes;
  for (const Value& item : shape.sequence()->items) {
    const std::optional<Index> size = to_index(item);
    if (!size) call.fail_type(0, "ints, or tuples or lists of ints");
    sizes.push_back(*size);
  }
  return sizes;
}

/// Each argument is a shape; an int is one of a single axis.
Value broadcast_shapes_of(Call& call) {
  Dims result;
  if (!call.has(0)) return Value::size_of(result);
  const Value& given = call.value(0);
  if (!call.is_spread()) return Value::size_of(broadcast_shapes(result, sizes_of(call, given)));
  for (const Value& shape : given.sequence()->items) {
    result = broadcast_shapes(result, sizes_of(call, shape));
  }
  return Value::size_of(result);
}

bool has_nonzero(const Tensor& x) {
  if (x.numel() != 1)
    throw RuntimeError(message("is_nonzero: a tensor of ", x.numel(), " elements must have 1"));
  return x.item().to<bool>();
}

Value common_type(std::string_view operation, std::optional<DType> found, DType a, DType b) {
  if (found) return Value(Value::Variant(*found));
  throw RuntimeError(message(operation, ": dtypes ", name(a), " and ", name(b),
                             " must have a common type; convert one with .to(dtype)"));
}

DType needed_dtype(const Call& call, std::size_t parameter) {
  if (!call.has(parameter)) call.fail_type(parameter, "a dtype, e.g. torch.float32");
  return *call.dtype(parameter);
}

Value promoted(Call& call) {
  const DType a = needed_dtype(call, 0), b = needed_dtype(call, 1);
  return common_type("promote_types", promote_types(a, b), a, b);
}

TypedOperand typed(const Call& call, std::size_t parameter) {
  if (!call.is_tensor(parameter)) return {call.number(parameter).dtype(), TypeWeight::number};
  const Tensor& x = call.tensor(parameter);
  return {x.dtype(), x.dim() == 0 ? TypeWeight::scalar_tensor : TypeWeight::tensor};
}

Value type_of_result(Call& call) {
  const std::array operands{typed(call, 0), typed(call, 1)};
  return common_type("result_type", result_type(operands), operands[0].dtype, operands[1].dtype);
}

bool has_sign(const Tensor& x) {
  const DTypeKind type = kind(x.dtype());
  return type != DTypeKind::boolean && type != DTypeKind::unsigned_integer;
}
/// PyTorch takes `preserve_format` for the usual one here.
bool is_contiguous_in(const Tensor& x, MemoryFormat format) {
  return x.is_contiguous(format == MemoryFormat::preserve ? MemoryFormat::contiguous : format);
}
Index address_of(const Tensor& x) {
  return x.numel() == 0 ? 0 : static_cast<Index>(reinterpret_cast<std::intptr_t>(x.data_ptr()));
}

}  // namespace

Value to_value(Call&, Lists lists) {
  return to_list(lists.elements->tolist());
}

std::vector<Operation> query_operations() {
  using T = const Tensor&;
  return {
      {"size(Tensor self, int? dim=None) -> Size", method, query,
       runs<&Tensor::shape, [](T x, Index dim) { return x.size(dim); }>,
       R"(All sizes, or that of one axis. Raises IndexError where there is no such axis.

>>> torch.zeros(2, 3).size(), torch.zeros(2, 3).size(-1)
(torch.Size([2, 3]), 3)
)"},
      {"stride(Tensor self, int? dim=None) -> int[]", method, query,
       runs<&Tensor::strides, [](T x, Index dim) { return x.stride(dim); }>,
       R"(All strides, or that of one axis: how many elements of the storage lie between neighbours. Raises
IndexError where there is no such axis.

>>> torch.zeros(2, 3).stride(), torch.zeros(2, 3).stride(0)
((3, 1), 3)
)"},
      {"dim_order(Tensor self, *, bool|MemoryFormat[] ambiguity_check=False) -> int[]", method, query,
       dim_order_of,
       R"(The axes from the slowest to the fastest in memory. `ambiguity_check` True, or a list of memory formats, refuses
(RuntimeError) a tensor whose order sizes of 1 or equal strides leave open, unless exactly one of the formats fits.

>>> torch.zeros(2, 3, 4).permute(2, 0, 1).dim_order()
(1, 2, 0)
)"},
      {"dim(Tensor self) -> int", method, query, runs<&Tensor::dim>, R"(The number of axes.

>>> torch.zeros(2, 3).dim()
2
)"},
      {"get_device(Tensor self) -> int", both, query,
       runs<[](T x) { return Index{x.device().index().value_or(-1)}; }>,
       R"(The index of the device: -1 on the cpu and on meta.

>>> torch.zeros(2).get_device(), torch.zeros(2, device="meta").cuda(1).get_device()
(-1, 1)
)"},
      {"ndimension(Tensor self) -> int", method, query, runs<&Tensor::dim>,
       R"(The number of axes: another name of `dim`.

>>> torch.zeros(2, 3).ndimension()
2
)"},
      {"numel(Tensor self) -> int", both, query, runs<&Tensor::numel>,
       R"(The number of elements: the product of the sizes.

>>> torch.zeros(2, 3).numel()
6
)"},
      {"nelement(Tensor self) -> int", method, query, runs<&Tensor::numel>,
       R"(The number of elements: another name of `numel`.

>>> torch.zeros(2, 3).nelement()
6
)"},
      {"element_size(Tensor self) -> int", method, query, runs<&Tensor::element_size>,
       R"(Bytes of one element.

>>> torch.zeros(2, dtype=torch.float64).element_size()
8
)"},
      {"storage_offset(Tensor self) -> int", method, query, runs<&Tensor::storage_offset>,
       R"(Where in the storage the first element stands, in elements.

>>> torch.arange(6)[2:].storage_offset()
2
)"},
      {"is_contiguous(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> bool", method, query,
       runs<is_contiguous_in>,
       R"(Whether the elements lie one after another in row-major order, or in that of `memory_format`.

>>> torch.zeros(2, 3).is_contiguous(), torch.zeros(2, 3).T.is_contiguous()
(True, False)
)"},
      {"is_non_overlapping_and_dense(Tensor self) -> bool", both, query,
       runs<&Tensor::is_non_overlapping_and_dense>,
       R"(Whether the elements fill a piece of the storage without gaps, each place once, in whatever order of
axes.

>>> torch.zeros(2, 3).T.is_non_overlapping_and_dense()
True
)"},
      {"is_floating_point(Tensor self) -> bool", both, query, runs<&Tensor::is_floating_point>,
       R"(Whether the elements are of a real floating type.

>>> torch.zeros(2).is_floating_point()
True
)"},
      {"is_complex(Tensor self) -> bool", both, query, runs<&Tensor::is_complex>,
       R"(Whether the elements are of a complex type.

>>> torch.zeros(2).is_complex()
False
)"},
      {"is_conj(Tensor self) -> bool", both, query, runs<&Tensor::is_conj>,
       R"(Whether the elements read as the conjugates of what the memory holds.

>>> torch.zeros(2, dtype=torch.complex64).conj().is_conj()
True
)"},
      {"is_inference(Tensor self) -> bool", both, query, runs<[](T) { return false; }>,
       R"(Whether the tensor was made in inference mode, which is autograd's: False.

>>> torch.zeros(2).is_inference()
False
)"},
      {"is_neg(Tensor self) -> bool", both, query, runs<&Tensor::is_neg>,
       R"(Whether the elements read as the negatives of what the memory holds.

>>> torch.zeros(2, dtype=torch.complex64).conj().imag.is_neg()
True
)"},
      {"is_nonzero(Tensor self) -> bool", both, query, runs<has_nonzero>,
       R"(Whether the only element is not zero. Raises RuntimeError where there are more, or none.

>>> torch.tensor([0.5]).is_nonzero()
True
)"},
      {"is_pinned(Tensor self, Device? device=None) -> bool", method, query, runs<&Tensor::is_pinned>,
       R"(Whether the memory is page-locked: after `pin_memory`.

>>> torch.zeros(2).is_pinned()
False
)"},
      {"is_same_size(Tensor self, Tensor other) -> bool", both, query,
       runs<[](T x, T other) { return x.shape() == other.shape(); }>,
       R"(Whether both tensors have the same sizes.

>>> torch.zeros(2).is_same_size(torch.zeros(2)), torch.zeros(2).is_same_size(torch.zeros(3))
(True, False)
)"},
      {"is_shared(Tensor self) -> bool", method, query, runs<[](T) { return false; }>,
       R"(Whether the memory is shared between processes: False.

>>> torch.zeros(2).is_shared()
False
)"},
      {"is_signed(Tensor self) -> bool", both, query, runs<has_sign>,
       R"(Whether the type of the elements has negative values.

>>> torch.zeros(2).is_signed(), torch.zeros(2, dtype=torch.uint8).is_signed()
(True, False)
)"},
      {"is_set_to(Tensor self, Tensor tensor) -> bool", method, query, runs<&Tensor::is_same>,
       R"(Whether both tensors are the same view of the same storage.

>>> x = torch.zeros(2)
>>> x.is_set_to(x.view(2)), x.is_set_to(x.clone())
(True, False)
)"},
      {"data_ptr(Tensor self) -> int", method, query, runs<address_of>,
       R"(The address of the first element in memory, as an int; 0 where there is none, as on meta.

>>> x = torch.zeros(4)
>>> x[1:].data_ptr() - x.data_ptr()
4
)"},
      {"storage(Tensor self) -> TypedStorage", method, query,
       [](Call& c) { return Value(Value::Variant(StorageElements{c.self().flat_storage()})); },
       R"(The storage as elements of the tensor's type, as they lie in memory.

>>> torch.arange(4).view(2, 2).T.storage().tolist()
[0, 1, 2, 3]
)"},
      {"untyped_storage(Tensor self) -> UntypedStorage", method, query, untyped_storage,
       R"(The storage as bytes.

>>> torch.arange(4).untyped_storage().nbytes()
32
)"},
      {"item(Tensor self) -> Scalar", method, query, runs<[](T x) { return x.item(); }>,
       R"(The only element as a number of Python. Raises RuntimeError where there are more, or none.

>>> torch.tensor([2.5]).item()
2.5
)"},
      {"tolist(Tensor self) -> Any", method, query, runs<[](T x) { return Lists{&x}; }>,
       R"(The elements as Python's numbers in lists; a number for rank 0.

>>> torch.arange(4).view(2, 2).tolist()
[[0, 1], [2, 3]]
)"},
      {"broadcast_shapes(int|int[]... shapes=None) -> Size", function, query, broadcast_shapes_of,
       R"(The sizes that tensors of these sizes have together. Raises RuntimeError where an axis has two sizes
of which none is 1.

>>> torch.broadcast_shapes((3, 1), (4,))
torch.Size([3, 4])
)"},
      {"promote_types(ScalarType type1, ScalarType type2) -> ScalarType", function, query, promoted,
       R"(The smallest type that holds the numbers of both. Raises RuntimeError where there is none.

>>> torch.promote_types(torch.int64, torch.float32)
torch.float32
)"},
      {"result_type(Tensor|Scalar tensor, Tensor|Scalar other) -> ScalarType", function, query,
       type_of_result,
       R"(The type in which two tensors or numbers meet. A tensor of rank 0 and a number count only where they
are of a higher kind. Raises RuntimeError where there is none.

>>> torch.result_type(torch.zeros(2, dtype=torch.float16), 1j)
torch.complex32
)"},
      {"can_cast(ScalarType from_, ScalarType to) -> bool", function, query,
       [](Call& c) { return Value(Scalar(can_cast(needed_dtype(c, 0), needed_dtype(c, 1)))); },
       R"(Whether an operation in place may write results of the first type into a tensor of the second: not
where an imaginary part, a fraction, or all but whether it is 0 would be lost.

>>> torch.can_cast(torch.float64, torch.float16), torch.can_cast(torch.float32, torch.int32)
(True, False)
)"},
  };
}

}  // namespace tenstride::detail
