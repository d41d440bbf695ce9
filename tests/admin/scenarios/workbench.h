// Fixture for tests of ulnetctl: a folder of its own, a node with its control API in it, the tool
// run as a process, recorded outputs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <vector>

#include "test_node.h"

namespace ulnet::ctl::test {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

/// A command line and the output of production nodes: stdout and stderr in one text.
struct Recorded {
  std::string command;
  std::string output;
  int code = 0;
};

class Workbench : public ::testing::Test {
 protected:
  explicit Workbench(const char* machine = kOnePartition);
  ~Workbench() override;

  /// Runs `command` in a shell, in the test's folder, with ulnetctl, lnetctl and ulst in the path
  /// and ULNET_CONTROL set.
  Outcome sh(const std::string& command, const std::string& input = {});
  /// As sh(), with stdout and stderr in one text (`out`).
  Outcome sh_merged(const std::string& command);
  /// Begins to run `command` and waits until `begun` is true of what it has printed on stdout.
  std::future<Outcome> sh_until(const std::string& command,
                                const std::function<bool(const std::string& out)>& begun);
  /// The last request to the node: "PATCH /v1/net {...}"; empty: there was no request.
  std::string last_request() { return node.last_request(); }
  void write_file(const std::string& name, const std::string& text);
  std::string read_file(const std::string& name);
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;

 protected:
  Network network;
  TestNode node;
};

/// stderr without ulnet's hints. ulnet prints hints as YAML comments, beside the recorded texts.
std::string without_hints(const std::string& text);
/// A file of tests/data/text.
std::string recorded_text(const std::string& file);
/// The pieces "$ command", output, "[rc=N]" (or "[exit N]") of such a file.
std::vector<Recorded> recorded_commands(const std::string& file);
/// lnetctl's YAML as a tree. Plain numbers become numbers.
Tree tree_of_yaml(const std::string& text);
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace ulnet::ctl::test
