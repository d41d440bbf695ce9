#include "fgr/picture/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "fgr/picture/names.h"
#include "text/quantity.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::size_t kRackLetters = 40;    // letters above the servers
constexpr std::size_t kSwitchLetters = 14;  // letters of a line in a switch
constexpr std::size_t kSwitchLines = 8;     // lines of its name
constexpr double kDetailGap = 20, kOverviewGap = 6;
constexpr double kSwitchLine = 15;

std::vector<std::string> racks_of(const SwitchPorts& at) {
  std::vector<std::string> racks;
  for (const Port& port : at.servers)
    if (const std::string& rack = port.server->rack;
        !rack.empty() && std::ranges::find(racks, rack) == racks.end())
      racks.push_back(rack);
  return racks;
}

/// Returns "rack R0", "racks R[0-3]"; empty: the site names no racks.
std::string racks_text(const std::vector<std::string>& racks) {
  if (racks.empty()) return {};
  const auto lines =
      wrapped_lines(fmt::format("{} {}", racks.size() == 1 ? "rack" : "racks",
                                fmt::join(racks.size() == 1 ? racks : short_names(racks), ", ")),
                    kRackLetters);
  return lines.front() + (lines.size() > 1 ? " ..." : "");
}

std::set<std::size_t> systems_of(const SwitchPorts& at) {
  std::set<std::size_t> systems;
  for (const auto* const ports : {&at.routers, &at.servers})
    for (const Port& port : *ports)
      systems.insert(port.file_systems.begin(), port.file_systems.end());
  return systems;
}

std::vector<std::string> switch_lines(const std::string& name) {
  auto lines = wrapped_lines(name, kSwitchLetters);
  if (lines.size() > kSwitchLines) {
    lines.resize(kSwitchLines);
    lines.back() = "...";
  }
  return lines;
}

double height_of(const std::vector<Block>& blocks) {
  double high = 0;
  for (const Block& block : blocks) high += block.height() + Block::kGap;
  return std::max(0.0, high - Block::kGap);
}

/// Moves blocks, and at last lines of a block, from the front of `rest`: at most `most` pixels.
std::vector<Block> taken_from(std::vector<Block>& rest, double most) {
  std::vector<Block> taken;
  double used = 0;
  while (!rest.empty()) {
    Block& first = rest.front();
    if (used + first.height() <= most) {
      used += first.height() + Block::kGap;
      taken.push_back(std::move(first));
      rest.erase(rest.begin());
      continue;
    }
    const double others = first.height() - Block::kRow * static_cast<double>(first.lines.size());
    // Takes at least one line, so that each part has content.
    const double lines =
        std::max(std::floor((most - used - others) / Block::kRow), taken.empty() ? 1.0 : 0.0);
    if (lines >= 1) {
      const auto end = first.lines.begin() + static_cast<std::ptrdiff_t>(lines);
      Block part = first;
      part.lines.assign(std::make_move_iterator(first.lines.begin()), std::make_move_iterator(end));
      first.lines.erase(first.lines.begin(), end);
      taken.push_back(std::move(part));
      if (first.lines.empty()) rest.erase(rest.begin());
    }
    break;
  }
  return taken;
}

std::vector<Band> cut(Band band, double most) {
  std::vector<Band> parts;
  while (!band.routers.empty() || !band.servers.empty()) {
    Band part = band;
    part.routers = taken_from(band.routers, most);
    part.servers = taken_from(band.servers, most);
    parts.push_back(std::move(part));
  }
  if (parts.size() > 1)
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i].about.push_back(fmt::format("part {} of {}", i + 1, parts.size()));
  return parts;
}

class BandMaking {
 public:
  explicit BandMaking(const plan::Plan& plan) : plan_(plan) {}

  Band detail(const SwitchPorts& at) const {
    const std::vector<std::string> racks = racks_of(at);
    const bool several = systems_of(at).size() > 1;
    return {.name = switch_lines(name_of(at)),
            .about = {text::counted(at.cables(), "cable")},
            .heading = heading_of(at),
            .rack = racks.size() == 1 ? "rack " + racks.front() : "",
            .sides = racks.size() > 1 ? racks_text(racks) : sides_of(at),
            .routers = blocks_of(at.routers, several, false),
            .servers = blocks_of(at.servers, several, racks.size() > 1),
            .gap = kDetailGap};
  }

  Band overview(const SwitchPorts& at, const std::string& sheet) const {
    Band band{.name = switch_lines(at.name.empty() ? name_of(at) : at.name),
              .about = {},
              .heading = heading_of(at),
              .rack = {},
              .sides = {},
              .routers = {},
              .servers = {},
              .gap = kOverviewGap};
    for (std::size_t i = 0; i < plan_.site.clients.size(); ++i)
      if (Block block = bundle_of(at.routers, true, i); !block.lines.empty()) {
        if (plan_.site.clients.size() > 1)
          block.lines.front().name += " of " + plan_.site.clients[i].name;
        band.routers.push_back(std::move(block));
      }
    Block servers = bundle_of(at.servers, false, 0);
    if (servers.lines.empty()) servers.lines.push_back({"no servers", "", 0});
    std::vector<std::string> words;
    std::string side = sides_of(at);
    side = side.substr(0, side.find(' '));
    for (const std::string& word : {racks_text(racks_of(at)), side, sheet})
      if (!word.empty()) words.push_back(word);
    servers.lines.front().about = fmt::format("{}", fmt::join(words, ", "));
    band.servers.push_back(std::move(servers));
    return band;
  }

 private:
  std::string heading_of(const SwitchPorts& at) const {
    std::vector<std::string> names;
    for (const std::size_t system : systems_of(at)) {
      const plan::FileSystem& files = plan_.site.file_systems[system];
      names.push_back(files.name + (files.flat() ? ", flat" : ""));
    }
    return fmt::format("{}", fmt::join(names, "; "));
  }

  std::string sides_of(const SwitchPorts& at) const {
    std::set<bool> left;
    for (const Port& port : at.servers) {
      const auto layout = plan_.site.file_systems[port.file_systems.front()].layout;
      if (layout == plan::FileSystem::Layout::kSides && !port.server->metadata())
        left.insert(port.server->left());
    }
    if (left.size() != 1) return {};
    return *left.begin() ? "left side" : "right side";
  }

  /// Returns the blocks, in the order of their first hosts.
  std::vector<Block> blocks_of(const std::vector<Port>& ports, bool systems, bool racks) const {
    std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t> places;
    std::vector<Block> blocks;
    for (const Port& port : ports) {
      const auto [place, fresh] =
          places.emplace(std::pair(port.client, port.groups), blocks.size());
      if (fresh)
        blocks.push_back({.router = port.server == nullptr,
                          .client = port.client,
                          .groups = port.groups,
                          .caption = caption_of(port, systems),
                          .lines = {}});
      std::string about = port.place;
      if (port.server == nullptr) about += (about.empty() ? "" : ", ") + port.nid;
      if (racks && !port.server->rack.empty()) about += ", rack " + port.server->rack;
      blocks[place->second].lines.push_back({port.host, about, port.cables.size()});
    }
    return blocks;
  }

  /// Returns the text that the lines of the host's block share. `systems`: the switch has hosts of
  /// several file systems.
  std::string caption_of(const Port& port, bool systems) const {
    const std::string system = file_systems_of(plan_, port);
    if (port.server != nullptr) return systems ? system : "";
    std::vector<std::string> words;
    if (port.groups.empty()) words.emplace_back("spare");
    if (plan_.site.clients.size() > 1)
      words.push_back("of " + plan_.site.clients[port.client].name);
    if (systems) words.push_back("to " + system);
    return fmt::format("{}", fmt::join(words, " "));
  }

  /// Makes a block with a single line for all routers of a client system, or for all servers. The
  /// block has no line if there are no such hosts. A block of servers has their groups.
  static Block bundle_of(const std::vector<Port>& ports, bool router, std::size_t client) {
    Block block{.router = router,
                .bundle = true,
                .client = client,
                .groups = {},
                .caption = {},
                .lines = {}};
    std::vector<const plan::Server*> servers;
    std::set<std::size_t> groups;
    std::size_t hosts = 0, cables = 0;
    for (const Port& port : ports) {
      if (router && port.client != client) continue;
      ++hosts;
      cables += port.cables.size();
      servers.push_back(port.server);
      if (!router) groups.insert(port.groups.begin(), port.groups.end());
    }
    block.groups.assign(groups.begin(), groups.end());
    if (hosts != 0)
      block.lines.push_back(
          {router ? text::counted(hosts, "router") : roles_text(servers), "", cables});
    return block;
  }

  const plan::Plan& plan_;
};

}  // namespace

double Block::height() const {
  if (bundle) return kRow + 2 * kPad;
  return 2 * kPad + kRow * static_cast<double>(lines.size() + !caption.empty());
}

double Block::line_y(std::size_t line) const {
  return top + kPad + kRow * (static_cast<double>(line + !caption.empty()) + 0.5);
}

double Band::height() const {
  return std::max({height_of(routers), height_of(servers),
                   10 + kSwitchLine * static_cast<double>(name.size() + about.size())});
}

void Band::set_top(double at) {
  top = at;
  for (auto* const blocks : {&routers, &servers}) {
    double y = at;
    for (Block& block : *blocks) {
      block.top = y;
      y += block.height() + Block::kGap;
    }
  }
}

std::vector<Band> detail_bands(const plan::Plan& plan, const std::vector<SwitchPorts>& switches,
                               double most) {
  std::vector<Band> bands;
  for (std::size_t i = 0; i < switches.size(); ++i)
    for (Band& part : cut(BandMaking(plan).detail(switches[i]), most)) {
      part.switch_number = i;
      bands.push_back(std::move(part));
    }
  return bands;
}

std::vector<Band> overview_bands(const plan::Plan& plan, const std::vector<SwitchPorts>& switches,
                                 const std::vector<std::string>& sheets, double most) {
  std::vector<Band> bands;
  for (std::size_t i = 0; i < switches.size(); ++i)
    for (Band& part : cut(BandMaking(plan).overview(switches[i], sheets[i]), most)) {
      part.switch_number = i;
      bands.push_back(std::move(part));
    }
  return bands;
}

}  // namespace ulnet::tools::fgr
