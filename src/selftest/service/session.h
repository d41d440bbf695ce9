// A session at a test node: its id, its batches and their tests. Source:
// spec/wire-selftest.md 3.1, 3.5, 7.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "selftest/service/test.h"

namespace ulnet::svc::selftest {

/// Tests that are started and stopped together, in the order in which they were added.
class Batch final : private Test::Owner {
 public:
  /// Adds a test of which this node is a server. Such a test runs nothing here.
  void add_server() { tests_.push_back(nullptr); }
  template <class... Args>
  void add_client(Args&&... args) {
    Test::Owner& owner = *this;
    tests_.push_back(std::make_unique<Test>(std::forward<Args>(args)..., owner));
    data_bytes_ += tests_.back()->data_bytes();
  }
  /// Starts the tests. Returns false, and starts nothing, when there is not enough memory for data.
  bool run();
  void stop(bool abort);
  /// Returns how much memory for data its client tests need while they run; all run at the same
  /// time.
  std::uint64_t data_bytes() const { return data_bytes_; }
  /// Returns how many of its client tests run.
  std::uint32_t running() const { return running_; }
  /// Returns how many units of test number `index`, from 1, run; nothing: there is no such test.
  std::optional<std::uint32_t> running_of(std::uint32_t index) const;
  const std::vector<std::unique_ptr<Test>>& tests() const { return tests_; }

 private:
  void stopped(Test&) override { --running_; }

  std::vector<std::unique_ptr<Test>> tests_;  ///< null for a server's part
  std::uint32_t running_ = 0;
  std::uint64_t data_bytes_ = 0;
};

struct Session {
  static constexpr std::size_t kBatchesMax = 1024;
  static constexpr std::size_t kTestsMax = 1024;  ///< in all batches together

  wire::LstSessionId id;
  Nid leader;  ///< the console that made the session
  wire::LstName name;
  std::uint32_t features = 0;
  std::uint32_t references = 1;  ///< each MAKE_SESSION for the same session adds one
  Instant began{};
  std::uint32_t brw_errors = 0, ping_errors = 0;
  std::map<std::uint64_t, Batch> batches;

  std::size_t tests() const;
  std::uint32_t running_batches() const;
  /// Aborts the tests of all batches.
  void stop();
};

}  // namespace ulnet::svc::selftest
