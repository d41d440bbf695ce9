// Reports signs of a routing loop to the control shard: a message that goes from router to router,
// and a ping of this router that comes back. Source: decision 107.
#include "lnet/core/flow/loop_signs.h"

namespace ulnet::core {

void watch_for_loop(Step& step, const Msg& msg, const Choice& choice) {
  RouteEntry& route = *choice.route;
  const std::int32_t interval = step.config().globals.alive_router_check_interval;
  if (interval <= 0 || step.now < route.loop_check_due) return;
  if (msg.from->nid == msg.header.src_nid) return;  // it comes from its sender, not from a router
  route.loop_check_due = step.now + std::chrono::seconds(interval);
  step.send_to_shard(kControlShard,
                     shard_msg::RouteFollowed{route.gateway->entry.gateway, choice.destination});
}

void came_back(Step& step, const wire::LnetHeader& header) {
  const auto* get = std::get_if<wire::GetPart>(&header.part);
  if (get == nullptr || get->portal != kReservedPortal.index) return;
  if (get->return_wmd.interface_cookie != step.config().interface_cookie) return;
  const MdHandle md{get->return_wmd.object_cookie};
  step.send_to_shard(kControlShard, shard_msg::CameBack{md, header.src_nid, header.dest_nid});
}

}  // namespace ulnet::core
