// Finds the ME, and its MD, for an incoming PUT or GET. Source: spec/core-semantics.md 3, 4.5.
#include "lnet/core/memory/match.h"

#include <algorithm>

#include "lnet/base/hash_index.h"

namespace ulnet::core {

namespace {

constexpr std::size_t kFirstBuckets = 8;

bool bits_match(const Me& me, const MatchRequest& request) {
  return ((request.match_bits.value ^ me.match.value) & ~me.ignore.value) == 0;
}

/// Whether the ME's NID accepts the initiator. Sets `other` if only another NID of the same peer
/// matches.
bool accepts_nid(const Me& me, const MatchRequest& request, bool& other) {
  if (me.match_id.nid.is_any() || me.match_id.nid == request.initiator) return true;
  other = std::find(request.other_nids.begin(), request.other_nids.end(), me.match_id.nid) !=
          request.other_nids.end();
  return other;
}

}  // namespace

Match try_match(Me& me, const MatchRequest& request) {
  Match result;
  if (me.md == nullptr || me.md->state != MdState::kActive || exhausted(*me.md)) return result;
  const Md& md = *me.md;
  if (!md.has(request.get ? kOpGet : kOpPut)) return result;
  if (!bits_match(me, request)) return result;
  if (!me.match_id.pid.is_any() && me.match_id.pid != request.pid) return result;
  if (!accepts_nid(me, request, result.by_other_nid)) return result;

  const Extent place = extent(md, request.offset);
  result.me = &me;
  result.offset = place.offset;
  result.mlength = std::min(request.rlength, place.length);
  const bool fits = request.rlength <= place.length || md.has(kTruncate);
  result.kind = fits ? Match::Kind::kMatch : Match::Kind::kTooLong;
  return result;
}

MatchTable::MatchTable() : buckets_(kFirstBuckets) {}

MatchTable::List& MatchTable::bucket(MatchBits bits, const Nid& nid, Pid pid, bool unique) {
  std::uint64_t key = bits.value;
  if (unique) key ^= NidHash{}(nid) + pid.value;
  return buckets_[spread(key) >> 32 & (buckets_.size() - 1)];
}

void MatchTable::insert(Me& me, bool at_head, bool unique) {
  if (me.ignore.value == 0 && ++bucketed_ > 2 * buckets_.size()) grow(unique);
  List& list = me.ignore.value != 0 ? with_ignore_bits_ : bucket_of(me, unique);
  at_head ? list.push_front(me) : list.push_back(me);
}

void MatchTable::remove(Me& me, bool unique) {
  if (me.ignore.value == 0) --bucketed_;
  List& list = me.ignore.value != 0 ? with_ignore_bits_ : bucket_of(me, unique);
  list.erase(list.iterator_to(me));
}

Match MatchTable::search_list(List& list, const MatchRequest& request) {
  for (Me& me : list) {
    if (!bits_match(me, request)) continue;  // tested first, because most entries fail here
    if (const Match match = try_match(me, request); match.kind != Match::Kind::kNone) return match;
  }
  return {};
}

Match MatchTable::search(const MatchRequest& request, bool unique) {
  Match match;
  if (!with_ignore_bits_.empty()) match = search_list(with_ignore_bits_, request);
  if (match.kind != Match::Kind::kNone) return match;
  if (!unique)
    return search_list(bucket(request.match_bits, request.initiator, request.pid, unique), request);
  match = search_named(request, request.initiator);
  if (match.kind != Match::Kind::kNone) return match;
  for (const Nid& nid : request.other_nids) {
    match = search_named(request, nid);
    match.by_other_nid = true;
    if (match.kind != Match::Kind::kNone) return match;
  }
  return {};
}

/// On a unique portal: finds an ME that names `nid`. The NID is part of the bucket's key, but MEs
/// for several NIDs may share a bucket.
Match MatchTable::search_named(MatchRequest request, const Nid& nid) {
  request.initiator = nid;
  request.other_nids = {};
  return search_list(bucket(request.match_bits, nid, request.pid, true), request);
}

void MatchTable::grow(bool unique) {
  std::vector<List> old(buckets_.size() * 2);
  old.swap(buckets_);
  for (List& list : old)
    while (!list.empty()) {
      Me& me = list.front();
      list.pop_front();
      bucket_of(me, unique).push_back(me);
    }
}

}  // namespace ulnet::core
