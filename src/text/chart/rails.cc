#include "text/chart/rails.h"

#include <algorithm>
#include <string_view>

#include "text/chart/svg.h"

namespace ulnet::tools::chart {
namespace {

constexpr double kEdge = 24;
constexpr double kTop = 92;
constexpr double kBoxWidth = 290;
constexpr double kBoxHeight = 44;
constexpr double kRow = 58;          // from box to box
constexpr double kBetweenNets = 22;  // from net to net
constexpr double kMiddle = 200;      // between the columns
constexpr double kBarWidth = 10;     // width of a net's bar
constexpr double kWidest = 9;        // width of the widest line
constexpr double kKeyHeight = 40;
constexpr std::string_view kGrey = "#777777";

/// The blue, orange and vermilion of Okabe and Ito. People who cannot distinguish red from green
/// can distinguish them.
constexpr std::string_view kGood = "#0072b2", kWorse = "#e69f00", kBad = "#d55e00";

std::string_view colour_of(const RailEnd& end) {
  if (end.down || end.health <= 0) return kBad;
  return end.health < 1000 ? kWorse : kGood;
}

/// The interfaces of this node and of the peer on one net.
struct Group {
  std::string net;
  std::vector<const RailEnd*> local, peer;
  double height() const { return kRow * static_cast<double>(std::max(local.size(), peer.size())); }
};

/// Returns the groups in the order of the peer's NIDs.
std::vector<Group> groups_of(const Rails& rails) {
  std::vector<Group> groups;
  for (const RailEnd& end : rails.peer) {
    auto at = std::ranges::find(groups, end.net, &Group::net);
    if (at == groups.end()) at = groups.insert(at, Group{end.net, {}, {}});
    at->peer.push_back(&end);
  }
  for (const RailEnd& end : rails.local) {
    const auto at = std::ranges::find(groups, end.net, &Group::net);
    if (at != groups.end()) at->local.push_back(&end);
  }
  return groups;
}

std::uint64_t traffic(const RailEnd& end) { return end.sent + end.received; }

std::uint64_t most_traffic(const std::vector<Group>& groups) {
  std::uint64_t most = 0;
  for (const Group& group : groups)
    for (const auto* side : {&group.local, &group.peer})
      for (const RailEnd* end : *side) most = std::max(most, traffic(*end));
  return most;
}

class Drawing {
 public:
  explicit Drawing(const Rails& rails) : rails_(rails), groups_(groups_of(rails)) {
    height_ = kTop + kKeyHeight;
    for (const Group& group : groups_) height_ += group.height() + kBetweenNets;
    most_ = most_traffic(groups_);
  }

  std::string draw() && {
    Svg svg(kWidth, height_);
    head(svg);
    double y = kTop;
    for (const Group& group : groups_) {
      net(svg, group, y);
      y += group.height() + kBetweenNets;
    }
    key(svg, height_ - kKeyHeight / 2);
    return std::move(svg).finish();
  }

 private:
  static constexpr double kWidth = 2 * kEdge + 2 * kBoxWidth + kMiddle;
  static constexpr double kPeerLeft = kWidth - kEdge - kBoxWidth;

  void head(Svg& svg) const {
    svg.text({kEdge, 28}, rails_.title, {.size = 16, .bold = true});
    svg.text({kEdge, 48}, rails_.note, {.size = 12, .fill = kBad});
    svg.text({kEdge, kTop - 14}, "this node", {.size = 12, .fill = kGrey});
    svg.text({kPeerLeft, kTop - 14}, "the peer", {.size = 12, .fill = kGrey});
  }

  double width_of_line(const RailEnd& end) const {
    if (most_ == 0) return 1;
    return 1 + (kWidest - 1) * static_cast<double>(traffic(end)) / static_cast<double>(most_);
  }

  void box(Svg& svg, const RailEnd& end, Spot corner) const {
    svg.rect(corner, kBoxWidth, kBoxHeight, "#f2f2f2");
    svg.rect(corner, 5, kBoxHeight, colour_of(end));
    svg.text({corner.x + 14, corner.y + 18}, end.nid, {.size = 13, .bold = true});
    const std::string state = std::string(end.down ? "down, " : "") + "health " +
                              std::to_string(end.health) + ", sent " + std::to_string(end.sent) +
                              ", received " + std::to_string(end.received);
    svg.text({corner.x + 14, corner.y + 35}, state, {.size = 11});
  }

  /// Draws the boxes of one side, each with its line to the bar.
  void side(Svg& svg, const std::vector<const RailEnd*>& ends, bool is_peer, double top,
            double bar) const {
    double y = top;
    for (const RailEnd* end : ends) {
      const double left = is_peer ? kPeerLeft : kEdge;
      const double from = is_peer ? left : left + kBoxWidth;
      const double to = is_peer ? bar + kBarWidth : bar;
      const double middle = y + kBoxHeight / 2;
      svg.line({from, middle}, {to, middle},
               {.colour = colour_of(*end),
                .width = width_of_line(*end),
                .dashes = end->down || end->health <= 0 ? "6,4" : ""});
      box(svg, *end, {left, y});
      y += kRow;
    }
  }

  void net(Svg& svg, const Group& group, double top) const {
    const double bar = kWidth / 2 - kBarWidth / 2;
    const double height = group.height() - (kRow - kBoxHeight);
    side(svg, group.local, false, top, bar);
    side(svg, group.peer, true, top, bar);
    svg.rect({bar, top}, kBarWidth, height, group.local.empty() ? "#cccccc" : kGrey);
    const std::string name = group.local.empty() ? group.net + ": not here" : group.net;
    svg.text({kWidth / 2, top - 5}, name, {.anchor = Anchor::kMiddle, .size = 12, .bold = true});
  }

  static void key(Svg& svg, double y) {
    double x = kEdge;
    const auto sample = [&](std::string_view colour, std::string_view words) {
      svg.rect({x, y - 9}, 10, 10, colour);
      svg.text({x + 16, y}, words, {.size = 11});
      x += 16 + width_of(words, 11) + 22;
    };
    sample(kGood, "health 1000");
    sample(kWorse, "less");
    sample(kBad, "0, or down");
    svg.text({x, y}, "width of a line: messages of that interface", {.size = 11, .fill = kGrey});
  }

  const Rails& rails_;
  std::vector<Group> groups_;
  double height_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace

std::string draw_rails(const Rails& rails) { return Drawing(rails).draw(); }

}  // namespace ulnet::tools::chart
