#include "selftest/ulst/texts.h"

#include <fmt/format.h>

#include <cstring>

#include "admin/client/tree_fields.h"
#include "lnet/base/text.h"

namespace ulnet::tools::lst {

namespace {

using ctl::field_in;
using ctl::list_in;
using ctl::text_in;

std::int64_t number(const Tree& object, const char* key) {
  const Tree& value = field_in(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// Returns why a node did not carry out a request: the errno of its RPC, or of its refusal. 0: the
/// node carried it out.
int trouble_of(const Tree& node) {
  const int code = ctl::number_in(node, "errno", 0);
  return code != 0 ? -code : ctl::number_in(node, "status", 0);
}
bool rpc_failed(const Tree& node) { return ctl::number_in(node, "errno", 0) != 0; }

}  // namespace

std::string session_started(const Tree& session) {
  return fmt::format("SESSION: {} FEATURES: {:x} TIMEOUT: {} FORCE: {}\n", text_in(session, "name"),
                     number(session, "features"), number(session, "timeout"),
                     ctl::bool_in(session, "force") ? "Yes" : "No");
}

std::string session_shown(const Tree& session) {
  return fmt::format("{} ID: {}@{}, KEY: {} FEATURES: {:x} NODES: {}\n", text_in(session, "name"),
                     number(session, "stamp"), text_in(session, "nid"), number(session, "key"),
                     number(session, "features"), number(session, "nodes"));
}

std::string node_problems(const Tree& answer) {
  const std::string operation = text_in(answer, "operation");
  std::string lines;
  for (const Tree& node : list_in(answer, "nodes")) {
    const int trouble = trouble_of(node);
    if (trouble == 0) continue;
    const std::string id = text_in(node, "id");
    lines +=
        rpc_failed(node)
            ? fmt::format("{} RPC failed on {}: {}\n", operation, id, std::strerror(trouble))
            : fmt::format("operation {} failed on {}: {}\n", operation, id, std::strerror(trouble));
  }
  return lines;
}

std::string pinged(const Tree& answer) {
  std::string lines;
  for (const Tree& node : list_in(answer, "nodes")) {
    const std::string state = text_in(node, "state");
    std::string session = "<NULL>";
    if (rpc_failed(node)) session = "Unknown";
    if (state == "Active" || state == "Busy") session = text_in(node, "session_name");
    lines += fmt::format("\t{}: {} [session: {} id: {}]\n", text_in(node, "id"), state, session,
                         text_in(node, "session_nid"));
  }
  return lines;
}

std::string numbered(const Tree& names, std::string_view what) {
  std::string lines;
  std::size_t index = 0;
  for (const Tree& name : names)
    lines += fmt::format("{}) {}\n", ++index, name.is_string() ? name.get<std::string>() : "");
  return lines + fmt::format("Total {} {}\n", index, what);
}

std::string counts_title() { return "\tACTIVE\tBUSY\tDOWN\tUNKNOWN\tTOTAL\n"; }

std::string counts_row(std::string_view label, const Tree& counts, std::string_view name) {
  std::string line(label);
  for (const char* state : {"active", "busy", "down", "unknown", "total"})
    line += fmt::format("\t{}", number(counts, state));
  if (!name.empty()) line += fmt::format("\t{}", name);
  return line + "\n";
}

std::string nodes_in_state(const Tree& nodes, std::string_view state, std::size_t& count) {
  std::string lines;
  for (const Tree& node : nodes) {
    const std::string is = text_in(node, "state");
    const bool invalid = state == "invalid" && is != "Active";
    if (state != "all" && text::lower(is) != state && !invalid) continue;
    lines += fmt::format("\t{}: {}\n", text_in(node, "id"), is);
    ++count;
  }
  return lines;
}

std::string group_nodes(std::string_view name, const Tree& nodes, std::string_view state) {
  std::size_t count = 0;
  const std::string lines = nodes_in_state(nodes, state, count);
  const std::string head = fmt::format("Group [ {} ]\n", name);
  if (count == 0) return head + fmt::format("No nodes found [ {} ]\n", name);
  return head + lines + fmt::format("Total {} nodes [ {} ]\n", count, name);
}

std::string batch_shown(const Tree& batch) {
  const Tree& tests = list_in(batch, "tests");
  std::string lines = fmt::format("Batch: {} Tests: {} State: {}\n", text_in(batch, "name"),
                                  tests.size(), number(batch, "state"));
  lines += counts_title() + counts_row("client", field_in(batch, "client")) +
           counts_row("server", field_in(batch, "server"));
  for (std::size_t i = 0; i < tests.size(); ++i) lines += test_shown(tests[i], i + 1);
  return lines;
}

std::string test_shown(const Tree& test, std::size_t index) {
  return fmt::format("\tTest {}({}) (loop: {}, concurrency: {})\n", index, text_in(test, "type"),
                     number(test, "loop"), number(test, "concurrency")) +
         counts_title() + counts_row("client", field_in(test, "client")) +
         counts_row("server", field_in(test, "server"));
}

std::string query_summary(const Tree& answer, std::string_view batch, int test) {
  std::size_t unknown = 0, running = 0, stopped = 0, failed = 0;
  const Tree& nodes = list_in(answer, "nodes");
  for (const Tree& node : nodes) {
    if (rpc_failed(node))
      ++unknown;
    else if (trouble_of(node) != 0)
      ++failed;
    else
      ++(number(node, "active") > 0 ? running : stopped);
  }
  std::string line = fmt::format("{} [{}] ", batch, test);
  if (unknown != 0) line += fmt::format("{} of {} nodes are unknown, ", unknown, nodes.size());
  if (running == 0 && failed == 0)
    line += "is stopped";
  else if (stopped == 0 && failed == 0)
    line += "is running";
  else
    line += fmt::format("stopped: {} , running: {}, failed: {}", stopped, running, failed);
  return line + "\n";
}

std::string query_nodes(const Tree& answer, QueryOf which) {
  std::string lines;
  for (const Tree& node : list_in(answer, "nodes")) {
    const int trouble = trouble_of(node);
    const bool running = trouble == 0 && number(node, "active") > 0;
    const bool idle = trouble == 0 && !running;
    if ((which == QueryOf::kActive && !running) || (which == QueryOf::kIdle && !idle) ||
        (which == QueryOf::kError && trouble == 0))
      continue;
    const std::string what = trouble != 0 ? std::strerror(trouble) : running ? "Running" : "Idle";
    lines += fmt::format("{} [{}]: {}\n", text_in(node, "id"), text_in(node, "state"), what);
  }
  return lines.empty() ? "Batch or test is empty\n" : lines;
}

namespace {

/// Returns a line "[R] Avg: 1.25     MiB/s  Min: ..." with the selected columns. `unit` ends with
/// the blank before the next column.
std::string rate_line(std::string_view way, const std::vector<double>& values, int decimals,
                      std::string_view unit, std::string_view last_unit,
                      const StatOptions& options) {
  const Summary all = summarize(values);
  std::string line = fmt::format("[{}] ", way);
  if (options.average) line += fmt::format("Avg: {:<8.{}f} {}", all.average, decimals, unit);
  if (options.least) line += fmt::format("Min: {:<8.{}f} {}", all.least, decimals, unit);
  if (options.most) line += fmt::format("Max: {:<8.{}f} {}", all.most, decimals, last_unit);
  return line + "\n";
}

}  // namespace

std::string rates_shown(const Sample& sample, std::string_view target, const StatOptions& options) {
  constexpr double kMiB = 1 << 20;
  constexpr double kMB = 1e6;
  const double unit = options.megabytes ? kMB : kMiB;
  const std::string_view unit_text = options.megabytes ? "MB/s  " : "MiB/s ";
  const auto values = [&](Way NodeRates::*way, double Way::*what, double by) {
    std::vector<double> list;
    for (const NodeRates& node : sample.rates) list.push_back(node.*way.*what / by);
    return list;
  };
  std::string lines;
  if (options.rate && !sample.rates.empty()) {
    const auto line = [&](std::string_view name, Way NodeRates::*way) {
      return rate_line(name, values(way, &Way::messages, 1), 0, "RPC/s ", "RPC/s", options);
    };
    lines += fmt::format("[LNet Rates of {}]\n", target);
    if (options.read) lines += line("R", &NodeRates::received);
    if (options.write) lines += line("W", &NodeRates::sent);
  }
  if (options.bandwidth && !sample.rates.empty()) {
    const auto line = [&](std::string_view name, Way NodeRates::*way) {
      return rate_line(name, values(way, &Way::bytes, unit), 2, unit_text, unit_text, options);
    };
    lines += fmt::format("[LNet Bandwidth of {}]\n", target);
    if (options.read) lines += line("R", &NodeRates::received);
    if (options.write) lines += line("W", &NodeRates::sent);
  }
  if (sample.failed != 0) lines += fmt::format("Failed to stat on {} nodes\n", sample.failed);
  return lines;
}

std::string errors_shown(const Tree& answer, bool session_only, std::size_t& count) {
  std::string lines;
  for (const Tree& node : list_in(answer, "nodes")) {
    const std::string id = text_in(node, "id");
    const Tree& counters = field_in(node, "counters");
    std::string line;
    if (!counters.is_object()) {
      line = fmt::format("{} failure, can't show error on {}\n",
                         rpc_failed(node) ? "RPC" : "Framework", id);
    } else {
      const auto brw = number(counters, "brw_errors"), ping = number(counters, "ping_errors");
      const auto errors = number(counters, "rpc_errors");
      const auto dropped = number(counters, "rpc_dropped");
      const auto expired = number(counters, "rpc_expired");
      const bool rpc = errors != 0 || dropped != 0 || expired != 0;
      if (brw == 0 && ping == 0 && (session_only || !rpc)) continue;
      line = fmt::format("{}: [Session {} brw errors, {} ping errors]", id, brw, ping);
      if (!session_only)
        line += fmt::format(" [RPC: {} errors, {} dropped, {} expired]", errors, dropped, expired);
      line += "\n";
    }
    lines += line;
    ++count;
  }
  return lines;
}

}  // namespace ulnet::tools::lst
