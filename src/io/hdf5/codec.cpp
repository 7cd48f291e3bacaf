// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/codec.hpp"

#include "base/message.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

Hdf5Codec parse_hdf5_codec(std::string_view text, std::string_view operation) {
  if (text.empty()) return {};
  Hdf5Codec codec{0, Hdf5Shuffle::no};
  if (text == "none") return codec;
  constexpr std::string_view shuffle = "+shuffle";
  std::string_view rest = text;
  if (rest.ends_with(shuffle)) {
    codec.shuffle = Hdf5Shuffle::yes;
    rest.remove_suffix(shuffle.size());
  }
  codec.level = 4;
  const std::string_view name = rest.substr(0, rest.find(':'));
  rest.remove_prefix(name.size());
  const bool has_level = rest.size() == 2 && rest[1] >= '1' && rest[1] <= '9';
  if (has_level) codec.level = rest[1] - '0';
  if ((name == "gzip" || name == "deflate") && (has_level || rest.empty())) return codec;
  throw ValueError(tenstride::detail::message(operation, ": the codec \"", text,
                                              "\" of an HDF5 file must be \"none\", or \"gzip\" with a level "
                                              "of 1 to 9 and \"+shuffle\", as gzip:4+shuffle"));
}

}  // namespace tenstride::io
