// All peers of a node as Show shows them, a few at a time, so that memory and time of a step do not
// grow with the number of peers. A peer that is added or deleted meanwhile may be listed or not.
// For hosts of shards.
#pragma once

#include <utility>
#include <vector>

#include "lnet/core/contract/api.h"

namespace ulnet::core {

class PeerList {
 public:
  explicit PeerList(std::uint32_t shards) : shards_(shards) {}

  /// Returns the next peers. An empty list means that there are no more. `ask(ApiCall&)` passes a
  /// call to the shards, which write their answer into it.
  template <class Ask>
  std::vector<PeerShow> next(Ask&& ask) {
    while (!at_end()) {
      std::vector<Nid> nids = in_directory_ ? next_of_directory(ask) : next_of_shard(ask);
      if (nids.empty()) continue;
      auto shown = asked(ask, call::Show{.want_nis = false, .nids = std::move(nids)}).peers;
      if (!shown.empty()) return shown;
    }
    return {};
  }

 private:
  template <class Ask, class Call>
  static Call asked(Ask& ask, Call body) {
    ApiCall call{std::move(body)};
    ask(call);
    return std::get<Call>(std::move(call.body));
  }
  template <class Ask>
  std::vector<Nid> next_of_directory(Ask& ask) {
    auto part = asked(ask, call::NextPeers{.place = place_});
    place_ = part.place;
    in_directory_ = !part.nids.empty();
    return std::move(part.nids);
  }
  /// Returns the next NIDs of a shard that belong to no peer of the directory. Peers of the
  /// directory have been shown already.
  template <class Ask>
  std::vector<Nid> next_of_shard(Ask& ask) {
    auto part = asked(ask, call::NextPeerNis{.shard = shard_, .slot = slot_});
    slot_ = part.slot;
    if (!part.nids.empty()) return asked(ask, call::NidsOfNoPeer{std::move(part.nids)}).nids;
    ++shard_;
    slot_ = 0;
    return {};
  }
  bool at_end() const { return shard_ == shards_; }

  const std::uint32_t shards_;
  bool in_directory_ = true;
  PeerPlace place_;
  std::uint32_t shard_ = 0, slot_ = 0;  ///< where to continue after the directory
};

}  // namespace ulnet::core
