#include "fgr/picture/columns.h"

#include <algorithm>
#include <cmath>

#include "fgr/picture/names.h"

namespace ulnet::tools::fgr {
namespace {

constexpr double kTextGap = 8;  // before and after a text in a block

/// Increases `about` so that the second texts of lines begin after the longest first text.
void widen_about(const std::vector<Block>& blocks, const GroupMarks& marks, double& about) {
  for (const Block& block : blocks)
    for (const BlockLine& line : block.lines)
      if (!line.about.empty())
        about = std::max(about, marks.width_of(block.groups.size()) +
                                    padded_width(line.name, kSheetText) + 2 * kTextGap);
}

void widen(const std::vector<Block>& blocks, const GroupMarks& marks, double about, double& wide) {
  for (const Block& block : blocks) {
    const double tags = marks.width_of(block.groups.size()) + 2 * kTextGap;
    wide = std::max(wide, tags + padded_width(block.caption, kSheetText, false));
    for (const BlockLine& line : block.lines)
      wide = std::max({wide, tags + padded_width(line.name, kSheetText),
                       line.about.empty()
                           ? 0
                           : about + padded_width(line.about, kSheetText, false) + kTextGap});
  }
}

bool same_heading(const Band& one, const Band& other) { return one.heading == other.heading; }
bool same_rack(const Band& one, const Band& other) {
  return same_heading(one, other) && one.rack == other.rack;
}

double sides_of(const Band& band) { return band.sides.empty() ? 0 : Columns::kSides; }

/// Returns the height of the band, and of the parts between it and `before`; null: it is the first
/// of a column.
double height_after(const Band* before, const Band& band) {
  double high = sides_of(band) + band.height() + band.gap;
  if (before == nullptr || !same_heading(*before, band)) high += Columns::kHeading;
  if (!band.rack.empty() && (before == nullptr || !same_rack(*before, band)))
    high += Columns::kRack;
  return high;
}

}  // namespace

void Columns::measure(std::size_t client_systems, const GroupMarks& marks) {
  trunks = kTrunkGap * static_cast<double>(client_systems - 1) + kStub;
  for (const Band& band : bands) {
    widen_about(band.routers, marks, router_about);
    widen_about(band.servers, marks, server_about);
  }
  double headings = 0;
  for (const Band& band : bands) {
    widen(band.routers, marks, router_about, routers);
    widen(band.servers, marks, server_about, servers);
    servers = std::max(
        {servers, padded_width(band.sides, kSheetText, false), padded_width(band.rack, 12)});
    for (const std::string& line : band.name)
      switches = std::max(switches, padded_width(line, kSheetText) + 12);
    for (const std::string& line : band.about)
      switches = std::max(switches, padded_width(line, kSheetText, false) + 12);
    headings = std::max(headings, padded_width(band.heading, 13));
  }
  servers = std::max(servers, trunks + headings - (width() - servers));
}

void Columns::stretch(double most) {
  const auto columns = static_cast<double>(count);
  cable = std::clamp(cable + (most - width_of(count)) / columns / 2, cable, kMaxCable);
}

double Columns::width() const {
  return trunks + routers + 2 * cable + switches + servers + kFramePad;
}

double Columns::width_of(std::size_t columns) const {
  return static_cast<double>(columns) * (width() + kGap) - kGap;
}

std::size_t Columns::columns_in(double most) const {
  return static_cast<std::size_t>(std::max(1.0, std::floor((most + kGap) / (width() + kGap))));
}

void Columns::place(std::size_t columns, double usable_height) {
  count = columns;
  std::size_t sheet = first_sheet, column = 0;
  double y = 0;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const auto fits = [&](const auto& together) {
      double high = height_after(nullptr, bands[i]), here = 0;
      for (std::size_t k = i + 1; k < bands.size() && together(bands[i], bands[k]); ++k)
        high += height_after(&bands[k - 1], bands[k]);
      here = high - height_after(nullptr, bands[i]) +
             height_after(y > 0 ? &bands[i - 1] : nullptr, bands[i]);
      // Bands that do not fit into one column are not kept together.
      return high > usable_height || y + here <= usable_height;
    };
    const auto begins = [&](const auto& together) {
      return y > 0 && !together(bands[i - 1], bands[i]);
    };
    if ((begins(same_heading) && !fits(same_heading)) || (begins(same_rack) && !fits(same_rack)) ||
        (y > 0 && y + height_after(&bands[i - 1], bands[i]) > usable_height)) {
      y = 0;
      if (++column == columns) {
        column = 0;
        ++sheet;
      }
    }
    Band& band = bands[i];
    const Band* const before = y > 0 ? &bands[i - 1] : nullptr;
    band.sheet = sheet;
    band.column = column;
    band.has_heading = before == nullptr || !same_heading(*before, band);
    band.has_rack = !band.rack.empty() && (before == nullptr || !same_rack(*before, band));
    y += height_after(before, band);
    band.set_top(top + y - band.gap - band.height());
  }
  sheets = sheet + 1 - first_sheet;
  bottom = top;
  for (const Band& band : bands)
    if (band.sheet == sheet) bottom = std::max(bottom, band.top + band.height() + band.gap);
}

double Columns::trunk_x(std::size_t column, std::size_t client) const {
  return left + static_cast<double>(column) * (width() + kGap) +
         kTrunkGap * static_cast<double>(client);
}
double Columns::routers_left(std::size_t column) const { return trunk_x(column, 0) + trunks; }
double Columns::switch_left(std::size_t column) const {
  return routers_left(column) + routers + cable;
}
double Columns::servers_left(std::size_t column) const {
  return switch_left(column) + switches + cable;
}

double Columns::frame_top(const Band& band) const { return band.top - sides_of(band) - kRack; }

}  // namespace ulnet::tools::fgr
