#include <utility>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {

core::FaultRule draw_fault_rule(Dice& dice, const NodeSetup& node, const NodeSetup& other) {
  core::FaultRule rule;
  const auto exactly = [](const Nid& nid) { return core::FaultNids{nid.net(), nid}; };
  const std::size_t ni = dice.below(node.nis.size());
  const bool delay = dice.often(30);
  if (delay || dice.often(50)) {
    rule.source = exactly(node.nis[ni].nid);
    rule.destination = exactly(other.nis[dice.below(other.nis.size())].nid);
    if (dice.often(50)) std::swap(rule.source, rule.destination);
  } else if (dice.often(30)) {
    rule.source.net = node.nis[ni].nid.net();
  }
  if (dice.often(20)) rule.local = node.nis[ni].nid;
  if (dice.often(50)) rule.messages = 1U << dice.below(4);
  if (dice.often(75))
    rule.rate = static_cast<std::uint32_t>(dice.one_of({1, 2, 2, 3, 10}));
  else
    rule.interval = 1 + static_cast<std::uint32_t>(dice.below(3));
  rule.seed = dice.next();
  if (delay) {
    rule.kind = core::FaultRule::Kind::kDelay;
    rule.latency = 1 + static_cast<std::uint32_t>(dice.below(3));
    return core::settled(rule).value();
  }
  if (dice.often(40))
    rule.errors = static_cast<std::uint32_t>(1 + dice.below((1U << core::kFaultErrors) - 1));
  rule.random = rule.interval != 0 && dice.often(50);
  rule.drop_all = dice.often(25);
  return core::settled(rule).value();
}

}  // namespace ulnet::sim
