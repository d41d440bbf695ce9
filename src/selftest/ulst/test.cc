// add_test. Source: spec/cli-lst.md 3.7, 5.
#include "selftest/ulst/command.h"
#include "selftest/ulst/test_params.h"
#include "selftest/ulst/texts.h"

namespace ulnet::tools::lst {

namespace {

constexpr int kConcurrencyMax = 1024;
/// The message when the batch or a group does not exist.
const Wording kMissing{-ENOENT, "Can't find test in current session"};

/// Whether the group has an active node, which a test needs. Returns false after a message.
bool has_nodes(Tool& tool, const std::string& group) {
  const auto answer = tool.ask("list_group", {{"name", group}}, kMissing);
  if (!answer) return false;
  const Tree& counts = answer->at("group").at("counts");
  if (counts.at("active").get<int>() > 0) return true;
  tool.fail("Can't get count of nodes from " + group + ": no active node");
  return false;
}

}  // namespace

int add_test(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"batch", 'b', Option::kValue},
                                             {"loop", 'l', Option::kValue},
                                             {"concurrency", 'c', Option::kValue},
                                             {"distribute", 'd', Option::kValue},
                                             {"from", 'f', Option::kValue},
                                             {"to", 't', Option::kValue},
                                             {"keep-going", 0, Option::kFlag},
                                             {"nodes-are-safe", 0, Option::kFlag}});
  if (!args || !args->has("from") || !args->has("to") || args->rest().empty())
    return usage(tool, self);
  const auto loop = number_of(*args, "loop", -1);
  if (!loop || (args->has("loop") && *loop <= 0 && *loop != -1))
    return tool.fail("Invalid loop count of test: " + *args->value("loop"));
  const auto concurrency = number_of(*args, "concurrency", 1);
  if (!concurrency || *concurrency < 1 || *concurrency > kConcurrencyMax)
    return tool.fail("Invalid concurrency of test: " + *args->value("concurrency"));
  const auto spread = parse_distribution(args->value("distribute").value_or("1:1"));
  if (!spread) return tool.fail(spread.error().reason);
  const auto test = parse_test(args->rest());
  if (!test) {
    tool.fail(test.error().reason);
    return tool.fail("Failed to add test (" + args->rest()[0] + ")");
  }
  const std::string from = *args->value("from"), to = *args->value("to");
  const std::string batch = args->value("batch").value_or("batch");
  if (!tool.ask("list_batch", {{"name", batch}}, kMissing)) return kFailed;
  if (!has_nodes(tool, from) || !has_nodes(tool, to)) return kFailed;
  Tree arguments = {{"batch", batch},
                    {"from", from},
                    {"to", to},
                    {"loop", *loop},
                    {"concurrency", *concurrency},
                    {"distribute", {spread->clients, spread->servers}},
                    {"keep_going", args->has("keep-going")},
                    {"type", test->type}};
  if (test->type == "brw")
    arguments["brw"] = {{"write", test->write},
                        {"size", test->size},
                        {"check", test->check},
                        {"offset", test->offset},
                        {"nodes_are_safe", args->has("nodes-are-safe")}};
  const auto answer = tool.ask_nodes("add_test", std::move(arguments), kMissing);
  if (!answer || !node_problems(*answer).empty())
    return tool.fail("Failed to add test (" + test->type + ")");
  return out("Test was added successfully\n"), 0;
}

}  // namespace ulnet::tools::lst
