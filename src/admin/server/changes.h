// Requests that change the node (admin/api/changes.h), alone or in a batch.
#pragma once

#include <span>
#include <vector>

#include "admin/api/changes.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

/// A request with its kind of change.
struct ChangeAsked {
  const Request* request;
  const api::ChangeEndpoint* endpoint;
};

/// Returns the kind of change that the request makes. Null: it makes none.
const api::ChangeEndpoint* find_change(const Request& request);
/// Makes all changes together and returns the reply to each.
std::vector<Reply> make_changes(Context& context, std::span<const ChangeAsked> asked);

}  // namespace ulnet::node::control
