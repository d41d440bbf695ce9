// Records on a router when other nodes last reached it on each net, and when a net counts as down.
// Source: spec/multirail.md 9.5.
#include "lnet/core/path/net_visits.h"

#include <algorithm>
#include <utility>

namespace ulnet::core {

void NetVisits::watch(const NiTable& nis, Instant due) {
  std::erase_if(nets, [&](const auto& each) { return nis.find(each.first) == nullptr; });
  for (const LocalNi* ni : nis.configured())
    if (!ni->loopback()) nets.try_emplace(ni->nid().net(), Net{due});
}

bool NetVisits::visit(NetId net, Instant now, Instant due) {
  const auto found = nets.find(net);
  if (found == nets.end()) return false;
  found->second.visited = now;
  found->second.due = due;
  return std::exchange(found->second.down, false);
}

bool NetVisits::nobody(NetId net, Instant due) {
  const auto found = nets.find(net);
  if (found == nets.end()) return false;
  found->second.due = due;
  return !std::exchange(found->second.down, true);
}

Instant NetVisits::next_due() const {
  Instant next = kNever;
  for (const auto& [id, net] : nets) next = std::min(next, net.due);
  return next;
}

}  // namespace ulnet::core
