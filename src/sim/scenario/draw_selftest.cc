#include <algorithm>
#include <utility>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMaxRpcs = 1500;  ///< in one world, approximately
constexpr Duration kConsoleTick = seconds(8);

/// All nodes that have a 4-byte address, in random order.
std::vector<NodeNumber> selftest_nodes(Dice& dice, const Scenario& scenario) {
  std::vector<NodeNumber> nodes;
  for (NodeNumber number = 0; number < scenario.nodes.size(); ++number)
    if (std::ranges::any_of(scenario.nodes[number].nis,
                            [](const NiSetup& ni) { return ni.nid.is_small(); }))
      nodes.push_back(number);
  for (std::size_t left = nodes.size(); left > 1; --left)
    std::swap(nodes[left - 1], nodes[dice.below(left)]);
  return nodes;
}

SelftestSetup some_test(Dice& dice, const std::vector<NodeNumber>& nodes) {
  SelftestSetup test;
  const std::size_t clients = 1 + dice.below(std::min<std::size_t>(nodes.size() - 1, 3));
  const std::size_t servers = 1 + dice.below(std::min<std::size_t>(nodes.size() - clients, 3));
  const auto first = nodes.begin();
  test.from.assign(first, first + static_cast<std::ptrdiff_t>(clients));
  test.to.assign(first + static_cast<std::ptrdiff_t>(clients),
                 first + static_cast<std::ptrdiff_t>(clients + servers));
  test.console = nodes[dice.below(nodes.size())];
  test.what = static_cast<SelftestSetup::What>(dice.below(3));
  test.bytes = static_cast<std::uint32_t>(dice.one_of({8, 4096, 4104, 70'000}));
  if (dice.often(10)) test.bytes = 1 << 20;
  test.concurrency = static_cast<std::uint32_t>(dice.one_of({1, 1, 2, 4}));
  test.keep_going = dice.often(50);
  test.start = dice.up_to(milliseconds(500));
  test.lasts = milliseconds(700) + dice.up_to(seconds(2));
  test.session_timeout = seconds(dice.one_of({1, 2, 3, 5, 10}));
  test.rpc_timeout = seconds(dice.one_of({1, 5, 64}));
  return test;
}

/// How the console disappears; it has as long as `test.lasts`. In some worlds its node crashes.
void draw_console_end(Dice& dice, Scenario& scenario, SelftestSetup& test) {
  const std::uint64_t how = dice.below(100);
  if (how < 45) return;
  if (how < 60) {
    test.forgotten = true;
    test.console_timeout = seconds(dice.one_of({1, 5, 10}));
    test.session_timeout = seconds(dice.one_of({2, 20, 40}));
  } else if (how < 70) {
    test.lasts = {};
  } else if (!scenario.nothing_fails) {
    Act crash;
    crash.fault = FaultKind::kCrash;
    crash.node = test.console;
    crash.other = test.console == 0 ? 1 : 0;
    crash.at = test.start + test.lasts;
    crash.lasts = dice.often(30) ? Duration{} : dice.spread(23);
    crash.silent = dice.often(50);
    add_act(scenario, crash);
    test.lasts += seconds(1);
  }
}

/// Slows the links, because each RPC follows the one before as fast as links carry them.
void slow_down(Scenario& scenario, const SelftestSetup& test, Duration lasts) {
  const auto rpcs_at_once = static_cast<std::int64_t>(test.from.size() * test.concurrency);
  const Duration least = lasts * rpcs_at_once / (2 * kMaxRpcs);
  scenario.link.delay = std::max(scenario.link.delay, least);
  for (LinkBetween& between : scenario.links)
    between.model.delay = std::max(between.model.delay, least);
}

}  // namespace

void draw_selftest(Dice& dice, Scenario& scenario) {
  if (!dice.often(4)) return;
  const std::vector<NodeNumber> nodes = selftest_nodes(dice, scenario);
  if (nodes.size() < 2) return;
  SelftestSetup test = some_test(dice, nodes);
  draw_console_end(dice, scenario, test);
  Duration ends = test.lasts == Duration{} ? Duration(seconds(3)) : test.lasts;
  ends += test.forgotten ? test.console_timeout + kConsoleTick : test.session_timeout;
  slow_down(scenario, test, ends);
  scenario.lasts = std::max(scenario.lasts, test.start + ends + seconds(2));
  const std::uint64_t faults = scenario.nothing_fails || dice.often(30) ? 0 : 1 + dice.below(4);
  for (std::uint64_t left = faults; left != 0; --left)
    add_act(scenario, draw_act(dice, scenario, test.start + ends));
  scenario.selftests.push_back(std::move(test));
}

}  // namespace ulnet::sim
