// SPDX-License-Identifier: MIT
#include "zeroth/engine/mpi.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <thread>

#include "zeroth/core/error.hpp"
#include "zeroth/engine/limits.hpp"
#include "zeroth/engine/mpi_message.hpp"
#include "zeroth/engine/mpi_wire.hpp"
#include "zeroth/engine/replicas.hpp"

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

namespace {

// The wire, or why there is none.
struct Loaded {
  const ZerothMpiWire* wire = nullptr;
  std::string why;
};

// Beside the program or module that we are part of, as in a build; or where `cmake --install`, the packages and pip put
// it.
Loaded load() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&launched_by_mpi), &here) == 0) return {nullptr, "dladdr failed"};
  // Of a program the loader knows no more than how it was called, which may have been by PATH.
  const bool in_program = std::string_view(here.dli_fname) == program_invocation_name;
  const auto folder = std::filesystem::canonical(in_program ? "/proc/self/exe" : here.dli_fname).parent_path();
  for (const auto& place :
       {folder, folder.parent_path() / ZEROTH_LIBDIR / "zeroth", folder.parent_path() / "lib/zeroth"}) {
    const auto file = place / "libzeroth_mpi.so";
    if (!std::filesystem::exists(file)) continue;
    // Global: an MPI loads parts of itself that look for the rest of it.
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library)
      return {nullptr,
              std::string("there is no MPI that it can use (") + dlerror() +
                  "); install Open MPI (Debian: openmpi-bin), or build zeroth from source with the MPI you have"};
    const auto find = reinterpret_cast<ZerothMpiWireFunction*>(dlsym(library, zeroth_mpi_wire_symbol));
    if (!find) return {nullptr, file.string() + " belongs to another version of zeroth; install both anew"};
    return {find(), ""};
  }
  return {
      nullptr,
      "its part for MPI is not installed (Debian: zeroth-mpi; from source: install libopenmpi-dev and build again)"};
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

const ZerothMpiWire& wire() {
  if (!loaded().wire) throw Error("mpirun started this, but " + loaded().why + ", or run without mpirun");
  return *loaded().wire;
}

}  // namespace

bool mpi_available() { return loaded().wire != nullptr; }
std::string why_no_mpi() { return loaded().why; }

namespace {

enum Tag { question, reply, lacking, go_home, letter, sign_of_life, differs };

// Without this flag of mpirun a rank that dies takes the job with it, and there is nobody left to notice.
bool recovery_enabled() {
  static const bool enabled = [] {
    const char* value = std::getenv("OMPI_MCA_orte_enable_recovery");
    return value && std::string_view(value) != "0";
  }();
  return enabled;
}

// Ranks that may be lost say every second that they are there, whatever they evaluate; who was not heard of for
// `silence` is taken for dead.
constexpr auto between_signs = std::chrono::seconds(1);
constexpr auto silence = std::chrono::seconds(10);

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
  wire().send(bytes.data(), static_cast<int>(bytes.size()), rank, tag);
}

bool arrived(ZerothMpiMessage& message) { return wire().arrived(-1, -1, &message) != 0; }

std::vector<char> collect(const ZerothMpiMessage& message) {
  std::vector<char> bytes(static_cast<std::size_t>(message.size));
  wire().receive(bytes.data(), &message);
  return bytes;
}

// Says that this rank is there, from a thread of its own.
class SignsOfLife {
 public:
  SignsOfLife() {
    if (!recovery_enabled() || wire().several_threads() == 0) return;
    thread_ = std::jthread([this](const std::stop_token& ending) {
      std::unique_lock lock(mutex_);
      while (!ending.stop_requested()) {
        post({}, 0, sign_of_life);
        pause_.wait_for(lock, ending, between_signs, [] { return false; });
      }
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any pause_;
  std::jthread thread_;
};

// Deals questions to the ranks. Where mpirun lets a job outlive its ranks (--enable-recovery), one that falls silent is
// left out, and its question goes to another: an answer is a function of the question, whoever gives it.
class MpiEngine final : public Engine {
 public:
  MpiEngine(int size, bool& lost_some) : ranks_(static_cast<std::size_t>(size)), lost_some_(lost_some) {}
  MpiEngine(const MpiEngine&) = delete;
  MpiEngine& operator=(const MpiEngine&) = delete;
  ~MpiEngine() override {
    const std::vector<char> how_to_leave(1, lost_some_ ? 1 : 0);
    for (int rank = 1; rank < size(); ++rank)
      if (!at(rank).lost) post(how_to_leave, rank, go_home);
  }
  std::string name() const override { return "mpi"; }
  int width() const override { return size() - 1; }

  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override {
    stream(batch, on_answer, stop, {});
  }

  void stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
              const More& more) override {
    batch_.assign(batch.begin(), batch.end());
    next_ = under_way_ = 0;
    returned_.clear();
    stopping_ = stop && stop();
    for (Rank& rank : ranks_) rank.heard = Clock::now();  // while the solver worked nobody listened
    feed_idle();
    settle(batch_);  // what was put off is done while they evaluate
    Nap nap;
    while (under_way_ > 0) {
      ZerothMpiMessage message{};
      if (!arrived(message)) {
        stopping_ = stopping_ || (stop && stop());
        evaluation_for_the_lost();
        nap.take();
        continue;
      }
      const std::vector<char> bytes = collect(message);
      Rank& rank = at(message.source);
      rank.heard = Clock::now();
      if (message.tag == sign_of_life) continue;
      nap.awake();
      if (rank.lost) continue;  // too late: its question was given to another
      finish(rank);
      if (message.tag == differs) {
        replicas_.forget(message.source);
        returned_.push_back(rank.position);
        std::fprintf(stderr, "zeroth: the copy of x on rank %d differs and is sent again\n", message.source);
        feed_idle();
        continue;
      }
      if (message.tag == lacking) {
        Unpacker u(bytes);
        returned_.push_back(u.take<std::uint64_t>());
        lack_ = "rank " + std::to_string(message.source) + ": " + u.take_list<std::string>();
        rank.resting = true;  // until another has answered
        feed_idle();
        continue;
      }
      Arrived a = unpack(bytes, message.source);
      const bool quick = a.how.seconds < short_evaluation;
      for (Rank& other : ranks_) other.resting = false;
      if (quick) feed(message.source);
      on_answer(a.position, std::move(a.answer), a.how);
      feed_idle();  // before the solver thinks
      if (more) {
        const auto added = more();
        batch_.insert(batch_.end(), added.begin(), added.end());
        feed_idle();
      }
    }
    if (!returned_.empty() && !stopping_) throw OutOfResources(lack_);  // nobody is left who could
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank {
    bool busy = false, resting = false, lost = false;
    std::size_t position = 0;
    std::vector<char> sent;  // the question, until it has left
    void* sending = nullptr;
    Clock::time_point heard;
  };
  struct Arrived {
    std::uint64_t position;
    Answer answer;
    Circumstances how;
  };

  int size() const { return static_cast<int>(ranks_.size()); }
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  void feed_idle() {
    for (int rank = 1; rank < size(); ++rank) feed(rank);
  }

  void feed(int number) {
    Rank& rank = at(number);
    if (stopping_ || rank.busy || rank.resting || rank.lost || (next_ == batch_.size() && returned_.empty())) return;
    rank.position = next_;
    if (returned_.empty()) {
      ++next_;
    } else {
      rank.position = returned_.back();
      returned_.pop_back();
    }
    Packer packer;
    const Query& query = batch_[rank.position];
    pack_query(rank.position, query, packer);
    if (query.described) replicas_.put(number, *query.described, packer);
    else packer.put_list(query.x.data(), query.x.size());
    rank.sent = packer.take();
    // Not a plain send, which would wait for ever for a rank that is gone.
    rank.sending = wire().send_later(rank.sent.data(), static_cast<int>(rank.sent.size()), number, question);
    rank.busy = true;
    ++under_way_;
  }

  void finish(Rank& rank) {
    wire().settle(rank.sending);  // it has answered, so it has the question
    rank.busy = false;
    --under_way_;
  }

  void evaluation_for_the_lost() {
    if (!recovery_enabled()) return;
    for (int number = 1; number < size(); ++number) {
      Rank& rank = at(number);
      if (!rank.busy || rank.lost || Clock::now() - rank.heard < silence) continue;
      rank.lost = lost_some_ = true;
      rank.busy = false;
      --under_way_;
      returned_.push_back(rank.position);
      lack_ = "rank " + std::to_string(number) + " was not heard of for " + std::to_string(silence.count()) + " s";
      std::fprintf(stderr, "zeroth: %s and is left out; its evaluation is done elsewhere\n", lack_.c_str());
      feed_idle();
    }
  }

  static Arrived unpack(const std::vector<char>& bytes, int rank) {
    Unpacker u(bytes);
    Arrived a{u.take<std::uint64_t>(), {}, {}};
    a.answer.values = u.take_list<std::vector<double> >();
    a.answer.failure = u.take_list<std::string>();
    a.answer.se = u.take_list<std::vector<double> >();
    a.how.seconds = u.take<double>();
    a.how.attempts = u.take<int>();
    a.how.exit_code = u.take<int>();
    a.how.signal = u.take<int>();
    a.how.error_output = u.take_list<std::string>();
    a.how.worker = rank;
    return a;
  }

  std::vector<Rank> ranks_;  // the first is ourselves
  bool& lost_some_;
  std::vector<Query> batch_;
  std::size_t next_ = 0, under_way_ = 0;
  std::vector<std::size_t> returned_;  // by ranks whose machine lacks what an evaluation takes, or that are gone
  std::string lack_;
  bool stopping_ = false;
  ReplicaFeed replicas_;
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
  wire().begin(recovery_enabled() ? 1 : 0, &rank_, &size_);  // signs of life come from a thread of their own
  forget_launcher();
}

MpiWorld::~MpiWorld() {
  if (!lost_some_) wire().end();  // which waits for all
}

std::unique_ptr<Engine> MpiWorld::engine() { return std::make_unique<MpiEngine>(size_, lost_some_); }

void MpiWorld::send(const std::vector<char>& bytes, int to) { post(bytes, to, letter); }

std::vector<char> MpiWorld::receive(int from) {
  Nap nap;
  for (;;) {
    ZerothMpiMessage message{};
    if (wire().arrived(from, letter, &message) != 0) return collect(message);
    nap.take();
  }
}

void MpiWorld::serve(Engine& local, MakeReplica make_replica) {
  const SignsOfLife signs;
  Replica replica(std::move(make_replica));
  Nap nap;
  for (;;) {
    ZerothMpiMessage message{};
    if (!arrived(message)) {
      nap.take();
      continue;
    }
    nap.awake();
    const std::vector<char> bytes = collect(message);
    if (message.tag == go_home) {
      lost_some_ = !bytes.empty() && bytes.front() != 0;
      return;
    }
    Unpacker u(bytes);
    const auto position = u.take<std::uint64_t>();
    Query query;
    query.noise = u.take<std::uint64_t>();
    const auto wanted = u.take_list<std::vector<std::uint8_t> >();
    query.wanted = wanted;
    DescribedPoint point;
    std::vector<double> x;
    if (u.take<std::uint8_t>() != 0) {
      query.described = &point;
      if (!replica.read(u, point)) {
        Packer p;
        post(p.put(position).bytes(), 0, differs);
        continue;
      }
    } else {
      x = u.take_list<std::vector<double> >();
      query.x = x;
    }
    const auto send_reply = [&](std::size_t, Answer answer, const Circumstances& how) {
      post(pack_answer(position, answer, how), 0, reply);
    };
    try {
      local.evaluate({&query, 1}, send_reply, {});
    } catch (const OutOfResources& e) {  // of this machine: another rank may have what it takes
      const std::string why = e.what();
      Packer p;
      post(p.put(position).put_list(why.data(), why.size()).bytes(), 0, lacking);
    }
  }
}

}  // namespace zeroth
