// /v1/file/NAME: the runtime files as text. Source: spec/core-semantics.md 16.
#include "node/control/handlers.h"
#include "node/control/reply.h"
#include "node/control/runtime_files.h"

namespace ulnet::node::control {

Reply show_file(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const std::string name = request.path.substr(request.path.rfind('/') + 1);
  if (name == "stats") return reply_text(stats_file(node->state()));
  if (name == "nis") return reply_text(nis_file(node->state()));
  if (name == "peers") return reply_text(peers_file(node->state()));
  for (const char* later : {"routes", "routers", "buffers", "portal_rotor", "cpu_partition_table",
                            "cpu_partition_distance"})
    if (name == later) return not_built(context, request);
  return reply_error(404, -ENOENT, "unknown file '" + name + "': stats, nis, peers");
}

}  // namespace ulnet::node::control
