// The nodes of a run, and which of them still answer.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "selftest/ulst/run/plan.h"

namespace ulnet::tools::lst::run {

struct Node {
  std::string id;
  bool client = false, server = false;
  std::string lost;  ///< why the console does not ask it any more; empty: it is still asked
  // During the running test.
  bool start_acknowledged = false, stop_acknowledged = false;
  /// how many of the console's requests for counters it has answered, in the whole run
  std::uint64_t answers = 0;
  std::optional<Instant> silent;  ///< when its silence began; nothing: it answers
  Duration silence{};             ///< the longest silence that has ended
  std::string trouble;            ///< why its last answer failed, if that is known
  bool there() const { return lost.empty(); }
};

/// The nodes of the plan, each once, clients first.
class NodeList {
 public:
  explicit NodeList(const Plan& plan) {
    for (const std::string& id : plan.from) nodes_.push_back({id, true, false, ""});
    for (const std::string& id : plan.to) {
      Node* known = find(id);
      if (known == nullptr) known = &nodes_.emplace_back(Node{id, false, false, ""});
      known->server = true;
    }
  }

  std::vector<Node>& nodes() { return nodes_; }
  Node* find(const std::string& id) {
    const auto at = std::ranges::find(nodes_, id, &Node::id);
    return at == nodes_.end() ? nullptr : &*at;
  }
  std::vector<std::string> there() const {
    std::vector<std::string> ids;
    for (const Node& node : nodes_)
      if (node.there()) ids.push_back(node.id);
    return ids;
  }
  bool any_lost() const {
    return std::ranges::any_of(nodes_, [](const Node& n) { return !n.there(); });
  }
  bool any_silent() const {
    return std::ranges::any_of(nodes_, [](const Node& n) { return n.there() && n.silent; });
  }
  bool any_there(bool Node::*role) const {
    return std::ranges::any_of(nodes_, [&](const Node& n) { return n.*role && n.there(); });
  }

 private:
  std::vector<Node> nodes_;
};

}  // namespace ulnet::tools::lst::run
