// Source: spec/cli-lnetctl.md 3; the errno and the text of an error are those of production nodes.
#include "admin/server/changes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "admin/conf/fault_trees.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

namespace {

using namespace conf::change;

bool has_net(const NodeState& state, NetId net) {
  return std::ranges::find(state.nis, net, &NiShow::net) != state.nis.end();
}

/// Makes the reply to a failed `net add`. lnetctl prints the same text for these errors; the node's
/// own reason becomes the hint.
Reply reply_not_added(const Error& error) {
  const auto refused = [&](int status) {
    return reply_error(status, error.code, "cannot add LNet NI", error.reason);
  };
  switch (error.code) {
    case -EEXIST:
      return refused(409);
    case -ENETDOWN:
      return refused(503);
    case -EUSERS:
      return refused(422);
    case -ERANGE:
      return reply_error(400, error.code, "invalid CPT value", error.reason);
    default:
      return reply_error(error);
  }
}

/// Returns the requested values that an existing net does not have, because it keeps the values of
/// its first NI (spec/cli-lnetctl.md 3.2). Empty: the net has all.
std::string kept(const NodeState& state, const AddNi& change) {
  const auto there = std::ranges::find(state.nis, change.net, &NiShow::net);
  if (there == state.nis.end()) return {};
  std::string kept;
  const auto compare = [&](const char* name, std::optional<std::int32_t> requested,
                           std::int32_t is) {
    if (requested && *requested != is)
      kept += (kept.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(is) + ", not " +
              std::to_string(*requested);
  };
  const conf::CommonTunables& requested = change.ni.tunables;
  compare("peer_timeout", requested.peer_timeout, there->tunables.peer_timeout);
  compare("peer_credits", requested.peer_credits, there->tunables.peer_credits);
  compare("peer_buffer_credits", requested.peer_buffer_credits,
          there->tunables.peer_buffer_credits);
  compare("credits", requested.credits, there->tunables.credits);
  if (kept.empty()) return {};
  return "net " + change.net.to_string() +
         " existed already, and all its interfaces have the values of the first one: " + kept;
}

/// Makes the replies to changes that were made together, in their order.
class Replies {
 public:
  Replies(Context& context, Node& node, std::span<const conf::Change> changes)
      : context_(context), node_(node) {
    if (std::ranges::any_of(
            changes, [](const auto& change) { return std::holds_alternative<AddNi>(change); }))
      before_ = node.state();
  }

  Reply to(const conf::Change& change, const Result<void>& done) {
    if (!done && done.error().code == -ENOMEM) return reply_no_memory(context_, "a request");
    if (const auto* add = std::get_if<AddNi>(&change)) return to_added(*add, done);
    if (!done && std::holds_alternative<DelNi>(change))
      return to_not_deleted(std::get<DelNi>(change), done.error());
    if (!done) return reply_error(done.error());
    if (const auto* add = std::get_if<AddFault>(&change))
      return reply_tree(conf::fault_item(add->rule));
    if (const auto* del = std::get_if<DelFault>(&change))
      return reply_tree({{"deleted", del->gone}});
    return reply_done();
  }

 private:
  Reply to_added(const AddNi& add, const Result<void>& done) {
    if (!done) return reply_not_added(done.error());
    const bool existed = has_net(before_, add.net) || !new_nets_.insert(add.net).second;
    const std::string hint = existed ? kept(after(), add) : std::string();
    return hint.empty() ? reply_done() : reply_tree(Json{{"hint", hint}});
  }
  Reply to_not_deleted(const DelNi& del, const Error& error) {
    if (has_net(after(), del.net)) return reply_error(error);
    return reply_error(
        400, error.code, error.reason,
        "this node has no net " + del.net.to_string() + ": 'net show' lists its nets");
  }
  const NodeState& after() {
    if (!after_) after_ = node_.state();
    return *after_;
  }

  Context& context_;
  Node& node_;
  NodeState before_;
  std::optional<NodeState> after_;
  std::set<NetId> new_nets_;
};

}  // namespace

const api::ChangeEndpoint* find_change(const Request& request) {
  for (const api::ChangeEndpoint& endpoint : api::change_endpoints())
    if (endpoint.method == request.method && endpoint.path == request.path) return &endpoint;
  return nullptr;
}

std::vector<Reply> make_changes(Context& context, std::span<const ChangeAsked> asked) {
  const auto node = context.slot.node();
  if (node == nullptr) return std::vector<Reply>(asked.size(), reply_not_configured());
  std::vector<Reply> replies(asked.size());
  std::vector<conf::Change> changes;
  std::vector<Reply*> of_changes;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Request& request = *asked[i].request;
    const auto body = parse_body(request.body);
    auto change = body ? asked[i].endpoint->read(*body) : tl::unexpected(body.error());
    if (change && !request.query.empty())
      change = fail(-EINVAL, "unknown query key '" + request.query.front().first + "'");
    if (!change) {
      replies[i] = reply_error(change.error());
      continue;
    }
    changes.push_back(*std::move(change));
    of_changes.push_back(&replies[i]);
  }
  Replies make(context, *node, changes);
  const std::vector<Result<void>> results = node->change_all(changes);
  for (std::size_t i = 0; i < changes.size(); ++i) *of_changes[i] = make.to(changes[i], results[i]);
  return replies;
}

}  // namespace ulnet::node::control
