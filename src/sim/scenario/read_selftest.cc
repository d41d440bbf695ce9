// Reads the selftest sessions of a scenario file.
#include <algorithm>
#include <array>
#include <set>

#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

constexpr std::uint32_t kMaxRpcsAtOnce = 1024;  // spec/wire-selftest.md 3.4
/// Random loads at later positions would use the portals of selftest.
constexpr std::size_t kFirstLoads = 7;

bool has_small_nid(const NodeSetup& node) {
  return std::ranges::any_of(node.nis, [](const NiSetup& ni) { return ni.nid.is_small(); });
}

}  // namespace

void Reading::read_selftests(const conf::YamlNode& section) {
  std::set<NodeNumber> taken;
  each(section, "a selftest", [&](const conf::YamlNode& item) {
    const SelftestSetup test = read_selftest(item);
    std::set<NodeNumber> own(test.from.begin(), test.from.end());
    own.insert(test.to.begin(), test.to.end());
    own.insert(test.console);
    for (const NodeNumber node : own) {
      if (node >= scenario.nodes.size()) continue;
      const NodeSetup& setup = scenario.nodes[node];
      if (!taken.insert(node).second) wrong(item, setup.name + " takes part in two selftests");
      if (!has_small_nid(setup))
        wrong(item, setup.name + " has no NID with a 4-byte address, by which selftest names it");
    }
    scenario.selftests.push_back(test);
  });
  for (std::size_t i = kFirstLoads; i < scenario.loads.size(); ++i)
    if (scenario.loads[i].by_chance())
      return wrong(section, "with a selftest, mix and random loads are among the first seven");
}

SelftestSetup Reading::read_selftest(const conf::YamlNode& item) {
  text::Fields fields(item, "a selftest", mistakes);
  SelftestSetup test;
  std::string what = "ping";
  fields.text("what", what);
  constexpr std::array kKinds = {"ping", "read", "write"};
  const auto kind = std::ranges::find(kKinds, what);
  if (kind == kKinds.end())
    wrong(*item.find("what"), "what: '" + what + "' is not one of ping, read, write");
  else
    test.what = static_cast<SelftestSetup::What>(kind - kKinds.begin());
  if (std::string text; test.what != SelftestSetup::What::kPing && fields.text("size", text)) {
    const auto bytes = text::parse_bytes(text);
    if (!bytes || *bytes == 0 || *bytes > limits::kMtu)
      wrong(*item.find("size"), "size: '" + text + "' is not from 1 to 1MiB");
    else
      test.bytes = static_cast<std::uint32_t>(*bytes);
  }
  const Numbers console = nodes_named(fields, "console");
  if (console.size() == 1) test.console = console.front();
  if (console.size() > 1) wrong(*item.find("console"), "console: one node");
  test.from = nodes_named(fields, "from");
  test.to = nodes_named(fields, "to");
  for (const NodeNumber node : test.from)
    if (std::ranges::binary_search(test.to, node))
      wrong(item, scenario.nodes[node].name + " is client and server");
  fields.number("concurrency", test.concurrency, 1U, kMaxRpcsAtOnce);
  fields.truth("keep going", test.keep_going);
  fields.duration("start", test.start);
  fields.duration("lasts", test.lasts);
  fields.truth("forgotten", test.forgotten);
  read_seconds(fields, "session timeout", test.session_timeout);
  read_seconds(fields, "console timeout", test.console_timeout);
  read_seconds(fields, "rpc timeout", test.rpc_timeout);
  return test;
}

void Reading::read_seconds(text::Fields& fields, std::string_view key, Duration& out) {
  using std::chrono::seconds;
  if (fields.duration(key, out) && (out < seconds(1) || out % seconds(1) != Duration{}))
    wrong(*fields.map().find(key), std::string(key) + ": whole seconds, at least 1s");
}

}  // namespace ulnet::sim
