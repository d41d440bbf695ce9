// The peers of the fake door's node: what a node does for `peer add|del|set`, on the trees that it
// shows. Source: spec/multirail.md 2.2.
#pragma once

#include <nlohmann/json.hpp>

#include "ulnet/result.hpp"

namespace ulnet::ctl::test {

using Tree = nlohmann::ordered_json;

// `peers`: the list of `peer:`; `body`: that of the request.
Result<void> add_peer(Tree& peers, const Tree& body);
Result<void> del_peer(Tree& peers, const Tree& body);
Result<void> set_peer(Tree& peers, const Tree& body);

}  // namespace ulnet::ctl::test
