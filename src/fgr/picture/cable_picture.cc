#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "fgr/picture/group_marks.h"
#include "fgr/picture/names.h"
#include "fgr/picture/paper.h"
#include "fgr/picture/pictures.h"
#include "fgr/picture/ports.h"
#include "text/chart/svg.h"
#include "text/quantity.h"

namespace ulnet::tools::fgr {
namespace {

using chart::Spot;
using chart::Svg;

constexpr double kCableRow = 20, kPanelHead = 46, kPanelGap = 22;
constexpr double kColumnGap = 12;  // gap between columns
constexpr double kTagGap = 4;
constexpr std::size_t kMaxTags = 10;
constexpr std::size_t kTitleLetters = 44;
constexpr std::string_view kAbout = "filled: its own groups; framed: groups that it serves second";
/// A column. Columns that are always shown have a head, even if no row has text there.
struct CableColumn {
  std::string_view head;
  bool always = false;
};
constexpr std::array<CableColumn, 7> kCableColumns = {{{"", true},
                                                       {"host", true},
                                                       {"place", true},
                                                       {"adapter port"},
                                                       {"address", true},
                                                       {"system"},
                                                       {"switch port"}}};

/// A cable.
struct CableRow {
  std::array<std::string, kCableColumns.size()> texts;
  const Port* port = nullptr;
};

/// The rows of a switch, or a part of them if they need more than a sheet.
struct CablePanel {
  std::string title;
  std::vector<CableRow> rows;
};

class CableDrawing {
 public:
  explicit CableDrawing(const plan::Plan& plan)
      : plan_(plan), marks_(plan), switches_(switches_of(plan)) {
    many_ = plan.site.clients.size() > 1 || plan.site.file_systems.size() > 1;
    if (plan.fabric)
      for (const plan::SeenCable& cable : plan.fabric->cables)
        plugged_[cable.host].emplace(cable.guid, cable.adapter_port);
    for (const SwitchPorts& at : switches_) panels_.push_back(panel_of(at));
    for (const CablePanel& panel : panels_)
      for (const CableRow& row : panel.rows) measure(row);
    for (std::size_t k = 0; k < kCableColumns.size(); ++k)
      if (kCableColumns[k].always || widths_[k] != 0)
        widths_[k] =
            std::max(widths_[k], padded_width(kCableColumns[k].head, kSheetText) + kColumnGap);
    choose_paper();
  }

  std::string draw() && {
    cut_panels();
    const auto sheets = place();
    Svg svg = sheets_of(paper_, sheets);
    marks_.define(svg);
    for (std::size_t i = 0; i < sheets; ++i) sheet_head(svg, paper_, i, sheets, title(), kAbout);
    for (std::size_t i = 0; i < panels_.size(); ++i) draw_panel(svg, panels_[i], tops_[i]);
    return std::move(svg).finish();
  }

 private:
  // ---- rows ----

  CablePanel panel_of(const SwitchPorts& at) const {
    CablePanel panel{
        fmt::format("{}: {}, {}, {}", name_of(at), text::counted(at.routers.size(), "router"),
                    text::counted(at.servers.size(), "server"),
                    text::counted(at.cables(), "cable")),
        {}};
    const bool chips = has_chips(at);
    for (const auto* const ports : {&at.routers, &at.servers})
      for (const Port& port : *ports)
        for (const plan::Cable& cable : port.cables)
          panel.rows.push_back(
              {{std::to_string(panel.rows.size() + 1), port.host, place_of(port),
                adapter_port_of(port, cable), cable.address, many_ ? system_of(port) : "",
                port_text(cable.switch_port, cable.switch_guid, chips)},
               &port});
    return panel;
  }

  /// Returns the port's number: "2". If several nodes of the fabric have a port of that number, the
  /// GUID of the cable's node follows: "2 of 0002c90300a10010".
  static std::string port_text(std::uint32_t number, const std::string& guid, bool several) {
    if (number == 0) return "";
    return several ? fmt::format("{} of {}", number, guid) : std::to_string(number);
  }

  /// Whether a large switch is several nodes in the fabric, each of which counts its ports from 1.
  static bool has_chips(const SwitchPorts& at) {
    std::set<std::string> guids;
    for (const auto* const ports : {&at.routers, &at.servers})
      for (const Port& port : *ports)
        for (const plan::Cable& cable : port.cables)
          if (cable.switch_port != 0) guids.insert(cable.switch_guid);
    return guids.size() > 1;
  }

  /// Returns the adapter's port; empty if the host has only one port there.
  std::string adapter_port_of(const Port& port, const plan::Cable& cable) const {
    const auto plugged = plugged_.find(port.host);
    if (plugged == plugged_.end() || (plugged->second.size() == 1 && port.cables.size() == 1))
      return "";
    const bool adapters = plugged->second.begin()->first != plugged->second.rbegin()->first;
    return port_text(cable.adapter_port, cable.adapter_guid, adapters);
  }

  static std::string place_of(const Port& port) {
    if (port.server == nullptr) return port.place;
    return port.server->rack.empty() ? port.place : port.place + ", rack " + port.server->rack;
  }

  std::string system_of(const Port& port) const {
    const std::string system = file_systems_of(plan_, port);
    if (port.server != nullptr) return system;
    return fmt::format("{} to {}", plan_.site.clients[port.client].name, system);
  }

  void measure(const CableRow& row) {
    for (std::size_t k = 0; k < widths_.size(); ++k)
      if (!row.texts[k].empty())
        widths_[k] = std::max(widths_[k], padded_width(row.texts[k], kSheetText) + kColumnGap);
    const std::size_t tags = row.port->groups.size() + row.port->others.size();
    tags_ =
        std::max(tags_, (marks_.width() + kTagGap) * static_cast<double>(std::min(tags, kMaxTags)) +
                            (tags > kMaxTags ? 40 : 0));
  }

  // ---- sheets ----

  void choose_paper() {
    double wide = 2 * Paper::kEdge + tags_ + 12;
    for (const double width : widths_) wide += width;
    for (const CablePanel& panel : panels_)
      wide = std::max(wide, 2 * Paper::kEdge + padded_width(panel.title + " (10 of 10)", 14));
    wide = std::max(wide, width_of_head(title(), kAbout));
    paper_ = wide <= kA4.width ? kA4 : kA3;
    if (wide > kA3.width) paper_ = {std::ceil(wide), std::ceil(wide * std::sqrt(2.0))};
  }

  static double height_of(const CablePanel& panel) {
    return kPanelHead + kCableRow * static_cast<double>(panel.rows.size()) + kPanelGap;
  }

  void cut_panels() {
    const auto most =
        static_cast<std::size_t>((paper_.usable_height() - kPanelHead - kPanelGap) / kCableRow);
    std::vector<CablePanel> cut;
    for (CablePanel& panel : panels_) {
      const std::size_t parts = (panel.rows.size() + most - 1) / most;
      if (parts <= 1) {
        cut.push_back(std::move(panel));
        continue;
      }
      for (std::size_t i = 0; i < parts; ++i) {
        const auto at = [&](std::size_t row) {
          return panel.rows.begin() + static_cast<std::ptrdiff_t>(std::min(row, panel.rows.size()));
        };
        cut.push_back({fmt::format("{} ({} of {})", panel.title, i + 1, parts),
                       {at(i * most), at((i + 1) * most)}});
      }
    }
    panels_ = std::move(cut);
  }

  /// Gives each panel its place; returns the number of sheets.
  std::size_t place() {
    std::size_t sheet = 0;
    double y = 0;
    for (const CablePanel& panel : panels_) {
      if (y > 0 && y + height_of(panel) > paper_.usable_height()) {
        ++sheet;
        y = 0;
      }
      tops_.push_back(static_cast<double>(sheet) * paper_.height + Paper::top() + y);
      y += height_of(panel);
    }
    return sheet + 1;
  }

  std::string title() const {
    const std::string about = plan_.site.about.empty() ? "the system" : plan_.site.about;
    const auto lines = wrapped_lines(about, kTitleLetters);
    return "Cables: " + lines.front() + (lines.size() > 1 ? " ..." : "");
  }

  // ---- panels ----

  void draw_panel(Svg& svg, const CablePanel& panel, double top) const {
    svg.text({Paper::kEdge, top + 16}, panel.title, {.size = 14, .bold = true});
    double x = Paper::kEdge + 6;
    for (std::size_t k = 0; k < kCableColumns.size(); ++k) {
      if (widths_[k] != 0)
        svg.text({x, top + 38}, kCableColumns[k].head, {.size = kSheetText, .fill = kGrey});
      x += widths_[k];
    }
    svg.text({x, top + 38}, "groups", {.size = kSheetText, .fill = kGrey});
    double y = top + kPanelHead;
    for (std::size_t i = 0; i < panel.rows.size(); ++i, y += kCableRow) {
      if (i % 2 == 0)
        svg.rect({Paper::kEdge, y}, paper_.width - 2 * Paper::kEdge, kCableRow, "#f3f3f3");
      // A line between routers and servers.
      if (i != 0 && panel.rows[i].port->server != nullptr &&
          panel.rows[i - 1].port->server == nullptr)
        svg.line({Paper::kEdge, y}, {paper_.width - Paper::kEdge, y}, {.colour = kInk, .width = 2});
      draw_row(svg, panel.rows[i], y);
    }
    const double start = top + kPanelHead;
    svg.box({Paper::kEdge, start}, paper_.width - 2 * Paper::kEdge, y - start, "none",
            {.colour = kInk, .width = 1.5});
  }

  void draw_row(Svg& svg, const CableRow& row, double top) const {
    double x = Paper::kEdge + 6;
    for (std::size_t k = 0; k < row.texts.size(); ++k) {
      if (!row.texts[k].empty())
        svg.text({x, top + 14}, row.texts[k],
                 {.size = kSheetText, .fill = k == 0 ? kGrey : kInk, .bold = k == 1});
      x += widths_[k];
    }
    std::size_t count = 0;
    const auto step = [&] {
      const double at = x;
      x += marks_.width() + kTagGap;
      return ++count <= kMaxTags ? at : -1;
    };
    for (const std::size_t group : row.port->groups)
      if (const double at = step(); at >= 0)
        marks_.tag(svg, group, {at, top + 2}, GroupMarks::kHeight);
    for (const std::size_t group : row.port->others)
      if (const double at = step(); at >= 0) marks_.frame(svg, group, {at, top + 2});
    if (count > kMaxTags)
      svg.text({x - static_cast<double>(count - kMaxTags) * (marks_.width() + kTagGap), top + 14},
               fmt::format("+{}", count - kMaxTags), {.size = kSheetText, .fill = kGrey});
  }

  const plan::Plan& plan_;
  GroupMarks marks_;
  std::vector<SwitchPorts> switches_;
  bool many_ = false;
  /// GUIDs of each host's adapters, with their ports that are plugged in.
  std::map<std::string, std::set<std::pair<std::string, std::uint32_t>>> plugged_;
  std::array<double, kCableColumns.size()> widths_ = {};  ///< 0: the column is not shown
  double tags_ = 0;
  Paper paper_ = kA4;
  std::vector<CablePanel> panels_;
  std::vector<double> tops_;
};

}  // namespace

std::string cable_picture(const plan::Plan& plan) { return CableDrawing(plan).draw(); }

}  // namespace ulnet::tools::fgr
