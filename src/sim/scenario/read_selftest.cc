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

void read_seconds(text::Fields& fields, std::string_view key, Duration& out) {
  using std::chrono::seconds;
  if (fields.duration(key, out) && (out < seconds(1) || out % seconds(1) != Duration{}))
    fields.wrong(*fields.map().find(key), std::string(key) + ": whole seconds, at least 1s");
}

SelftestSetup read_selftest(const conf::YamlNode& item, Reading& reading) {
  text::Fields fields(item, "a selftest", reading.mistakes);
  SelftestSetup test;
  std::string what = "ping";
  fields.text("what", what);
  constexpr std::array kKinds = {"ping", "read", "write"};
  const auto kind = std::ranges::find(kKinds, what);
  if (kind == kKinds.end())
    fields.wrong(*item.find("what"), "what: '" + what + "' is not one of ping, read, write");
  else
    test.what = static_cast<SelftestSetup::What>(kind - kKinds.begin());
  if (std::string text; test.what != SelftestSetup::What::kPing && fields.text("size", text)) {
    const auto bytes = text::parse_bytes(text);
    if (!bytes || *bytes == 0 || *bytes > limits::kMtu)
      fields.wrong(*item.find("size"), "size: '" + text + "' is not from 1 to 1MiB");
    else
      test.bytes = static_cast<std::uint32_t>(*bytes);
  }
  const auto console = reading.names.in(fields, "console");
  if (console.size() == 1) test.console = console.front();
  if (console.size() > 1) fields.wrong(*item.find("console"), "console: one node");
  test.from = reading.names.in(fields, "from");
  test.to = reading.names.in(fields, "to");
  for (const NodeNumber node : test.from)
    if (std::ranges::binary_search(test.to, node))
      fields.wrong(item, reading.scenario.nodes[node].name + " is client and server");
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

}  // namespace

void read_selftests(const conf::YamlNode& section, Reading& reading) {
  std::set<NodeNumber> taken;
  const std::vector<NodeSetup>& nodes = reading.scenario.nodes;
  reading.each(section, "a selftest", [&](const conf::YamlNode& item) {
    const SelftestSetup test = read_selftest(item, reading);
    std::set<NodeNumber> own(test.from.begin(), test.from.end());
    own.insert(test.to.begin(), test.to.end());
    own.insert(test.console);
    for (const NodeNumber node : own) {
      if (node >= nodes.size()) continue;
      const std::string& name = nodes[node].name;
      if (!taken.insert(node).second) reading.wrong(item, name + " takes part in two selftests");
      if (!has_small_nid(nodes[node]))
        reading.wrong(item, name + " has no NID with a 4-byte address, by which selftest names it");
    }
    reading.scenario.selftests.push_back(test);
  });
  for (std::size_t i = kFirstLoads; i < reading.scenario.loads.size(); ++i)
    if (reading.scenario.loads[i].by_chance())
      return reading.wrong(section,
                           "with a selftest, mix and random loads are among the first seven");
}

}  // namespace ulnet::sim
