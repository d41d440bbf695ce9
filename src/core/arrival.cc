#include "core/arrival.h"

#include "base/canary.h"
#include "core/inbound.h"
#include "core/outbound.h"

namespace ulnet::core {

void drop_payload(Step& step, const HeaderArrived& in, std::uint32_t rlen) {
  step.out.emplace_back(std::in_place_type<DropPayload>, DropPayload{in.ni, in.rx, rlen});
}

void drop(Step& step, const HeaderArrived& in, LocalNi* ni, DropReason reason) {
  drop_payload(step, in, in.header->payload_length);
  count_drop(step, ni, *in.header, reason);
}

Msg& make_incoming(Step& step, const Arrival& a) {
  Msg& msg = make_message(step);
  msg.header = a.header();
  msg.hop = a.in.hop;
  msg.rx = a.in.rx;
  msg.rx_ni = a.in.ni;
  msg.ni = &a.ni;
  msg.peer = a.peer;
  msg.rlength = a.header().payload_length;
  ++a.ni.in_flight;
  ++a.peer->in_flight;
  return msg;
}

void defer(Step& step, const Arrival& a, Msg& msg) {
  if (a.header().type() == wire::MsgType::kGet && !a.ni.config.rdma_get) {
    drop_payload(step, a.in, 0);
    msg.rx = {};
    return;
  }
  msg.deferred = true;
  step.out.emplace_back(std::in_place_type<HoldPayload>,
                        HoldPayload{a.in.ni, a.in.rx, msg.self, true});
}

void land(Step& step, Msg& msg, Md& md, std::uint32_t offset, std::uint32_t mlength) {
  msg.on(MsgEvent::kLand);
  msg.md = &md;
  md.messages.push_back(msg);
  msg.offset = offset;
  msg.mlength = mlength;
  const std::uint32_t place = ULNET_CANARY(kLandsTooEarly) && offset != 0 ? offset - 1 : offset;
  step.act<Land>(msg.ni->config.id, msg.rx, msg.self,
                 region_of(md, place, md.has(kDiscard) ? 0 : mlength), msg.rlength);
}

void count_taken(Step& step, LocalNi& ni, PeerNi& peer) {
  ++step.s.tally.global.recv_count;
  account_success(step, ni, peer, true);
}

void count_drop(Step& step, LocalNi* ni, const wire::LnetHeader& header, DropReason reason) {
  step.s.tally.drop(reason);
  ++step.s.tally.global.drop_count;
  if (!ULNET_CANARY(kLengthUncounted)) step.s.tally.global.drop_length += header.payload_length;
  const wire::MsgType type = ULNET_CANARY(kDroppedAsPut) ? wire::MsgType::kPut : header.type();
  if (ni != nullptr) ++count_of(ni->traffic.dropped, type);
}

void count_round_trip(LocalNi& ni, PeerNi& peer, bool reply, Duration took) {
  const auto which = reply ? &Traffic::get_rtt : &Traffic::put_ack;
  (ni.traffic.*which).add(took);
  (peer.traffic.*which).add(took);
}

}  // namespace ulnet::core
