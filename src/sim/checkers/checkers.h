// The checkers, each in the file of its name, whose first lines say what it checks. tcp_talk.h has
// one more, which others ask.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/world/checker.h"

namespace ulnet::sim {

class TcpTalk;

std::unique_ptr<Checker> answers_once_checker();
std::unique_ptr<Checker> best_path_checker();
std::unique_ptr<Checker> both_ends_agree_checker(const TcpTalk* talk = nullptr);
std::unique_ptr<Checker> buffers_in_turn_checker();
std::unique_ptr<Checker> credit_queues_checker();
std::unique_ptr<Checker> credits_conserved_checker();
std::unique_ptr<Checker> discovery_bounded_checker();
std::unique_ptr<Checker> down_gateway_avoided_checker();
std::unique_ptr<Checker> driver_contract_checker();
std::unique_ptr<Checker> drops_by_type_checker();
std::unique_ptr<Checker> drops_counted_checker();
std::unique_ptr<Checker> ends_in_time_checker();
std::unique_ptr<Checker> event_fields_checker();
std::unique_ptr<Checker> events_once_checker();
std::unique_ptr<Checker> failed_ni_avoided_checker();
std::unique_ptr<Checker> forwarded_once_checker();
std::unique_ptr<Checker> health_agrees_checker();
std::unique_ptr<Checker> lazy_served_checker();
std::unique_ptr<Checker> md_limits_checker();
std::unique_ptr<Checker> memory_announced_checker();
std::unique_ptr<Checker> memory_lent_checker();
std::unique_ptr<Checker> memory_returned_checker();
std::unique_ptr<Checker> message_order_checker();
std::unique_ptr<Checker> multi_rail_advertised_checker();
std::unique_ptr<Checker> no_loop_checker();
std::unique_ptr<Checker> nothing_after_end_checker();
std::unique_ptr<Checker> nothing_fails_checker();
std::unique_ptr<Checker> one_source_checker();
std::unique_ptr<Checker> path_explained_checker();
std::unique_ptr<Checker> peer_entry_heeded_checker();
std::unique_ptr<Checker> peers_agree_checker();
std::unique_ptr<Checker> peers_go_checker();
std::unique_ptr<Checker> peers_met_checker();
std::unique_ptr<Checker> ping_info_true_checker();
std::unique_ptr<Checker> recovery_pings_checker();
std::unique_ptr<Checker> resources_bounded_checker();
std::unique_ptr<Checker> right_entry_checker();
std::unique_ptr<Checker> router_buffers_checker();
std::unique_ptr<Checker> router_credits_checker();
std::unique_ptr<Checker> sent_again_checker();
std::unique_ptr<Checker> tcp_progress_checker();
std::unique_ptr<Checker> tcp_sound_checker(const TcpTalk& talk);
std::unique_ptr<Checker> traffic_counted_checker();
std::unique_ptr<Checker> turns_taken_checker();
std::unique_ptr<Checker> well_again_checker();

/// The most pings and pushes of a discovery after one change: a ping, one more into a larger
/// buffer, a push; and the same once more when a push of the peer could not be read.
inline constexpr std::uint32_t kDiscoveryMax = 6;

}  // namespace ulnet::sim
