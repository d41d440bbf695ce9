#include <algorithm>
#include <set>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

/// No node has these addresses.
constexpr std::uint32_t kFirstAddress = 0x0a500001;

class OldNodesDraw {
 public:
  OldNodesDraw(Dice& dice, Scenario& scenario) : dice_(dice), scenario_(scenario) {
    std::set<NetId> nets;
    for (const NodeSetup& node : scenario.nodes)
      for (const NiSetup& ni : node.nis)
        if (ni.nid.is_small()) nets.insert(ni.nid.net());
    nets_.assign(nets.begin(), nets.end());
  }

  bool has_net() const { return !nets_.empty(); }

  void add() {
    OldNodeSetup old;
    old.nids = {some_nid()};
    if (dice_.often(30)) old.nids.push_back(some_nid());
    old.release = some_release();
    old.count = 30 + dice_.below(300);
    old.every = pace();
    old.max_bytes = static_cast<std::uint32_t>(dice_.one_of({0, 1000, 4096, 70'000}));
    const Duration busy = old.every / 2 * static_cast<std::int64_t>(old.count);
    if (dice_.often(60)) change(old, busy);
    scenario_.lasts = std::max(scenario_.lasts, 2 * busy + std::chrono::milliseconds(100));
    scenario_.old_nodes.push_back(std::move(old));
  }

 private:
  Release some_release() { return static_cast<Release>(dice_.below(kReleases)); }
  Nid some_nid() {
    const NetId net = nets_[dice_.below(nets_.size())];
    return Nid::small(net, kFirstAddress + addresses_++);
  }

  /// The longest time between two operations: mostly short enough for many round trips of messages
  /// between two changes.
  Duration pace() {
    const Duration quick = dice_.spread(12);
    if (dice_.often(15)) return quick;
    const Duration round_trip = 2 * scenario_.link.delay + scenario_.link.jitter;
    return quick + round_trip / 4 + std::chrono::microseconds(500);
  }

  /// Makes the old node change while it exchanges messages.
  void change(OldNodeSetup& old, Duration busy) {
    do old.later = some_release();
    while (old.later == old.release);
    old.change_at = Duration(1) + busy / 5 + dice_.up_to(busy / 3);
    if (dice_.often(40)) old.more_nids = {some_nid()};
    if (dice_.often(50)) old.back_at = old.change_at + Duration(1) + dice_.up_to(busy / 3);
  }

  Dice& dice_;
  Scenario& scenario_;
  std::vector<NetId> nets_;
  std::uint32_t addresses_ = 0;
};

}  // namespace

void draw_old_nodes(Dice& dice, Scenario& scenario) {
  const bool fits = scenario.nodes[0].driver == DriverKind::kSock && !scenario.nothing_fails;
  if (!fits || !dice.often(7)) return;
  OldNodesDraw draw(dice, scenario);
  if (!draw.has_net()) return;
  for (std::uint64_t left = dice.often(20) ? 2 : 1; left != 0; --left) draw.add();
}

}  // namespace ulnet::sim
