// stat and show_error. Source: spec/cli-lst.md 3.8, 3.9, 6.
#include "admin/client/tree_fields.h"
#include "selftest/ulst/command.h"
#include "selftest/ulst/texts.h"

namespace ulnet::tools::lst {

namespace {

struct Target {
  std::string name;
  Tree ask;     ///< arguments for the console
  Tree before;  ///< the console's previous answer
};

/// Reads the options. If no option names columns, all columns are shown, else only those that the
/// options name.
StatOptions options_of(const Arguments& args) {
  StatOptions options;
  options.megabytes = args.has("mbs");
  if (args.has("bw") || args.has("rate")) {
    options.bandwidth = args.has("bw");
    options.rate = args.has("rate");
  }
  if (args.has("read") || args.has("write")) {
    options.read = args.has("read");
    options.write = args.has("write");
  }
  if (args.has("avg") || args.has("min") || args.has("max")) {
    options.average = args.has("avg");
    options.least = args.has("min");
    options.most = args.has("max");
  }
  return options;
}

/// Samples all targets and prints the rates since the last sample. Returns false after an error.
bool sample(Tool& tool, std::vector<Target>& targets, const StatOptions& options, bool first) {
  for (Target& target : targets) {
    auto now = tool.ask("stat", target.ask, {-ENOENT, "Can't find stat in current session"});
    if (!now) return false;
    if (!first) {
      const Sample rates = rates_between(target.before, *now);
      if (rates.changed) return tool.fail("Group is changed, re-run stat"), false;
      out(rates_shown(rates, target.name, options));
    }
    target.before = std::move(*now);
  }
  std::fflush(stdout);
  return true;
}

}  // namespace

int stat(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"bw", 'b', Option::kFlag},
                                             {"rate", 'a', Option::kFlag},
                                             {"read", 'r', Option::kFlag},
                                             {"write", 'w', Option::kFlag},
                                             {"avg", 'g', Option::kFlag},
                                             {"min", 'n', Option::kFlag},
                                             {"max", 'x', Option::kFlag},
                                             {"mbs", 'm', Option::kFlag},
                                             {"timeout", 't', Option::kValue},
                                             {"delay", 'd', Option::kValue},
                                             {"count", 0, Option::kValue},
                                             {"lnet", 'l', Option::kFlag},
                                             {"rpc", 'c', Option::kFlag}});
  if (!args || args->rest().empty()) return usage(tool, self);
  const auto timeout = number_of(*args, "timeout", 5);
  const auto delay = number_of(*args, "delay", 5);
  if (!timeout || !delay || *timeout <= 0 || *delay <= 0)
    return tool.fail("Invalid timeout or delay value");
  const auto count = number_of(*args, "count", -1);
  if (!count || *count == 0 || *count < -1) return tool.fail("Invalid count value");
  StatOptions options = options_of(*args);
  if (args->has("rpc") && !args->has("lnet")) options.bandwidth = options.rate = false;
  std::vector<Target> targets;
  for (const std::string& word : args->rest()) {
    Tree ask = target_of(word);
    ask["timeout"] = *timeout;
    targets.push_back({word, std::move(ask), {}});
  }
  for (std::int64_t round = 0; *count == -1 || round <= *count; ++round) {
    if (round != 0) tool.watch().pause(std::chrono::seconds(*delay));
    if (!sample(tool, targets, options, round == 0)) return kFailed;
  }
  return 0;
}

int show_error(Tool& tool, const Command& self, Words words) {
  const auto args = Arguments::parse(words, {{"session", 's', Option::kFlag}});
  if (!args || args->rest().empty()) return usage(tool, self);
  int code = 0;
  for (const std::string& word : args->rest()) {
    const auto answer = tool.ask("stat", target_of(word));
    if (!answer) {
      code = kFailed;
      continue;
    }
    out(word + ":\n");
    std::size_t count = 0;
    err(errors_shown(*answer, args->has("session"), count));
    out("Total " + std::to_string(count) + " error nodes in " + word + "\n");
  }
  return code;
}

}  // namespace ulnet::tools::lst
