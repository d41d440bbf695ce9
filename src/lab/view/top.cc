#include "lab/view/top.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "admin/client/tree_fields.h"

namespace ulnet::tools::lab {
namespace {

constexpr int kFullHealth = 1000;
constexpr std::size_t kShownEvents = 8;

enum class Tone { kPlain, kGood, kWarn, kBad, kGrey };

/// Returns "1.5 MiB/s"; nothing for 0.
std::string rate_text(double bytes) {
  if (bytes <= 0) return "-";
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}/s", bytes, unit == 0 || bytes >= 100 ? 0 : 1, kUnits[unit]);
}

std::string sum_text(const ObservedNode& node, double ObservedNi::*rate) {
  double sum = 0;
  for (const ObservedNi& ni : node.nis) sum += ni.*rate;
  return rate_text(sum);
}

/// Returns the problems of a node, in words; empty: it has none.
std::string troubles(const ObservedNode& node) {
  if (node.state != NodeState::kUp) return node.trouble;
  std::string words;
  const auto add = [&](std::string text) { words += (words.empty() ? "" : "; ") + text; };
  for (const ObservedNi& ni : node.nis)
    if (!ni.up)
      add(ni.nid + " down");
    else if (ni.health < kFullHealth)
      add(fmt::format("{} health {}", ni.nid, ni.health));
    else if (ni.credits < 0)
      add(fmt::format("{} messages wait for {}", -ni.credits, ni.nid));
  const auto down = std::count_if(node.routes.begin(), node.routes.end(),
                                  [](const ObservedRoute& route) { return !route.up; });
  if (down != 0) add(fmt::format("{} of {} routes down", down, node.routes.size()));
  return words;
}

class Screen {
 public:
  explicit Screen(const TopSize& size) : size_(size) {}

  /// Counts the bytes of a UTF-8 character as one column.
  void line(std::string_view text, Tone tone = Tone::kPlain) {
    if (rows_ == size_.rows) return;
    ++rows_;
    std::size_t columns = 0, end = 0;
    for (; end < text.size(); ++end) {
      const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
      if (begins && columns == size_.columns) break;
      columns += begins ? 1 : 0;
    }
    // Names and texts come from other hosts and may contain control characters.
    std::string cut(text.substr(0, end));
    std::replace_if(
        cut.begin(), cut.end(),
        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
    constexpr std::array<std::string_view, 5> kCodes = {"", "32", "33", "31", "2"};
    const std::string_view code = kCodes[static_cast<std::size_t>(tone)];
    if (size_.colour && !code.empty())
      out_ += fmt::format("\x1b[{}m{}\x1b[0m\n", code, cut);
    else
      out_ += fmt::format("{}\n", cut);
  }
  std::size_t left() const { return size_.rows - rows_; }
  std::string finish() && { return std::move(out_); }

 private:
  const TopSize size_;
  std::size_t rows_ = 0;
  std::string out_;
};

std::string happening_text(const Happening& happening, const NidNames& names) {
  std::string words = ctl::text_in(happening.event, "text");
  if (const std::string nid = ctl::text_in(happening.event, "nid");
      !nid.empty() && words.find(nid) == std::string::npos)
    words.insert(0, nid + " ");
  return fmt::format("{:<14} {:<10} {}", happening.node, ctl::text_in(happening.event, "type"),
                     names.beside(words, happening.node));
}

void node_line(Screen& screen, const ObservedNode& node) {
  const std::string wrong = troubles(node);
  const bool up = node.state == NodeState::kUp;
  const auto nis_up =
      std::count_if(node.nis.begin(), node.nis.end(), [](const ObservedNi& ni) { return ni.up; });
  std::string counted = up ? fmt::format("{}/{}", nis_up, node.nis.size()) : "-";
  screen.line(fmt::format("{:<16} {:<12} {:>5} {:>13} {:>13} {:>8}  {}", node.name,
                          to_string(node.state), counted, sum_text(node, &ObservedNi::sent_per_s),
                          sum_text(node, &ObservedNi::received_per_s), node.resends, wrong),
              !up              ? Tone::kBad
              : !wrong.empty() ? Tone::kWarn
                               : Tone::kPlain);
}

}  // namespace

std::string top_text(const std::string& title, const Observer::Look& look, const TopSize& size) {
  Screen screen(size);
  std::vector<const ObservedNode*> nodes;
  for (const bool in_trouble : {true, false})
    for (const ObservedNode& node : look.nodes)
      if (troubles(node).empty() != in_trouble) nodes.push_back(&node);
  const auto up = std::count_if(nodes.begin(), nodes.end(), [](const ObservedNode* node) {
    return node->state == NodeState::kUp;
  });
  double goodput = 0;
  for (const ObservedNode* node : nodes) goodput += node->goodput_per_s();
  screen.line(fmt::format("{}: {} of {} nodes up, goodput {}", title, up, nodes.size(),
                          goodput > 0 ? rate_text(goodput) : "0"),
              up == static_cast<std::ptrdiff_t>(nodes.size()) ? Tone::kGood : Tone::kBad);
  screen.line("");
  screen.line(fmt::format("{:<16} {:<12} {:>5} {:>13} {:>13} {:>8}", "node", "state", "NIs",
                          "sends", "receives", "resends"),
              Tone::kGrey);
  const std::size_t news = std::min(look.happenings.size(), kShownEvents);
  const std::size_t below = news == 0 ? 0 : news + 1;
  const std::size_t rows_left = std::max<std::size_t>(screen.left(), below + 1) - below;
  const std::size_t shown = nodes.size() > rows_left ? rows_left - 1 : nodes.size();
  for (std::size_t i = 0; i < shown; ++i) node_line(screen, *nodes[i]);
  if (shown < nodes.size())
    screen.line(fmt::format("and {} more nodes", nodes.size() - shown), Tone::kGrey);
  if (news != 0) screen.line("");
  const NidNames names(look.nodes);
  for (std::size_t i = look.happenings.size() - news; i < look.happenings.size(); ++i)
    screen.line(happening_text(look.happenings[i], names), Tone::kGrey);
  return std::move(screen).finish();
}

}  // namespace ulnet::tools::lab
