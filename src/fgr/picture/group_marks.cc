#include "fgr/picture/group_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fgr/picture/names.h"

namespace ulnet::tools::fgr {
namespace {

struct Colour {
  std::string_view ink, pale;
};
constexpr std::array<Colour, 8> kColours = {{{"#7b3294", "#f2e8f5"},
                                             {"#1b7837", "#e4f3e7"},
                                             {"#b2182b", "#fbe6e6"},
                                             {"#2166ac", "#e3edf7"},
                                             {"#a65300", "#fbebda"},
                                             {"#00707a", "#def2f3"},
                                             {"#6b6000", "#f4f1d6"},
                                             {"#4d4d4d", "#ececec"}}};
/// Hatches repeat with a wider step: 36 groups differ without their colours, 72 with them.
constexpr std::array<double, 4> kSteps = {7, 11, 5, 15};
constexpr double kRest = 40;  // space for the number of tags that are not drawn

}  // namespace

GroupMarks::GroupMarks(const plan::Plan& plan) {
  for (const plan::Group& group : plan.groups) {
    numbers_.push_back(fmt::format("{:03}", group.suffix));
    width_ = std::max(width_, padded_width(numbers_.back(), kText) + 20);
  }
}

void GroupMarks::define(chart::Svg& svg) const {
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    svg.hatch(fmt::format("group-{}", i), static_cast<chart::Hatch>(i % chart::kHatches),
              kSteps[i / chart::kHatches % kSteps.size()], pale(i), ink(i));
}

void GroupMarks::tag(chart::Svg& svg, std::size_t group, chart::Spot corner, double height) const {
  svg.box(corner, width_, height, fmt::format("url(#group-{})", group),
          {.colour = ink(group), .width = 1});
  const double wide = padded_width(numbers_[group], kText) + 2, middle = corner.y + height / 2;
  svg.rect({corner.x + (width_ - wide) / 2, middle - 7}, wide, 14, "#ffffff");
  svg.text({corner.x + width_ / 2, middle + 4}, numbers_[group],
           {.anchor = chart::Anchor::kMiddle, .size = kText, .bold = true});
}

double GroupMarks::width_of(std::size_t tags) const {
  return width_ * static_cast<double>(std::min(tags, kMaxTags)) + (tags > kMaxTags ? kRest : 0);
}

void GroupMarks::tags(chart::Svg& svg, const std::vector<std::size_t>& groups, chart::Spot corner,
                      double height) const {
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxTags); ++i) {
    tag(svg, groups[i], corner, height);
    corner.x += width_;
  }
  if (groups.size() > kMaxTags)
    svg.text({corner.x + 6, corner.y + height / 2 + 4},
             fmt::format("+{}", groups.size() - kMaxTags), {.size = kText, .fill = kGrey});
}

void GroupMarks::frame(chart::Svg& svg, std::size_t group, chart::Spot corner) const {
  svg.box(corner, width_, kHeight, "#ffffff", {.colour = ink(group), .width = 1, .dashes = "3,2"});
  svg.text({corner.x + width_ / 2, corner.y + kHeight / 2 + 4}, numbers_[group],
           {.anchor = chart::Anchor::kMiddle, .size = kText});
}

std::string_view GroupMarks::ink(std::size_t group) const {
  return kColours[group % kColours.size()].ink;
}

std::string_view GroupMarks::pale(std::size_t group) const {
  return kColours[group % kColours.size()].pale;
}

}  // namespace ulnet::tools::fgr
