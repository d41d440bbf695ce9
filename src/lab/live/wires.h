// The network of a laboratory in namespaces: builds it, cuts and repairs wires, changes rates, and
// removes it.
#pragma once

#include <functional>
#include <string>

#include "lab/live/journal.h"
#include "lab/live/record.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Returns why this user cannot make namespaces, and what to do. Empty: the user can make them.
std::string why_no_spaces();

/// Makes the namespaces with their contents, each entered in the journal before, and waits until
/// every interface is up. Sets record.netem. Calls `stopped` between the steps; true: returns
/// -EINTR. After an error the parts that were made still exist.
Result<void> build_wires(const Topology& topology, Record& record, Journal& journal,
                         const std::function<bool()>& stopped);

/// A wire of one of two kinds: that of a rail, or a link of switches.
struct WireEnd {
  NodeNumber node = 0;
  std::uint32_t rail = 0;
  std::optional<std::size_t> link;  ///< a link of switches, instead of a rail
};
/// Finds the wire that a word names: "client1:0", "client1", "left-right". -ENOENT, with the
/// nearest name.
Result<WireEnd> find_wire(const Topology& topology, std::string_view word);
/// Returns the wire's name: "client1:0", "left-right".
std::string wire_name(const Topology& topology, const WireEnd& wire);
const Wire& wire_of(const Topology& topology, const WireEnd& wire);

/// Sets the side of the wire at the switch down or up; the node sees that its carrier is lost.
Result<void> set_carrier(const Record& record, const WireEnd& wire, bool up);
/// Gives the wire's devices, in both directions, the rate that `wire` has.
Result<void> set_shape(const Record& record, const Topology& topology, const WireEnd& end,
                       const Wire& wire);

}  // namespace ulnet::tools::lab
