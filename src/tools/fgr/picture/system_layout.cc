#include "tools/fgr/picture/system_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "tools/fgr/picture/names.h"

namespace ulnet::tools::fgr {
namespace {

using Layout = SystemLayout;

constexpr std::size_t kMostUnfolded = 120;  // more of them are folded
constexpr std::size_t kNameLetters = 44;    // of a line of short names
constexpr std::size_t kNameLines = 12;      // of a folded block
constexpr std::size_t kRackLetters = 40;    // above servers
constexpr std::size_t kSwitchLetters = 16;  // of a line in a switch
constexpr std::size_t kLaneLetters = 18, kLaneLines = 12;
constexpr double kPage = 1.3;  // width to height, that columns aim at

void cut_to(std::vector<std::string>& lines, std::size_t most, const std::string& rest) {
  if (lines.size() <= most) return;
  lines.resize(most);
  lines.back() = rest;
}

class LayingOut {
 public:
  LayingOut(const plan::Plan& plan, const GroupMarks& marks, double top)
      : plan_(plan), marks_(marks) {
    out_.top = top;
  }

  Layout go() && {
    const std::vector<SwitchPorts> switches = switches_of(plan_);
    std::size_t hosts = 0;
    for (const SwitchPorts& at : switches) hosts += at.routers.size() + at.servers.size();
    folded_ = hosts > kMostUnfolded;
    for (const SwitchPorts& at : switches) add_band(at);
    make_lanes();
    measure();
    place();
    return std::move(out_);
  }

 private:
  // ---- what there is ----

  void add_band(const SwitchPorts& at) {
    Band band{.name = wrapped_lines(name_of(at), kSwitchLetters),
              .sides = {},
              .routers = {},
              .servers = {}};
    band.name.push_back(count_text(at.cables(), "cable"));
    const std::vector<std::string> racks = racks_of(at);
    const std::set<std::size_t> systems = systems_of(at);
    const bool many = systems.size() > 1;
    band.routers = blocks_of(at.routers, many, false);
    band.servers = blocks_of(at.servers, many, racks.size() > 1);
    band.sides = sides_of(at);
    if (racks.size() > 1) {
      const auto lines =
          wrapped_lines(fmt::format("racks {}", fmt::join(short_names(racks), ", ")), kRackLetters);
      band.sides = lines.front() + (lines.size() > 1 ? " ..." : "");
    }
    const std::string rack = racks.size() == 1 ? racks.front() : "";
    const bool other = out_.sections.empty() || systems != last_systems_;
    if (other || rack.empty() || rack != last_rack_)
      out_.sections.push_back({.heading = other ? heading_of(systems) : "",
                               .rack = rack.empty() ? "" : "rack " + rack,
                               .bands = {}});
    out_.sections.back().bands.push_back(std::move(band));
    last_systems_ = systems;
    last_rack_ = rack;
  }

  static std::set<std::size_t> systems_of(const SwitchPorts& at) {
    std::set<std::size_t> systems;
    for (const auto* const ports : {&at.routers, &at.servers})
      for (const Port& port : *ports)
        systems.insert(port.file_systems.begin(), port.file_systems.end());
    return systems;
  }

  std::string heading_of(const std::set<std::size_t>& systems) const {
    std::vector<std::string> names;
    for (const std::size_t system : systems) {
      const plan::FileSystem& files = plan_.site.file_systems[system];
      names.push_back(files.name + (files.flat() ? ", flat" : ""));
    }
    return fmt::format("{}", fmt::join(names, "; "));
  }

  static std::vector<std::string> racks_of(const SwitchPorts& at) {
    std::vector<std::string> racks;
    for (const Port& port : at.servers)
      if (const std::string& rack = port.server->rack;
          !rack.empty() && std::ranges::find(racks, rack) == racks.end())
        racks.push_back(rack);
    return racks;
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

  /// In the order in which their first hosts come.
  std::vector<Block> blocks_of(const std::vector<Port>& ports, bool systems, bool racks) const {
    std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t> places;
    std::vector<std::vector<const Port*>> sets;
    for (const Port& port : ports) {
      const auto [place, fresh] = places.emplace(std::pair(port.client, port.groups), sets.size());
      if (fresh) sets.emplace_back();
      sets[place->second].push_back(&port);
    }
    std::vector<Block> blocks;
    for (const auto& set : sets) blocks.push_back(block_of(set, systems, racks));
    return blocks;
  }

  Block block_of(const std::vector<const Port*>& ports, bool systems, bool racks) const {
    const Port& first = *ports.front();
    Block block{.router = first.server == nullptr,
                .folded = folded_,
                .client = first.client,
                .groups = first.groups,
                .caption = caption_of(first, systems),
                .lines = {}};
    std::vector<std::string> names, places;
    for (const Port* port : ports) {
      block.cables += port->addresses.size();
      names.push_back(port->host);
      if (block.router && !port->place.empty()) places.push_back(port->place);
      if (folded_) continue;
      std::string about = port->place;
      if (block.router) about += (about.empty() ? "" : ", ") + port->nid;
      if (racks && !port->server->rack.empty()) about += ", rack " + port->server->rack;
      block.lines.push_back({port->host, about, port->addresses.size()});
    }
    if (folded_) fold(block, names, places, ports);
    block.height = 2 * Layout::kPad +
                   Layout::kRow * static_cast<double>(block.lines.size() + !block.caption.empty());
    return block;
  }

  static void fold(Block& block, const std::vector<std::string>& names,
                   const std::vector<std::string>& places, const std::vector<const Port*>& ports) {
    std::vector<const plan::Server*> servers;
    for (const Port* port : ports) servers.push_back(port->server);
    const std::string count =
        block.router ? count_text(ports.size(), "router") : roles_text(servers);
    block.caption += (block.caption.empty() ? "" : ": ") + count;
    const auto add = [&](const std::vector<std::string>& all) {
      auto lines =
          wrapped_lines(fmt::format("{}", fmt::join(short_names(all), ", ")), kNameLetters);
      cut_to(lines, kNameLines, "and more: see the cable table");
      for (std::string& line : lines) block.lines.push_back({std::move(line), "", 0});
    };
    add(names);
    if (!places.empty()) add(places);
  }

  /// `systems`: the switch has hosts of several file systems.
  std::string caption_of(const Port& port, bool systems) const {
    const std::string system = file_systems_of(plan_, port);
    if (port.server != nullptr) return systems ? system : "";
    const std::string from =
        plan_.site.clients.size() > 1 ? "of " + plan_.site.clients[port.client].name : "";
    if (!systems) return from;
    return from + (from.empty() ? "" : " ") + "to " + system;
  }

  void make_lanes() {
    for (const plan::ClientSystem& clients : plan_.site.clients) {
      std::vector<std::string> lines = wrapped_lines(clients.name, kLaneLetters);
      lines.push_back(clients.net.to_string());
      for (std::string& line : wrapped_lines(clients.addresses, kLaneLetters))
        lines.push_back(std::move(line));
      lines.push_back(count_text(clients.routers.size(), "router"));
      cut_to(lines, kLaneLines, "...");
      for (const std::string& line : lines)
        out_.lane_width = std::max(out_.lane_width, room_of(line, Layout::kText) + 20);
      out_.lanes.push_back(std::move(lines));
    }
  }

  // ---- sizes ----

  void measure() {
    for (Section& section : out_.sections) {
      for (Band& band : section.bands) {
        widen(band.routers, out_.router_about);
        widen(band.servers, out_.server_about);
      }
    }
    for (Section& section : out_.sections)
      for (Band& band : section.bands) {
        for (const std::string& line : band.name)
          out_.switch_width = std::max(out_.switch_width, room_of(line, Layout::kText) + 16);
        out_.router_width = std::max(out_.router_width, width_of(band.routers, out_.router_about));
        out_.server_width = std::max({out_.server_width, width_of(band.servers, out_.server_about),
                                      room_of(band.sides, Layout::kText) + 8,
                                      room_of(section.rack, Layout::kText) + 8});
        band.height = std::max({height_of(band.routers), height_of(band.servers),
                                10 + 15.0 * static_cast<double>(band.name.size())});
      }
    for (Section& section : out_.sections) {
      section.height = section.heading.empty() ? 0 : Layout::kHeading;
      section.height += section.rack.empty() ? 0 : Layout::kRack;
      for (const Band& band : section.bands)
        section.height += Layout::kHead + band.height + Layout::kBandGap;
      section.height += Layout::kBandGap;
      headings_ = std::max(headings_, room_of(section.heading, 14));
    }
  }

  double tags_of(const Block& block) const {
    return marks_.width() * static_cast<double>(block.groups.size());
  }

  /// The second texts of lines begin behind the longest first one.
  void widen(const std::vector<Block>& blocks, double& about) const {
    for (const Block& block : blocks)
      for (const BlockLine& line : block.lines)
        if (!line.about.empty())
          about = std::max(about, tags_of(block) + 8 + room_of(line.name, Layout::kText) + 8);
  }

  double width_of(const std::vector<Block>& blocks, double about) const {
    double wide = 0;
    for (const Block& block : blocks) {
      wide = std::max(wide, tags_of(block) + 8 + room_of(block.caption, Layout::kText) + 8);
      for (const BlockLine& line : block.lines)
        wide = std::max({wide, tags_of(block) + 8 + room_of(line.name, Layout::kText) + 8,
                         line.about.empty() ? 0 : about + room_of(line.about, Layout::kSmall) + 6});
    }
    return wide;
  }

  static double height_of(const std::vector<Block>& blocks) {
    double high = 0;
    for (const Block& block : blocks) high += block.height + Layout::kBlockGap;
    return std::max(0.0, high - Layout::kBlockGap);
  }

  // ---- places ----

  void place() {
    out_.column_width =
        std::max(out_.servers_left(0) + out_.server_width + 10, out_.routers_left(0) + headings_) -
        Layout::kEdge;
    double all = 0, highest = lanes_height();
    for (const Section& section : out_.sections) {
      all += section.height;
      highest = std::max(highest, section.height);
    }
    const double columns = std::max(
        1.0, std::round(std::sqrt(all * kPage / (out_.column_width + Layout::kColumnGap))));
    const double limit = std::max(highest, all / columns);
    double y = 0, bottom = lanes_height();
    std::size_t column = 0;
    for (Section& section : out_.sections) {
      // A section stands where more than half of it fits.
      if (y > 0 && y + section.height / 2 > limit) {
        ++column;
        y = 0;
      }
      section.column = column;
      place(section, out_.top + y);
      y += section.height;
      bottom = std::max(bottom, y);
    }
    out_.columns = column + 1;
    out_.bottom = out_.top + bottom;
  }

  double lanes_height() const {
    std::size_t lines = 0;
    for (const auto& lane : out_.lanes) lines = std::max(lines, lane.size());
    return 30 + 16.0 * static_cast<double>(lines);
  }

  static void place(Section& section, double top) {
    section.top = top;
    double y = section.frame_top() + (section.rack.empty() ? 0 : Layout::kRack);
    for (Band& band : section.bands) {
      band.top = y + Layout::kHead;
      place(band.routers, band);
      place(band.servers, band);
      y = band.top + band.height + Layout::kBandGap;
    }
  }

  static void place(std::vector<Block>& blocks, const Band& band) {
    double y = band.top;
    for (Block& block : blocks) {
      block.top = y;
      y += block.height + Layout::kBlockGap;
    }
  }

  const plan::Plan& plan_;
  const GroupMarks& marks_;
  Layout out_;
  bool folded_ = false;
  double headings_ = 0;
  std::set<std::size_t> last_systems_;
  std::string last_rack_;
};

}  // namespace

double Section::frame_top() const { return top + (heading.empty() ? 0 : Layout::kHeading); }

double SystemLayout::lane_left(std::size_t column, std::size_t lane) const {
  return kEdge + static_cast<double>(column) * (column_width + kColumnGap) +
         static_cast<double>(lane) * (lane_width + kLaneGap);
}
double SystemLayout::routers_left(std::size_t column) const {
  return lane_left(column, lanes.size()) - kLaneGap + kStub;
}
double SystemLayout::switch_left(std::size_t column) const {
  return routers_left(column) + router_width + kCable;
}
double SystemLayout::servers_left(std::size_t column) const {
  return switch_left(column) + switch_width + kCable;
}

SystemLayout lay_out_system(const plan::Plan& plan, const GroupMarks& marks, double top) {
  return LayingOut(plan, marks, top).go();
}

}  // namespace ulnet::tools::fgr
