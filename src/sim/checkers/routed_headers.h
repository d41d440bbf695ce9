// For checkers of routers: headers of messages under way, each with a note. Lookup uses the fields
// that no router changes. Several headers may be alike.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "lnet/wire/lnet_header.h"

namespace ulnet::sim {

/// Whether a router may have made `out` from `in`: it may choose another NID of the target's peer
/// (MR-forwarding, spec/multirail.md 3.1), and changes nothing else.
inline bool is_same_message(const wire::LnetHeader& in, wire::LnetHeader out) {
  out.dest_nid = in.dest_nid;
  return in == out;
}

template <class Note>
class RoutedHeaders {
 public:
  void add(const wire::LnetHeader& header, Note note) {
    by_key_[key_of(header)].push_back({header, std::move(note)});
  }
  /// Removes a header like this one: the oldest whose note `likes()`, otherwise the oldest. Returns
  /// its note through `note`; false: there is no such header.
  template <class Likes>
  bool take(const wire::LnetHeader& header, Likes&& likes, Note& note) {
    const auto found = by_key_.find(key_of(header));
    if (found == by_key_.end()) return false;
    auto& all = found->second;
    auto chosen = all.end();
    for (auto each = all.begin(); each != all.end(); ++each) {
      if (!is_same_message(each->first, header)) continue;
      const bool good = likes(each->second);
      if (chosen == all.end() || good) chosen = each;
      if (good) break;
    }
    if (chosen == all.end()) return false;
    note = std::move(chosen->second);
    all.erase(chosen);
    if (all.empty()) by_key_.erase(found);
    return true;
  }

 private:
  using Key = std::tuple<Nid, std::size_t, std::uint32_t>;
  static Key key_of(const wire::LnetHeader& header) {
    return {header.src_nid, header.part.index(), header.payload_length};
  }
  std::map<Key, std::vector<std::pair<wire::LnetHeader, Note>>> by_key_;
};

}  // namespace ulnet::sim
