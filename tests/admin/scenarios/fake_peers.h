// The peers of the fake control API's node. Handles `peer add|del|set` as a node does, on the trees
// that it shows. Source: spec/multirail.md 2.2.
#pragma once

#include <nlohmann/json.hpp>

#include "ulnet/result.hpp"

namespace ulnet::ctl::test {

using Tree = nlohmann::ordered_json;

// `peers` is the list of `peer:`; `body` is the body of the request.
Result<void> add_peer(Tree& peers, const Tree& body);
Result<void> del_peer(Tree& peers, const Tree& body);
Result<void> set_peer(Tree& peers, const Tree& body);

}  // namespace ulnet::ctl::test
