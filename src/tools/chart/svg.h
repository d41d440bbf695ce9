// A picture under construction: the few shapes of SVG 1.1 that charts are made of. Lengths are
// pixels from the upper left corner. The background is white and painted, so that a picture looks
// the same in a dark viewer. The same calls make the same text, byte by byte.
#pragma once

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
  int turn = 0;  ///< degrees, clockwise, about the text's own spot
};

struct Stroke {
  std::string_view colour = "#222222";
  double width = 1;
  std::string_view dashes = {};  ///< as SVG's stroke-dasharray; empty: solid
};

/// The text as XML takes it: its five special characters as entities; what is no UTF-8 or no
/// character of XML 1.0 (control characters) as U+FFFD. For labels that strangers chose.
std::string escaped(std::string_view text);

/// Cut to at most 64 letters, the last of them "…" then, and escaped.
std::string label(std::string_view text);

/// About how wide label(text) is: SVG text is laid out by the viewer, with fonts of its own.
double width_of(std::string_view text, int size);

class Svg {
 public:
  Svg(double width, double height);

  void rect(Spot corner, double width, double height, std::string_view fill);
  void line(Spot from, Spot to, const Stroke& stroke);
  /// Nothing for fewer than two spots.
  void path(const std::vector<Spot>& spots, const Stroke& stroke);
  void dot(Spot centre, double radius, std::string_view fill);
  /// `text` as label() shows it; the spot is on the line of its feet.
  void text(Spot at, std::string_view text, const TextStyle& style);

  /// The whole document.
  std::string finish() &&;

 private:
  std::string out_;
};

}  // namespace ulnet::tools::chart
