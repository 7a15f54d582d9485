// SPDX-License-Identifier: MIT
#pragma once

// What the engine `mpi` asks of an MPI, in plain C: a small library of its own (mpi_wire.cpp), loaded when a run was
// started by mpirun, holds it. So zeroth itself starts without MPI, and runs with the MPI of the machine.
struct ZerothMpiMessage {
  int source, tag, size;
};

struct ZerothMpiWire {
  void (*begin)(int several_threads, int* rank, int* size);
  void (*end)();
  int (*several_threads)();  // whether messages may be sent from any thread
  void (*send)(const char* bytes, int size, int to, int tag);
  void* (*send_later)(const char* bytes, int size, int to, int tag);  // does not wait; `bytes` stay until it is settled
  void (*settle)(void* sending);
  int (*arrived)(int from, int tag, ZerothMpiMessage* message);  // -1: from anybody, with any tag
  void (*receive)(char* bytes, const ZerothMpiMessage* message);
};

// The only symbol of that library.
using ZerothMpiWireFunction = const ZerothMpiWire*();
inline constexpr const char* zeroth_mpi_wire_symbol = "zeroth_mpi_wire_1";
