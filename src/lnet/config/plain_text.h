// A text of module parameters with its comments blanked out, and the place of each part in the text
// as written. Source: spec/cli-lnetctl.md 9, 10.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lnet/config/problem.h"

namespace ulnet::conf {

/// The text with blanks for comments and for continued line ends. A comment reaches from a # to the
/// end of its line, or of the quote around it; in modprobe's files a backslash continues a comment
/// line. A backslash before a line end, also at the end of a comment or before one, continues the
/// line. No byte moves, so each part keeps its place. Parts are views into the object, which is
/// neither copied nor moved.
class PlainText {
 public:
  explicit PlainText(std::string_view written);
  PlainText(const PlainText&) = delete;
  PlainText& operator=(const PlainText&) = delete;

  std::string_view text() const { return plain_; }
  /// Line and column of the first byte of `part`, a view into text(), that is no blank. If `part`
  /// is no view into it, the begin of the text.
  Place place_of(std::string_view part) const;
  /// The number of bytes of the line continuation, a backslash and a line end, with which `rest`, a
  /// view into text(), begins; 0: it does not begin with one.
  std::size_t continuation_at(std::string_view rest) const;
  /// The problem of this part.
  tl::unexpected<Problem> wrong(std::string_view part, std::string reason,
                                int code = -EINVAL) const;

 private:
  /// Blanks the line end behind this line if the line is continued.
  void end_line(std::string_view written);

  std::string plain_;
  std::vector<std::size_t> lines_{0};  // where each line of the text as written begins
  std::vector<std::pair<std::size_t, std::size_t>> joints_;  // of each continuation: begin and end
};

}  // namespace ulnet::conf
