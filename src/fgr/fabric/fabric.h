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

  /// False: the text was cut, or it is another text. A text that was cut has links at one end only,
  /// since each node of a link lists it.
  bool whole() const { return one_sided == 0 && not_understood == 0 && !ends_within_line; }
};

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

/// The name of each switch, by GUID. The cables name it; else it is the switch at which most of the
/// hosts plugged there are planned, if no other switch has as many. If all these hosts are planned
/// at switches whose names other switches of the fabric have, the name is the GUID. `planned` has
/// switches by host.
std::map<std::string, std::string> switch_names(const std::vector<SeenCable>& cables,
                                                const std::map<std::string, std::string>& planned);

}  // namespace ulnet::plan
