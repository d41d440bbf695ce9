#include "tools/fgr/picture/system_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/chart/svg.h"
#include "tools/fgr/picture/group_marks.h"
#include "tools/fgr/picture/names.h"
#include "tools/fgr/picture/ports.h"
#include "tools/fgr/picture/system_layout.h"

namespace ulnet::tools::fgr {
namespace {

using chart::Anchor;
using chart::Spot;
using chart::Svg;
using Layout = SystemLayout;

constexpr std::array<std::string_view, 4> kDashes = {"", "6,3", "2,2", "9,3,2,3"};
constexpr std::size_t kTitleLetters = 60, kTitleLines = 3;
constexpr int kLegendText = 11;
constexpr double kLegendRow = 20;

void frame(Svg& svg, Spot corner, double width, double height, std::string_view fill,
           const chart::Stroke& stroke) {
  const double right = corner.x + width, bottom = corner.y + height;
  svg.shape({corner, {right, corner.y}, {right, bottom}, {corner.x, bottom}}, fill, stroke);
}

using Texts = std::vector<std::string>;

std::string servers_of(const plan::Plan& plan, const plan::Group& group) {
  std::vector<const plan::Server*> servers;
  for (const std::size_t each : group.servers)
    servers.push_back(&plan.site.file_systems[group.file_system].servers[each]);
  return roles_text(servers);
}

/// A group for each system of clients that reaches it.
struct Legend {
  struct Entry {
    std::size_t group = 0;
    Texts texts;
  };
  Texts head = {"group",   "net",    "switch", "servers", "clients",
                "routers", "second", "GB/s",   "surplus"};
  std::vector<Entry> entries;
  std::vector<double> widths;
  double width = 0;

  Legend(const plan::Plan& plan, const GroupMarks& marks) {
    for (std::size_t i = 0; i < plan.groups.size(); ++i) add(plan, i);
    width = marks.width() + 10;
    for (std::size_t k = 0; k < head.size(); ++k) {
      double wide = room_of(head[k], kLegendText);
      for (const Entry& entry : entries)
        wide = std::max(wide, room_of(entry.texts[k], kLegendText));
      widths.push_back(wide + 12);
      width += widths.back();
    }
  }

  void add(const plan::Plan& plan, std::size_t number) {
    const plan::Group& group = plan.groups[number];
    const bool data = std::ranges::any_of(group.servers, [&](std::size_t each) {
      return !plan.site.file_systems[group.file_system].servers[each].metadata();
    });
    for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
      const plan::GroupRouters& routers = group.routers[client];
      if (routers.primary.empty()) continue;
      const plan::ClientSystem& clients = plan.site.clients[client];
      const double carried = static_cast<double>(routers.primary.size()) * clients.router_gb_per_s;
      entries.push_back(
          {number,
           {fmt::format("{} {:03}", plan.site.file_systems[group.file_system].name, group.suffix),
            group.net.to_string(), group.at_switch.empty() ? "-" : group.at_switch,
            servers_of(plan, group), clients.name, std::to_string(routers.primary.size()),
            std::to_string(routers.secondary.size()), fmt::format("{:.1f}", carried),
            data ? fmt::format("{:+.1f}", plan.surplus_of(group, client)) : "-"}});
    }
  }
};

class SystemDrawing {
 public:
  explicit SystemDrawing(const plan::Plan& plan)
      : plan_(plan), marks_(plan), legend_(plan, marks_), title_(title_of(plan)) {
    layout_ = lay_out_system(plan, marks_, 40 + 21 * static_cast<double>(title_.size()));
    width_ = layout_.lane_left(layout_.columns - 1, 0) + layout_.column_width + Layout::kEdge;
    for (const std::string& line : title_)
      width_ = std::max(width_, 2 * Layout::kEdge + room_of(line, 17));
    width_ = std::max({width_, 2 * Layout::kEdge + room_of(summary(), Layout::kText),
                       2 * Layout::kEdge + legend_.width});
    const double columns =
        std::floor((width_ - 2 * Layout::kEdge + kLegendGap) / (legend_.width + kLegendGap));
    const auto entries = static_cast<double>(legend_.entries.size());
    legend_rows_ = std::ceil(entries / std::clamp(std::ceil(entries / kLegendLeast), 1.0, columns));
  }

  std::string draw() && {
    const double legend_top = layout_.bottom + 14;
    Svg svg(width_, legend_top + kLegendRow * (legend_rows_ + 3) + 22);
    marks_.define(svg);
    for (std::size_t i = 0; i < title_.size(); ++i)
      svg.text({Layout::kEdge, 30 + 21 * static_cast<double>(i)}, title_[i],
               {.size = 17, .bold = true});
    svg.text({Layout::kEdge, layout_.top - 16}, summary(), {.fill = kGrey});
    for (const Section& section : layout_.sections) stubs(svg, section);
    for (std::size_t column = 0; column < layout_.columns; ++column) lanes(svg, column);
    for (const Section& section : layout_.sections) draw_section(svg, section);
    legend(svg, legend_top);
    return std::move(svg).finish();
  }

 private:
  static constexpr double kLegendGap = 30;
  static constexpr double kLegendLeast = 14;  ///< entries, before there is a second column

  static std::vector<std::string> title_of(const plan::Plan& plan) {
    auto lines =
        wrapped_lines(plan.site.about.empty() ? "The system" : plan.site.about, kTitleLetters);
    if (lines.size() > kTitleLines) lines.resize(kTitleLines);
    return lines;
  }

  std::string summary() const {
    std::size_t routers = 0, servers = 0;
    for (const plan::ClientSystem& clients : plan_.site.clients) routers += clients.routers.size();
    for (const plan::FileSystem& system : plan_.site.file_systems) servers += system.servers.size();
    return fmt::format("{}, {}, {}, {}", count_text(routers, "router"),
                       count_text(plan_.site.file_systems.size(), "file system"),
                       count_text(servers, "server"),
                       count_text(plan_.groups.size(), "LNet group"));
  }

  // ---- clients ----

  static double middle_of(const Block& block) { return block.top + block.height / 2; }
  static double line_y(const Block& block, std::size_t line) {
    return block.top + Layout::kPad +
           Layout::kRow * (static_cast<double>(line + !block.caption.empty()) + 0.5);
  }

  /// Lines from the clients to their routers: they pass behind the other systems of clients.
  void stubs(Svg& svg, const Section& section) const {
    const double right = layout_.routers_left(section.column);
    for (const Band& band : section.bands)
      for (const Block& block : band.routers) {
        const double left = layout_.lane_left(section.column, block.client) + layout_.lane_width;
        const chart::Stroke stroke{.colour = kGrey,
                                   .width = block.folded ? 3.0 : 1.2,
                                   .dashes = kDashes[block.client % kDashes.size()]};
        if (block.folded)
          svg.line({left, middle_of(block)}, {right, middle_of(block)}, stroke);
        else
          for (std::size_t i = 0; i < block.lines.size(); ++i)
            svg.line({left, line_y(block, i)}, {right, line_y(block, i)}, stroke);
      }
  }

  void lanes(Svg& svg, std::size_t column) const {
    for (std::size_t i = 0; i < layout_.lanes.size(); ++i) {
      const double left = layout_.lane_left(column, i), right = left + layout_.lane_width;
      const double top = layout_.top, bottom = layout_.bottom - Layout::kBandGap, cut = 14;
      svg.shape({{left + cut, top},
                 {right - cut, top},
                 {right, top + cut},
                 {right, bottom - cut},
                 {right - cut, bottom},
                 {left + cut, bottom},
                 {left, bottom - cut},
                 {left, top + cut}},
                "#f2f4f7", {.colour = kInk, .width = 1.5, .dashes = kDashes[i % kDashes.size()]});
      double y = top + 24;
      for (const std::string& line : layout_.lanes[i]) {
        svg.text({(left + right) / 2, y}, line,
                 {.anchor = Anchor::kMiddle, .size = Layout::kText, .bold = y < top + 25});
        y += 16;
      }
    }
  }

  // ---- switches, routers, servers ----

  void draw_section(Svg& svg, const Section& section) const {
    const double servers = layout_.servers_left(section.column);
    svg.text({layout_.routers_left(section.column), section.top + 16}, section.heading,
             {.size = 14, .bold = true});
    if (!section.rack.empty()) {
      frame(svg, {servers - 8, section.frame_top()}, layout_.server_width + 16,
            section.top + section.height - Layout::kBandGap - section.frame_top(), "#fafafa",
            {.colour = kGrey, .width = 1.5});
      svg.text({servers, section.frame_top() + 16}, section.rack,
               {.size = Layout::kText, .bold = true});
    }
    for (const Band& band : section.bands) draw_band(svg, section.column, band);
  }

  void draw_band(Svg& svg, std::size_t column, const Band& band) const {
    const double left = layout_.switch_left(column), right = left + layout_.switch_width;
    svg.text({layout_.servers_left(column), band.top - 5}, band.sides,
             {.size = Layout::kText, .fill = kGrey});
    for (const Block& block : band.routers) {
      const double from = layout_.routers_left(column) + layout_.router_width;
      cables(svg, block, from, left);
      draw_block(svg, block, layout_.routers_left(column), layout_.router_width,
                 layout_.router_about);
    }
    for (const Block& block : band.servers) {
      cables(svg, block, right, layout_.servers_left(column));
      draw_block(svg, block, layout_.servers_left(column), layout_.server_width,
                 layout_.server_about);
    }
    frame(svg, {left, band.top}, layout_.switch_width, band.height, "#d5d9e0",
          {.colour = kInk, .width = 2});
    double y = band.top + band.height / 2 - 15 * static_cast<double>(band.name.size()) / 2 + 11;
    for (const std::string& line : band.name) {
      svg.text(
          {(left + right) / 2, y}, line,
          {.anchor = Anchor::kMiddle, .size = Layout::kText, .bold = &line != &band.name.back()});
      y += 15;
    }
  }

  void cables(Svg& svg, const Block& block, double from, double to) const {
    const std::string_view colour = block.groups.empty() ? kGrey : marks_.ink(block.groups.back());
    if (block.folded) {
      svg.line({from, middle_of(block)}, {to, middle_of(block)}, {.colour = colour, .width = 4});
      svg.text({(from + to) / 2, middle_of(block) - 5}, std::to_string(block.cables),
               {.anchor = Anchor::kMiddle, .size = Layout::kSmall, .fill = kGrey});
      return;
    }
    for (std::size_t i = 0; i < block.lines.size(); ++i)
      for (std::size_t k = 0; k < block.lines[i].cables; ++k) {
        const double shift =
            5 * (static_cast<double>(k) - (static_cast<double>(block.lines[i].cables) - 1) / 2);
        const double y = line_y(block, i) + shift;
        svg.line({from, y}, {to, y}, {.colour = colour, .width = 1.8});
      }
  }

  void draw_block(Svg& svg, const Block& block, double left, double width, double about) const {
    const std::string_view pale =
        block.groups.empty() ? "#ffffff" : marks_.pale(block.groups.back());
    frame(svg, {left, block.top}, width, block.height, pale, {.colour = kInk, .width = 1});
    double x = left;
    for (const std::size_t group : block.groups) {
      marks_.tag(svg, group, {x, block.top}, block.height);
      x += marks_.width();
    }
    svg.text({x + 8, block.top + Layout::kPad + 13}, block.caption,
             {.size = Layout::kText, .fill = kGrey});
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
      const BlockLine& line = block.lines[i];
      const double y = line_y(block, i) + 4;
      svg.text({x + 8, y}, line.name, {.size = Layout::kText, .bold = !block.folded});
      svg.text({left + about, y}, line.about, {.size = Layout::kSmall, .fill = kGrey});
    }
  }

  // ---- the legend ----

  void legend(Svg& svg, double top) const {
    const auto rows = static_cast<std::size_t>(legend_rows_);
    for (std::size_t i = 0; i < legend_.entries.size(); ++i) {
      const Legend::Entry& entry = legend_.entries[i];
      const double left =
          Layout::kEdge + static_cast<double>(i / rows) * (legend_.width + kLegendGap);
      if (i % rows == 0) legend_row(svg, {left, top}, legend_.head, true);
      const double y = top + kLegendRow * static_cast<double>(i % rows + 1);
      marks_.tag(svg, entry.group, {left, y + 1}, GroupMarks::kHeight);
      legend_row(svg, {left, y}, entry.texts, false);
    }
    const double end = top + kLegendRow * (legend_rows_ + 1) + 18;
    svg.text({Layout::kEdge, end}, "second: other routers, taken when its own are gone",
             {.size = kLegendText, .fill = kGrey});
    svg.text({Layout::kEdge, end + 17}, "surplus: what its routers carry beyond its OSSs' peak",
             {.size = kLegendText, .fill = kGrey});
  }

  void legend_row(Svg& svg, Spot corner, const Texts& texts, bool head) const {
    double x = corner.x + marks_.width() + 10;
    for (std::size_t k = 0; k < texts.size(); ++k) {
      const bool figure = k >= 5;
      svg.text({figure ? x + legend_.widths[k] - 12 : x, corner.y + 13}, texts[k],
               {.anchor = figure ? Anchor::kEnd : Anchor::kStart,
                .size = kLegendText,
                .fill = head ? kGrey : kInk});
      x += legend_.widths[k];
    }
  }

  const plan::Plan& plan_;
  GroupMarks marks_;
  Legend legend_;
  std::vector<std::string> title_;
  Layout layout_;
  double width_ = 0, legend_rows_ = 0;
};

}  // namespace

std::string system_picture(const plan::Plan& plan) { return SystemDrawing(plan).draw(); }

}  // namespace ulnet::tools::fgr
