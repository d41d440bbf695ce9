#include "sim/checkers/match_model.h"

#include <algorithm>

namespace ulnet::sim {
namespace {

/// The fields of a PUT or a GET that matter for matching.
struct Asked {
  explicit Asked(const wire::LnetHeader& header) {
    if (const auto* put = std::get_if<wire::PutPart>(&header.part)) {
      operation = kOpPut;
      portal = put->portal;
      bits = put->match_bits;
      offset = put->offset;
      length = header.payload_length;
    } else {
      const auto& get = std::get<wire::GetPart>(header.part);
      operation = kOpGet;
      portal = get.portal;
      bits = get.match_bits;
      offset = get.src_offset;
      length = get.sink_length;
    }
  }
  std::uint32_t operation = 0, portal = 0, offset = 0, length = 0;
  std::uint64_t bits = 0;
};

}  // namespace

void MatchModel::attach(const core::call::MeAttach& call) {
  std::vector<Entry>& list = portals_[call.portal.index];
  const bool at_head = call.position == InsertPosition::kBefore;
  list.insert(at_head ? list.begin() : list.end(), Entry{call.me.cookie, call, {}});
}

void MatchModel::attach(const core::call::MdAttach& call) {
  Entry* entry = entry_of([&](const Entry& each) { return each.me == call.me.cookie; });
  if (entry == nullptr) return;
  Md& md = entry->md = {};
  md.cookie = call.md.cookie;
  md.options = call.spec.options;
  md.max_size = call.spec.max_size;
  md.threshold = call.spec.threshold;
  md.unlinks_itself = call.unlink == UnlinkMode::kUnlink;
  for (const iovec& fragment : call.spec.fragments) md.length += fragment.iov_len;
}

void MatchModel::remove_entry(std::uint64_t me) {
  for (auto& [portal, list] : portals_)
    std::erase_if(list, [&](const Entry& entry) { return entry.me == me; });
}

void MatchModel::unlink(std::uint64_t md) {
  for (auto& [portal, list] : portals_)
    std::erase_if(list, [&](const Entry& entry) { return entry.md.cookie == md; });
}

MatchModel::Entry* MatchModel::entry_of(const std::function<bool(const Entry&)>& which) {
  for (auto& [portal, list] : portals_)
    for (Entry& entry : list)
      if (which(entry)) return &entry;
  return nullptr;
}

const MatchModel::Md* MatchModel::find(std::uint64_t md) const {
  for (const auto& [portal, list] : portals_)
    for (const Entry& entry : list)
      if (entry.md.cookie == md) return &entry.md;
  return nullptr;
}

/// Whether the entry accepts the message by all conditions of spec/core-semantics.md 4.5 except the
/// length.
bool MatchModel::accepts(const Entry& entry, const wire::LnetHeader& header,
                         std::span<const Nid> nids) {
  const Asked asked(header);
  const core::call::MeAttach& request = entry.request;
  if (entry.md.cookie == 0 || entry.md.exhausted()) return false;
  if ((entry.md.options & asked.operation) == 0) return false;
  if (((asked.bits ^ request.match.value) & ~request.ignore.value) != 0) return false;
  if (!request.match_id.pid.is_any() && request.match_id.pid != header.src_pid) return false;
  return request.match_id.nid.is_any() ||
         std::find(nids.begin(), nids.end(), request.match_id.nid) != nids.end();
}

MatchModel::Found MatchModel::place(const Md& md, const wire::LnetHeader& header) {
  const Asked asked(header);
  Found found{Found::What::kTaken, md.cookie, md.place(asked.offset), asked.length};
  const std::uint64_t space = md.space(found.offset);
  if (asked.length <= space) return found;
  found.mlength = space;
  if ((md.options & kTruncate) == 0) found.what = Found::What::kTooLong;
  return found;
}

MatchModel::Found MatchModel::search(const wire::LnetHeader& header,
                                     std::span<const Nid> nids) const {
  const auto list = portals_.find(Asked(header).portal);
  if (list == portals_.end()) return {};
  // On a unique portal every entry names a sender: entries with the sender's primary NID come
  // first, then those with its other NIDs in their order.
  const auto rank = [&](const Entry& entry) {
    return std::find(nids.begin(), nids.end(), entry.request.match_id.nid) - nids.begin();
  };
  const bool unique = std::all_of(list->second.begin(), list->second.end(), [](const Entry& e) {
    return e.request.ignore.value == 0 && !e.request.match_id.nid.is_any() &&
           !e.request.match_id.pid.is_any();
  });
  const Entry* best = nullptr;
  for (const Entry& entry : list->second) {
    if (!accepts(entry, header, nids)) continue;
    // On other portals entries with ignore bits come first.
    const auto key = [&](const Entry& e) { return unique ? rank(e) : e.request.ignore.value == 0; };
    if (best == nullptr || key(entry) < key(*best)) best = &entry;
  }
  return best == nullptr ? Found{} : place(best->md, header);
}

MatchModel::Found MatchModel::offer(std::uint64_t md, const wire::LnetHeader& header,
                                    std::span<const Nid> nids) const {
  for (const auto& [portal, list] : portals_)
    for (const Entry& entry : list)
      if (entry.md.cookie == md && Asked(header).portal == portal && accepts(entry, header, nids))
        return place(entry.md, header);
  return {};
}

void MatchModel::use(const Found& found) {
  Entry* entry = entry_of([&](const Entry& each) { return each.md.cookie == found.md; });
  if (found.what != Found::What::kTaken || entry == nullptr) return;
  const Md& md = entry->md;
  follow(found.md, md.threshold > 0 ? md.threshold - 1 : md.threshold,
         std::min(found.offset + found.mlength, md.length));
}

void MatchModel::follow(std::uint64_t md, std::int64_t threshold, std::uint64_t offset) {
  Entry* entry = entry_of([&](const Entry& each) { return each.md.cookie == md; });
  if (entry == nullptr) return;
  entry->md.threshold = threshold;
  entry->md.offset = offset;
  if (entry->md.exhausted() && entry->md.unlinks_itself) retire(*entry);
}

void MatchModel::exhaust(std::uint64_t md) {
  Entry* entry = entry_of([&](const Entry& each) { return each.md.cookie == md; });
  if (entry != nullptr) retire(*entry);
}

void MatchModel::retire(Entry& entry) {
  if (entry.request.unlink == UnlinkMode::kUnlink)
    remove_entry(entry.me);
  else
    entry.md = {};
}

}  // namespace ulnet::sim
