// The messages of this shard that are operations on MDs of other shards. Each such MD has one
// record, which lists these messages as Md::messages does for an MD of this shard. Source:
// shard_msg.h.
#pragma once

#include <utility>

#include "lnet/base/hash_index.h"
#include "lnet/base/slab.h"
#include "lnet/core/memory/message.h"

namespace ulnet::core {

struct RemoteMd {
  Handle self;
  MdHandle md;
  bool aborted = false;  ///< its shard has sent Abort
  MdMessages messages;
};

class RemoteMds {
 public:
  /// Finds the record of an MD. Null: the MD has no messages here.
  RemoteMd* find(MdHandle md) const { return by_cookie_.find(md.cookie); }
  /// Notes that `msg` is an operation on `md` from now on.
  void add(MdHandle md, Msg& msg) {
    RemoteMd* remote = find(md);
    if (remote == nullptr) {
      auto [self, made] = all_.make();
      remote = made;
      remote->self = self;
      remote->md = md;
      by_cookie_.insert(md.cookie, remote);
    }
    remote->messages.push_back(msg);
    msg.remote_md = remote;
  }
  /// Notes that `msg` is no longer an operation on its MD, and returns that MD.
  MdHandle remove(Msg& msg) {
    RemoteMd& remote = *std::exchange(msg.remote_md, nullptr);
    const MdHandle md = remote.md;
    remote.messages.erase(remote.messages.iterator_to(msg));
    if (remote.messages.empty()) {
      by_cookie_.erase(md.cookie);
      all_.erase(remote.self);
    }
    return md;
  }
  std::uint32_t size() const { return all_.size(); }

 private:
  struct CookieHash {
    std::size_t operator()(std::uint64_t cookie) const { return cookie; }
  };
  Slab<RemoteMd> all_;
  HashIndex<std::uint64_t, RemoteMd, CookieHash> by_cookie_;
};

}  // namespace ulnet::core
