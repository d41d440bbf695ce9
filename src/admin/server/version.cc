// /v1/version.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "admin/server/handlers.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

Reply show_version(Context& context, const Request&) {
  return reply_tree(
      Json{{"ulnet", context.version}, {"door", 1}, {"name", context.name}, {"pid", ::getpid()}});
}

}  // namespace ulnet::node::control
