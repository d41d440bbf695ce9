// Match entries as spec/core-semantics.md 3 and 4.5 describe them, without any table: one list per
// portal, searched from its head. The model knows the users' calls and the headers that arrived;
// from the shard's records it takes only which NIDs belong to one peer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "lnet/core/contract/api.h"

namespace ulnet::sim {

class MatchModel {
 public:
  /// The MD of an entry, according to its user and to the messages that it has accepted.
  struct Md {
    std::uint64_t cookie = 0;  ///< 0: none yet
    std::uint32_t options = 0, max_size = 0;
    std::uint64_t length = 0, offset = 0;
    std::int64_t threshold = 0;
    bool unlinks_itself = false;

    bool exhausted() const {
      return threshold == 0 || ((options & kMaxSize) != 0 && offset + max_size > length);
    }
    /// 4.5: the offset of a message in the MD, and the room for it there.
    std::uint64_t place(std::uint32_t asked) const {
      return (options & kManageRemote) != 0 ? asked : offset;
    }
    std::uint64_t space(std::uint64_t from) const {
      const std::uint64_t left = from < length ? length - from : 0;
      return (options & kMaxSize) != 0 ? std::min<std::uint64_t>(left, max_size) : left;
    }
  };
  struct Entry {
    std::uint64_t me = 0;
    core::call::MeAttach request;
    Md md;
  };
  struct Found {
    enum class What : std::uint8_t { kNobody, kTaken, kTooLong } what = What::kNobody;
    std::uint64_t md = 0;
    std::uint64_t offset = 0, mlength = 0;
  };
  void attach(const core::call::MeAttach& call);
  void attach(const core::call::MdAttach& call);
  /// Removes the ME with its MD, or because its MD was refused.
  void remove_entry(std::uint64_t me);
  void unlink(std::uint64_t md);
  /// The entry that accepts a PUT or a GET, by the search order of 3. `nids`: the known NIDs of the
  /// sender's peer, the primary NID first.
  Found search(const wire::LnetHeader& header, std::span<const Nid> nids) const;
  /// As search(), for this MD alone.
  Found offer(std::uint64_t md, const wire::LnetHeader& header, std::span<const Nid> nids) const;
  /// Uses the MD as `found` describes.
  void use(const Found& found);
  /// Messages have used the MD: sets its remaining threshold and its offset.
  void follow(std::uint64_t md, std::int64_t threshold, std::uint64_t offset);
  /// Messages have exhausted the MD, and it has been unlinked.
  void exhaust(std::uint64_t md);
  const Md* find(std::uint64_t md) const;
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const auto& [portal, entries] : portals_)
      for (const Entry& entry : entries)
        if (entry.md.cookie != 0) fn(entry.md);
  }

 private:
  static bool accepts(const Entry& entry, const wire::LnetHeader& header,
                      std::span<const Nid> nids);
  static Found place(const Md& md, const wire::LnetHeader& header);
  void retire(Entry& entry);
  Entry* entry_of(const std::function<bool(const Entry&)>& which);

  std::map<std::uint32_t, std::vector<Entry>> portals_;  ///< each list starts at its head
};

}  // namespace ulnet::sim
