// The state of a network's nodes, as values made from the answers of their control APIs, and the
// rates between two looks. Pure: answers in, values out. Source: docs/CONTROL-API.md.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/client/control_api.h"
#include "lnet/base/time.h"

namespace ulnet::tools::lab {

/// An NI of a node, except 0@lo.
struct ObservedNi {
  std::string nid, net, interface;
  bool up = false;
  int health = 0;
  /// credits that are left; below 0: messages that wait
  std::int64_t credits = 0;
  std::int64_t credits_min = 0;                      ///< the lowest value so far
  std::uint64_t sent = 0, received = 0;              ///< payload bytes since the node began
  double sent_per_s = 0, received_per_s = 0;         ///< bytes a second since the look before
  std::uint64_t messages = 0, dropped_messages = 0;  ///< sent and received; dropped
};

struct ObservedRoute {
  std::string net, gateway;
  std::int64_t hops = -1, priority = 0;
  bool up = false;
  std::string why;  ///< why the route is down
};

enum class NodeState : std::uint8_t {
  kUnknown,  ///< not asked yet
  kUp,
  kUnconfigured,  ///< the daemon answers, LNet is not configured
  kSilent,        ///< the control API does not answer in time: paused, or very busy
  kGone,          ///< no daemon listens
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

  /// Payload that reached its final node: the bytes that this node received, in all and a second; 0
  /// for a router, which forwards them. The sum over all nodes counts a message once, however many
  /// hops it takes.
  std::uint64_t goodput() const;
  double goodput_per_s() const;
};

/// The answers of a control API from which a node is read.
struct NodeAnswers {
  ctl::Tree net, counters, route, routing, stats;
};
/// Returns the node that `answers` describe. Keys that are missing or of another type are ignored,
/// since the daemon may be of another version. `before` is the look before, which the rates are
/// computed from.
ObservedNode observed(std::string_view name, const NodeAnswers& answers, Instant at,
                      const ObservedNode* before);

/// The node of each NID, for texts that people read.
class NidNames {
 public:
  explicit NidNames(const std::vector<ObservedNode>& nodes);
  /// Returns the text with a node's name after each of its NIDs: "10.0.0.9@tcp (router1) is down".
  /// The name `known` is left out, because the reader has it already.
  std::string beside(std::string_view text, std::string_view known = {}) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;  ///< by NID
};

/// Returns the node as JSON for the page: `{"name": …, "state": "up", "trouble": …, "routing": …,
/// "nis": [{"nid", "net", "up", "health", "credits", "credits_min", "sent", "received",
/// "sent_per_s", "received_per_s"}], "routes": [{"net", "gateway", "hops", "priority", "up",
/// "why"}], "drops": n, "resends": n, "goodput_per_s": bytes}`.
ctl::Tree tree_of(const ObservedNode& node);

}  // namespace ulnet::tools::lab
