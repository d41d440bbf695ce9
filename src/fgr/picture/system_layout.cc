#include "fgr/picture/system_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "fgr/picture/names.h"
#include "text/quantity.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::size_t kClientLetters = 18, kClientLines = 12;
constexpr double kClientGap = 14;  // between boxes of clients, and from boxes to the lines
constexpr double kClientPad = 8;   // above and below the lines of a client box
constexpr double kTableGap = 4;
constexpr double kMinBandHeight = 300;  // least height for bands below the names of clients
constexpr double kOverviewSpare = 10;

std::string summary_of(const plan::Plan& plan) {
  std::size_t routers = 0, servers = 0;
  for (const plan::ClientSystem& clients : plan.site.clients) routers += clients.routers.size();
  for (const plan::FileSystem& system : plan.site.file_systems) servers += system.servers.size();
  return fmt::format("{}, {}, {}, {}", text::counted(routers, "router"),
                     text::counted(plan.site.file_systems.size(), "file system"),
                     text::counted(servers, "server"),
                     text::counted(plan.groups.size(), "LNet group"));
}

class LayingOut {
 public:
  LayingOut(const plan::Plan& plan, const GroupMarks& marks)
      : plan_(plan),
        marks_(marks),
        switches_(switches_of(plan)),
        out_{.paper = kA3.landscape(),
             .title = plan.site.about.empty() ? "The system" : plan.site.about,
             .about = summary_of(plan),
             .clients = {},
             .overview = {},
             .details = {},
             .table = GroupTable(plan, marks)} {
    for (const plan::ClientSystem& clients : plan.site.clients) add_clients(clients);
  }

  SystemLayout go() && {
    for (const Paper& paper : {kA4.landscape(), kA3.landscape()})
      if (one_sheet(paper)) return std::move(out_);
    several_sheets();
    return std::move(out_);
  }

 private:
  std::size_t systems() const { return plan_.site.clients.size(); }

  void add_clients(const plan::ClientSystem& clients) {
    std::vector<std::string> lines = wrapped_lines(clients.name, kClientLetters);
    lines.push_back(clients.net.to_string());
    for (std::string& line : wrapped_lines(clients.addresses, kClientLetters))
      lines.push_back(std::move(line));
    lines.push_back(text::counted(clients.routers.size(), "router"));
    if (lines.size() > kClientLines) {
      lines.resize(kClientLines);
      lines.back() = "...";
    }
    for (const std::string& line : lines)
      out_.clients_width = std::max(out_.clients_width, padded_width(line, kSheetText) + 20);
    out_.clients.push_back({std::move(lines)});
  }

  double beside() const { return Paper::kEdge + out_.clients_width + kClientGap; }

  // ---- one sheet ----

  bool one_sheet(const Paper& paper) {
    if (width_of_head(out_.title, out_.about) > paper.width) return false;
    Columns columns;
    columns.bands = detail_bands(plan_, switches_, paper.usable_height());
    columns.measure(systems(), marks_);
    columns.left = beside();
    columns.top = Paper::top();
    columns.place(1, paper.usable_height());
    columns.bottom = std::max(columns.bottom, columns.top + clients_height());
    const double right = paper.width - Paper::kEdge, bottom = paper.height - Paper::kEdge;
    if (columns.sheets > 1 || columns.left + columns.width() > right) return false;
    const std::size_t parts = out_.table.good_parts(out_.table.parts_in(paper.inner_width()));
    const double table = right - out_.table.width();
    if (columns.bottom + kTableGap + out_.table.height(parts) <= bottom &&
        out_.table.width() <= paper.inner_width()) {
      columns.stretch(right - columns.left);
      out_.table.place(0, {Paper::kEdge, columns.bottom + kTableGap}, parts);
    } else if (columns.left + columns.width() + kTableGap <= table &&
               Paper::top() + out_.table.height(1) <= bottom) {
      columns.stretch(table - kTableGap - columns.left);
      out_.table.place(0, {table, Paper::top()}, 1);
    } else {
      return false;
    }
    out_.paper = paper;
    out_.details = std::move(columns);
    place_clients(out_.details);
    return true;
  }

  // ---- several sheets ----

  void several_sheets() {
    Columns& details = out_.details;
    const double names = SystemLayout::kClientName * static_cast<double>(systems()) + 6;
    const double above = names + Columns::kHeading + Columns::kRack + Columns::kSides + 24;
    details.bands = detail_bands(plan_, switches_,
                                 std::max(out_.paper.usable_height() - above, kMinBandHeight / 2));
    details.measure(systems(), marks_);
    choose_paper(names);
    const double usable_height = out_.paper.usable_height() - names;
    details.bands = detail_bands(plan_, switches_, out_.paper.usable_height() - above);
    details.left = Paper::kEdge;
    details.top = Paper::top() + names;
    details.place(details.columns_in(out_.paper.inner_width()), usable_height);
    details.stretch(out_.paper.inner_width());
    place_overview();
    const std::size_t front = out_.overview.sheets + place_table();
    move_details(front);
    out_.sheets = front + details.sheets;
  }

  /// Returns the height for bands below a heading.
  double overview_height() const {
    return std::max(out_.paper.usable_height() -
                        SystemLayout::kBus * static_cast<double>(systems()) - Columns::kHeading -
                        kOverviewSpare,
                    kMinBandHeight / 2);
  }

  Columns overview_of(const std::vector<std::string>& sheets) const {
    Columns columns;
    columns.bands = overview_bands(plan_, switches_, sheets, overview_height());
    columns.measure(systems(), marks_);
    columns.left = beside();
    columns.top = Paper::top() + SystemLayout::kBus * static_cast<double>(systems());
    return columns;
  }

  /// Returns the sheets of each switch's hosts, with `front` sheets before them.
  std::vector<std::string> sheets_behind(std::size_t front) const {
    std::vector<std::string> sheets(switches_.size());
    std::vector<std::optional<std::size_t>> firsts(switches_.size());
    for (const Band& band : out_.details.bands) {
      const std::size_t sheet = front + band.sheet + 1;
      auto& first = firsts[band.switch_number];
      if (!first) first = sheet;
      sheets[band.switch_number] = *first == sheet ? fmt::format("sheet {}", sheet)
                                                   : fmt::format("sheets {}-{}", *first, sheet);
    }
    return sheets;
  }

  void choose_paper(double names) {
    const Columns overview =
        overview_of(std::vector<std::string>(switches_.size(), "sheets 1000-1000"));
    const double wide = std::max(
        {width_of_head(out_.title, out_.about), 2 * Paper::kEdge + out_.details.width(),
         beside() + overview.width() + Paper::kEdge, 2 * Paper::kEdge + out_.table.width()});
    const double more = std::max(
        {1.0, wide / out_.paper.width, (names + kMinBandHeight) / out_.paper.usable_height()});
    if (more > 1)
      out_.paper = {std::ceil(out_.paper.width * more), std::ceil(out_.paper.height * more)};
  }

  /// Places the overview in the fewest columns with which the table fits below it. If the table
  /// never fits, uses the fewest columns with which the overview fits on one sheet.
  void place_overview() {
    Columns& overview = out_.overview;
    // Uses the longest texts that can occur: a switch or a group needs less than a sheet at the
    // front.
    overview = overview_of(sheets_behind(switches_.size() + plan_.groups.size() * systems()));
    const double right = out_.paper.width - Paper::kEdge;
    const double bottom = out_.paper.height - Paper::kEdge;
    const std::size_t most = overview.columns_in(right - overview.left);
    std::optional<std::size_t> fewest;
    const auto put = [&](std::size_t columns) {
      overview.place(columns, bottom - overview.top);
      overview.bottom = std::max(overview.bottom, overview.top + clients_height());
      if (overview.sheets > 1 || overview.bottom > bottom) overview.bottom = bottom;
    };
    std::size_t columns = 1;
    for (; columns <= most; ++columns) {
      put(columns);
      if (overview.sheets > 1) continue;
      if (!fewest) fewest = columns;
      if (table_fits()) break;
    }
    put(columns <= most ? columns : fewest.value_or(most));
    overview.stretch(right - overview.left);
    place_clients(overview);
  }

  std::size_t table_parts() const {
    return out_.table.good_parts(out_.table.parts_in(out_.paper.inner_width()));
  }
  bool table_fits() const {
    return out_.overview.bottom + kTableGap + out_.table.height(table_parts()) <=
           out_.paper.height - Paper::kEdge;
  }
  /// Places the table below the overview, or on sheets of its own; returns the number of these
  /// sheets.
  std::size_t place_table() {
    if (!table_fits()) return out_.table.place_on_sheets(out_.overview.sheets, out_.paper);
    out_.table.place(out_.overview.sheets - 1, {Paper::kEdge, out_.overview.bottom + kTableGap},
                     table_parts());
    return 0;
  }

  /// Moves the details behind the sheets at the front, which then name the sheets of each switch's
  /// hosts.
  void move_details(std::size_t front) {
    const auto named = overview_bands(plan_, switches_, sheets_behind(front), overview_height());
    for (std::size_t i = 0; i < named.size(); ++i)
      out_.overview.bands[i].servers = named[i].servers;
    for (Band& band : out_.overview.bands) band.set_top(band.top);
    out_.details.first_sheet = front;
    for (Band& band : out_.details.bands) band.sheet += front;
  }

  /// Returns the height of boxes one below the other, with space for all their lines.
  double clients_height() const {
    std::size_t lines = 0;
    for (const ClientBox& box : out_.clients) lines = std::max(lines, box.lines.size());
    return static_cast<double>(out_.clients.size()) *
           (SystemLayout::kClientRow * static_cast<double>(lines) + kClientPad + kClientGap);
  }

  /// Places the boxes one below the other, down to the end of the bands beside them.
  void place_clients(const Columns& columns) {
    const double slot = (columns.bottom - columns.top) / static_cast<double>(out_.clients.size());
    for (std::size_t i = 0; i < out_.clients.size(); ++i) {
      ClientBox& box = out_.clients[i];
      box.top = columns.top + slot * static_cast<double>(i);
      box.height = slot - std::min(kClientGap, slot / 4);
      const double lines = std::floor((box.height - kClientPad) / SystemLayout::kClientRow);
      if (lines < static_cast<double>(box.lines.size()))
        box.lines.resize(static_cast<std::size_t>(std::max(lines, 1.0)));
    }
  }

  const plan::Plan& plan_;
  const GroupMarks& marks_;
  const std::vector<SwitchPorts> switches_;
  SystemLayout out_;
};

}  // namespace

SystemLayout lay_out_system(const plan::Plan& plan, const GroupMarks& marks) {
  return LayingOut(plan, marks).go();
}

}  // namespace ulnet::tools::fgr
