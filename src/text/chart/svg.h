// Builds a picture from the few shapes of SVG 1.1 that charts need. Lengths are pixels from the
// upper left corner. The white background is painted, so that the picture looks the same in a
// dark viewer. The same calls give the same text, byte by byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ulnet::tools::chart {

struct Spot {
  double x = 0, y = 0;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  Anchor anchor = Anchor::kStart;
  int size = 12;
  std::string_view fill = "#222222";
  bool bold = false;
  int turn = 0;  ///< degrees, clockwise, about the text's anchor
};

struct Stroke {
  std::string_view colour = "#222222";
  double width = 1;
  std::string_view dashes = {};  ///< as SVG's stroke-dasharray; empty: solid
};

/// Fills of lines and dots, which can be distinguished without their colours.
enum class Hatch { kRising, kDots, kLevel, kLattice, kUpright, kFalling, kRings, kGrid, kZigzag };
inline constexpr std::size_t kHatches = 9;

/// Escapes a text for XML: its five special characters become entities. Bytes that are not UTF-8,
/// and characters that XML 1.0 does not have, become U+FFFD. Labels may come from other nodes.
std::string escaped(std::string_view text);

/// Escapes a text, and cuts it to at most 64 characters; the last character is "…" if it was cut.
std::string label(std::string_view text);

/// Returns the approximate width of label(text). The viewer lays out SVG text with its own fonts.
double width_of(std::string_view text, int size);

class Svg {
 public:
  Svg(double width, double height);

  /// Sets the size of the pages on which the picture is printed, without a margin. A picture that
  /// is higher than a page takes several pages.
  void pages(double width, double height);

  void rect(Spot corner, double width, double height, std::string_view fill);
  void line(Spot from, Spot to, const Stroke& stroke);
  /// Draws a line through the spots. Draws nothing for fewer than two spots.
  void path(const std::vector<Spot>& spots, const Stroke& stroke);
  /// Draws a closed shape with an outline. Draws nothing for fewer than three corners.
  void shape(const std::vector<Spot>& corners, std::string_view fill, const Stroke& outline);
  /// Draws a rectangle with an outline.
  void box(Spot corner, double width, double height, std::string_view fill, const Stroke& outline);
  void dot(Spot centre, double radius, std::string_view fill);
  /// Draws label(text); `at` is on its base line.
  void text(Spot at, std::string_view text, const TextStyle& style);

  /// Defines a fill of `ink` on `ground`, whose marks are `step` apart. Shapes that are drawn after
  /// this call can use it: give "url(#ID)" as their fill. `id` is an XML name, valid only in this
  /// picture.
  void hatch(std::string_view id, Hatch kind, double step, std::string_view ground,
             std::string_view ink);

  /// Returns the whole document.
  std::string finish() &&;

 private:
  std::string out_;
};

}  // namespace ulnet::tools::chart
