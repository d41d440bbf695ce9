// add_batch, run, stop, list_batch, query. Source: spec/cli-lst.md 3.6.
#include "admin/client/tree_fields.h"
#include "selftest/ulst/command.h"
#include "selftest/ulst/texts.h"

namespace ulnet::tools::lst {

namespace {

constexpr const char* kDefaultBatch = "batch";

/// Returns the batch that the words after the options name; nothing: there are too many words.
std::optional<std::string> batch_name(const Arguments& args) {
  if (args.rest().size() > 1) return std::nullopt;
  return args.rest().empty() ? kDefaultBatch : args.rest()[0];
}

std::size_t running(const Tree& answer) {
  std::size_t count = 0;
  for (const Tree& node : ctl::list_in(answer, "nodes"))
    if (ctl::number_in(node, "active", 0) > 0) ++count;
  return count;
}

bool bad_test_id(const Tool& tool, const Arguments& args, int test) {
  if (!args.has("test") || test >= 1) return false;
  tool.fail("Invalid test id, test id starts from 1");
  return true;
}

}  // namespace

int add_batch(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {});
  if (!args || args->rest().size() != 1) return usage(tool, self);
  if (too_long(tool, args->rest()[0])) return kFailed;
  return tool.ask("add_batch", {{"name", args->rest()[0]}}) ? 0 : kFailed;
}

int run_batch(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"timeout", 't', Option::kValue}});
  const auto name = args ? batch_name(*args) : std::nullopt;
  if (!name) return usage(tool, self);
  const auto timeout = number_of(*args, "timeout", 0);
  if (!timeout || *timeout < 0) return tool.fail("Invalid timeout value");
  const auto answer = tool.ask_nodes(
      "run", {{"name", *name}, {"run_timeout", *timeout}},
      {-ENOENT, "Failed to get count of nodes from " + *name + ": No such file or directory"});
  if (!answer) return kFailed;
  return out(*name + " is running now\n"), 0;
}

int stop_batch(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"force", 'f', Option::kFlag}});
  const auto name = args ? batch_name(*args) : std::nullopt;
  if (!name) return usage(tool, self);
  if (!tool.ask_nodes("stop", {{"name", *name}, {"force", args->has("force")}})) return kFailed;
  for (;;) {
    const auto answer = tool.ask("query", {{"name", *name}});
    if (!answer) return kFailed;
    const std::size_t left = running(*answer);
    if (left == 0) break;
    out(std::to_string(left) + " batch in stopping\n");
    tool.watch().pause(std::chrono::seconds(1));
  }
  return out("Batch is stopped\n"), 0;
}

int list_batch(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"active", 'a', Option::kFlag},
                                             {"invalid", 'i', Option::kFlag},
                                             {"all", 'l', Option::kFlag},
                                             {"test", 't', Option::kValue},
                                             {"server", 's', Option::kFlag}});
  if (!args || args->rest().size() > 1) return usage(tool, self);
  const auto test = number_of(*args, "test", 0);
  if (!test) return usage(tool, self);
  if (bad_test_id(tool, *args, *test)) return kFailed;
  if (args->rest().empty()) {
    const auto answer = tool.ask("list_batch", Tree::object());
    if (!answer) return kFailed;
    return out(numbered(ctl::list_in(*answer, "batches"), "batches")), 0;
  }
  Tree arguments = {{"name", args->rest()[0]}};
  if (*test > 0) arguments["test"] = *test;
  const auto answer = tool.ask("list_batch", std::move(arguments));
  if (!answer) return kFailed;
  const Tree& shown = ctl::field_in(*answer, *test > 0 ? "test" : "batch");
  std::string state;
  for (const char* one : {"active", "invalid", "all"})
    if (args->has(one)) state = one;
  if (state.empty()) {
    out(*test > 0 ? test_shown(shown, static_cast<std::size_t>(*test)) : batch_shown(shown));
    return 0;
  }
  std::size_t count = 0;
  out(nodes_in_state(ctl::list_in(shown, args->has("server") ? "server_nodes" : "client_nodes"),
                     state, count));
  return out("Total " + std::to_string(count) + " nodes\n"), 0;
}

int query_batch(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"test", 't', Option::kValue},
                                             {"server", 's', Option::kFlag},
                                             {"timeout", 'o', Option::kValue},
                                             {"delay", 'd', Option::kValue},
                                             {"loop", 'c', Option::kValue},
                                             {"active", 'a', Option::kFlag},
                                             {"idle", 'i', Option::kFlag},
                                             {"error", 'e', Option::kFlag},
                                             {"all", 'l', Option::kFlag}});
  const auto name = args ? batch_name(*args) : std::nullopt;
  if (!name) return usage(tool, self);
  const auto test = number_of(*args, "test", 0);
  const auto timeout = number_of(*args, "timeout", 5);
  const auto delay = number_of(*args, "delay", 5);
  const auto loop = number_of(*args, "loop", 1);
  if (!test || !loop || *loop < 1) return usage(tool, self);
  if (!timeout || !delay || *timeout <= 0 || *delay <= 0)
    return tool.fail("Invalid timeout or delay value");
  if (bad_test_id(tool, *args, *test)) return kFailed;
  Tree arguments = {{"name", *name}, {"server", args->has("server")}, {"timeout", *timeout}};
  if (*test > 0) arguments["test"] = *test;
  for (int round = 0; round < *loop; ++round) {
    if (round != 0) tool.watch().pause(std::chrono::seconds(*delay));
    const auto answer = tool.ask("query", arguments);
    if (!answer) return kFailed;
    if (args->has("all"))
      out(query_nodes(*answer, QueryOf::kAll));
    else if (args->has("active"))
      out(query_nodes(*answer, QueryOf::kActive));
    else if (args->has("idle"))
      out(query_nodes(*answer, QueryOf::kIdle));
    else if (args->has("error"))
      out(query_nodes(*answer, QueryOf::kError));
    else
      out(query_summary(*answer, *name, *test));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace ulnet::tools::lst
