// Common code of tests of pictures: the texts, boxes and lines of an SVG as rectangles and
// segments, and rules that every drawing keeps.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/chart/svg.h"

namespace ulnet::tools::chart {

struct Rectangle {
  double left = 0, right = 0, top = 0, bottom = 0;

  bool overlaps(const Rectangle& other) const {
    return right > other.left && other.right > left && bottom > other.top && other.bottom > top;
  }
  bool holds(const Rectangle& other) const {
    return left <= other.left && right >= other.right && top <= other.top && bottom >= other.bottom;
  }
  Rectangle grown(double by) const { return {left - by, right + by, top - by, bottom + by}; }
};

/// A text of a picture, and the space that it takes in a font with wide digits.
struct Text : Rectangle {
  std::string words;
  double size = 0;
};

/// A closed shape, as the rectangle around it.
struct Box : Rectangle {
  std::size_t corners = 0;
};

/// A straight line, or a part of one with corners.
struct Segment {
  Spot from, to;
  double width = 0;

  Rectangle around() const {
    return {std::min(from.x, to.x), std::max(from.x, to.x), std::min(from.y, to.y),
            std::max(from.y, to.y)};
  }
};

class SvgGeometry {
 public:
  explicit SvgGeometry(const std::string& svg) {
    const std::size_t root = svg.find("<svg ");
    const std::string head = svg.substr(root, svg.find('>', root) - root);
    width = figure(head, "width");
    height = figure(head, "height");
    std::size_t defs = 0;  // nesting depth of <defs>, which has the hatches
    for (std::size_t at = root + 1; (at = svg.find('<', at)) != std::string::npos; ++at) {
      const std::size_t close = svg.find('>', at);
      const std::string_view element = std::string_view(svg).substr(at, close - at);
      if (element.starts_with("<defs")) ++defs;
      if (element.starts_with("</defs")) --defs;
      if (defs != 0) continue;
      if (element.starts_with("<text "))
        add_text(element, svg.substr(close + 1, svg.find('<', close) - close - 1));
      else if (element.starts_with("<polygon "))
        add_box(element);
      else if (element.starts_with("<polyline "))
        add_path(element);
      else if (element.starts_with("<line "))
        segments.push_back({{figure(element, "x1"), figure(element, "y1")},
                            {figure(element, "x2"), figure(element, "y2")},
                            figure(element, "stroke-width")});
    }
  }

  double width = 0, height = 0;
  std::vector<Text> texts;
  std::vector<Box> boxes;
  std::vector<Segment> segments;

  /// Returns the texts that are outside the picture or overlap another text.
  std::vector<std::string> misplaced() const {
    std::vector<std::string> wrong;
    const Rectangle all{0, width, 0, height};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!all.holds(texts[i])) wrong.push_back("outside: " + texts[i].words);
      for (std::size_t k = 0; k < i; ++k)
        if (texts[i].overlaps(texts[k])) wrong.push_back(texts[i].words + " on " + texts[k].words);
    }
    return wrong;
  }

  /// Returns the lines that cross a box. A line may enter a box only if it ends at a box inside it.
  std::vector<std::string> lines_across_boxes() const {
    std::vector<std::string> wrong;
    for (const Segment& line : segments)
      for (const Box& box : boxes)
        if (crosses(line, box.grown(-kTouch)) && !ends_inside(line, box))
          wrong.push_back(fmt::format("({}, {}) to ({}, {}) across ({}, {}) to ({}, {})",
                                      line.from.x, line.from.y, line.to.x, line.to.y, box.left,
                                      box.top, box.right, box.bottom));
    return wrong;
  }

  /// Returns the texts, boxes and lines that are not within the margin of one sheet. Lines from
  /// side to side lie between sheets.
  std::vector<std::string> beyond_sheets(double sheet_height, double margin) const {
    std::vector<std::string> wrong;
    const auto look = [&](const Rectangle& what, const std::string& name) {
      const double top = std::floor((what.top + what.bottom) / 2 / sheet_height) * sheet_height;
      const Rectangle sheet{0, width, top, top + sheet_height};
      if (!sheet.grown(-margin).holds(what))
        wrong.push_back(fmt::format("{} at ({}, {})", name, what.left, what.top));
    };
    for (const Text& text : texts) look(text, text.words);
    for (const Box& box : boxes) look(box, "a box");
    for (const Segment& line : segments)
      if (line.from.x != 0 || line.to.x != width) look(line.around(), "a line");
    return wrong;
  }

  /// Finds the smallest box around `what`; null: no box is around it.
  const Box* box_around(const Rectangle& what) const {
    const Box* found = nullptr;
    for (const Box& box : boxes)
      if (box.holds({what.left, what.left, what.top, what.bottom}) &&
          (found == nullptr || found->holds(box)))
        found = &box;
    return found;
  }

  /// Returns the words in a box, in the order of the picture's texts, without blanks.
  std::string words_in(const Rectangle& box) const {
    std::string words;
    for (const Text& text : texts)
      if (box.grown(kTouch).holds(text)) words += text.words;
    std::erase(words, ' ');
    return words;
  }

  static bool on_border(const Spot& spot, const Rectangle& box) {
    const Rectangle at{spot.x, spot.x, spot.y, spot.y};
    return box.grown(kTouch).holds(at) && !box.grown(-kTouch).holds(at);
  }

  static std::string attribute(std::string_view element, std::string_view name) {
    const std::size_t at = element.find(fmt::format(" {}=\"", name));
    if (at == std::string_view::npos) return {};
    const std::size_t start = at + name.size() + 3;
    return std::string(element.substr(start, element.find('"', start) - start));
  }
  static double figure(std::string_view element, std::string_view name) {
    return std::strtod(attribute(element, name).c_str(), nullptr);
  }

 private:
  static constexpr double kTouch = 1.5;

  static std::string unescaped(std::string text) {
    for (const auto& [entity, letter] :
         {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}})
      for (std::size_t at; (at = text.find(entity)) != std::string::npos;)
        text.replace(at, std::string(entity).size(), letter);
    return text;
  }

  void add_text(std::string_view element, const std::string& words) {
    Text text;
    text.words = unescaped(words);
    text.size = figure(element, "font-size");
    const double letter = element.find("bold") != std::string_view::npos ? 0.7 : 0.64;
    const double wide = letter / 0.62 * width_of(text.words, static_cast<int>(text.size));
    const std::string anchor = attribute(element, "text-anchor");
    const double before = anchor == "end" ? wide : anchor == "middle" ? wide / 2 : 0;
    const double x = figure(element, "x"), y = figure(element, "y");
    if (element.find("rotate(-90 ") != std::string_view::npos) {
      text.left = x - 0.8 * text.size;
      text.right = x + 0.2 * text.size;
      text.bottom = y + before;
      text.top = text.bottom - wide;
    } else {
      text.left = x - before;
      text.right = text.left + wide;
      text.top = y - 0.8 * text.size;
      text.bottom = y + 0.2 * text.size;
    }
    texts.push_back(std::move(text));
  }

  static std::vector<Spot> spots_of(std::string_view element) {
    std::vector<Spot> spots;
    const std::string points = attribute(element, "points");
    for (const char* at = points.c_str(); *at != '\0';) {
      char* end = nullptr;
      Spot spot;
      spot.x = std::strtod(at, &end);
      spot.y = std::strtod(end + 1, &end);
      spots.push_back(spot);
      at = *end == ' ' ? end + 1 : end;
    }
    return spots;
  }

  void add_box(std::string_view element) {
    const auto spots = spots_of(element);
    const auto [left, right] = std::ranges::minmax(spots, {}, &Spot::x);
    const auto [top, bottom] = std::ranges::minmax(spots, {}, &Spot::y);
    Box box;
    static_cast<Rectangle&>(box) = {left.x, right.x, top.y, bottom.y};
    box.corners = spots.size();
    boxes.push_back(box);
  }

  void add_path(std::string_view element) {
    const auto spots = spots_of(element);
    for (std::size_t i = 0; i + 1 < spots.size(); ++i)
      segments.push_back({spots[i], spots[i + 1], figure(element, "stroke-width")});
  }

  /// Whether the rectangle around the line crosses the box. For horizontal and vertical lines this
  /// is exact.
  static bool crosses(const Segment& line, const Rectangle& box) {
    return box.left < box.right && box.top < box.bottom && line.around().right > box.left &&
           line.around().left < box.right && line.around().bottom > box.top &&
           line.around().top < box.bottom;
  }

  bool ends_inside(const Segment& line, const Box& box) const {
    return std::ranges::any_of(boxes, [&](const Box& inner) {
      return &inner != &box && box.holds(inner) && !inner.holds(box) &&
             (on_border(line.from, inner) || on_border(line.to, inner));
    });
  }
};

}  // namespace ulnet::tools::chart
