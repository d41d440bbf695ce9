#include "text/chart/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "lnet/base/text.h"

namespace ulnet::tools::chart {
namespace {

constexpr std::size_t kLettersMax = 64;
constexpr char32_t kReplacement = 0xfffd;

/// Removes one character from the front of a text that is not empty, and returns it. Returns U+FFFD
/// for a byte that is not a character.
text::Letter take(std::string_view& rest) {
  const text::Letter letter = text::first_letter(rest).value_or(text::Letter{kReplacement, 1});
  rest.remove_prefix(letter.bytes);
  return letter;
}

bool is_xml(char32_t point) {
  return point >= 0x20 ? point != 0xfffe && point != 0xffff
                       : point == '\t' || point == '\n' || point == '\r';
}

std::size_t letters_of(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) take(text);
  return count;
}

/// Formats a length with at most two decimals, without zeros at the end.
std::string px(double length) {
  std::string text = fmt::format("{:.2f}", length);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string attributes_of(const Stroke& stroke) {
  std::string text =
      fmt::format("stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, px(stroke.width));
  if (!stroke.dashes.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", stroke.dashes);
  return text;
}

std::string points_of(const std::vector<Spot>& spots) {
  std::string text;
  for (const Spot& spot : spots)
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", px(spot.x), px(spot.y));
  return text;
}

std::string_view name_of(Anchor anchor) {
  return anchor == Anchor::kStart ? "start" : anchor == Anchor::kMiddle ? "middle" : "end";
}

/// Returns the lines of a hatch as moves of a path, for a tile of this size. The lines of adjacent
/// tiles join.
std::string marks_of(Hatch kind, double step) {
  const std::string end = px(step), half = px(step / 2);
  switch (kind) {
    case Hatch::kRising:
      return fmt::format("M0,{0} L{0},0", end);
    case Hatch::kFalling:
      return fmt::format("M0,0 L{0},{0}", end);
    case Hatch::kLevel:
      return fmt::format("M0,{1} H{0}", end, half);
    case Hatch::kUpright:
      return fmt::format("M{1},0 V{0}", end, half);
    case Hatch::kGrid:
      return fmt::format("M0,{1} H{0} M{1},0 V{0}", end, half);
    case Hatch::kLattice:
      return fmt::format("M0,{0} L{0},0 M0,0 L{0},{0}", end);
    case Hatch::kZigzag:
      return fmt::format("M0,{2} L{1},{3} L{0},{2}", end, half, px(step / 4), px(3 * step / 4));
    case Hatch::kDots:
    case Hatch::kRings:
      break;
  }
  return {};
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view before = text;
    const text::Letter letter = take(text);
    const std::string_view bytes = before.substr(0, letter.bytes);
    if (letter.point == '&')
      out += "&amp;";
    else if (letter.point == '<')
      out += "&lt;";
    else if (letter.point == '>')
      out += "&gt;";
    else if (letter.point == '"')
      out += "&quot;";
    else if (letter.point == '\'')
      out += "&apos;";
    else if (letter.point == kReplacement || !is_xml(letter.point))
      out += "\ufffd";
    else
      out += bytes;
  }
  return out;
}

std::string label(std::string_view text) {
  if (letters_of(text) <= kLettersMax) return escaped(text);
  std::string_view rest = text;
  for (std::size_t k = 1; k < kLettersMax; ++k) take(rest);
  return escaped(text.substr(0, text.size() - rest.size())) + "…";
}

double width_of(std::string_view text, int size) {
  return 0.62 * size * static_cast<double>(std::min(letters_of(text), kLettersMax));
}

Svg::Svg(double width, double height) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n",
      px(width), px(height));
  rect({}, width, height, "#ffffff");
}

void Svg::pages(double width, double height) {
  out_ +=
      fmt::format("<style>@page {{ size: {}px {}px; margin: 0 }}</style>\n", px(width), px(height));
}

void Svg::rect(Spot corner, double width, double height, std::string_view fill) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                      px(corner.x), px(corner.y), px(width), px(height), fill);
}

void Svg::line(Spot from, Spot to, const Stroke& stroke) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", px(from.x),
                      px(from.y), px(to.x), px(to.y), attributes_of(stroke));
}

void Svg::path(const std::vector<Spot>& spots, const Stroke& stroke) {
  if (spots.size() < 2) return;
  out_ += "<polyline points=\"" + points_of(spots);
  out_ += fmt::format("\" fill=\"none\" stroke-linejoin=\"round\" {}/>\n", attributes_of(stroke));
}

void Svg::shape(const std::vector<Spot>& corners, std::string_view fill, const Stroke& outline) {
  if (corners.size() < 3) return;
  out_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" {}/>\n", points_of(corners), fill,
                      attributes_of(outline));
}

void Svg::box(Spot corner, double width, double height, std::string_view fill,
              const Stroke& outline) {
  const double right = corner.x + width, bottom = corner.y + height;
  shape({corner, {right, corner.y}, {right, bottom}, {corner.x, bottom}}, fill, outline);
}

void Svg::dot(Spot centre, double radius, std::string_view fill) {
  out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", px(centre.x),
                      px(centre.y), px(radius), fill);
}

void Svg::text(Spot at, std::string_view text, const TextStyle& style) {
  if (text.empty()) return;
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"",
                      px(at.x), px(at.y), style.size, style.fill, name_of(style.anchor));
  if (style.bold) out_ += " font-weight=\"bold\"";
  if (style.turn != 0)
    out_ += fmt::format(" transform=\"rotate({} {} {})\"", style.turn, px(at.x), px(at.y));
  out_ += ">" + label(text) + "</text>\n";
}

void Svg::hatch(std::string_view id, Hatch kind, double step, std::string_view ground,
                std::string_view ink) {
  out_ += fmt::format(
      "<defs><pattern id=\"{0}\" width=\"{1}\" height=\"{1}\" patternUnits=\"userSpaceOnUse\">\n",
      id, px(step));
  rect({}, step, step, ground);
  if (kind == Hatch::kDots || kind == Hatch::kRings)
    out_ += fmt::format("<circle cx=\"{0}\" cy=\"{0}\" r=\"{1}\" {2}/>\n", px(step / 2),
                        px(kind == Hatch::kDots ? step / 4 : step / 3.2),
                        kind == Hatch::kDots
                            ? fmt::format("fill=\"{}\"", ink)
                            : fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.3\"", ink));
  else
    out_ += fmt::format("<path d=\"{}\" fill=\"none\" {}/>\n", marks_of(kind, step),
                        attributes_of({.colour = ink, .width = 1.5}));
  out_ += "</pattern></defs>\n";
}

std::string Svg::finish() && { return std::move(out_) + "</svg>\n"; }

}  // namespace ulnet::tools::chart
