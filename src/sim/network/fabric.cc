#include "sim/network/fabric.h"

#include <algorithm>
#include <utility>

#include "lnet/base/assert.h"

namespace ulnet::sim {

Fabric::SwitchLink::SwitchLink(SwitchId first, SwitchId second, const SwitchLinkModel& model)
    : a(first), b(second), ports{SwitchPort(model), SwitchPort(model)} {}

SwitchId Fabric::add_switch(std::string name) {
  switches_.push_back({std::move(name), {}});
  return {static_cast<std::uint32_t>(switches_.size() - 1)};
}

SwitchLinkId Fabric::join(SwitchId a, SwitchId b, const SwitchLinkModel& model) {
  ULNET_ASSERT(a != b && ways_.empty());
  const SwitchLinkId made{static_cast<std::uint32_t>(links_.size())};
  std::vector<Neighbour>& of_a = switches_[a.value].neighbours;
  ULNET_ASSERT(std::ranges::none_of(of_a, [&](auto& each) { return each.to == b; }));
  links_.push_back(std::make_unique<SwitchLink>(a, b, model));
  of_a.push_back({b, made});
  switches_[b.value].neighbours.push_back({a, made});
  return made;
}

const SwitchPort& Fabric::port(SwitchLinkId id, SwitchId at) const {
  const SwitchLink& link = *links_[id.value];
  ULNET_ASSERT(at == link.a || at == link.b);
  return link.ports[at == link.a ? 0 : 1];
}

bool Fabric::leads_over(const Way& way, SwitchLinkId id) const {
  const SwitchLink& link = *links_[id.value];
  return std::ranges::any_of(way, [&](const SwitchPort* port) {
    return port == &link.ports[0] || port == &link.ports[1];
  });
}

// ---- ways ---------------------------------------------------------------------------------------

/// Looks at the switches by their distance from `from`, and at the links of each in their order.
/// The first way found is therefore the one that fabric.h promises.
std::vector<SwitchLinkId> Fabric::links_between(SwitchId from, SwitchId to) const {
  std::vector<std::optional<Neighbour>> came_from(switches_.size());
  std::vector<SwitchId> found{from};
  for (std::size_t i = 0; i < found.size() && found[i] != to; ++i)
    for (const Neighbour& next : switches_[found[i].value].neighbours) {
      if (next.to == from || came_from[next.to.value]) continue;
      came_from[next.to.value] = Neighbour{found[i], next.link};
      found.push_back(next.to);
    }
  std::vector<SwitchLinkId> links;
  for (SwitchId at = to; at != from && came_from[at.value]; at = came_from[at.value]->to)
    links.push_back(came_from[at.value]->link);
  std::reverse(links.begin(), links.end());
  return links;
}

const Fabric::Way* Fabric::way(SwitchId from, SwitchId to) {
  const auto [known, fresh] = ways_.try_emplace({from, to});
  std::optional<Way>& way = known->second;
  if (!fresh) return way ? &*way : nullptr;
  // The way is found from the switch that was made first, and holds for both directions.
  std::vector<SwitchLinkId> links = links_between(std::min(from, to), std::max(from, to));
  if (to < from) std::reverse(links.begin(), links.end());
  if (links.empty() && from != to) return nullptr;
  way.emplace();
  for (const SwitchLinkId id : links) {
    SwitchLink& link = *links_[id.value];
    way->push_back(&link.ports[from == link.a ? 0 : 1]);
    from = from == link.a ? link.b : link.a;
  }
  return &*way;
}

Duration Fabric::unhindered(const Way& way, std::uint32_t bytes) {
  Duration sum{};
  for (const SwitchPort* port : way) sum += port->takes(bytes) + port->latency();
  return sum;
}

// ---- what happens to links ----------------------------------------------------------------------

void Fabric::cut(SwitchLinkId id, bool cut) {
  for (SwitchPort& port : links_[id.value]->ports) port.cut(queue_.now(), cut);
}

void Fabric::set_rate(SwitchLinkId id, std::uint64_t bytes_per_second) {
  for (SwitchPort& port : links_[id.value]->ports) port.set_rate(bytes_per_second);
}

// ---- pieces that cross --------------------------------------------------------------------------

void Fabric::cross(Crosser& crosser, Handle whose, std::uint64_t piece, const Way& way,
                   std::uint32_t bytes, Instant enters) {
  const auto [self, crossing] = crossings_.make();
  crossing->fabric = this;
  crossing->self = self;
  crossing->crosser = &crosser;
  crossing->whose = whose;
  crossing->piece = piece;
  crossing->way = &way;
  crossing->bytes = bytes;
  queue_.at(enters, *crossing);
}

void Fabric::step(Crossing& crossing) {
  const Way& way = *crossing.way;
  if (crossing.at != 0) {
    SwitchPort& before = *way[crossing.at - 1];
    if (before.cuts() != crossing.cuts) {
      before.lose();
      return over(crossing, true);
    }
  }
  if (crossing.at == way.size()) return over(crossing, false);
  SwitchPort& port = *way[crossing.at++];
  if (port.is_cut()) {
    port.lose();
    return over(crossing, true);
  }
  crossing.cuts = port.cuts();
  queue_.at(port.send(queue_.now(), crossing.bytes), crossing);
}

void Fabric::over(Crossing& crossing, bool lost) {
  Crosser& crosser = *crossing.crosser;
  const Handle whose = crossing.whose;
  const std::uint64_t piece = crossing.piece;
  crossings_.erase(crossing.self);
  crosser.crossed(whose, piece, lost);
}

}  // namespace ulnet::sim
