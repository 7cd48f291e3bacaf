// SPDX-License-Identifier: Apache-2.0
#include "mpi/counted_handles.hpp"

#include <mpi.h>

#include <cstdio>
#include <initializer_list>

namespace {

struct Handles {
  const char* kind;
  int made = 0;
  int freed = 0;
};

Handles communicators{"communicators"};
Handles windows{"windows"};
Handles infos{"infos"};
Handles groups{"groups"};

}  // namespace

// MPI's functions under their own names, which call those that MPI has for this.
extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  ++communicators.made;
  return PMPI_Comm_dup(comm, made);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  ++communicators.made;
  return PMPI_Comm_split(comm, color, key, made);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  ++communicators.made;
  return PMPI_Comm_split_type(comm, type, key, info, made);
}
int MPI_Comm_free(MPI_Comm* comm) {
  ++communicators.freed;
  return PMPI_Comm_free(comm);
}
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* data,
                            MPI_Win* made) {
  ++windows.made;
  return PMPI_Win_allocate_shared(size, unit, info, comm, data, made);
}
int MPI_Win_free(MPI_Win* window) {
  ++windows.freed;
  return PMPI_Win_free(window);
}
int MPI_Info_create(MPI_Info* made) {
  ++infos.made;
  return PMPI_Info_create(made);
}
int MPI_Info_free(MPI_Info* info) {
  ++infos.freed;
  return PMPI_Info_free(info);
}
int MPI_Comm_group(MPI_Comm comm, MPI_Group* made) {
  ++groups.made;
  return PMPI_Comm_group(comm, made);
}
int MPI_Group_free(MPI_Group* group) {
  ++groups.freed;
  return PMPI_Group_free(group);
}
}

namespace tenstride::oracle {

int report_open_handles() {
  int open = 0;
  for (const Handles& handles : {communicators, windows, infos, groups}) {
    if (handles.made == 0) std::printf("no %s were counted\n", handles.kind);
    if (handles.made == handles.freed && handles.made != 0) continue;
    std::printf("%d %s of %d were not freed\n", handles.made - handles.freed, handles.kind, handles.made);
    open = 1;
  }
  return open;
}

}  // namespace tenstride::oracle
