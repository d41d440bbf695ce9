// The messages of a recording with the neighbours between which they went: a message that crosses
// routers is there once for each leg. For tests only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lnet/base/time.h"
#include "tests/wire/session.h"

namespace ulnet::capture {

inline Nid nid(const std::string& text) { return Nid::parse(text).value(); }
/// The nodes at the ends of the recordings with routers.
inline const Nid kA = nid("10.99.0.3@tcp"), kB = nid("10.99.1.5@tcp1");

/// The NID by which a TCP address stands in a recording.
using Nids = std::map<std::string, Nid>;

/// A message on one leg.
struct Leg {
  Duration at{};
  Nid from, to;  ///< the neighbours
  wire::LnetHeader header;
  std::vector<std::byte> payload;

  bool is_answer() const;
  bool has_ping_info() const;
  /// All of it. Two messages have the same text if they are the same, byte for byte.
  std::string text() const;
  /// All of it but the name that its sender gave to its MD: that is another one in each run.
  std::string text_without_md() const;
  /// Its type and whom it goes to, by which neighbour.
  std::string way() const;
};

/// All messages of a recording, in the order of their last bytes.
std::vector<Leg> legs_of(const std::string& name, const Nids& nids);
/// Those that came at that second or later.
std::vector<Leg> from_time(std::vector<Leg> legs, double seconds);

/// A recording of the near side of a router gets what has been on its far side: since a router
/// changes nothing of a message (spec/multirail.md 9.7), what it sends on to a near node came from
/// the node `far`, and what a near node sends to `far` was sent on.
std::vector<Leg> with_far_side(std::vector<Leg> legs, const Nid& router_near, const Nid& router_far,
                               const Nid& far);

}  // namespace ulnet::capture
