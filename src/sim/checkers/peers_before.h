// Which peer of a node's directory had each NID before. A checker thereby sees that a NID belongs
// to another peer now, and whether the peer that had it still exists.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lnet/core/path/directory.h"

namespace ulnet::sim {

class PeersBefore {
 public:
  /// Looks again if a peer was made or information was learned since the last look. False: neither
  /// happened.
  bool look(const core::Directory& directory) {
    if (size_ == directory.size() && generation_ == directory.generation()) return false;
    size_ = directory.size();
    generation_ = directory.generation();
    before_.swap(now_);
    now_.clear();
    newest_before_ = newest_;
    directory.for_each([&](const core::Peer& peer) {
      newest_ = std::max(newest_, peer.number);
      for (const Nid& nid : peer.nids()) now_.emplace_back(nid, peer.self);
    });
    return true;
  }
  /// Whether the peer was made after the last look but one.
  bool is_new(const core::Peer& peer) const { return peer.number > newest_before_; }
  /// The peer that had the NID at the last look but one; a null handle: no peer had it.
  Handle former(const Nid& nid) const {
    const auto had = std::ranges::find(before_, nid, &Owner::first);
    return had == before_.end() ? Handle{} : had->second;
  }

 private:
  using Owner = std::pair<Nid, Handle>;
  std::vector<Owner> now_, before_;
  std::uint32_t size_ = 0;
  std::uint64_t generation_ = 0;
  std::uint32_t newest_ = 0, newest_before_ = 0;  ///< as Peer::number
};

}  // namespace ulnet::sim
