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

/// The number by which a fabric knows a node; 0: not known.
using Guid = std::uint64_t;

/// Up to 16 hexadecimal digits, with "0x" before them or not, and with colons between or not.
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
  std::map<Guid, std::string> switches;  ///< their descriptions, fit to print
  std::map<Guid, std::string> adapters;  ///< the same
  std::vector<FabricLink> links;         ///< sorted by adapter, then by its port
  std::size_t one_sided = 0;             ///< links, of any two nodes, that one end only has
  std::size_t not_understood = 0;        ///< lines
  bool ends_within_line = false;

  /// Not all of the text is there, or it is another text. A text that was cut has links at one end
  /// only, since every link stands at both nodes.
  bool whole() const { return one_sided == 0 && not_understood == 0 && !ends_within_line; }
};

/// A port of a host's adapter, and the switch into which it is plugged.
struct SeenCable {
  std::string host;         ///< a host of the plan
  std::string guid;         ///< of its adapter
  std::string switch_guid;  ///< "0002c90200423e60"
  std::string
      switch_name;  ///< the plan's, or the fabric's when the plan has none; empty: not known
  std::uint32_t switch_port = 0;
  std::uint32_t adapter_port = 0;
  std::string rate;  ///< FabricLink::rate
};

/// By GUID of a switch: its name. What its cables say; else the switch at which most of the hosts
/// plugged there are planned, when more are planned there than at any other. When all of these are
/// planned at switches that are known by name elsewhere: its GUID. `planned` has switches by host.
std::map<std::string, std::string> switch_names(const std::vector<SeenCable>& cables,
                                                const std::map<std::string, std::string>& planned);

}  // namespace ulnet::plan
