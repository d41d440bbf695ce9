// Routes and routing of the fake control API: the bodies of requests, and lists as a node has them.
// Source: docs/CONTROL-API.md (/v1/route, /v1/routing), spec/multirail.md 9.2.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "admin/client/control_api.h"
#include "ulnet/result.hpp"

namespace ulnet::ctl::test {

/// The routes as a node keeps them: `routes` has all keys of route show.
struct FakeRoutes {
  Tree routes = Tree::array();
  std::set<std::string> dead;  ///< gateways that do not answer
  bool on = false, was_on = false, stopping = false;
  Tree buffers = {{"tiny", 0}, {"small", 0}, {"large", 0}};
};

/// POST adds routes, DELETE deletes them, PATCH sets routing and buffers. `nets` are the node's
/// nets.
Result<void> change_routes(FakeRoutes& node, const Tree& nets, const std::string& method,
                           const Tree& body);
/// The answer to GET /v1/route or /v1/routing, of a node with one partition.
Tree show_routes(const FakeRoutes& node, const std::string& path);

}  // namespace ulnet::ctl::test
