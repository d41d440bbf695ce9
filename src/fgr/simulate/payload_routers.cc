#include "fgr/simulate/payload_routers.h"

#include <algorithm>

#include "sim/world/world.h"

namespace ulnet::tools::fgr {

void PayloadRouters::watch(const sim::SimNode& oss) {
  if (oss.number() >= nodes_.size()) nodes_.resize(oss.number() + 1);
  nodes_[oss.number()].on = true;
}

std::uint32_t PayloadRouters::take(const sim::SimNode& oss, MdHandle md) {
  std::vector<Seen>& seen = nodes_[oss.number()].seen;
  const auto at = std::ranges::find(seen, md.cookie, &Seen::md);
  if (at == seen.end()) return kNone;
  const std::uint32_t router = at->router;
  *at = seen.back();
  seen.pop_back();
  return router;
}

void PayloadRouters::after_step(sim::World& world, const sim::ShardStep& step) {
  if (step.node.number() >= nodes_.size() || !nodes_[step.node.number()].on) return;
  Watched& at = nodes_[step.node.number()];
  if (const auto* const arrived = std::get_if<core::HeaderArrived>(&step.input))
    if (const auto* const reply = std::get_if<wire::ReplyPart>(&arrived->header->part))
      note(world, at, reply->dst_wmd.object_cookie, arrived->hop.nid);
  for (const core::Action& action : step.actions)
    if (const auto* const send = std::get_if<core::Send>(&action))
      if (const auto* const put = std::get_if<wire::PutPart>(&send->header.part))
        note(world, at, put->ack_wmd.object_cookie, send->hop.nid);
}

void PayloadRouters::note(sim::World& world, Watched& at, std::uint64_t md, const Nid& router) {
  const sim::SimNode* const node = world.find(router);
  const std::uint32_t number = node == nullptr ? kNone : node->number();
  if (const auto known = std::ranges::find(at.seen, md, &Seen::md); known != at.seen.end())
    known->router = number;
  else
    at.seen.push_back({md, number});
}

}  // namespace ulnet::tools::fgr
