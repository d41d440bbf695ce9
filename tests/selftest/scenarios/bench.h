// Fixture: lst's command line with a console and fake nodes in one process, without a network.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "selftest/console/console.h"
#include "selftest/console/fake_nodes_fixture.h"
#include "selftest/ulst/command.h"

namespace ulnet::tools::lst::test {

using svc::selftest::console::test::FakeNode;
using svc::selftest::console::test::FakeNodes;

/// A console in this process. Each call lets the nodes' time pass until the call ends.
class DeskConsole final : public ConsoleClient {
 public:
  explicit DeskConsole(FakeNodes& nodes) : nodes_(nodes), console_(nodes) {}
  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds patience) override;
  std::size_t calls = 0;

 private:
  FakeNodes& nodes_;
  svc::selftest::console::Console console_;
};

/// The nodes' clock; no interrupts.
class FakeWatch final : public Watch {
 public:
  explicit FakeWatch(FakeNodes& nodes) : nodes_(nodes) {}
  Instant now() const override { return nodes_.now(); }
  void pause(Duration time) override { nodes_.pass(time); }
  void heed(bool) override {}
  bool interrupted() const override { return false; }

 private:
  FakeNodes& nodes_;
};

struct Said {
  int code = 0;
  std::string all;  ///< stdout and stderr, as on a terminal
};

/// Splits `line` ("list_group --all srv") at blanks and runs it with `tool`.
Said say(Tool& tool, const std::string& line);

class Bench : public ::testing::Test {
 protected:
  /// Splits `line` at blanks and runs it.
  Said lst(const std::string& line);
  /// Runs `line` as lst() does; expects the exit code 0.
  std::string good(const std::string& line);
  /// Runs `line` as lst() does; expects another exit code.
  std::string bad(const std::string& line);

  FakeNodes nodes;
  DeskConsole console{nodes};
  FakeWatch watch{nodes};
  std::uint32_t key = 4711;
};

}  // namespace ulnet::tools::lst::test
