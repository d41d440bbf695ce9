// /v1/recovery: which NIs and peer NIs are unhealthy and are pinged for their recovery. Source:
// spec/cli-lnetctl.md 4.10, spec/multirail.md 7.
#include <fmt/format.h>

#include "admin/server/handlers.h"
#include "admin/server/pieces.h"

namespace ulnet::node::control {

namespace {

/// Writes "NAME":{"nid-0":"...","nid-1":"..."}.
void write_queue(Pieces& to, const char* name, const std::vector<Nid>& nids) {
  to.add(fmt::format("\"{}\":{{", name));
  JsonItems items(to);
  for (std::size_t i = 0; i < nids.size(); ++i)
    if (!items.next().add(fmt::format("\"nid-{}\":\"{}\"", i, nids[i].to_string()))) return;
  to.add("}");
}

}  // namespace

Reply show_recovery(Context& context, const NodePtr& node, const Request&) {
  const std::scoped_lock turn(context.lists.reading);
  auto own = std::make_shared<const std::vector<Nid>>(in_recovery(*node, true));
  auto peers = std::make_shared<const std::vector<Nid>>(in_recovery(*node, false));
  const std::uint64_t bytes = (own->capacity() + peers->capacity()) * sizeof(Nid);
  return reply_in_pieces(context, node, kJson, bytes, [own, peers](Node&, Pieces& to) {
    to.add("{");
    write_queue(to, "Local NI recovery", *own);
    to.add(",");
    write_queue(to, "Peer NI recovery", *peers);
    to.add("}\n");
  });
}

}  // namespace ulnet::node::control
