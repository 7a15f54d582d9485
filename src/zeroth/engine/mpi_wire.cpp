// SPDX-License-Identifier: MIT
// The library zeroth_mpi: nothing of zeroth's is linked to it, so that it can be built for another MPI alone.
#include "zeroth/engine/mpi_wire.hpp"

#include <mpi.h>

namespace {

void begin(int several_threads, int* rank, int* size) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, several_threads != 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

void end() { MPI_Finalize(); }

int several_threads() {
  int level = 0;
  MPI_Query_thread(&level);
  return level >= MPI_THREAD_MULTIPLE ? 1 : 0;
}

void send(const char* bytes, int size, int to, int tag) { MPI_Send(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD); }

void* send_later(const char* bytes, int size, int to, int tag) {
  auto* request = new MPI_Request(MPI_REQUEST_NULL);
  MPI_Isend(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, request);
  return request;
}

void settle(void* sending) {
  auto* request = static_cast<MPI_Request*>(sending);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  delete request;
}

int arrived(int from, int tag, ZerothMpiMessage* message) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(from < 0 ? MPI_ANY_SOURCE : from, tag < 0 ? MPI_ANY_TAG : tag, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return 0;
  *message = {status.MPI_SOURCE, status.MPI_TAG, 0};
  MPI_Get_count(&status, MPI_BYTE, &message->size);
  return 1;
}

void receive(char* bytes, const ZerothMpiMessage* message) {
  MPI_Recv(bytes, message->size, MPI_BYTE, message->source, message->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

constexpr ZerothMpiWire wire{begin, end, several_threads, send, send_later, settle, arrived, receive};

}  // namespace

extern "C" __attribute__((visibility("default"))) const ZerothMpiWire* zeroth_mpi_wire_1() { return &wire; }
