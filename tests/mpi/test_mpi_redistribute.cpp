// SPDX-License-Identifier: Apache-2.0
// Redistributions over MPI, against the tensor that each rank is to hold. Run by mpirun, on any number of
// ranks.
#include <gtest/gtest.h>

#include <csignal>

#include "mpi/counted_handles.hpp"
#include "support/copy_oracle.hpp"
#include "support/held_tensors.hpp"
#include "support/ops_oracle.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/distributed/mpi.hpp"
#include "tenstride/distributed/redistribute.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::distributed {
namespace {

using oracle::held_part;
using oracle::Random;

Index ranks_of(MPI_Comm ranks) {
  int size = 0;
  MPI_Comm_size(ranks, &size);
  return size;
}

/// The box that a rank holds of a tensor.
Tensor held_box(const Tensor& whole, const Distribution& spread, Index rank) {
  const Holding holding = spread.held_by(rank);
  Tensor part = whole;
  for (std::size_t d = 0; d < holding.ranges.size(); ++d) {
    const IndexRange range = holding.ranges[d].empty() ? IndexRange{} : holding.ranges[d].front();
    part = part.narrow(static_cast<Index>(d), range.begin, range.size());
  }
  return part.contiguous();
}

/// Draws on all ranks alike, so that all do the same.
void redistribute_drawn(MPI_Comm machine, unsigned seed, int trials) {
  Random random(seed);
  MpiTransport transport(MPI_COMM_WORLD, machine);
  const Index rank = transport.rank();
  const DType types[] = {DType::uint8, DType::int16, DType::int32, DType::int64, DType::complex128};
  for (int trial = 0; trial < trials; ++trial) {
    const DType dtype = types[random.between(0, 4)];
    const RedistributionProblem problem =
        oracle::drawn_redistribution(random, transport.size(), item_size(dtype));
    const RedistributionPlan plan = plan_redistribution(problem);
    const Index limits[] = {64, 200, Index{1} << 20};
    const RedistributeOptions options{limits[random.between(0, 2)], random.between(0, 3) != 0};
    const bool is_shared = random.between(0, 1) == 0;
    const Tensor whole = oracle::numbered(problem.from.shape, DType::int32).to(dtype);
    const Tensor result = whole.permute(problem.order).reshape(problem.to.shape);
    Redistributor redistributor(transport, plan, options);
    for (int call = 0; call < 2; ++call) {
      const Tensor part = held_part(whole, problem.from, rank);
      Tensor source = is_shared ? transport.empty_shared(part.shape(), dtype) : part;
      if (is_shared) copy_elements(source, part);
      const Tensor destination = zeros(problem.to.held_by(rank).local_shape(), {.dtype = dtype});
      redistributor.run(source, destination);
      ASSERT_TRUE(destination.equal(held_part(result, problem.to, rank)))
          << plan.to_string() << "\nrank " << rank << ", call " << call;
      ASSERT_LE(redistributor.buffer_bytes(), options.max_bytes);
    }
  }
}

TEST(MpiRedistribute, GivesEachRankWhatItIsToHold) {
  redistribute_drawn(MPI_COMM_NULL, 1, 60);
}

/// Two ranks share memory, as if each two were on a machine of their own.
TEST(MpiRedistribute, GoesBetweenMachines) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &machine);
  redistribute_drawn(machine, 2, 60);
  MPI_Comm_free(&machine);
}

TEST(MpiRedistribute, MovesMegabytesInRounds) {
  const Index ranks = ranks_of(MPI_COMM_WORLD);
  const RedistributionPlan plan = plan_redistribution({distribute({701, 523}, {{ranks}}, {shard(0)}),
                                                       {1, 0},
                                                       distribute({523, 701}, {{ranks}}, {shard(0)}),
                                                       8});
  const Tensor whole = oracle::numbered({701, 523}, DType::int64);
  for (const bool uses_shared_memory : {false, true}) {
    for (const Index max_bytes : {Index{10000}, Index{1} << 30}) {
      MpiTransport transport(MPI_COMM_WORLD);
      Redistributor redistributor(transport, plan, {max_bytes, uses_shared_memory});
      const Tensor destination =
          zeros(plan.problem.to.held_by(transport.rank()).local_shape(), {.dtype = DType::int64});
      redistributor.run(held_box(whole, plan.problem.from, transport.rank()), destination);
      EXPECT_TRUE(destination.equal(held_box(whole.t(), plan.problem.to, transport.rank())));
      EXPECT_LE(redistributor.buffer_bytes(), max_bytes);
    }
  }
}

TEST(MpiRedistribute, ThrowsOnAllRanksWhatOneFindsWrong) {
  MpiTransport transport(MPI_COMM_WORLD);
  const Index last = transport.size() - 1;
  const Mesh mesh{{transport.size()}};
  const RedistributionPlan plan = plan_redistribution(
      {distribute({8, 6}, mesh, {shard(0)}), {1, 0}, distribute({6, 8}, mesh, {replicate()}), 4});
  Redistributor redistributor(transport, plan);
  const Tensor source = zeros(plan.problem.from.held_by(transport.rank()).local_shape());
  const std::string refusal = oracle::message_of([&] {
    return redistributor.run(source, empty({6, transport.rank() == last ? 7 : 8})), 0;
  });
  EXPECT_EQ(refusal, "RuntimeError: rank " + std::to_string(last) +
                         ": redistribute: the destination of rank " + std::to_string(last) +
                         " of shape (6,7) must have the shape (6,8) of what the rank holds");
  redistributor.run(source, empty({6, 8}));
}

}  // namespace
}  // namespace tenstride::distributed

/// The last rank dies, meets an error that no other knows of, or is unwound by one, while the others wait.
static void fail_while_others_wait(const std::string& way) {
  tenstride::distributed::MpiTransport transport(MPI_COMM_WORLD);
  const tenstride::Tensor shared = transport.empty_shared({2}, tenstride::DType::float32);
  if (transport.rank() == transport.size() - 1) {
    if (way == "dies") std::raise(SIGKILL);
    if (way == "throws") throw std::runtime_error("no such file");
    transport.fail("out of memory");
  }
  transport.sync_near();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    if (const char* const way = std::getenv("TENSTRIDE_TEST_FAILS")) fail_while_others_wait(way);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "caught: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  testing::InitGoogleTest(&argc, argv);
  int failed = RUN_ALL_TESTS();
  failed |= tenstride::oracle::report_open_handles();
  MPI_Finalize();
  return failed;
}
