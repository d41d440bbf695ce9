#include "sim/checkers/all.h"

#include "sim/checkers/answers_once.h"
#include "sim/checkers/best_path.h"
#include "sim/checkers/both_ends_agree.h"
#include "sim/checkers/buffers_in_turn.h"
#include "sim/checkers/credit_queues.h"
#include "sim/checkers/credits_conserved.h"
#include "sim/checkers/discovery_bounded.h"
#include "sim/checkers/down_gateway_avoided.h"
#include "sim/checkers/driver_contract.h"
#include "sim/checkers/drops_by_type.h"
#include "sim/checkers/drops_counted.h"
#include "sim/checkers/ends_in_time.h"
#include "sim/checkers/event_fields.h"
#include "sim/checkers/events_once.h"
#include "sim/checkers/failed_ni_avoided.h"
#include "sim/checkers/forwarded_once.h"
#include "sim/checkers/health_agrees.h"
#include "sim/checkers/lazy_served.h"
#include "sim/checkers/md_limits.h"
#include "sim/checkers/memory_lent.h"
#include "sim/checkers/memory_returned.h"
#include "sim/checkers/message_order.h"
#include "sim/checkers/multi_rail_advertised.h"
#include "sim/checkers/no_loop.h"
#include "sim/checkers/nothing_after_end.h"
#include "sim/checkers/one_source.h"
#include "sim/checkers/path_explained.h"
#include "sim/checkers/peer_entry_heeded.h"
#include "sim/checkers/peers_agree.h"
#include "sim/checkers/peers_go.h"
#include "sim/checkers/peers_met.h"
#include "sim/checkers/ping_info_true.h"
#include "sim/checkers/recovery_pings.h"
#include "sim/checkers/resources_bounded.h"
#include "sim/checkers/right_entry.h"
#include "sim/checkers/router_buffers.h"
#include "sim/checkers/router_credits.h"
#include "sim/checkers/sent_again.h"
#include "sim/checkers/tcp_progress.h"
#include "sim/checkers/tcp_sound.h"
#include "sim/checkers/tcp_talk.h"
#include "sim/checkers/traffic_counted.h"
#include "sim/checkers/turns_taken.h"
#include "sim/checkers/well_again.h"
#include "sim/world/world.h"

namespace ulnet::sim {

void add_all_checkers(World& world, Loops loops) {
  world.add<DriverContract>();  // first: the other checkers rely on the contract
  world.add<CreditQueues>();
  world.add<CreditsConserved>();
  world.add<RouterBuffers>();
  world.add<RouterCredits>();
  world.add<ForwardedOnce>();
  if (loops == Loops::kNone) world.add<NoLoop>();
  world.add<EventsOnce>();
  world.add<AnswersOnce>();
  world.add<MemoryLent>();
  world.add<DropsCounted>();
  world.add<MemoryReturned>();
  world.add<NothingAfterEnd>();
  world.add<EndsInTime>();
  world.add<LazyServed>();
  world.add<MdLimits>();
  world.add<BuffersInTurn>();
  world.add<PeersMet>();
  world.add<PeersGo>();
  world.add<RightEntry>();
  world.add<EventFields>();
  world.add<TrafficCounted>();
  const TcpTalk& talk = world.add<TcpTalk>();
  world.add<BothEndsAgree>(&talk);
  world.add<DropsByType>();
  world.add<PingInfoTrue>();
  world.add<SentAgain>();
  world.add<OneSource>();
  world.add<BestPath>();
  world.add<FailedNiAvoided>();
  world.add<DownGatewayAvoided>();
  world.add<PathExplained>();
  world.add<TurnsTaken>();
  world.add<WellAgain>();
  world.add<HealthAgrees>();
  world.add<RecoveryPings>();
  world.add<PeersAgree>();
  world.add<MultiRailAdvertised>();
  world.add<PeerEntryHeeded>();
  world.add<DiscoveryBounded>();
  world.add<TcpSound>(talk);
  world.add<MessageOrder>();
  world.add<TcpProgress>();
  world.add<ResourcesBounded>();
}

}  // namespace ulnet::sim
