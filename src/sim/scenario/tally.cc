#include "sim/scenario/tally.h"

#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

/// Whether the node awaits this answer for an MD of its own, which it used for a ping or a push.
bool own(const SimNode& node, const wire::WireHandle& answered) {
  const MdHandle md{answered.object_cookie};
  const core::ShardState* holder = shard_with(node, md);
  const core::Md* found = holder == nullptr ? nullptr : holder->memory.find(md);
  return found != nullptr && found->owner == core::MdOwner::kShard;
}

bool is_discovery(const SimNode& to, const wire::LnetHeader& header) {
  if (const auto* put = std::get_if<wire::PutPart>(&header.part))
    return put->portal == core::kReservedPortal.index;
  if (const auto* get = std::get_if<wire::GetPart>(&header.part))
    return get->portal == core::kReservedPortal.index;
  if (const auto* ack = std::get_if<wire::AckPart>(&header.part)) return own(to, ack->dst_wmd);
  return own(to, std::get<wire::ReplyPart>(header.part).dst_wmd);
}

std::uint64_t largest(const std::unordered_map<std::uint64_t, std::uint64_t>& counts) {
  std::uint64_t most = 0;
  for (const auto& [which, count] : counts) most = std::max(most, count);
  return most;
}

}  // namespace

void Tally::after_step(World& world, const ShardStep& step) {
  const std::uint32_t node = step.node.number();
  if (const auto* in = std::get_if<core::HeaderArrived>(&step.input))
    ++handled_[key(node, in->ni.value)];
  for (const core::Send& send : actions_of<core::Send>(step)) {
    ++handled_[key(node, send.ni.value)];
    const SimNode* to = world.find(send.header.dest_nid);
    if (to != nullptr && to != &step.node && is_discovery(*to, send.header))
      ++discovery_[key(std::min(node, to->number()), std::max(node, to->number()))];
  }
}

std::uint64_t Tally::most_discovery() const { return largest(discovery_); }
std::uint64_t Tally::busiest() const { return largest(handled_); }

std::uint64_t Tally::round_trips(World& world) const {
  Duration busiest{};
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    const core::NodeConfig* config = world.node(i).config();
    if (config == nullptr) continue;
    for (const core::NiConfig& ni : config->nis) {
      const auto handled = handled_.find(key(i, ni.id.value));
      if (handled == handled_.end() || ni.nid.is_loopback()) continue;
      const Duration service = world.wire().service(world.wire().place(ni.nid));
      busiest = std::max(busiest, service * static_cast<std::int64_t>(handled->second));
    }
  }
  const Duration round_trip = 2 * world.wire().model().delay;
  const Duration rest = world.age() - busiest;
  if (round_trip <= Duration{} || rest <= Duration{}) return 0;
  return static_cast<std::uint64_t>((rest.count() + round_trip.count() - 1) / round_trip.count());
}

}  // namespace ulnet::sim
