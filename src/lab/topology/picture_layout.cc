#include "lab/topology/picture_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "lab/topology/addresses.h"
#include "lab/topology/rate.h"
#include "lab/topology/spread.h"

namespace ulnet::tools::lab {
namespace {

constexpr std::size_t kSingle = 8;  // larger groups are drawn as one box
constexpr std::size_t kLines = 6;   // lines of text in a box
constexpr double kBoxGap = 16;
constexpr double kMaxGap = 64;    // the widest gap between boxes
constexpr double kPieceGap = 30;  // gap between parts of a lane
constexpr double kNetGap = 44;    // gap between lanes
constexpr double kRowGap = 52;    // gap between a row and a lane
constexpr double kMinPiece = 150;
constexpr double kWide = 2400;  // if the picture is wider, all groups are drawn as one box each
constexpr double kNear = 9;     // gap between lines at a lane
constexpr double kMargin = 12;

using Places = std::vector<std::pair<NetNumber, SwitchNumber>>;

Places places_of(const Node& node) {
  Places places;
  for (const Rail& rail : node.rails) places.emplace_back(rail.net, rail.at_switch);
  return places;
}

/// Returns the levels of nets. The first net is at level 0; nets that share nodes with nets of a
/// level are at the next level.
std::vector<std::uint32_t> levels_of(const Topology& topology) {
  std::vector<std::vector<NodeNumber>> on(topology.nets.size());
  for (NodeNumber number = 0; number < topology.nodes.size(); ++number)
    for (const Rail& rail : topology.nodes[number].rails) on[rail.net].push_back(number);
  std::vector<std::optional<std::uint32_t>> levels(topology.nets.size());
  std::vector<bool> passed(topology.nodes.size());
  for (NetNumber start = 0; start < levels.size(); ++start) {
    if (levels[start]) continue;
    std::vector<NetNumber> reached = {start};
    levels[start] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const NodeNumber number : on[reached[i]]) {
        if (passed[number]) continue;
        passed[number] = true;
        for (const Rail& rail : topology.nodes[number].rails) {
          if (levels[rail.net]) continue;
          levels[rail.net] = *levels[reached[i]] + 1;
          reached.push_back(rail.net);
        }
      }
  }
  std::vector<std::uint32_t> numbers;
  for (const auto& level : levels) numbers.push_back(*level);
  return numbers;
}

class LayingOut {
 public:
  LayingOut(const Topology& topology, const Figures& figures)
      : topology_(topology), figures_(figures), levels_(levels_of(topology)) {
    for (const std::uint32_t level : levels_) depth_ = std::max(depth_, level + 1);
  }

  PictureLayout go() && {
    make_pieces();
    make_boxes(kSingle);
    if (needed_width() > kWide) make_boxes(1);
    out_.width = std::max(needed_width(), 560.0) + 2 * PictureLayout::kEdge;
    place_pieces();
    place_boxes();
    place_rows();
    place_lines();
    return std::move(out_);
  }

 private:
  // ---- the parts ----

  void make_pieces() {
    for (const Node& node : topology_.nodes)
      for (const Rail& rail : node.rails) piece_at_.emplace(std::pair(rail.net, rail.at_switch), 0);
    // Ordered by level, then by net, then by switch.
    for (std::uint32_t level = 0; level < depth_; ++level)
      for (auto& [place, index] : piece_at_) {
        if (levels_[place.first] != level) continue;
        index = out_.pieces.size();
        LanePiece piece{.net = place.first, .at_switch = place.second, .level = level, .label = {}};
        const Net& net = topology_.nets[piece.net];
        piece.label = net.id.to_string();
        if (!net.label.empty()) piece.label += ": " + net.label;
        if (topology_.switches_named)
          piece.label += ", switch " + topology_.switches[piece.at_switch].name;
        out_.pieces.push_back(std::move(piece));
      }
  }

  void make_boxes(std::size_t single) {
    out_.boxes.clear();
    out_.groups.clear();
    using Kind = std::tuple<std::string, Places, bool>;
    std::map<Kind, std::size_t> counts, folded;
    const auto kind_of = [](const Node& node) {
      return Kind(node.group, places_of(node), node.routing);
    };
    for (const Node& node : topology_.nodes) ++counts[kind_of(node)];
    for (NodeNumber number = 0; number < topology_.nodes.size(); ++number) {
      const Node& node = topology_.nodes[number];
      const Kind kind = kind_of(node);
      const bool folds = counts[kind] > single;
      if (const auto known = folded.find(kind); folds && known != folded.end()) {
        out_.boxes[known->second].nodes.push_back(number);
        continue;
      }
      if (folds) folded.emplace(kind, out_.boxes.size());
      NodeBox box{.nodes = {number}, .folded = folds, .group = group_of(node), .lines = {}};
      box.row = row_of(node, box.group);
      out_.boxes.push_back(std::move(box));
    }
    for (NodeBox& box : out_.boxes) measure(box);
  }

  std::size_t group_of(const Node& node) {
    const auto known = std::ranges::find(out_.groups, node.group);
    const auto index = static_cast<std::size_t>(known - out_.groups.begin());
    if (known == out_.groups.end()) out_.groups.push_back(node.group);
    return index;
  }

  std::uint32_t row_of(const Node& node, std::size_t group) const {
    std::uint32_t least = depth_, most = 0;
    for (const Rail& rail : node.rails) {
      least = std::min(least, levels_[rail.net]);
      most = std::max(most, levels_[rail.net]);
    }
    if (least < most) return 2 * (least + 1);
    // With one lane only, the groups alternate above and below it.
    if (depth_ == 1) return group % 2 == 0 ? 0 : 2;
    return least == 0 ? 0 : 2 * (least + 1);
  }

  /// Whether all nets of the node are at one level.
  bool is_on_one_level(const Node& node) const {
    return !node.rails.empty() && std::ranges::all_of(node.rails, [&](const Rail& rail) {
      return levels_[rail.net] == levels_[node.rails.front().net];
    });
  }

  // ---- sizes ----

  void measure(NodeBox& box) const {
    const Node& first = topology_.nodes[box.nodes.front()];
    for (std::uint32_t i = 0; i < first.rails.size() && box.lines.size() < kLines; ++i)
      box.lines.push_back(line_of(box, i));
    if (first.rails.size() > kLines)
      box.lines.back() = fmt::format("and {} more", first.rails.size() - kLines + 1);
    double wide = chart::width_of(title_of(topology_, box), 13) + 24;
    for (const std::string& line : box.lines) wide = std::max(wide, chart::width_of(line, 10));
    box.width = wide + 20;
    box.height =
        PictureLayout::kName + 6 + PictureLayout::kText * static_cast<double>(box.lines.size());
    if (!box.folded) return;
    const auto count = static_cast<double>(box.nodes.size());
    const double least = std::floor((box.width - 12) / PictureLayout::kSmallWidth);
    const double columns = std::max({4.0, least, std::ceil(std::sqrt(count * 2))});
    box.columns = static_cast<std::size_t>(std::min(columns, count));
    box.width = std::max(box.width, 12 + columns * PictureLayout::kSmallWidth);
    box.height += 6 + std::ceil(count / columns) * PictureLayout::kSmallHeight;
  }

  /// Returns the text of a rail: its NID, or for a group's box the first and the last NID; and its
  /// traffic.
  std::string line_of(const NodeBox& box, std::uint32_t index) const {
    const Rail& rail = topology_.nodes[box.nodes.front()].rails[index];
    const Rail& last = topology_.nodes[box.nodes.back()].rails[index];
    std::string text = topology_.net_of(rail).id.to_string();
    if (rail.address != 0) text = topology_.nid_of(rail).to_string();
    if (rail.address != 0 && box.folded)
      text = address_text(rail.address) + " to " + topology_.nid_of(last).to_string();
    std::uint64_t bytes = 0;
    bool any = false, up = true;
    for (const NodeNumber number : box.nodes) {
      const auto figures = figures_.rails.find({number, index});
      if (figures == figures_.rails.end()) continue;
      any = true;
      bytes += figures->second.sent + figures->second.received;
      up = up && figures->second.up;
    }
    if (any) text += "  " + size_words(bytes);
    return up ? text : text + ", down";
  }

  double row_width(std::uint32_t row) const {
    double width = 0;
    for (const NodeBox& box : out_.boxes)
      if (box.row == row) width += box.width + kBoxGap;
    return width;
  }

  /// Returns the width that the boxes on only this piece need below or above it.
  double piece_width(std::size_t piece) const {
    std::map<std::uint32_t, double> rows;
    for (const NodeBox& box : out_.boxes) {
      const Node& node = topology_.nodes[box.nodes.front()];
      if (is_on_one_level(node) && piece_of(node.rails.front()) == piece)
        rows[box.row] += box.width + kBoxGap;
    }
    double width = std::max(kMinPiece, chart::width_of(out_.pieces[piece].label, 12) + 24);
    for (const auto& [row, needed] : rows) width = std::max(width, needed);
    return width;
  }

  double level_width(std::uint32_t level) const {
    double width = 0;
    for (std::size_t i = 0; i < out_.pieces.size(); ++i)
      if (out_.pieces[i].level == level) width += piece_width(i) + gap_before(i);
    return width;
  }

  double needed_width() const {
    double width = 0;
    for (std::uint32_t row = 0; row <= 2 * depth_; ++row) width = std::max(width, row_width(row));
    for (std::uint32_t level = 0; level < depth_; ++level)
      width = std::max(width, level_width(level));
    return width;
  }

  /// Returns the gap between a piece and the one left of it.
  double gap_before(std::size_t piece) const {
    if (piece == 0 || out_.pieces[piece - 1].level != out_.pieces[piece].level) return 0;
    return out_.pieces[piece - 1].net == out_.pieces[piece].net ? kPieceGap : kNetGap;
  }

  // ---- places ----

  std::size_t piece_of(const Rail& rail) const { return piece_at_.at({rail.net, rail.at_switch}); }

  void place_pieces() {
    for (std::uint32_t level = 0; level < depth_; ++level) {
      std::size_t count = 0;
      for (const LanePiece& piece : out_.pieces) count += piece.level == level ? 1 : 0;
      const double spare = out_.width - 2 * PictureLayout::kEdge - level_width(level);
      double x = PictureLayout::kEdge;
      for (std::size_t i = 0; i < out_.pieces.size(); ++i) {
        if (out_.pieces[i].level != level) continue;
        out_.pieces[i].left = x + gap_before(i);
        out_.pieces[i].width = piece_width(i) + spare / static_cast<double>(count);
        x = out_.pieces[i].left + out_.pieces[i].width;
      }
    }
  }

  /// Returns the preferred place of a box: the middle of the pieces that it is on.
  double preferred_place_of(const NodeBox& box) const {
    const Node& node = topology_.nodes[box.nodes.front()];
    double sum = 0;
    for (const Rail& rail : node.rails) {
      const LanePiece& piece = out_.pieces[piece_of(rail)];
      sum += piece.left + piece.width / 2;
    }
    return node.rails.empty() ? out_.width / 2 : sum / static_cast<double>(node.rails.size());
  }

  void place_boxes() {
    for (std::uint32_t row = 0; row <= 2 * depth_; row += 2) {
      std::vector<std::pair<double, NodeBox*>> there;
      for (NodeBox& box : out_.boxes)
        if (box.row == row) there.emplace_back(preferred_place_of(box), &box);
      std::ranges::sort(there);  // boxes that prefer the same place stay in their order
      std::vector<PreferredPlace> preferred;
      for (const auto& [centre, box] : there) preferred.push_back({centre, box->width});
      const double spare = (out_.width - 2 * PictureLayout::kEdge - row_width(row)) /
                           static_cast<double>(there.size() + 1);
      const double gap = kBoxGap + std::clamp(spare, 0.0, kMaxGap - kBoxGap);
      const auto lefts =
          spread(preferred, gap, PictureLayout::kEdge, out_.width - PictureLayout::kEdge);
      for (std::size_t i = 0; i < there.size(); ++i) there[i].second->left = lefts[i];
    }
  }

  /// Returns the height between a row and the lanes of a level. It is larger where a line would
  /// otherwise be too flat.
  double gap_at(std::uint32_t row, std::uint32_t level) const {
    double farthest = 0;
    for (const NodeBox& box : out_.boxes) {
      if (box.row != row) continue;
      const double middle = box.left + box.width / 2;
      for (const Rail& rail : topology_.nodes[box.nodes.front()].rails) {
        const LanePiece& piece = out_.pieces[piece_of(rail)];
        const double nearest = std::clamp(middle, piece.left, piece.left + piece.width);
        if (piece.level == level) farthest = std::max(farthest, std::abs(nearest - middle));
      }
    }
    return kRowGap + std::min(120.0, farthest / 7);
  }

  void place_rows() {
    double y = PictureLayout::kHead;
    for (std::uint32_t row = 0; row <= 2 * depth_; ++row) {
      double height = 0;
      if (row % 2 == 1) {
        for (LanePiece& piece : out_.pieces)
          if (piece.level == row / 2) piece.top = y;
        height = PictureLayout::kLane;
      }
      for (const NodeBox& box : out_.boxes)
        if (box.row == row) height = std::max(height, box.height);
      if (row > 0 && row % 2 == 0 && height > 0) y += gap_at(row, row / 2 - 1);
      for (NodeBox& box : out_.boxes)
        if (box.row == row) box.top = row == 0 ? y + height - box.height : y;
      y += height;
      if (height > 0 && row < 2 * depth_ && row % 2 == 0) y += gap_at(row, row / 2);
    }
    out_.bottom = y + 20;
  }

  /// Lines leave a box at its upper or lower edge, in the order of their targets.
  void place_lines() {
    for (std::size_t index = 0; index < out_.boxes.size(); ++index) {
      const NodeBox& box = out_.boxes[index];
      const Node& node = topology_.nodes[box.nodes.front()];
      for (const bool up : {true, false}) {
        std::vector<RailLine> side;
        for (std::uint32_t i = 0; i < node.rails.size(); ++i) {
          const std::size_t piece = piece_of(node.rails[i]);
          if ((out_.pieces[piece].top < box.top) == up)
            side.push_back({.box = index, .piece = piece, .rail = i, .from = {}, .to = {}});
        }
        std::ranges::sort(side, {}, [&](const RailLine& line) {
          return std::pair(out_.pieces[line.piece].left, line.rail);
        });
        for (std::size_t i = 0; i < side.size(); ++i) {
          const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(side.size());
          side[i].from = {box.left + box.width * part, up ? box.top : box.top + box.height};
          out_.lines.push_back(side[i]);
        }
      }
    }
    for (std::size_t piece = 0; piece < out_.pieces.size(); ++piece)
      for (const bool above : {true, false}) arrive(piece, above);
  }

  /// Lines reach a piece right below or above their boxes, if possible, and side by side.
  void arrive(std::size_t number, bool above) {
    const LanePiece& piece = out_.pieces[number];
    std::vector<RailLine*> there;
    for (RailLine& line : out_.lines)
      if (line.piece == number && (line.from.y < piece.top) == above) there.push_back(&line);
    std::ranges::sort(there, {},
                      [](const RailLine* line) { return std::pair(line->from.x, line); });
    const double low = piece.left + kMargin, high = piece.left + piece.width - kMargin;
    std::vector<PreferredPlace> preferred;
    for (const RailLine* line : there)
      preferred.push_back({std::clamp(line->from.x, low, high), 0});
    const double gap =
        std::min(kNear, (high - low) / static_cast<double>(std::max<std::size_t>(1, there.size())));
    const auto places = spread(preferred, gap, low, high);
    for (std::size_t i = 0; i < there.size(); ++i)
      there[i]->to = {places[i], above ? piece.top : piece.top + PictureLayout::kLane};
  }

  const Topology& topology_;
  const Figures& figures_;
  const std::vector<std::uint32_t> levels_;
  std::uint32_t depth_ = 0;
  std::map<std::pair<NetNumber, SwitchNumber>, std::size_t> piece_at_;
  PictureLayout out_;
};

}  // namespace

std::string title_of(const Topology& topology, const NodeBox& box) {
  const Node& first = topology.nodes[box.nodes.front()];
  return box.folded ? fmt::format("{}: {} nodes", first.group, box.nodes.size()) : first.name;
}

PictureLayout lay_out(const Topology& topology, const Figures& figures) {
  return LayingOut(topology, figures).go();
}

}  // namespace ulnet::tools::lab
