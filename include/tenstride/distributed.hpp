// SPDX-License-Identifier: Apache-2.0
// The part distributed: tensors over many ranks. <tenstride/distributed/mpi.hpp>, which needs MPI, stands
// apart.
#pragma once

#include "tenstride/core.hpp"
#include "tenstride/distributed/pack.hpp"
#include "tenstride/distributed/redistribute.hpp"
#include "tenstride/distributed/transport.hpp"
#include "tenstride/distribution/distribution.hpp"
#include "tenstride/distribution/local_view.hpp"
#include "tenstride/distribution/mesh.hpp"
#include "tenstride/distribution/placement.hpp"
#include "tenstride/distribution/redistribution.hpp"
