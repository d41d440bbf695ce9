// debug path: which path a message would take, and why, in words. Source: spec/multirail.md 3.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "admin/client/tree_fields.h"
#include "admin/ulnetctl/command.h"

namespace ulnet::tools {

namespace {

using ctl::bool_in;
using ctl::text_in;
using ctl::Tree;

std::int64_t number_in(const Tree& tree, const char* key) {
  const auto at = tree.find(key);
  return at == tree.end() || !at->is_number_integer() ? 0 : at->get<std::int64_t>();
}

std::string priority(std::int64_t value) { return value == -1 ? "none" : std::to_string(value); }

std::string turn(std::int64_t value) {
  return value == 0 ? "no turn yet" : fmt::format("last turn {}", value);
}

/// Returns the values that the step compares, in the order of its comparisons.
std::string net_values(const Tree& net) {
  return fmt::format(
      "health {} at the peer, priority {}; health {} here, priority {}; {}, last turn of the local "
      "net {}",
      number_in(net, "health value"), priority(number_in(net, "priority")),
      number_in(net, "local health value"), priority(number_in(net, "local priority")),
      turn(number_in(net, "turn")), number_in(net, "local turn"));
}
std::string route_values(const Tree& route) {
  return fmt::format("{}priority {}, hops {}, health {}, {} bytes queued, credits {}, {}",
                     bool_in(route, "preferred") ? "preferred by a policy, " : "",
                     number_in(route, "priority"), number_in(route, "hop"),
                     number_in(route, "health value"), number_in(route, "queued"),
                     number_in(route, "credits"), turn(number_in(route, "turn")));
}
std::string ni_values(const Tree& ni) {
  std::string text = fmt::format("health {}, priority {}", number_in(ni, "health value"),
                                 priority(number_in(ni, "priority")));
  if (number_in(ni, "fatal_error") != 0) text = "failed device, " + text;
  if (ni.contains("distance")) text += fmt::format(", distance {}", number_in(ni, "distance"));
  return text +
         fmt::format(", credits {}, {}", number_in(ni, "credits"), turn(number_in(ni, "turn")));
}
std::string peer_ni_values(const Tree& ni) {
  return fmt::format("health {}, priority {}{}, credits {}, {}", number_in(ni, "health value"),
                     priority(number_in(ni, "priority")),
                     bool_in(ni, "preferred") ? ", preferred from this interface" : "",
                     number_in(ni, "credits"), turn(number_in(ni, "turn")));
}

/// Prints one step: its candidates, the chosen one with a star, and the others with the reason why
/// they lost.
void print_step(const Tree& path, const char* list, const char* name, const char* heading,
                std::string (*values)(const Tree&)) {
  const auto at = path.find(list);
  if (at == path.end() || !at->is_array() || at->empty()) return;
  out(std::string(heading) + "\n");
  for (const Tree& one : *at) {
    const bool chosen = bool_in(one, "chosen");
    out(fmt::format("  {} {}: {}\n", chosen ? '*' : ' ', text_in(one, name), values(one)));
    if (!chosen) out(fmt::format("      not chosen: {}\n", text_in(one, "lost by")));
  }
}

void print_result(const Tree& path) {
  if (path.contains("errno")) {
    out(fmt::format("Result: no path: {} (errno {})\n", text_in(path, "descr"),
                    number_in(path, "errno")));
    return;
  }
  const std::string source = text_in(path, "source");
  out(fmt::format("Result: to {} {}\n", text_in(path, "hop"),
                  source.empty() ? "from an interface that the peer's own partition chooses"
                                 : "from " + source));
}

void print_in_words(const Tree& path) {
  out(fmt::format("Path to {}", text_in(path, "to")));
  if (const std::string from = text_in(path, "from"); !from.empty()) out(" from " + from);
  out(fmt::format(", as CPU partition {} would choose now\n", number_in(path, "cpt")));
  if (!bool_in(path, "known")) out("The node does not know this peer yet.\n");
  if (bool_in(path, "waits for discovery"))
    out("The first message waits until the peer is discovered; the node then chooses its path "
        "again.\n");
  out("Rule: " + text_in(path, "rule") + "\n");
  print_step(path, "routes", "gateway", "The route, by its gateway:", route_values);
  print_step(path, "nets", "net", "Step A, the net:", net_values);
  print_step(path, "local NI(s)", "nid", "Step B, the interface of this node:", ni_values);
  print_step(path, "peer ni", "nid", "Step C, the peer's NID:", peer_ni_values);
  print_result(path);
}

}  // namespace

int run_debug_path(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"to", 't', Option::kValue},
                                       {"from", 'f', Option::kValue},
                                       {"cpt", 'c', Option::kValue},
                                       kJson});
  if (!args.has("to")) return print_help(session, self), -EINVAL;
  std::optional<Nid> nids[2];
  for (const int i : {0, 1}) {
    const auto word = args.value(i == 0 ? "to" : "from");
    if (!word) continue;
    const auto nid = Nid::parse(*word);
    if (!nid || nid->is_any())
      return session.failed("debug", "path", {-EINVAL, "invalid NID '" + *word + "'"});
    nids[i] = *nid;
  }
  std::optional<std::uint32_t> cpt;
  if (const auto word = args.value("cpt")) {
    const auto number = parse_number(*word);
    if (!number || *number < 0 || *number > UINT32_MAX)
      return session.failed("debug", "path", {-EINVAL, "invalid CPT value '" + *word + "'"});
    cpt = static_cast<std::uint32_t>(*number);
  }
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto tree = lnet.explain_path(*nids[0], nids[1], cpt);
  if (!tree) return session.failed("debug", "path", tree.error());
  if (args.has("json") || session.json())
    session.show(*tree, true);
  else
    print_in_words(tree->at("path"));
  return 0;
}

}  // namespace ulnet::tools
