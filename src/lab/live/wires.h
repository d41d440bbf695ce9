// The network of a laboratory in namespaces: built, cut, mended, given other rates, taken away.
#pragma once

#include <functional>
#include <string>

#include "lab/live/journal.h"
#include "lab/live/record.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Why this user cannot have namespaces, with what to do; empty: he can.
std::string why_no_spaces();

/// Whether the kernel can delay and lose packets. Asks in the namespace, which must be there.
bool has_netem(const std::string& space);

/// Makes the namespaces, each noted in the journal before, and all that is in them, and waits
/// until every interface is up. Sets record.netem. `stopped`: looked at between the steps; then
/// -EINTR. After an error what was made is still there.
Result<void> build_wires(const Topology& topology, Record& record, Journal& journal,
                         const std::function<bool()>& stopped);

/// Either end of a wire: a rail, or a link of switches.
struct WireEnd {
  NodeNumber node = 0;
  std::uint32_t rail = 0;
  std::optional<std::size_t> link;  ///< of switches, instead
};
/// The wire that a word names: "client1:0", "client1", "left-right". -ENOENT, with the nearest.
Result<WireEnd> find_wire(const Topology& topology, std::string_view word);
/// Its name: "client1:0", "left-right".
std::string wire_name(const Topology& topology, const WireEnd& wire);
const Wire& wire_of(const Topology& topology, const WireEnd& wire);

/// The wire's side at the switch goes down, or up again; the node sees that its carrier is lost.
Result<void> set_carrier(const Record& record, const WireEnd& wire, bool up);
/// Another rate in both directions; `wire` has it already.
Result<void> set_shape(const Record& record, const Topology& topology, const WireEnd& end,
                       const Wire& wire);

}  // namespace ulnet::tools::lab
