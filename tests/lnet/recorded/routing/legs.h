// The messages of a recording, each with the two neighbours between which it went: a message that
// crosses routers occurs once for each leg. For tests only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lnet/base/time.h"
#include "tests/lnet/recorded/captures/session.h"

namespace ulnet::capture {

inline Nid nid(const std::string& text) { return Nid::parse(text).value(); }
/// The nodes at the ends of the recordings with routers.
inline const Nid kA = nid("10.99.0.3@tcp"), kB = nid("10.99.1.5@tcp1");

/// The NID for which a TCP address stands in a recording.
using Nids = std::map<std::string, Nid>;

/// A message on one leg.
struct Leg {
  Duration at{};
  Nid from, to;  ///< the neighbours
  wire::LnetHeader header;
  std::vector<std::byte> payload;

  bool is_answer() const;
  bool has_ping_info() const;
  /// The whole message as text. Two messages have the same text if they are the same, byte for
  /// byte.
  std::string text() const;
  /// The message as text without the sender's name for its MD, which differs in each run.
  std::string text_without_md() const;
  /// The message's type, its target, and the neighbour through which it goes.
  std::string way() const;
};

/// All messages of a recording, in the order of their last bytes.
std::vector<Leg> legs_of(const std::string& name, const Nids& nids);
/// The legs at that second or later.
std::vector<Leg> from_time(std::vector<Leg> legs, double seconds);

/// Adds the far side of a router to a recording of its near side. A router changes nothing in a
/// message (spec/multirail.md 9.7): a message that it forwards to a near node came from the node
/// `far`, and a message from a near node to `far` was forwarded.
std::vector<Leg> with_far_side(std::vector<Leg> legs, const Nid& router_near, const Nid& router_far,
                               const Nid& far);

}  // namespace ulnet::capture
