// Matching: finds the match entry (ME), and so the MD, for an incoming PUT or GET. Source:
// spec/core-semantics.md 3, 4.5.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "lnet/core/memory/md.h"

namespace ulnet::core {

/// A match entry. It matches nothing until an MD is attached to it.
struct Me {
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>
      hook;
  Handle self;
  Portal portal;
  ProcessId match_id;
  MatchBits match, ignore;
  UnlinkMode unlink = UnlinkMode::kRetain;
  Md* md = nullptr;
};

/// The fields of an incoming PUT or GET that matching needs.
struct MatchRequest {
  bool get = false;
  MatchBits match_bits;
  Nid initiator;  ///< primary NID of the source's peer
  Pid pid;
  std::span<const Nid> other_nids;  ///< further NIDs of that peer
  std::uint32_t rlength = 0;
  std::uint32_t offset = 0;  ///< for remotely managed MDs
};

/// The result of a search. kTooLong: the ME matches, but its MD is too short and has no kTruncate,
/// so the message is dropped.
struct Match {
  enum class Kind : std::uint8_t { kNone, kMatch, kTooLong } kind = Kind::kNone;
  Me* me = nullptr;
  std::uint32_t offset = 0;
  std::uint32_t mlength = 0;
  /// The ME names another NID of the initiator's peer, which is logged as a warning.
  bool by_other_nid = false;
};

/// Tests one ME against a request, in the order of the tests in 4.5.
Match try_match(Me& me, const MatchRequest& request);

/// The MEs of one portal in one shard. The MEs with ignore bits are in one list, which is searched
/// first. The other MEs are in buckets by their match bits. The number of buckets doubles as they
/// fill, and MEs with equal match bits then keep their order.
class MatchTable {
 public:
  MatchTable();
  /// Adds an ME. `unique`: every ME of the portal names a NID and a PID, which are part of the
  /// bucket's key.
  void insert(Me& me, bool at_head, bool unique);
  void remove(Me& me, bool unique);
  /// Finds the first ME that matches. On a unique portal, looks first for an ME that names the
  /// initiator's primary NID, then for one that names one of its `other_nids`, in their order.
  Match search(const MatchRequest& request, bool unique);
  bool empty() const { return bucketed_ == 0 && with_ignore_bits_.empty(); }

 private:
  using List = boost::intrusive::list<
      Me,
      boost::intrusive::member_hook<Me,
                                    boost::intrusive::list_member_hook<
                                        boost::intrusive::link_mode<boost::intrusive::normal_link>>,
                                    &Me::hook>,
      boost::intrusive::constant_time_size<false>>;

  static Match search_list(List& list, const MatchRequest& request);
  Match search_named(MatchRequest request, const Nid& nid);
  List& bucket(MatchBits bits, const Nid& nid, Pid pid, bool unique);
  List& bucket_of(const Me& me, bool unique) {
    return bucket(me.match, me.match_id.nid, me.match_id.pid, unique);
  }
  void grow(bool unique);

  List with_ignore_bits_;
  std::vector<List> buckets_;
  std::size_t bucketed_ = 0;
};

}  // namespace ulnet::core
