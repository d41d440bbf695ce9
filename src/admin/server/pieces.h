// Answers that are made while they are sent, so that a long list is never in memory as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "admin/server/reply.h"
#include "lnet/node/node.h"

namespace ulnet::node::control {

struct Context;

/// Returns the memory that the rows of such a list take.
inline std::uint64_t bytes_of(const core::call::ShowRoutes& shown) {
  return shown.routes.capacity() * sizeof(core::RouteRow) +
         shown.gateways.capacity() * sizeof(core::GatewayRow);
}

/// Puts the items of a JSON array into a body, with the commas between them.
class JsonItems {
 public:
  explicit JsonItems(Pieces& to) : to_(to) {}
  /// Begins the next item, which the caller then adds.
  Pieces& next() {
    if (!first_) to_.add(",");
    first_ = false;
    return to_;
  }

 private:
  Pieces& to_;
  bool first_ = true;
};

/// Returns 200 with the body that `make` makes while it is sent, on the connection's thread. `kept`
/// is the number of bytes that `make` itself keeps. Until the answer is sent, these bytes and
/// limits::kPiecesBytes count against limits::kListsBytes for all such answers together, and
/// against the node's memory budget. If they exceed either limit, returns 503, so that the client
/// asks again.
Reply reply_in_pieces(Context& context, std::shared_ptr<Node> node, const char* content_type,
                      std::uint64_t kept, std::function<void(Node&, Pieces&)> make);

}  // namespace ulnet::node::control
