// A command line of lst, its console, and fake nodes, without a process or a network between them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "svc/selftest/console/console.h"
#include "svc/selftest/console/fake_nodes.h"
#include "tools/ulst/command.h"

namespace ulnet::tools::lst::test {

using svc::selftest::console::test::FakeNode;
using svc::selftest::console::test::FakeNodes;

/// A console in this process; time passes while it is waited for.
class DeskConsole final : public ConsoleDoor {
 public:
  explicit DeskConsole(FakeNodes& nodes) : nodes_(nodes), console_(nodes) {}
  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds patience) override;
  std::size_t calls = 0;

 private:
  FakeNodes& nodes_;
  svc::selftest::console::Console console_;
};

/// The nodes' time; nobody interrupts.
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
  std::string all;  ///< both outputs, as a terminal would show them
};

/// "list_group --all srv", parted at blanks, given to `tool`.
Said say(Tool& tool, const std::string& line);

class Bench : public ::testing::Test {
 protected:
  /// "list_group --all srv", parted at blanks.
  Said lst(const std::string& line);
  /// ... of which the exit code is 0.
  std::string good(const std::string& line);
  /// ... and is not.
  std::string bad(const std::string& line);

  FakeNodes nodes;
  DeskConsole console{nodes};
  FakeWatch watch{nodes};
  std::uint32_t key = 4711;
};

}  // namespace ulnet::tools::lst::test
