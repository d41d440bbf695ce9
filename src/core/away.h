// The messages of this shard that are operations on MDs of other shards. For each such MD there
// is one record with its messages, as Md::messages is for an MD of this shard. Source: letter.h.
#pragma once

#include "base/slab.h"
#include "core/hash_index.h"
#include "core/message.h"

namespace ulnet::core {

struct AwayMd {
  Handle self;
  MdHandle md;
  bool aborted = false;  ///< its shard has written Abort
  MdMessages messages;
};

class AwayMds {
 public:
  /// Null: the MD has no messages here.
  AwayMd* find(MdHandle md) const { return by_cookie_.find(md.cookie); }
  /// `msg` is an operation on `md` from now on.
  void add(MdHandle md, Msg& msg) {
    AwayMd* away = find(md);
    if (away == nullptr) {
      auto [self, made] = all_.make();
      away = made;
      away->self = self;
      away->md = md;
      by_cookie_.insert(md.cookie, away);
    }
    away->messages.push_back(msg);
    msg.away = away;
  }
  /// `msg` is no longer an operation on its MD. Returns that MD.
  MdHandle remove(Msg& msg) {
    AwayMd& away = *std::exchange(msg.away, nullptr);
    const MdHandle md = away.md;
    away.messages.erase(away.messages.iterator_to(msg));
    if (away.messages.empty()) {
      by_cookie_.erase(md.cookie);
      all_.erase(away.self);
    }
    return md;
  }
  std::uint32_t size() const { return all_.size(); }

 private:
  struct CookieHash {
    std::size_t operator()(std::uint64_t cookie) const { return cookie; }
  };
  Slab<AwayMd> all_;
  HashIndex<std::uint64_t, AwayMd, CookieHash> by_cookie_;
};

}  // namespace ulnet::core
