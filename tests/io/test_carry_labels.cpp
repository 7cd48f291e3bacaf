// SPDX-License-Identifier: Apache-2.0
// Coordinates go through what their axes go through; a chain is for the tensors that it fits.
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "tenstride/io/result_facts.hpp"

namespace tenstride::io {
namespace {

using Names = std::vector<std::string>;

/// A variable of a file: 10 times, 4 latitudes, 5 longitudes, 2 bounds.
FileInfo variable(const std::string& name, const Names& axes, const std::string& attributes = {}) {
  FileInfo info;
  info.path = "era5.nc";
  info.kind = FileKind::hdf5;
  info.dtype = DType::float32;
  info.name = name;
  info.axis_names = axes;
  info.attributes = attributes;
  Dims shape;
  for (const std::string& axis : axes) {
    shape.push_back(axis == "time" ? 10 : axis == "lat" ? 4 : axis == "lon" ? 5 : 2);
  }
  info.layout = row_major(shape);
  return info;
}

TensorMove converted(const FileInfo& info, const std::string& chain) {
  return {info, chain, info.name, MoveKind::convert};
}
TensorMove kept(const FileInfo& info) {
  return {info, "x", info.name, MoveKind::keep};
}

/// "lat x.flip(0)" of each tensor that is kept, then "-lat: axis lat is reduced" of each that is not written.
Names after(const std::vector<TensorMove>& moves) {
  const CarriedMoves carried = carry_labels(moves);
  Names result;
  for (const TensorMove& move : carried.moves) {
    if (move.kind == MoveKind::keep) result.push_back(move.name + ' ' + move.chain);
  }
  for (const DroppedFact& fact : carried.dropped) result.push_back('-' + fact.tensor + ": " + fact.reason);
  return result;
}

const FileInfo t2m = variable("t2m", {"time", "lat", "lon"});
const FileInfo time = variable("time", {"time"});
const FileInfo lat = variable("lat", {"lat"});

TEST(CarryLabels, CoordinatesFollowTheirAxes) {
  const auto of = [](const std::string& chain) {
    return after({converted(t2m, chain), kept(time), kept(lat)});
  };
  EXPECT_EQ(of("x"), (Names{"time x", "lat x"}));
  EXPECT_EQ(of("x.permute(2, 0, 1)"), (Names{"time x", "lat x"}));
  EXPECT_EQ(of("x.flip(1)"), (Names{"time x", "lat x.flip(0)"}));
  EXPECT_EQ(of("x[2:, 3:0:-2]"), (Names{"time x[2:10]", "lat x[1:4:2].flip(0)"}));
  EXPECT_EQ(of("x[::3, 1:3]"), (Names{"time x[0:10:3]", "lat x[1:3]"}));
  EXPECT_EQ(of("x[4]"), (Names{"time x[4]", "lat x"}));
  EXPECT_EQ(of("x[4:4]"), (Names{"time x[0:0]", "lat x"}));
  EXPECT_EQ(of("x.mean(1)"), (Names{"time x", "-lat: axis lat is reduced"}));
  EXPECT_EQ(of("x.flatten(0, 1)"), (Names{"time x", "lat x"}));
  EXPECT_EQ(of("x * 2"), (Names{"time x", "lat x"}));
}

TEST(CarryLabels, OtherPartsGetCoordinatesOfTheirOwn) {
  const FileInfo area = variable("area", {"lat", "lon"});
  const FileInfo taken = variable("lat_2", {"lon"});
  EXPECT_EQ(after({converted(t2m, "x.flip(1)"), kept(lat), kept(area)}),
            (Names{"lat x", "lat_4 x.flip(0)", "area x"}));
  EXPECT_EQ(after({converted(t2m, "x[:, 2:]"), converted(variable("u", {"lat"}), "x[:1]"), kept(lat)}),
            (Names{"lat x[2:4]", "lat_1 x[0:1]"}));
  EXPECT_EQ(after({converted(t2m, "x[:, 2:]"), kept(lat), kept(area), kept(taken)}),
            (Names{"lat x", "lat_2_axis x[2:4]", "area x", "lat_2 x"}));
  EXPECT_EQ(after({converted(t2m, "x.mean(1)"), kept(lat), kept(area)}), (Names{"lat x", "area x"}));
  // What is carried already stays so.
  const CarriedMoves once = carry_labels({converted(t2m, "x.flip(1)"), kept(lat), kept(area)});
  EXPECT_EQ(carry_labels(once.moves).moves.size(), once.moves.size());
}

TEST(CarryLabels, SoDoTensorsThatAreNamedInAttributes) {
  const FileInfo height = variable("height", {"lat", "lon"});
  const FileInfo bounded = variable("lat", {"lat"}, R"({"bounds":"lat_bnds"})");
  const FileInfo bounds = variable("lat_bnds", {"lat", "nv"});
  const FileInfo named = variable("t2m", {"time", "lat", "lon"}, R"({"coordinates":"height"})");
  const auto of = [&](const std::string& chain) {
    return after({converted(named, chain), kept(bounded), kept(bounds), kept(height)});
  };
  EXPECT_EQ(of("x.flip(1)"), (Names{"lat x.flip(0)", "lat_bnds x.flip(0)", "height x.flip(0)"}));
  EXPECT_EQ(of("x[:, 1:, ::2]"), (Names{"lat x[1:4]", "lat_bnds x[1:4, :]", "height x[1:4, 0:5:2]"}));
  // A height of all latitudes needs them all.
  EXPECT_EQ(of("x.mean(1)"), (Names{"lat x", "lat_bnds x", "height x"}));
  EXPECT_EQ(after({converted(named, "x.mean(1)"), kept(bounded), kept(bounds)}),
            (Names{"-lat: axis lat is reduced", "-lat_bnds: axis lat is reduced"}));
}

TEST(MovesThatFit, AChainIsForTheTensorsThatItFits) {
  const auto of = [](const std::vector<FileInfo>& infos, const std::string& chain) {
    Names result;
    for (const TensorMove& move : moves_that_fit(infos, [&](const FileInfo&) { return chain; })) {
      result.push_back(move.name + (move.kind == MoveKind::keep ? " is kept" : ' ' + move.chain));
    }
    return result;
  };
  EXPECT_EQ(of({t2m, time, lat}, "x.permute(2, 0, 1)"),
            (Names{"t2m x.permute(2, 0, 1)", "time is kept", "lat is kept"}));
  EXPECT_EQ(of({t2m, time, lat}, "x.flip(0)"), (Names{"t2m x.flip(0)", "time is kept", "lat is kept"}));
  EXPECT_EQ(of({time, lat}, "x.flip(0)"), (Names{"time x.flip(0)", "lat x.flip(0)"}));
  EXPECT_EQ(of({t2m}, "x.permute(1, 0)"), (Names{" x.permute(1, 0)"}));
  EXPECT_EQ(testing::refusal<ValueError>([&] {
              of({time, t2m}, "x.permute(1, 0)");
            }),
            "permute_file: the chain must fit a tensor of the file (name one, as \"era5.nc::t2m\" does); of "
            "\"t2m\" "
            "(10,4,5): RuntimeError: permute: order (1,0) must list each axis 0..2 once (shape (10,4,5))");
}

}  // namespace
}  // namespace tenstride::io
