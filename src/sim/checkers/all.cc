#include "sim/checkers/all.h"

#include "sim/checkers/checkers.h"
#include "sim/checkers/tcp_talk.h"
#include "sim/world/world.h"

namespace ulnet::sim {

void add_all_checkers(World& world, Loops loops) {
  world.add_checker(driver_contract_checker());  // first: the other checkers rely on the contract
  world.add_checker(credit_queues_checker());
  world.add_checker(credits_conserved_checker());
  world.add_checker(router_buffers_checker());
  world.add_checker(router_credits_checker());
  world.add_checker(forwarded_once_checker());
  if (loops == Loops::kNone) world.add_checker(no_loop_checker());
  world.add_checker(events_once_checker());
  world.add_checker(answers_once_checker());
  world.add_checker(memory_lent_checker());
  world.add_checker(drops_counted_checker());
  world.add_checker(memory_returned_checker());
  world.add_checker(nothing_after_end_checker());
  world.add_checker(ends_in_time_checker());
  world.add_checker(lazy_served_checker());
  world.add_checker(md_limits_checker());
  world.add_checker(buffers_in_turn_checker());
  world.add_checker(peers_met_checker());
  world.add_checker(peers_go_checker());
  world.add_checker(right_entry_checker());
  world.add_checker(event_fields_checker());
  world.add_checker(traffic_counted_checker());
  const TcpTalk& talk = world.add<TcpTalk>();
  world.add_checker(both_ends_agree_checker(&talk));
  world.add_checker(drops_by_type_checker());
  world.add_checker(ping_info_true_checker());
  world.add_checker(sent_again_checker());
  world.add_checker(one_source_checker());
  world.add_checker(best_path_checker());
  world.add_checker(failed_ni_avoided_checker());
  world.add_checker(down_gateway_avoided_checker());
  world.add_checker(path_explained_checker());
  world.add_checker(turns_taken_checker());
  world.add_checker(well_again_checker());
  world.add_checker(health_agrees_checker());
  world.add_checker(recovery_pings_checker());
  world.add_checker(peers_agree_checker());
  world.add_checker(multi_rail_advertised_checker());
  world.add_checker(peer_entry_heeded_checker());
  world.add_checker(discovery_bounded_checker());
  world.add_checker(tcp_sound_checker(talk));
  world.add_checker(message_order_checker());
  world.add_checker(tcp_progress_checker());
  world.add_checker(resources_bounded_checker());
}

}  // namespace ulnet::sim
