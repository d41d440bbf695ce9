// An InfiniBand fabric as a value: which port of which adapter is plugged into which port of which
// switch. Source: design document 004, section III.A (cables); docs/FGR.md, "The real fabric".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::plan {

/// The number that identifies a node in a fabric; 0: not known.
using Guid = std::uint64_t;

/// Parses up to 16 hexadecimal digits, with or without "0x", and with or without colons.
std::optional<Guid> parse_guid(std::string_view text);
/// 16 digits: "0002c90300a10010".
std::string guid_text(Guid guid);

struct FabricLink {
  Guid adapter = 0;
  std::uint32_t adapter_port = 0;
  Guid to_switch = 0;
  std::uint32_t switch_port = 0;
  std::string rate;  ///< "4xQDR"; may be empty
};

struct Fabric {
  /// descriptions of the switches, without characters that cannot be printed
  std::map<Guid, std::string> switches;
  std::map<Guid, std::string> adapters;  ///< descriptions of the adapters, likewise
  std::vector<FabricLink> links;         ///< sorted by adapter, then by its port
  std::size_t one_sided = 0;             ///< links that only one of their nodes lists
  std::size_t not_understood = 0;        ///< lines that were not understood
  bool ends_within_line = false;

  /// Whether the text is a complete output of ibnetdiscover. Both nodes of a link list the link, so
  /// a text that was cut has links that only one node lists.
  bool whole() const { return one_sided == 0 && not_understood == 0 && !ends_within_line; }
};

/// Reads the output of ibnetdiscover. The text may be cut short, and names in it may be anything.
/// Uses the first 128 bytes of a description. -EINVAL: the text contains no switch with a port, so
/// it is not an output of ibnetdiscover.
Result<Fabric> read_ibnetdiscover(std::string_view text);

/// A port of a host's adapter, and the switch into which it is plugged.
struct SeenCable {
  std::string host;         ///< a host of the plan
  std::string guid;         ///< GUID of its adapter
  std::string switch_guid;  ///< "0002c90200423e60"
  std::string
      switch_name;  ///< the plan's name, or the fabric's when the plan has none; empty: not known
  std::uint32_t switch_port = 0;
  std::uint32_t adapter_port = 0;
  std::string rate;  ///< FabricLink::rate
};

/// Finds the name of each switch, by GUID. It is the `switch_name` of the switch's cables, if one
/// of them has a name. Else it is the name of the switch at which most of the hosts that are
/// plugged in there are planned, if no other name has as many hosts. If all these hosts are planned
/// at switches whose names other cables have, the name is the GUID. `planned` has the planned
/// switch of each host.
std::map<std::string, std::string> switch_names(const std::vector<SeenCable>& cables,
                                                const std::map<std::string, std::string>& planned);

}  // namespace ulnet::plan
