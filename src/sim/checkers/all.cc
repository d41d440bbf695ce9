#include "sim/checkers/all.h"

#include <initializer_list>

#include "sim/checkers/checkers.h"
#include "sim/checkers/tcp_talk.h"
#include "sim/world/world.h"

namespace ulnet::sim {

void add_all_checkers(World& world, Loops loops) {
  const auto add = [&](std::initializer_list<std::unique_ptr<Checker> (*)()> makers) {
    for (const auto make : makers) world.add_checker(make());
  };
  // The driver's contract is first: the other checkers rely on it.
  add({driver_contract_checker, credit_queues_checker, credits_conserved_checker,
       router_buffers_checker, router_credits_checker, forwarded_once_checker});
  if (loops == Loops::kNone) add({no_loop_checker});
  add({events_once_checker, answers_once_checker, memory_lent_checker, memory_announced_checker,
       drops_counted_checker, memory_returned_checker, nothing_after_end_checker,
       ends_in_time_checker, lazy_served_checker, md_limits_checker, buffers_in_turn_checker,
       peers_met_checker, peers_go_checker, right_entry_checker, event_fields_checker,
       traffic_counted_checker});
  const TcpTalk& talk = world.add<TcpTalk>();
  world.add_checker(both_ends_agree_checker(&talk));
  add({drops_by_type_checker, ping_info_true_checker, sent_again_checker, one_source_checker,
       best_path_checker, failed_ni_avoided_checker, down_gateway_avoided_checker,
       path_explained_checker, turns_taken_checker, well_again_checker, health_agrees_checker,
       recovery_pings_checker, peers_agree_checker, multi_rail_advertised_checker,
       peer_entry_heeded_checker, discovery_bounded_checker});
  world.add_checker(tcp_sound_checker(talk));
  add({message_order_checker, tcp_progress_checker, resources_bounded_checker});
}

}  // namespace ulnet::sim
