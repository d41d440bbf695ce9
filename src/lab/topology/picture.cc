#include "lab/topology/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/topology/picture_layout.h"
#include "text/chart/svg.h"

namespace ulnet::tools::lab {
namespace {

using chart::Spot;
using chart::Svg;

constexpr std::string_view kInk = "#222222", kGrey = "#666666", kBad = "#c00000";
/// Colours of nets: dark enough for white text on them. Nets that share a colour differ in their
/// dashes.
constexpr std::array<std::string_view, 7> kNets = {"#00558c", "#b34700", "#00724f", "#8f3d73",
                                                   "#6b5200", "#44505f", "#006e7a"};
constexpr std::array<std::string_view, 4> kDashes = {"", "9,4", "3,3", "12,4,3,4"};
/// Colours of groups of nodes: pale, with text on them. Each group also has a mark of another
/// shape.
constexpr std::array<std::string_view, 6> kGroups = {"#e6f0fa", "#fdeadb", "#e0f4ec",
                                                     "#f6e6f1", "#fff3cf", "#e8eaee"};
constexpr std::size_t kMarks = 7;
constexpr double kWidest = 9;  // width of a line with figures

std::string_view colour_of(NetNumber net) { return kNets[net % kNets.size()]; }
/// Returns the dashes of a net's lines. Neighbouring nets differ in them too, for readers who do
/// not see the colours.
std::string_view dashes_of(NetNumber net) {
  return kDashes[(net + net / kNets.size()) % kDashes.size()];
}

/// A mark for a group: circle, square, triangle, diamond, the triangle upside down, cross, bar.
void mark(Svg& svg, Spot at, std::size_t group) {
  constexpr double kSize = 4.5;
  const auto shape = [&](std::initializer_list<Spot> corners) {
    std::vector<Spot> spots;
    for (const Spot& corner : corners)
      spots.push_back({at.x + corner.x * kSize, at.y + corner.y * kSize});
    svg.shape(spots, kInk, {.colour = kInk, .width = 0.5});
  };
  switch (group % kMarks) {
    case 0:
      return svg.dot(at, kSize, kInk);
    case 1:
      return shape({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
    case 2:
      return shape({{0, -1}, {1, 1}, {-1, 1}});
    case 3:
      return shape({{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}});
    case 4:
      return shape({{-1, -1}, {1, -1}, {0, 1}});
    case 5:
      svg.line({at.x - kSize, at.y}, {at.x + kSize, at.y}, {.colour = kInk, .width = 3});
      return svg.line({at.x, at.y - kSize}, {at.x, at.y + kSize}, {.colour = kInk, .width = 3});
    default:
      return shape({{-1.2, -0.4}, {1.2, -0.4}, {1.2, 0.4}, {-1.2, 0.4}});
  }
}

class TopologyDrawing {
 public:
  TopologyDrawing(const Topology& topology, const Figures& figures)
      : topology_(topology), figures_(figures), layout_(lay_out(topology, figures)) {
    for (const RailLine& line : layout_.lines) most_ = std::max(most_, bytes_of(line));
    place_key();
  }

  std::string draw() && {
    Svg svg(width_, layout_.bottom + 24 * static_cast<double>(key_rows_) + 14);
    head(svg);
    for (const RailLine& line : layout_.lines) rail(svg, line);
    lanes(svg);
    for (const NodeBox& box : layout_.boxes) draw_box(svg, box);
    key(svg);
    return std::move(svg).finish();
  }

 private:
  void head(Svg& svg) const {
    svg.text({PictureLayout::kEdge, 28}, topology_.name, {.size = 17, .bold = true});
    const std::string& words = figures_.note.empty() ? topology_.about : figures_.note;
    // Text beyond the length of a label goes on a second line.
    const std::size_t blank = words.size() > 60 ? words.rfind(' ', 60) : std::string::npos;
    svg.text({PictureLayout::kEdge, 47}, words.substr(0, blank), {.size = 12, .fill = kGrey});
    if (blank != std::string::npos)
      svg.text({PictureLayout::kEdge, 63}, words.substr(blank + 1), {.size = 12, .fill = kGrey});
  }

  // ---- lanes and rails ----

  void lanes(Svg& svg) const {
    const LanePiece* before = nullptr;
    for (const LanePiece& piece : layout_.pieces) {
      const double middle = piece.top + PictureLayout::kLane / 2;
      // A line joins the lanes of one net at different switches.
      if (before != nullptr && before->net == piece.net)
        svg.line({before->left + before->width, middle}, {piece.left, middle},
                 {.colour = colour_of(piece.net), .width = 4});
      svg.rect({piece.left, piece.top}, piece.width, PictureLayout::kLane, colour_of(piece.net));
      svg.text({piece.left + piece.width / 2, middle + 4.5}, piece.label,
               {.anchor = chart::Anchor::kMiddle, .size = 12, .fill = "#ffffff", .bold = true});
      before = &piece;
    }
  }

  template <class Each>
  void each_figure(const RailLine& line, Each&& each) const {
    for (const NodeNumber node : layout_.boxes[line.box].nodes)
      if (const auto at = figures_.rails.find({node, line.rail}); at != figures_.rails.end())
        each(at->second);
  }

  std::uint64_t bytes_of(const RailLine& line) const {
    std::uint64_t bytes = 0;
    each_figure(line, [&](const RailFigures& rail) { bytes += rail.sent + rail.received; });
    return bytes;
  }

  void rail(Svg& svg, const RailLine& line) const {
    const NodeBox& box = layout_.boxes[line.box];
    const NetNumber net = layout_.pieces[line.piece].net;
    std::size_t down = 0;
    each_figure(line, [&](const RailFigures& one) { down += one.up ? 0 : 1; });
    double width = box.folded ? 3 : 1.8;
    if (most_ != 0)
      width = 1 + (kWidest - 1) * static_cast<double>(bytes_of(line)) / static_cast<double>(most_);
    const bool dead = down == box.nodes.size();
    svg.line(line.from, line.to,
             {.colour = dead ? kBad : colour_of(net),
              .width = dead ? 2 : width,
              .dashes = dead ? "4,4" : dashes_of(net)});
    if (down == 0) return;
    cross(svg, {(line.from.x + line.to.x) / 2, (line.from.y + line.to.y) / 2}, 6, 6);
  }

  static void cross(Svg& svg, Spot centre, double wide, double high) {
    for (const double turn : {1.0, -1.0})
      svg.line({centre.x - wide, centre.y - turn * high}, {centre.x + wide, centre.y + turn * high},
               {.colour = kBad, .width = 2.5});
  }

  // ---- nodes ----

  void draw_box(Svg& svg, const NodeBox& box) const {
    const Node& first = topology_.nodes[box.nodes.front()];
    svg.box({box.left, box.top}, box.width, box.height, kGroups[box.group % kGroups.size()],
            {.colour = kInk, .width = first.routing ? 2.5 : 1});
    svg.text({box.left + 10, box.top + 17}, title_of(topology_, box), {.size = 13, .bold = true});
    mark(svg, {box.left + box.width - 12, box.top + 12}, box.group);
    double y = box.top + PictureLayout::kName + 10;
    for (std::size_t i = 0; i < box.lines.size(); ++i) {
      const NetNumber net = first.rails[i].net;
      const bool down = box.lines[i].ends_with(", down");
      svg.text({box.left + 10, y}, box.lines[i],
               {.size = 10, .fill = down ? kBad : colour_of(net)});
      y += PictureLayout::kText;
    }
    if (box.folded)
      small_boxes(svg, box, y - 4);
    else if (const auto mark_of = figures_.marks.find(box.nodes.front());
             mark_of != figures_.marks.end())
      strike(svg, box, mark_of->second);
  }

  static void strike(Svg& svg, const NodeBox& box, const std::string& word) {
    const Spot middle{box.left + box.width / 2, box.top + box.height / 2};
    cross(svg, middle, box.width / 2, box.height / 2);
    const double wide = chart::width_of(word, 12) + 12;
    svg.rect({middle.x - wide / 2, middle.y - 10}, wide, 20, "#ffffff");
    svg.text({middle.x, middle.y + 4}, word,
             {.anchor = chart::Anchor::kMiddle, .size = 12, .fill = kBad, .bold = true});
  }

  /// A small box for each node, with the number in its name.
  void small_boxes(Svg& svg, const NodeBox& box, double top) const {
    for (std::size_t i = 0; i < box.nodes.size(); ++i) {
      const Node& node = topology_.nodes[box.nodes[i]];
      const Spot corner{
          box.left + 6 + PictureLayout::kSmallWidth * static_cast<double>(i % box.columns),
          top + PictureLayout::kSmallHeight * static_cast<double>(i / box.columns)};
      const double wide = PictureLayout::kSmallWidth - 3, high = PictureLayout::kSmallHeight - 3;
      const Spot middle{corner.x + wide / 2, corner.y + high / 2};
      svg.rect(corner, wide, high, is_down(box.nodes[i]) ? "#f5c6c6" : "#ffffff");
      svg.text({middle.x, middle.y + 3.5}, node.name.substr(node.group.size()),
               {.anchor = chart::Anchor::kMiddle, .size = 9});
      if (figures_.marks.contains(box.nodes[i])) cross(svg, middle, wide / 2, high / 2);
    }
  }

  bool is_down(NodeNumber node) const {
    for (std::uint32_t i = 0; i < topology_.nodes[node].rails.size(); ++i)
      if (const auto at = figures_.rails.find({node, i});
          at != figures_.rails.end() && !at->second.up)
        return true;
    return false;
  }

  // ---- the key ----

  struct Sample {
    double x = 0;
    std::size_t row = 0, group = 0;
    std::string words;
  };

  void place_key() {
    width_ = layout_.width;
    double x = PictureLayout::kEdge;
    const auto place = [&](std::size_t group, std::string words) {
      const double wide = 30 + chart::width_of(words, 11) + 16;
      if (x + wide > width_ && x > PictureLayout::kEdge) {
        x = PictureLayout::kEdge;
        ++key_rows_;
      }
      key_.push_back({x, key_rows_ - 1, group, std::move(words)});
      x += wide;
    };
    for (std::size_t i = 0; i < layout_.groups.size(); ++i) place(i, words_of(i));
    place(kNoGroup, "thick frame: routes for others");
    if (most_ != 0) place(kNoGroup, "width of a line: bytes of that rail");
  }

  std::string words_of(std::size_t group) const {
    std::size_t count = 0;
    for (const NodeBox& box : layout_.boxes) count += box.group == group ? box.nodes.size() : 0;
    return count == 1 ? layout_.groups[group]
                      : fmt::format("{} ({} nodes)", layout_.groups[group], count);
  }

  void key(Svg& svg) const {
    for (const Sample& sample : key_) {
      const double y = layout_.bottom + 24 * static_cast<double>(sample.row) + 12;
      double x = sample.x;
      if (sample.group != kNoGroup) {
        svg.rect({x, y - 9}, 22, 18, kGroups[sample.group % kGroups.size()]);
        mark(svg, {x + 11, y}, sample.group);
        x += 28;
      }
      svg.text({x, y + 4}, sample.words, {.size = 11, .fill = kGrey});
    }
  }

  static constexpr std::size_t kNoGroup = ~std::size_t{0};
  const Topology& topology_;
  const Figures& figures_;
  PictureLayout layout_;
  std::uint64_t most_ = 0;
  double width_ = 0;
  std::size_t key_rows_ = 1;
  std::vector<Sample> key_;
};

}  // namespace

std::string draw_topology(const Topology& topology, const Figures& figures) {
  return TopologyDrawing(topology, figures).draw();
}

}  // namespace ulnet::tools::lab
