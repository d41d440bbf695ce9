#include "sim/tool/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/kernel/event_queue.h"
#include "sim/kernel/event_words.h"
#include "sim/scenario/script.h"
#include "text/chart/svg.h"

namespace ulnet::tools {
namespace {

using namespace ulnet::sim;
using chart::escaped;

constexpr int kRow = 18;
constexpr int kLeft = 130;  ///< x of the first lifeline; the times are to its left
constexpr int kTop = 96;
constexpr int kBetween = 210;
constexpr int kRight = 120;

std::string size_text(std::uint32_t bytes) {
  if (bytes >= 10240 && bytes % 1024 == 0) return fmt::format("{} KiB", bytes / 1024);
  return fmt::format("{} B", bytes);
}

std::string error_text(std::int32_t status) {
  switch (-status) {
    case ETIMEDOUT:
      return "ETIMEDOUT";
    case EHOSTUNREACH:
      return "EHOSTUNREACH";
    case ECANCELED:
      return "ECANCELED";
    case ECONNRESET:
      return "ECONNRESET";
    case ENETDOWN:
      return "ENETDOWN";
    case ESHUTDOWN:
      return "ESHUTDOWN";
    case ECONNABORTED:
      return "ECONNABORTED";
    default:
      return fmt::format("error {}", -status);
  }
}

std::string label_of(const Journey& journey) {
  const bool request = journey.type == wire::MsgType::kPut || journey.type == wire::MsgType::kGet;
  std::string text = wire::to_string(journey.type);
  if (request) text += fmt::format(" p{}", journey.portal);
  return text + ", " + size_text(journey.length);
}

std::string label_of(const Happening& happening) {
  if (happening.change) return to_string(happening.what);
  std::string text = to_string(happening.type);
  if (happening.status != 0) text += " " + error_text(happening.status);
  return text;
}

std::string label_of(const Breach& breach) {
  if (breach.detail == Script::kShutdownDetail) return "shutdown";
  if (breach.detail == Script::kRuleDetail) return "fault rule";
  if (breach.detail >= Script::kAdminDetail)
    return kAdminWords[breach.detail - Script::kAdminDetail];
  return to_string(static_cast<FaultKind>(breach.detail));
}

/// The layout: a column per node, a row per event.
class Sheet {
 public:
  Sheet(const Timeline& timeline, const std::vector<Breach>& breaches,
        const std::vector<std::string>& names)
      : timeline_(timeline), names_(names) {
    columns(breaches);
    rows(breaches);
  }

  std::string draw(const DiagramText& text) {
    const int columns = kLeft + static_cast<int>(columns_.size() - 1) * kBetween + kRight;
    const int letters = static_cast<int>(std::max(text.title.size() * 9, text.subtitle.size() * 7));
    const int width = std::max(columns, letters + 32);
    const int height = kTop + static_cast<int>(next_row_ + 2) * kRow;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"11\">\n",
        width, height);
    out_ +=
        "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
        "markerHeight=\"8\" orient=\"auto\"><path d=\"M0,0.5 L8,4 L0,7.5 z\" "
        "fill=\"context-stroke\"/></marker></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    out_ += fmt::format("<text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
                        escaped(text.title));
    out_ +=
        fmt::format("<text x=\"16\" y=\"44\" fill=\"#444444\">{}</text>\n", escaped(text.subtitle));
    lifelines(height);
    for (const Placed<Breach>& breach : breaches_) band(breach);
    times();
    for (const Placed<Journey>& journey : journeys_) arrow(journey);
    for (const Placed<Happening>& happening : happenings_) event(happening);
    return out_ + "</svg>\n";
  }

 private:
  template <class What>
  struct Placed {
    const What* what;
    std::size_t first = 0, last = 0;  ///< rows
  };

  void columns(const std::vector<Breach>& breaches) {
    std::set<std::uint32_t> nodes;
    for (const Journey& journey : timeline_.journeys()) {
      nodes.insert(journey.from);
      nodes.insert(journey.to);
    }
    for (const Happening& happening : timeline_.happenings()) nodes.insert(happening.node);
    for (const Breach& breach : breaches) {
      nodes.insert(breach.node);
      nodes.insert(breach.other);
    }
    nodes.erase(kNoNode);
    for (const std::uint32_t node : nodes)
      columns_.emplace(node, kLeft + static_cast<int>(columns_.size()) * kBetween);
    if (columns_.empty()) columns_.emplace(0, kLeft);
  }

  /// Gives each end of a journey or breach, and each happening, a row, in the order of time. At one
  /// instant causes come before effects.
  void rows(const std::vector<Breach>& breaches) {
    enum : int { kBreaks, kArrives, kLeaves, kHappens, kMends };
    struct Point {
      Instant at;
      int rank;
      std::size_t order;
      std::size_t* row;
    };
    std::vector<Point> points;
    const auto point = [&](Instant at, int rank, std::size_t& row) {
      points.push_back({at, rank, points.size(), &row});
    };
    Instant begin = kNever;
    for (const Journey& journey : timeline_.journeys()) begin = std::min(begin, journey.sent);
    for (const Happening& each : timeline_.happenings()) begin = std::min(begin, each.at);
    for (const Journey& journey : timeline_.journeys()) journeys_.push_back({&journey});
    for (const Happening& each : timeline_.happenings()) happenings_.push_back({&each});
    for (const Breach& breach : breaches)
      if (breach.until >= begin) breaches_.push_back({&breach});
    for (Placed<Journey>& each : journeys_) {
      point(each.what->sent, kLeaves, each.first);
      if (each.what->arrived != kNever) point(each.what->arrived, kArrives, each.last);
    }
    for (Placed<Happening>& each : happenings_)
      point(each.what->at, each.what->change ? kBreaks : kHappens, each.first);
    for (Placed<Breach>& each : breaches_) {
      point(each.what->from, kBreaks, each.first);
      if (each.what->until != kNever) point(each.what->until, kMends, each.last);
    }
    std::ranges::sort(points, [](const Point& a, const Point& b) {
      return std::tie(a.at, a.rank, a.order) < std::tie(b.at, b.rank, b.order);
    });
    for (const Point& each : points) {
      *each.row = next_row_;
      if (instants_.empty() || instants_.back().first != each.at)
        instants_.emplace_back(each.at, next_row_);
      ++next_row_;
    }
    for (Placed<Breach>& each : breaches_)
      if (each.what->until == kNever) each.last = next_row_;
  }

  int x_of(std::uint32_t node) const {
    const auto column = columns_.find(node);
    return column == columns_.end() ? kLeft : column->second;
  }
  static int y_of(std::size_t row) { return kTop + static_cast<int>(row + 1) * kRow; }

  void lifelines(int height) {
    for (const auto& [node, x] : columns_) {
      const std::string name = node < names_.size() ? names_[node] : "?";
      out_ += fmt::format(
          "<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" stroke=\"#999999\"/>\n"
          "<rect x=\"{3}\" y=\"{4}\" width=\"100\" height=\"24\" rx=\"4\" fill=\"#e8eef7\" "
          "stroke=\"#5b7aa8\"/><text x=\"{0}\" y=\"{5}\" text-anchor=\"middle\" "
          "font-weight=\"bold\" font-size=\"12\">{6}</text>\n",
          x, kTop - 6, height - kRow / 2, x - 50, kTop - 30, kTop - 14, escaped(name));
    }
  }

  void times() {
    for (const auto& [at, row] : instants_) {
      const std::int64_t ns = (at - EventQueue::kOrigin).count();
      out_ +=
          fmt::format("<text x=\"8\" y=\"{}\" fill=\"#777777\" font-size=\"9\">{}.{:06} s</text>\n",
                      y_of(row) + 3, ns / 1'000'000'000, ns % 1'000'000'000 / 1000);
    }
  }

  void band(const Placed<Breach>& placed) {
    const Breach& breach = *placed.what;
    const int x = x_of(breach.node);
    const int other = breach.other == kNoNode ? x : x_of(breach.other);
    const bool link = breach.other != kNoNode;
    const int left = link ? std::min(x, other) + 6 : x - 7;
    const int width = link ? std::abs(other - x) - 12 : 14;
    const int top = y_of(placed.first) - 7;
    const int height = std::max(y_of(placed.last) - top, 14);
    out_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
        "fill-opacity=\"0.35\" stroke=\"#c98a3a\" stroke-dasharray=\"3,3\"/>\n",
        left, top, width, height, link ? "#fbd9a5" : "#e89a9a");
    const std::string arrow = link ? (other > x ? " \u2192" : " \u2190") : "";
    out_ += fmt::format(
        "<text x=\"{}\" y=\"{}\" fill=\"#9a5b0a\" font-size=\"10\" "
        "font-style=\"italic\"{}>{}</text>"
        "\n",
        link ? left + 4 : x - 11, top + 11, link ? "" : " text-anchor=\"end\"",
        escaped(label_of(breach) + arrow));
  }

  void arrow(const Placed<Journey>& placed) {
    const Journey& journey = *placed.what;
    const bool request = journey.type == wire::MsgType::kPut || journey.type == wire::MsgType::kGet;
    const int from = x_of(journey.from);
    const int to = x_of(journey.to);
    const bool arrived = journey.arrived != kNever;
    const int y1 = y_of(placed.first);
    // The arrow of a message that did not arrive ends half way, with a cross.
    const int x2 = arrived ? to : from + (to - from) / 2;
    const int y2 = arrived ? y_of(placed.last) : y1 + kRow / 2;
    const char* colour = !arrived ? "#cc2222" : request ? "#1f4e9e" : "#2e7d32";
    out_ += fmt::format(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"1.2\"{}{}/>\n",
        from, y1, x2, y2, colour, request ? "" : " stroke-dasharray=\"5,3\"",
        arrived ? " marker-end=\"url(#head)\"" : "");
    if (!arrived)
      out_ += fmt::format(
          "<path d=\"M{},{} l8,8 m0,-8 l-8,8\" stroke=\"#cc2222\" stroke-width=\"2\"/>\n", x2 - 4,
          y2 - 4);
    // The text is near the beginning of the arrow, where its row has no other arrow.
    const bool rightwards = to >= from;
    std::string text = label_of(journey);
    if (!arrived) text += journey.failed ? " (given up)" : " (lost)";
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\" font-size=\"10\"{}>{}</text>\n",
                        from + (rightwards ? 8 : -8), y1 - 3, colour,
                        rightwards ? "" : " text-anchor=\"end\"", escaped(text));
  }

  void event(const Placed<Happening>& placed) {
    const Happening& happening = *placed.what;
    const int x = x_of(happening.node);
    const int y = y_of(placed.first);
    const char* colour = happening.status != 0 ? "#cc2222"
                         : happening.change    ? "#6a1b9a"
                                               : "#333333";
    out_ += happening.change
                ? fmt::format("<rect x=\"{}\" y=\"{}\" width=\"8\" height=\"8\" fill=\"{}\"/>\n",
                              x - 4, y - 4, colour)
                : fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\" font-size=\"10\">{}</text>\n", x + 7,
                        y + 4, colour, escaped(label_of(happening)));
  }

  const Timeline& timeline_;
  const std::vector<std::string>& names_;
  std::map<std::uint32_t, int> columns_;  ///< x by node
  std::size_t next_row_ = 0;
  std::vector<std::pair<Instant, std::size_t>> instants_;  ///< the first row of each instant
  std::vector<Placed<Journey>> journeys_;
  std::vector<Placed<Happening>> happenings_;
  std::vector<Placed<Breach>> breaches_;
  std::string out_;
};

}  // namespace

std::string diagram(const Timeline& timeline, const std::vector<Breach>& breaches,
                    const std::vector<std::string>& names, const DiagramText& text) {
  return Sheet(timeline, breaches, names).draw(text);
}

}  // namespace ulnet::tools
