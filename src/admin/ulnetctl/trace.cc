// trace: the path of a message to a NID, and how far along it nodes answer. Source:
// spec/multirail.md 9.
#include "admin/client/trace.h"

#include <fmt/format.h>

#include "admin/client/nid_words.h"
#include "admin/client/tree_fields.h"
#include "admin/ulnetctl/command.h"
#include "admin/ulnetctl/ping.h"

namespace ulnet::tools {

namespace {

using ctl::field_in;
using ctl::list_in;
using ctl::number_in;
using ctl::text_in;
using ctl::Tree;

constexpr std::size_t kRoutersMax = 64;
constexpr std::int64_t kSecondsMax = 180;

void print_not_taken(const Tree& of) {
  for (const Tree& other : list_in(of, "not taken"))
    out(fmt::format("      not through {}: {}\n", text_in(other, "gateway"),
                    text_in(other, "why")));
}

void print_hop(std::size_t number, const Tree& hop) {
  const std::string role = text_in(hop, "role");
  std::string line = fmt::format("{:>2}  {}", number, text_in(hop, "nid"));
  if (role == "router") line += ", a router";
  if (role == "perhaps") line += ", perhaps a router on this path: its nets connect the hops";
  if (ctl::bool_in(hop, "answers"))
    line += fmt::format(": {:.3f} ms", static_cast<double>(number_in(hop, "rtt_us", 0)) / 1000);
  else
    line += ": no answer, " + text_in(hop, "descr");
  if (hop.contains("health value"))
    line += fmt::format(", health {}", number_in(hop, "health value", 0));
  out(line + "\n");
  const std::string hint = text_in(hop, "hint");
  const bool says_more = !hint.empty() && hint.rfind("no answer from ", 0) != 0;
  if (says_more) out("      " + hint + "\n");
  print_not_taken(hop);
}

void print_in_words(const Tree& trace) {
  out(fmt::format("Trace to {}\n", text_in(trace, "to")));
  if (const std::string rule = text_in(trace, "rule"); !rule.empty()) out("Rule: " + rule + "\n");
  std::size_t number = 0;
  for (const Tree& hop : list_in(trace, "hops")) print_hop(++number, hop);
  print_not_taken(trace);
  if (ctl::bool_in(trace, "answers"))
    out("Result: the target answers, so a path back exists too\n");
  if (trace.contains("errno"))
    out(fmt::format("Result: no path: {} (errno {})\n", text_in(trace, "descr"),
                    number_in(trace, "errno", 0)));
  for (const Tree& sentence : list_in(trace, "found"))
    if (sentence.is_string()) out("Found: " + sentence.get<std::string>() + "\n");
}

}  // namespace

int run_trace(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(
      session, self, words,
      {kHelp, {"via", 0, Option::kValue}, {"timeout", 't', Option::kValue}, kJson}, Rest::kWords);
  if (args.rest().size() != 1) return print_help(session, self), -EINVAL;
  std::int64_t seconds = 1;
  if (const auto text = args.value("timeout")) {
    const auto number = parse_number(*text);
    if (!number || *number < 1 || *number > kSecondsMax)
      return session.failed("manage", "trace",
                            {-EINVAL, "invalid timeout '" + *text + "', must be 1 to 180 seconds"});
    seconds = *number;
  }
  HostNames hosts;
  const auto to = ctl::nids_of_words(args.rest(), 1, hosts.resolver());
  if (!to) {
    session.failed("manage", "trace", to.error());
    return hosts.hint(session), kRequestFailed;
  }
  const Words routers = args.values("via");
  const auto via = routers.empty() ? Result<std::vector<Nid>>(std::vector<Nid>())
                                   : ctl::nids_of_words(routers, kRoutersMax, hosts.resolver());
  if (!via) return session.failed("manage", "trace", via.error());
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto tree = ctl::trace(lnet, {to->front(), *via, ctl::ping_timeout_ms(seconds)});
  if (!tree) return session.failed("manage", "trace", tree.error());
  const Tree& trace = field_in(*tree, "trace");
  if (args.has("json") || session.json())
    session.show(*tree, true);
  else
    print_in_words(trace);
  return ctl::bool_in(trace, "answers") ? 0 : kTargetFailed;
}

}  // namespace ulnet::tools
