// Matching: which posted buffer takes an incoming PUT or GET. Source: spec/core-semantics.md
// 3, 4.5.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "core/md.h"

namespace ulnet::core {

/// A match entry. It is searched once it carries an MD.
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

/// What an incoming PUT or GET asks for.
struct MatchRequest {
  bool get = false;
  MatchBits match_bits;
  Nid initiator;  ///< primary NID of the source's peer
  Pid pid;
  std::span<const Nid> other_nids;  ///< further NIDs of that peer
  std::uint32_t rlength = 0;
  std::uint32_t offset = 0;  ///< for remotely managed MDs
};

struct Match {
  enum class Kind : std::uint8_t { kNone, kMatch, kTooLong } kind = Kind::kNone;
  Me* me = nullptr;
  std::uint32_t offset = 0;
  std::uint32_t mlength = 0;
  bool by_other_nid = false;  ///< the ME names another NID of the same peer: worth a warning
};

/// One ME against a request: the tests of 4.5, in their order.
Match try_match(Me& me, const MatchRequest& request);

/// The MEs of one portal: those with ignore bits in one list, searched first; the others by their
/// match bits, in buckets that double as they fill. Entries with equal match bits keep the order in
/// which they were inserted, whatever the buckets do.
class MatchTable {
 public:
  MatchTable();
  /// `unique`: NID and PID are part of the bucket's key (every ME of the portal names both).
  void insert(Me& me, bool at_head, bool unique);
  void remove(Me& me, bool unique);
  /// Of a unique portal those that name the initiator by its primary NID first, then those that
  /// name its others, in their order.
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
  List& bucket(MatchBits bits, const ProcessId& id, bool unique);
  void grow(bool unique);

  List with_ignore_bits_;
  std::vector<List> buckets_;
  std::size_t bucketed_ = 0;
};

}  // namespace ulnet::core
