// A test at its client: units, each of which sends one RPC after the other to its destination.
// Source: spec/wire-selftest.md 3.4, 7.
#pragma once

#include <memory>
#include <vector>

#include "selftest/service/latency.h"
#include "selftest/service/workload.h"

namespace ulnet::svc::selftest {

class Test {
 public:
  /// Gets a call when the test has stopped.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// Reports that the last unit has stopped. The test must outlive the call.
    virtual void stopped(Test& test) = 0;
  };

  /// Makes spec.concurrency units for each of `destinations`, with memory of the share of selftest.
  /// Throws std::bad_alloc when the share has too little left. `errors` counts the failures while
  /// the test runs. `errors` and `owner` must outlive the test. Destroy the test only if its units
  /// have stopped, or if their node is dead.
  Test(Context& context, BulkPool& bulks, const wire::LstTest& spec, std::uint32_t features,
       std::unique_ptr<Workload> workload, const std::vector<ProcessId>& destinations,
       std::uint32_t& errors, Owner& owner);
  ~Test();

  /// Returns the memory that a test of this many units takes at once.
  static std::uint64_t bytes(std::uint64_t units);
  /// Returns the memory for data that the units have while they run.
  std::uint64_t data_bytes() const;
  /// Takes the memory for data for the next run(). Returns false when there is not enough.
  bool take_memory();
  /// Gives the memory for data back, if the test does not run after all.
  void give_memory();
  /// Starts every unit anew. Call take_memory() before; no unit may be running.
  void run();
  /// Stops the units: each after the RPC that is under way; with `abort`, at once.
  void stop(bool abort);
  /// How many units run.
  std::uint32_t running() const { return running_; }
  const wire::LstTest& spec() const { return spec_; }
  /// Latencies of the RPCs that ended since the test was made.
  const Latency& latency() const { return latency_; }

 private:
  class Unit;
  void rest(Unit& unit);
  void go_on();
  void unit_stopped();

  Context& context_;
  BulkPool& bulks_;
  MemoryTaken taken_{context_.host.memory(), MemoryPart::kSelftest};
  const wire::LstTest spec_;
  const std::uint32_t features_;
  const std::unique_ptr<Workload> workload_;
  std::uint32_t& errors_;
  Owner& owner_;
  bool stopping_ = false;
  std::uint32_t running_ = 0;
  Latency latency_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<Unit*> resting_;  ///< units whose last RPC failed; they go on when the alarm rings
  AlarmOf<Test, &Test::go_on> rest_{*this};
};

}  // namespace ulnet::svc::selftest
