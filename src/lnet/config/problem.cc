#include "lnet/config/problem.h"

#include <array>
#include <cstddef>
#include <utility>

namespace ulnet::conf {

std::string_view to_string(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"note", "warning", "error"};
  return kNames[static_cast<std::size_t>(severity)];
}

Problem note(Place place, std::string reason) {
  return {.place = place, .reason = std::move(reason), .severity = Severity::kNote};
}

std::string place_text(const std::string& file, Place place) {
  if (place.line == 0) return file;
  const std::string line = std::to_string(place.line), column = std::to_string(place.column);
  return file.empty() ? "line " + line + ", column " + column : file + ":" + line + ":" + column;
}

std::string to_string(const Problem& problem) {
  const std::string place = place_text(problem.file, problem.place);
  return place.empty() ? problem.reason : place + ": " + problem.reason;
}

std::string lines_of(const Problems& problems) {
  std::string lines;
  for (const Problem& problem : problems) lines += to_string(problem) + "\n";
  return lines;
}

Problems in_file(Problems problems, const std::string& file) {
  for (Problem& problem : problems) problem.file = file;
  return problems;
}

}  // namespace ulnet::conf
