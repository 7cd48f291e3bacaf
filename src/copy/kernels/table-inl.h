// SPDX-License-Identifier: Apache-2.0
// The table of the kernels of one instruction set, over functions of these names that stand before it: of
// plain C++ in portable.cpp, of vectors in simd.cpp. Included within their namespaces.

constexpr Kernels table{
    .name = TENSTRIDE_TARGET_NAME,
    .transpose = TENSTRIDE_ITEMS(transpose),
    .transpose_panel = TENSTRIDE_ITEMS(transpose_panel),
    .gather = TENSTRIDE_ITEMS(gather),
    .gather_lines = TENSTRIDE_ITEMS(gather_lines),
    .deinterleave = TENSTRIDE_ITEMS(deinterleave),
    .interleave = TENSTRIDE_ITEMS(interleave),
    .stream = stream,
    .stream_run = stream_run,
    .copy_rows = copy_rows,
    .fill_rows = TENSTRIDE_ITEMS(fill_rows),
    .fence = fence,
    .convert = find_convert,
    .scale = find_scale,
    .stream_line = stream_line,
    .fill_strided = TENSTRIDE_ITEMS(fill_strided),
    .deinterleave_lines = TENSTRIDE_ITEMS(deinterleave_lines),
    .interleave_lines = TENSTRIDE_ITEMS(interleave_lines),
    .converting = &converting,
    .short_items = &short_items,
    .indexed = &indexed,
    .stream_alternating = stream_alternating,
    .stream_partial_rows = stream_partial_rows,
};
