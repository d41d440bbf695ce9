// Match entries as spec/core-semantics.md 3 and 4.5 describe them, kept without any table: one list
// per portal, walked from its head. Knows what the calls of users and what arrived said, and
// nothing of the shard's own records but who is whose peer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "core/api.h"

namespace ulnet::sim {

class MatchModel {
 public:
  /// The MD of an entry, as far as its user and what it took say.
  struct Md {
    std::uint64_t cookie = 0;  ///< 0: none yet
    std::uint32_t options = 0, max_size = 0;
    std::uint64_t length = 0, offset = 0;
    std::int64_t threshold = 0;
    bool unlinks_itself = false;

    bool exhausted() const {
      return threshold == 0 || ((options & kMaxSize) != 0 && offset + max_size > length);
    }
    /// 4.5: where it would lie, and how much of it.
    std::uint64_t place(std::uint32_t asked) const {
      return (options & kManageRemote) != 0 ? asked : offset;
    }
    std::uint64_t room(std::uint64_t from) const {
      const std::uint64_t left = from < length ? length - from : 0;
      return (options & kMaxSize) != 0 ? std::min<std::uint64_t>(left, max_size) : left;
    }
  };
  struct Entry {
    std::uint64_t me = 0;
    core::call::MeAttach wish;
    Md md;
  };
  struct Found {
    enum class What : std::uint8_t { kNobody, kTaken, kTooLong } what = What::kNobody;
    std::uint64_t md = 0;
    std::uint64_t offset = 0, mlength = 0;
  };
  /// Whether two NIDs are known to belong to one peer.
  using SamePeer = std::function<bool(const Nid&, const Nid&)>;

  void attach(const core::call::MeAttach& call);
  void attach(const core::call::MdAttach& call);
  /// The entry goes with its MD, or because its MD was refused.
  void remove_entry(std::uint64_t me);
  void unlink(std::uint64_t md);
  /// Which entry takes a PUT or a GET, by the search order of 3. `nids`: of the sender's peer,
  /// the primary first, in the order in which they are known.
  Found search(const wire::LnetHeader& header, std::span<const Nid> nids,
               const SamePeer& same) const;
  /// The same with this MD alone.
  Found offer(std::uint64_t md, const wire::LnetHeader& header, const SamePeer& same) const;
  /// What was found is used.
  void use(const Found& found);
  const Md* find(std::uint64_t md) const;
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const auto& [portal, entries] : portals_)
      for (const Entry& entry : entries)
        if (entry.md.cookie != 0) fn(entry.md);
  }

 private:
  static bool accepts(const Entry& entry, const wire::LnetHeader& header, const SamePeer& same);
  static Found place(const Md& md, const wire::LnetHeader& header);
  Entry* entry_of(const std::function<bool(const Entry&)>& which);

  std::map<std::uint32_t, std::vector<Entry>> portals_;  ///< each from its head on
};

}  // namespace ulnet::sim
