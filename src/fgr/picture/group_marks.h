// The look of LNet groups in the pictures of a plan: each has a colour and a hatch, and its number
// is written wherever it is shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fgr/plan/plan.h"
#include "text/chart/svg.h"

namespace ulnet::tools::fgr {

/// Colours of text and lines that belong to no group.
inline constexpr std::string_view kInk = "#222222", kGrey = "#555555";

class GroupMarks {
 public:
  static constexpr double kHeight = 16;  ///< least height of a tag
  static constexpr int kText = 11;
  static constexpr std::size_t kMaxTags = 6;  ///< the most tags side by side

  explicit GroupMarks(const plan::Plan& plan);

  /// Defines the hatches in a picture. The caller calls it once, before it draws any tag.
  void define(chart::Svg& svg) const;
  /// Draws a tag: the group's hatch, with its number in the middle.
  void tag(chart::Svg& svg, std::size_t group, chart::Spot corner, double height) const;
  /// Draws tags side by side. After the last one stands the number of those beyond kMaxTags.
  void tags(chart::Svg& svg, const std::vector<std::size_t>& groups, chart::Spot corner,
            double height) const;
  /// Draws the group's number in a broken frame, for a secondary router of the group.
  void frame(chart::Svg& svg, std::size_t group, chart::Spot corner) const;

  double width() const { return width_; }   ///< width of a tag
  double width_of(std::size_t tags) const;  ///< width of what tags() draws
  std::string_view ink(std::size_t group) const;
  std::string_view pale(std::size_t group) const;  ///< colour behind text

 private:
  std::vector<std::string> numbers_;
  double width_ = 0;
};

}  // namespace ulnet::tools::fgr
