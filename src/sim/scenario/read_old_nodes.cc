// Reads the nodes of other software of a scenario file.
#include <algorithm>

#include "sim/scenario/read_values.h"
#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

constexpr std::uint32_t kMaxBytesOfOld = limits::kMtu;

class OldNodeReader {
 public:
  OldNodeReader(const conf::YamlNode& item, Reading& reading)
      : reading_(reading), fields_(item, "an old node", reading.mistakes) {}

  void read() {
    if (const auto* nids = fields_.need("nids")) read_nids(*nids, old_.nids);
    if (fields_.need("release") != nullptr) read_release(fields_, old_.release);
    fields_.number("count", old_.count, 1, 1'000'000);
    fields_.duration("every", old_.every);
    read_size();
    if (const auto* change = fields_.take("change")) read_change(*change);
    if (reading_.scenario.old_nodes.size() == kMaxOldNodes)
      return fields_.wrong(fields_.map(), "more than four old nodes");
    reading_.scenario.old_nodes.push_back(std::move(old_));
  }

 private:
  void read_change(const conf::YamlNode& map) {
    text::Fields fields(map, "a change", reading_.mistakes);
    if (fields.need("at") != nullptr && fields.duration("at", old_.change_at) &&
        old_.change_at <= Duration{})
      fields.wrong(*map.find("at"), "at: must be more than 0");
    if (fields.need("release") != nullptr) read_release(fields, old_.later);
    if (const auto* more = fields.take("more nids")) read_nids(*more, old_.more_nids);
    if (fields.duration("back at", old_.back_at) && old_.back_at <= old_.change_at)
      fields.wrong(*map.find("back at"), "back at: must be after 'at'");
  }

  void read_release(text::Fields& fields, Release& out) {
    std::string word;
    if (!fields.text("release", word)) return;
    if (const auto release = release_of(word))
      out = *release;
    else
      fields.wrong(*fields.map().find("release"),
                   "release: '" + word + "' is not one of downrev, no-discovery, uprev");
  }

  void read_size() {
    std::string text;
    if (!fields_.text("size", text)) return;
    const auto bytes = text::parse_bytes(text);
    if (!bytes || *bytes > kMaxBytesOfOld)
      fields_.wrong(*fields_.map().find("size"),
                    "size: '" + text + "' is not from 0 to 1MiB (4KiB)");
    else
      old_.max_bytes = static_cast<std::uint32_t>(*bytes);
  }

  void read_nids(const conf::YamlNode& list, std::vector<Nid>& out) {
    if (list.is_scalar()) return read_nid(list, out);
    if (!list.is_sequence() || list.items.empty())
      return fields_.wrong(list, "an old node without NIDs");
    for (const conf::YamlNode& each : list.items) read_nid(each, out);
  }

  void read_nid(const conf::YamlNode& text, std::vector<Nid>& out) {
    const auto nid = value_of<Nid>(text, fields_);
    if (!nid) return;
    if (nid->net().type != NetType::kTcp || !nid->is_small() || nid->is_any())
      return fields_.wrong(text, text.shown() + ": an old node has IPv4 addresses of tcp nets");
    if (is_taken(*nid)) return fields_.wrong(text, text.shown() + ": another node is there");
    if (!has_neighbour(nid->net()))
      return fields_.wrong(text, text.shown() + ": no node of the edge tcp has that net");
    out.push_back(*nid);
  }

  /// Whether another node has the address of the NID, on any net.
  bool is_taken(const Nid& nid) const {
    const auto here = [&](const Nid& other) { return other.addr == nid.addr; };
    const auto any_of = [&](const OldNodeSetup& old) {
      return std::ranges::any_of(old.nids, here) || std::ranges::any_of(old.more_nids, here);
    };
    const auto has = [&](const NodeSetup& node) {
      return std::ranges::any_of(node.nis, here, &NiSetup::nid);
    };
    return std::ranges::any_of(reading_.scenario.nodes, has) || any_of(old_) ||
           std::ranges::any_of(reading_.scenario.old_nodes, any_of);
  }

  bool has_neighbour(NetId net) const {
    return std::ranges::any_of(reading_.scenario.nodes, [&](const NodeSetup& node) {
      return node.driver == DriverKind::kSock &&
             std::ranges::any_of(node.nis, [&](const NiSetup& ni) {
               return ni.nid.net() == net && ni.nid.is_small();
             });
    });
  }

  Reading& reading_;
  text::Fields fields_;
  OldNodeSetup old_;
};

}  // namespace

void read_old_nodes(const conf::YamlNode& section, Reading& reading) {
  if (!section.is_sequence()) return reading.wrong(section, "old nodes: expected a list");
  for (const conf::YamlNode& item : section.items) OldNodeReader(item, reading).read();
}

}  // namespace ulnet::sim
