// /v1/net: local nets and their interfaces. Source: spec/cli-lnetctl.md 3.2 to 3.5, 4.1; the
// errno and the text of an error are those of production nodes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/server/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/trees.h"
#include "lnet/base/limits.h"
#include "lnet/config/ni_values.h"

namespace ulnet::node::control {

namespace {

constexpr std::int64_t kInt32Max = INT32_MAX;

std::optional<std::int32_t> narrow(std::optional<std::int64_t> number) {
  if (!number) return {};
  return static_cast<std::int32_t>(*number);
}

Result<void> read_tunables(Fields tunables, conf::CommonTunables& to) {
  to.peer_timeout = narrow(tunables.integer("peer_timeout", -1, kInt32Max));
  to.peer_credits = narrow(tunables.integer("peer_credits", 0, kInt32Max));
  to.peer_buffer_credits = narrow(tunables.integer("peer_buffer_credits", 0, kInt32Max));
  to.credits = narrow(tunables.integer("credits", 0, kInt32Max));
  return tunables.finish();
}

void read_lnd_tunable(Fields& from, const conf::LndTunable& tunable, conf::LndTunables& to) {
  const auto number = narrow(from.integer(tunable.name, tunable.range.min, tunable.range.max));
  if (number) to.emplace(tunable.name, *number);
}

Result<void> read_lnd_tunables(Fields tunables, conf::LndTunables& to) {
  for (const conf::LndTunable& tunable : conf::kLndTunables)
    read_lnd_tunable(tunables, tunable, to);
  return tunables.finish();
}

struct Addition {
  NetId net;
  conf::NiItem ni;
};

Result<Addition> read_addition(const Json& body) {
  Addition to;
  Fields fields(body);
  const auto net = fields.text("net");
  const auto interface = fields.text("interface");
  to.ni.nid = fields.nid("nid");
  if (auto cpts = fields.numbers("CPT", ulnet::limits::kMaxCpts)) to.ni.cpts = std::move(*cpts);
  const auto common = read_tunables(fields.object("tunables"), to.ni.tunables);
  const auto driver = read_lnd_tunables(fields.object("lnd tunables"), to.ni.lnd_tunables);
  for (const auto* read : {&common, &driver})
    if (!*read) fields.refuse(read->error().code, read->error().reason);
  if (!net && !to.ni.nid) fields.refuse(-EINVAL, "'net' or 'nid' is missing");
  if (!interface && !to.ni.nid)
    fields.refuse(-EINVAL, "creating a local NI needs at least one interface");
  if (const auto finished = fields.finish(); !finished) return tl::unexpected(finished.error());
  if (interface) to.ni.interface = *interface;
  const auto parsed = conf::parse_settable_net(net ? *net : to.ni.nid->net().to_string());
  if (!parsed) return tl::unexpected(parsed.error());
  to.net = *parsed;
  if (to.ni.nid && to.ni.nid->net() != to.net)
    return fail(-EINVAL, "'nid' is of another net than 'net'");
  return to;
}

Result<void> apply_change(Node& node, Fields& fields) {
  const auto nid = fields.nid("nid");
  const bool all = fields.boolean("all").value_or(false);
  const auto net = fields.text("net");
  auto health = narrow(fields.integer("health", INT32_MIN, kInt32Max));
  if (health) health = narrow(conf::health_of(*health));
  conf::LndTunables tunables;
  for (const conf::LndTunable& tunable : conf::kLndTunables)
    if (tunable.while_running) read_lnd_tunable(fields, tunable, tunables);
  const auto timeout = narrow(fields.integer("lnd_timeout", 0, kInt32Max));
  if (fields.has("CPT")) return fail(-EOPNOTSUPP, std::string(conf::kCptIsFixed));
  if (timeout.has_value() != net.has_value())
    fields.refuse(-EINVAL, "'net' and 'lnd_timeout' go together");
  if ((health || !tunables.empty()) && nid.has_value() == all)
    fields.refuse(-EINVAL, "either 'nid' or 'all' must say which interfaces to set");
  if (!health && tunables.empty() && !timeout)
    fields.refuse(-EINVAL, "nothing to set: 'health', 'conns_per_peer' or 'lnd_timeout'");
  if (const auto finished = fields.finish(); !finished) return finished;
  if (timeout) {
    const auto parsed = conf::parse_settable_net(*net);
    if (!parsed) return tl::unexpected(parsed.error());
    if (const auto set = node.net_set_lnd_timeout(*parsed, *timeout); !set) return set;
  }
  if (health || !tunables.empty()) return node.ni_set(nid, health, tunables);
  return {};
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
    default:
      return reply_error(error);
  }
}

/// Returns the requested values that a net does not take, because the net existed before and keeps
/// the values of its first NI (spec/cli-lnetctl.md 3.2). Empty: the net takes all.
std::string kept(const NodeState& before, const Addition& asked) {
  const auto there = std::ranges::find(before.nis, asked.net, &NiShow::net);
  if (there == before.nis.end()) return {};
  std::string kept;
  const auto compare = [&](const char* name, std::optional<std::int32_t> requested,
                           std::int32_t is) {
    if (requested && *requested != is)
      kept += (kept.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(is) + ", not " +
              std::to_string(*requested);
  };
  const conf::CommonTunables& requested = asked.ni.tunables;
  compare("peer_timeout", requested.peer_timeout, there->tunables.peer_timeout);
  compare("peer_credits", requested.peer_credits, there->tunables.peer_credits);
  compare("peer_buffer_credits", requested.peer_buffer_credits,
          there->tunables.peer_buffer_credits);
  compare("credits", requested.credits, there->tunables.credits);
  if (kept.empty()) return {};
  return "net " + asked.net.to_string() +
         " existed already, and all its interfaces have the values of the first one: " + kept;
}

}  // namespace

Reply show_nets(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  if (!request.has_param("net")) return reply_tree(net_tree(node->state()));
  const auto net = NetId::parse(request.param("net"));
  if (!net) return reply_error(404, -ENOENT, "Object not found");
  const Json tree = net_tree(node->state(), &*net);
  if (tree["net"].empty()) return reply_error(404, -ESRCH, "Network is down");
  return reply_tree(tree);
}

Reply add_net(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  const auto addition = read_addition(*body);
  if (!addition) return reply_error(addition.error());
  const std::string hint = kept(node->state(), *addition);
  const auto added = node->net_add(addition->net, addition->ni);
  if (!added) return reply_not_added(added.error());
  return hint.empty() ? reply_done() : reply_tree(Json{{"hint", hint}});
}

Reply delete_net(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto net = fields.text("net");
  const auto interface = fields.text("interface");
  const auto nid = fields.nid("nid");
  if (!net && !nid) fields.refuse(-EINVAL, "'net' or 'nid' is missing");
  if (nid && (net || interface)) fields.refuse(-EINVAL, "'nid' excludes 'net' and 'interface'");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  const auto parsed = conf::parse_settable_net(nid ? nid->net().to_string() : *net);
  if (!parsed) return reply_error(parsed.error());
  const auto deleted = nid ? node->nid_del(*nid) : node->net_del(*parsed, interface);
  const bool no_net = !deleted && std::ranges::none_of(node->state().nis, [&](const NiShow& ni) {
    return ni.net == *parsed;
  });
  if (!no_net) return reply_result(deleted);
  return reply_error(400, deleted.error().code, deleted.error().reason,
                     "this node has no net " + parsed->to_string() + ": 'net show' lists its nets");
}

Reply set_net(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  return reply_result(apply_change(*node, fields));
}

Reply show_nids(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree(nids_tree(node->state()));
}

}  // namespace ulnet::node::control
