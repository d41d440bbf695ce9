// For tests of discovery: the result of the command `discover`, and of `peer show` after it.
#pragma once

#include <algorithm>
#include <optional>

#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/path/directory.h"

namespace ulnet::core::test {

/// What `discover` prints, or its error.
struct DiscoverResult {
  int status = 0;
  Nid primary;
  bool multi_rail = false;
  std::vector<Nid> nids;
};

struct Discoverers : Pipe {
  using Pipe::Pipe;

  /// Begins `discover`; finished() returns its result.
  std::uint64_t begin_discover(End& end, const Nid& nid, bool force = false) {
    call(end, call::Discover{nid, force, ++tickets_});
    return tickets_;
  }
  static std::optional<DiscoverResult> finished(const End& end, std::uint64_t ticket) {
    for (const Done& done : end.dones)
      if (done.ticket == ticket)
        return DiscoverResult{done.status, done.ping.primary, done.ping.multi_rail, done.ping.nids};
    return {};
  }
  DiscoverResult discover(End& end, const Nid& nid, bool force = false) {
    const auto result = finished(end, begin_discover(end, nid, force));
    EXPECT_TRUE(result) << "it has not ended";
    return result.value_or(DiscoverResult{.status = 1});
  }
  void set_discovery(End& end, std::int32_t value) {
    end.config->globals.discovery = value;
    configure(end);
  }
  /// What `peer show --nid` prints; empty: there is no such peer.
  std::optional<PeerShow> peer(End& end, const Nid& nid) {
    for (PeerShow& shown : show(end).peers)
      for (const PeerNiShow& ni : shown.nis)
        if (ni.nid == nid) return shown;
    return {};
  }
  /// 1: there is no such peer. LNet has no state with this bit alone.
  std::uint32_t state(End& end, const Nid& nid) {
    const auto shown = peer(end, nid);
    return shown ? shown->state_bits : 1;
  }
  std::vector<Nid> nids(End& end, const Nid& nid) {
    std::vector<Nid> all;
    if (const auto shown = peer(end, nid))
      for (const PeerNiShow& ni : shown->nis) all.push_back(ni.nid);
    return all;
  }
  void add_ni(End& end, const Nid& nid) {
    NiConfig ni = end.config->nis.at(1);
    ni.id = {500 + static_cast<std::uint32_t>(end.config->nis.size())};
    ni.nid = nid;
    end.config->nis.push_back(ni);
    configure(end);
  }
  void del_ni(End& end, const Nid& nid) {
    std::erase_if(end.config->nis, [&](const NiConfig& ni) { return ni.nid == nid; });
    configure(end);
  }
  const Peer* entry(End& end, const Nid& nid) {
    return end.shards[kControlShard]->observe().directory.find(nid);
  }
  /// Which of its NIDs the peer has reported down.
  std::vector<Nid> down(End& end, const Nid& nid) {
    const Peer* known = entry(end, nid);
    return known == nullptr || known->remarks == nullptr ? std::vector<Nid>{}
                                                         : known->remarks->down;
  }

 private:
  std::uint64_t tickets_ = 1000;
};

inline std::size_t messages_of(const End& end, wire::MsgType type) {
  return static_cast<std::size_t>(
      std::count_if(end.sends.begin(), end.sends.end(),
                    [&](const Send& send) { return send.header.type() == type; }));
}

}  // namespace ulnet::core::test
