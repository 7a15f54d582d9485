// SPDX-License-Identifier: MIT
#include "zeroth/engine/mpi.hpp"

#include <cstdlib>

#include "zeroth/core/error.hpp"
#include "zeroth/engine/mpi_message.hpp"

#ifdef ZEROTH_MPI
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <string_view>
#include <thread>
#endif

namespace zeroth {
namespace {

// What the launchers (Open MPI's and MPICH's mpirun, srun with PMIx or PMI2) leave in the environment.
const char* rank_in_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* value = std::getenv(name)) return value;
  return nullptr;
}

// Read once, at the start: MpiWorld removes the launcher's variables.
const bool was_launched = rank_in_environment() != nullptr;
const int rank_at_start = was_launched ? std::atoi(rank_in_environment()) : 0;

}  // namespace

bool launched_by_mpi() { return was_launched; }
int mpi_rank_hint() { return rank_at_start; }

#ifndef ZEROTH_MPI

bool mpi_available() { return false; }
MpiWorld::MpiWorld() {
  throw Error("this zeroth was built without MPI; install an MPI (libopenmpi-dev), build again, or run without mpirun");
}
MpiWorld::~MpiWorld() = default;
std::unique_ptr<Engine> MpiWorld::engine() { return nullptr; }
void MpiWorld::serve(Engine&) {}
void MpiWorld::send(const std::vector<char>&, int) {}
std::vector<char> MpiWorld::receive(int) { return {}; }

#else

bool mpi_available() { return true; }

namespace {

enum Tag { question, reply, go_home, letter };

// MPI's own waiting burns a core, which belongs to the evaluators. Short naps first, longer ones when nothing happens.
class Nap {
 public:
  void take() {
    if (++naps_ > 20) std::this_thread::sleep_for(std::chrono::microseconds(std::min(1000, 10 * (naps_ - 20))));
    else std::this_thread::yield();
  }
  void awake() { naps_ = 0; }

 private:
  int naps_ = 0;
};

void post(const std::vector<char>& bytes, int rank, Tag tag) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

bool arrived(MPI_Status& status) {
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  return there != 0;
}

std::vector<char> collect(const MPI_Status& status) {
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::vector<char> bytes(static_cast<std::size_t>(size));
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return bytes;
}

class MpiEngine final : public Engine {
 public:
  explicit MpiEngine(int size) : size_(size) {}
  MpiEngine(const MpiEngine&) = delete;
  MpiEngine& operator=(const MpiEngine&) = delete;
  ~MpiEngine() override {
    for (int rank = 1; rank < size_; ++rank) post({}, rank, go_home);
  }
  std::string name() const override { return "mpi"; }
  int width() const override { return size_ - 1; }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    std::size_t next = 0, under_way = 0;
    bool stopping = stop && stop();
    const auto feed = [&](int rank) {
      if (stopping || next == batch.size()) return;
      post(pack_query(next, batch[next]), rank, question);
      ++next;
      ++under_way;
    };
    for (int rank = 1; rank < size_; ++rank) feed(rank);
    Nap nap;
    while (under_way > 0) {
      MPI_Status status;
      if (!arrived(status)) {
        stopping = stopping || (stop && stop());
        nap.take();
        continue;
      }
      nap.awake();
      const std::vector<char> bytes = collect(status);
      --under_way;
      Arrived a = unpack(bytes, status.MPI_SOURCE);
      const bool quick = a.how.seconds < short_evaluation;
      if (quick) feed(status.MPI_SOURCE);
      on_answer(a.position, std::move(a.answer), a.how);
      if (!quick) feed(status.MPI_SOURCE);
    }
  }

 private:
  struct Arrived {
    std::uint64_t position;
    Answer answer;
    Circumstances how;
  };

  static Arrived unpack(const std::vector<char>& bytes, int rank) {
    Unpacker u(bytes);
    Arrived a{u.take<std::uint64_t>(), {}, {}};
    a.answer.values = u.take_list<std::vector<double> >();
    a.answer.failure = u.take_list<std::string>();
    a.how.seconds = u.take<double>();
    a.how.attempts = u.take<int>();
    a.how.exit_code = u.take<int>();
    a.how.signal = u.take<int>();
    a.how.error_output = u.take_list<std::string>();
    a.how.worker = rank;
    return a;
  }

  int size_;
};

// An evaluator that is an MPI program itself must not take our launcher's variables for its own.
void forget_launcher() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with("OMPI_") || text.starts_with("PMIX_") || text.starts_with("PMI_"))
      names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const auto& name : names) ::unsetenv(name.c_str());
}

}  // namespace

MpiWorld::MpiWorld() {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  forget_launcher();
}

MpiWorld::~MpiWorld() { MPI_Finalize(); }

std::unique_ptr<Engine> MpiWorld::engine() { return std::make_unique<MpiEngine>(size_); }

void MpiWorld::send(const std::vector<char>& bytes, int to) { post(bytes, to, letter); }

std::vector<char> MpiWorld::receive(int from) {
  Nap nap;
  for (;;) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(from, letter, MPI_COMM_WORLD, &there, &status);
    if (there != 0) return collect(status);
    nap.take();
  }
}

void MpiWorld::serve(Engine& local) {
  Nap nap;
  for (;;) {
    MPI_Status status;
    if (!arrived(status)) {
      nap.take();
      continue;
    }
    nap.awake();
    const std::vector<char> bytes = collect(status);
    if (status.MPI_TAG == go_home) return;
    Unpacker u(bytes);
    const auto position = u.take<std::uint64_t>();
    Query query;
    query.noise = u.take<std::uint64_t>();
    const auto x = u.take_list<std::vector<double> >();
    query.x = x;
    const auto wanted = u.take_list<std::vector<std::uint8_t> >();
    query.wanted = wanted;
    local.evaluate({&query, 1},
                   [&](std::size_t, Answer answer, const Circumstances& how) {
                     post(pack_answer(position, answer, how), 0, reply);
                   },
                   {});
  }
}

#endif

}  // namespace zeroth
