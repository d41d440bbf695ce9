// What the doors of a network's nodes say, as values: what is shown of each node, and the rates
// between two looks. Pure: answers in, values out. Source: docs/DOOR.md.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/client/door.h"
#include "lnet/base/time.h"

namespace ulnet::tools::lab {

/// A NI of a node, 0@lo aside.
struct ObservedNi {
  std::string nid, net, interface;
  bool up = false;
  int health = 0;
  std::int64_t credits = 0;                   ///< left to send with; below 0: messages that wait
  std::int64_t credits_min = 0;               ///< the fewest ever
  std::uint64_t sent = 0, received = 0;       ///< payload bytes, since the node began
  double sent_per_s = 0, received_per_s = 0;  ///< bytes, since the look before
  std::uint64_t messages = 0, dropped_messages = 0;  ///< sent and received; dropped
};

struct ObservedRoute {
  std::string net, gateway;
  std::int64_t hops = -1, priority = 0;
  bool up = false;
  std::string why;  ///< it is down
};

enum class NodeState : std::uint8_t {
  kUnknown,  ///< not asked yet
  kUp,
  kUnconfigured,  ///< the daemon answers, LNet is not configured
  kSilent,        ///< the door does not answer in time: paused, or very busy
  kGone,          ///< nobody is behind the door
};
const char* to_string(NodeState state);

struct ObservedNode {
  std::string name;
  NodeState state = NodeState::kUnknown;
  std::string trouble;  ///< why it is not up, in words
  bool routing = false;
  std::vector<ObservedNi> nis;
  std::vector<ObservedRoute> routes;
  std::uint64_t drops = 0;    ///< messages dropped or refused, for all reasons
  std::uint64_t resends = 0;  ///< messages sent again
  Instant at{};               ///< when it was asked last

  /// Payload that reached a node that it was for: what the node received, in all and a second; 0 of
  /// a router, which passes it on. The sum over all nodes counts a message once, however many hops
  /// it takes.
  std::uint64_t goodput() const;
  double goodput_per_s() const;
};

/// The answers of a door from which a node is read.
struct DoorAnswers {
  ctl::Tree net, counters, route, routing, stats;
};
/// The node as `answers` have it. Keys that are missing or of another type are passed over: the
/// door may be of another version. `before`: the look before, from which rates come.
ObservedNode observed(std::string_view name, const DoorAnswers& answers, Instant at,
                      const ObservedNode* before);

/// Whose NIDs they are, for texts that people read.
class NidNames {
 public:
  explicit NidNames(const std::vector<ObservedNode>& nodes);
  /// The text with a node's name behind each of its NIDs: "10.0.0.9@tcp (router1) is down".
  /// `known`: whose name is left out, since it stands there already.
  std::string beside(std::string_view text, std::string_view known = {}) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;  ///< by NID
};

/// For the page: `{"name": …, "state": "up", "trouble": …, "routing": …, "nis": [{"nid", "net",
/// "up", "health", "credits", "credits_min", "sent", "received", "sent_per_s", "received_per_s"}],
/// "routes": [{"net", "gateway", "hops", "priority", "up", "why"}], "drops": n, "resends": n,
/// "goodput_per_s": bytes}`.
ctl::Tree tree_of(const ObservedNode& node);

}  // namespace ulnet::tools::lab
