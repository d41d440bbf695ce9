#include "fgr/picture/group_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fgr/picture/names.h"
#include "fgr/picture/ports.h"

namespace ulnet::tools::fgr {
namespace {

constexpr double kTableRow = 19, kTextSpace = 12;
constexpr double kAbove = 40;         // space for the notes
constexpr std::size_t kFewRows = 14;  // a table with more rows is divided into several parts
constexpr std::array<std::string_view, 2> kNotes = {
    "second: other routers, taken when its own are gone",
    "surplus: what its routers carry beyond its OSSs' peak"};

std::string servers_of(const plan::Plan& plan, const plan::Group& group) {
  std::vector<const plan::Server*> servers;
  for (const std::size_t each : group.servers)
    servers.push_back(&plan.site.file_systems[group.file_system].servers[each]);
  return roles_text(servers);
}

}  // namespace

GroupTable::GroupTable(const plan::Plan& plan, const GroupMarks& marks)
    : marks_(marks),
      head_({"file system", "net", "switch", "servers", "clients", "routers", "second", "GB/s",
             "surplus"}),
      figures_(4) {
  for (std::size_t i = 0; i < plan.groups.size(); ++i) add(plan, i);
  leave_out_columns();
  width_ = marks.width() + kTextSpace;
  for (std::size_t k = 0; k < head_.size(); ++k) {
    double wide = padded_width(head_[k], kSheetText, false);
    for (const Entry& entry : entries_)
      wide = std::max(wide, padded_width(entry.texts[k], kSheetText, false));
    widths_.push_back(wide + kTextSpace);
    width_ += widths_.back();
  }
  for (const std::string_view note : kNotes)
    width_ = std::max(width_, padded_width(note, kSheetText, false));
}

void GroupTable::add(const plan::Plan& plan, std::size_t number) {
  const plan::Group& group = plan.groups[number];
  for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
    const plan::GroupRouters& routers = group.routers[client];
    if (routers.primary.empty()) continue;
    const plan::ClientSystem& clients = plan.site.clients[client];
    entries_.push_back(
        {number,
         {plan.site.file_systems[group.file_system].name, group.net.to_string(),
          group.at_switch.empty() ? "-" : group.at_switch, servers_of(plan, group), clients.name,
          std::to_string(routers.primary.size()), std::to_string(routers.secondary.size()),
          fmt::format("{:.1f}", plan.carried_by(group, client)),
          plan.osss_of(group) != 0 ? fmt::format("{:+.1f}", plan.surplus_of(group, client))
                                   : "-"}});
  }
}

/// Leaves out the names of the only file system and of the only client system, which add nothing
/// for the reader.
void GroupTable::leave_out_columns() {
  for (const std::string_view name : {"clients", "file system"}) {
    const auto at = std::ranges::find(head_, name);
    const auto k = at - head_.begin();
    const auto text = [&](const Entry& entry) { return entry.texts[static_cast<std::size_t>(k)]; };
    if (std::ranges::adjacent_find(entries_, std::ranges::not_equal_to(), text) != entries_.end())
      continue;
    head_.erase(at);
    for (Entry& entry : entries_) entry.texts.erase(entry.texts.begin() + k);
  }
}

std::size_t GroupTable::parts_in(double most) const {
  return static_cast<std::size_t>(std::max(1.0, std::floor((most + kGap) / (width_ + kGap))));
}

std::size_t GroupTable::good_parts(std::size_t most) const {
  return std::clamp<std::size_t>((entries_.size() + kFewRows - 1) / kFewRows, 1, most);
}

double GroupTable::height(std::size_t parts) const {
  return kAbove + kTableRow * static_cast<double>((entries_.size() + parts - 1) / parts + 1);
}

void GroupTable::place(std::size_t sheet, chart::Spot corner, std::size_t parts) {
  const std::size_t rows = (entries_.size() + parts - 1) / parts;
  for (std::size_t i = 0; i * rows < entries_.size(); ++i)
    parts_.push_back({sheet,
                      {corner.x + static_cast<double>(i) * (width_ + kGap), corner.y},
                      i * rows,
                      std::min((i + 1) * rows, entries_.size())});
}

std::size_t GroupTable::place_on_sheets(std::size_t first, const Paper& paper) {
  const std::size_t parts = parts_in(paper.inner_width());
  const auto rows = static_cast<std::size_t>(
      std::max(1.0, std::floor((paper.usable_height() - kAbove) / kTableRow) - 1));
  for (std::size_t i = 0; i * rows < entries_.size(); ++i)
    parts_.push_back(
        {first + i / parts,
         {Paper::kEdge + static_cast<double>(i % parts) * (width_ + kGap), Paper::top()},
         i * rows,
         std::min((i + 1) * rows, entries_.size())});
  return parts_.empty() ? 0 : parts_.back().sheet + 1 - first;
}

void GroupTable::draw(chart::Svg& svg, const Paper& paper) const {
  for (const Part& part : parts_) {
    const double x = part.corner.x;
    double y = static_cast<double>(part.sheet) * paper.height + part.corner.y;
    if (&part == &parts_.front())
      for (std::size_t i = 0; i < kNotes.size(); ++i)
        svg.text({x, y + 11 + 16 * static_cast<double>(i)}, kNotes[i],
                 {.size = kSheetText, .fill = kGrey});
    y += kAbove;
    row(svg, {x, y}, head_, true);
    for (std::size_t i = part.first; i < part.end; ++i) {
      y += kTableRow;
      marks_.tag(svg, entries_[i].group, {x, y + 1}, GroupMarks::kHeight);
      row(svg, {x, y}, entries_[i].texts, false);
    }
  }
}

void GroupTable::row(chart::Svg& svg, chart::Spot corner, const Texts& texts, bool head) const {
  double x = corner.x + marks_.width() + kTextSpace;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const bool figure = k + figures_ >= texts.size();
    svg.text({figure ? x + widths_[k] - kTextSpace : x, corner.y + 13}, texts[k],
             {.anchor = figure ? chart::Anchor::kEnd : chart::Anchor::kStart,
              .size = kSheetText,
              .fill = head ? kGrey : kInk});
    x += widths_[k];
  }
}

}  // namespace ulnet::tools::fgr
