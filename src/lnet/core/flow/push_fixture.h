// For tests: pushes that a peer sends to node a. spec/wire-lnet.md 4.2, 4.3, 5.
#pragma once

#include <optional>
#include <vector>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/path/ping_target.h"

namespace ulnet::core::test {

// The features that Lustre nodes advertise, without and with discovery (spec/wire-lnet.md 4.3).
inline constexpr std::uint32_t kNoDiscoveryFeatures =
    wire::kPingNiStatus | wire::kPingRoutingDisabled | wire::kPingMultiRail;
inline constexpr std::uint32_t kUsualFeatures = kNoDiscoveryFeatures | wire::kPingDiscovery;
static_assert(kUsualFeatures == 0x1e && kNoDiscoveryFeatures == 0x0e);

inline wire::PingInfo info_with(const std::vector<Nid>& nids,
                                std::uint32_t features = kUsualFeatures) {
  wire::PingInfo info;
  info.features = features;
  info.sequence = 4;
  for (const Nid& nid : nids) info.legacy.push_back({nid, wire::NiStatus::kUp});
  return info;
}

/// A push: a PUT of `payload` from `source` to portal 0 of a. Returns how many Sends of a were held
/// before it.
inline std::size_t push_to_a(Pipe& pipe, const std::vector<std::byte>& payload, const Nid& source,
                             Pid pid = Pid::lustre()) {
  wire::LnetHeader header;
  header.dest_nid = tcp(1);
  header.src_nid = source;
  header.dest_pid = Pid::lustre();
  header.src_pid = pid;
  header.payload_length = static_cast<std::uint32_t>(payload.size());
  wire::PutPart put;
  put.ack_wmd = {0x77, 0x88};
  put.match_bits = wire::kPingMatchBits;
  header.part = put;
  const std::size_t before = pipe.a.sends.size();
  pipe.arrive(pipe.a, header, source, kTcp, payload);
  return before;
}

/// The peer's REPLY to a GET of a.
inline void reply_to(Pipe& pipe, const Send& get, const std::vector<std::byte>& answer,
                     std::optional<Nid> from = {}) {
  wire::LnetHeader reply;
  reply.dest_nid = tcp(1);
  reply.src_nid = from.value_or(get.header.dest_nid);
  reply.payload_length = static_cast<std::uint32_t>(answer.size());
  reply.part = wire::ReplyPart{std::get<wire::GetPart>(get.header.part).return_wmd};
  pipe.arrive(pipe.a, reply, reply.src_nid, kTcp, answer);
}

/// The driver of a has read the payload of the only Land, but then reports an error.
inline void lose_payload(Pipe& pipe, int status) {
  const Land land = pipe.a.lands.at(0);
  const std::vector<std::byte>& payload = pipe.a.payloads.at(land.rx.value);
  std::memcpy(land.sink.fragments[0].iov_base, payload.data(), payload.size());
  pipe.input(pipe.a, PayloadLanded{land.msg, status, Health::kOk});
}

}  // namespace ulnet::core::test
