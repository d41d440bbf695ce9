// For tests of fault rules on two nodes.
#pragma once

#include <initializer_list>

#include "lnet/core/flow/push_fixture.h"

namespace ulnet::core::test {

/// A rule for the GETs of a node, such as its pings.
inline FaultRule get_rule(std::uint32_t rate = 1) {
  FaultRule rule;
  rule.messages = kFaultGet;
  rule.rate = rate;
  return rule;
}
inline FaultRule error_rule(Health error, std::uint32_t rate = 1) {
  FaultRule rule = get_rule(rate);
  rule.errors = 1U << static_cast<std::uint32_t>(error);
  return rule;
}
inline FaultRule delay_rule(std::uint32_t latency, std::uint32_t messages = kFaultGet) {
  FaultRule rule;
  rule.kind = FaultRule::Kind::kDelay;
  rule.rate = 1;
  rule.latency = latency;
  rule.messages = messages;
  return rule;
}

/// Two nodes with one or two rails, whose driver loses nothing.
struct FaultyPipe : Pipe {
  explicit FaultyPipe(bool rails) : Pipe(nids(1, rails), nids(2, rails)) {
    if (!rails) return;
    a.hold_sends = true;
    push_to_a(*this, encode(info_with(nids(2, true))), tcp(2));
    a.hold_sends = false;
    release_sends(a);
  }
  static std::vector<Nid> nids(std::uint8_t host, bool rails) {
    return rails ? std::vector{tcp(host), tcp(host, 1)} : std::vector{tcp(host)};
  }
  void add(End& end, const FaultRule& rule) { call(end, call::FaultAdd{settled(rule).value()}); }
  int del(End& end, FaultRule::Kind kind) {
    int status = 0;
    call(end, call::FaultDel{kind}, &status);
    return status;
  }
  std::vector<FaultRow> faults(End& end) { return call(end, call::FaultShow{}).rows; }
  /// Begins a ping of b. Its result is in a.dones when the ping has ended.
  void ping(const Nid& source = Nid::any(), Duration timeout = std::chrono::seconds(1)) {
    PingRequest request;
    request.target = process(source.is_any() ? tcp(2) : tcp(2, source.net().num));
    request.source = source;
    request.timeout = timeout;
    call(a, call::Ping{request, ++pings_});
  }
  /// The status of a ping, after its time-out if it takes that long.
  int pinged(const Nid& source = Nid::any()) {
    const std::size_t before = a.dones.size();
    ping(source);
    if (a.dones.size() == before) tick(std::chrono::milliseconds(1100));
    return a.dones.size() == before ? 1 : a.dones.back().status;
  }
  GlobalStats stats() { return show(a).statistics; }
  std::int32_t ni_health(const Nid& nid) {
    for (const call::NiRow& ni : show(a).nis)
      if (ni.nid == nid) return ni.stats.health_value;
    return -1;
  }
  std::int32_t peer_health(const Nid& nid) {
    for (const PeerShow& peer : show(a).peers)
      for (const PeerNiShow& ni : peer.nis)
        if (ni.nid == nid) return ni.health_value;
    return -1;
  }
  /// The sum of the health over the NIs of a. remote_health(): over the NIs of b that a knows.
  std::int32_t local_health(bool rails) {
    return ni_health(tcp(1)) + (rails ? ni_health(tcp(1, 1)) : 0);
  }
  std::int32_t remote_health(bool rails) {
    return peer_health(tcp(2)) + (rails ? peer_health(tcp(2, 1)) : 0);
  }
  /// Expects that no message is left: no record, and no missing credit.
  void expect_idle() {
    for (End* end : {&a, &b}) {
      const call::Show all = show(*end);
      EXPECT_EQ(all.statistics.msgs_alloc, 0U);
      for (const call::NiRow& ni : all.nis) EXPECT_EQ(ni.stats.credits, ni.stats.credits_max);
      for (const PeerShow& peer : all.peers)
        for (const PeerNiShow& ni : peer.nis) {
          EXPECT_EQ(ni.available_tx_credits, ni.max_ni_tx_credits);
          EXPECT_EQ(ni.tx_q_num_of_buf, 0U);
        }
    }
  }

 private:
  std::uint64_t pings_ = 0;
};

}  // namespace ulnet::core::test
