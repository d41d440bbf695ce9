// A text of module parameters, of which the parts that mean nothing are blanks, and where in the
// text as written each other part stands. Source: spec/cli-lnetctl.md 9, 10.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lnet/config/problem.h"

namespace ulnet::conf {

/// The text with a blank for every byte of a comment (from a # to the end of its line, or of the
/// quote that it is in; a line of modprobe's that is a comment goes on behind a backslash) and of a
/// line end behind a backslash, with which a line goes on; the
/// backslash may stand at the end of a comment, or before one. Nothing moves, so that a part of it
/// still has its place. Its parts are views into it: it is neither copied nor moved.
class PlainText {
 public:
  explicit PlainText(std::string_view written);
  PlainText(const PlainText&) = delete;
  PlainText& operator=(const PlainText&) = delete;

  std::string_view text() const { return plain_; }
  /// Line and column of the first byte of `part`, a view into text(), that is no blank. The begin
  /// of the text when `part` is no view into it.
  Place place_of(std::string_view part) const;
  /// How many bytes of `rest`, a view into text(), are a backslash and the end of its line, with
  /// which that line goes on; 0: it does not begin with those.
  std::size_t joint_at(std::string_view rest) const;
  /// The problem of this part.
  tl::unexpected<Problem> wrong(std::string_view part, std::string reason,
                                int code = -EINVAL) const;

 private:
  /// Blanks the line end behind this line if it goes on.
  void end_line(std::string_view written);

  std::string plain_;
  std::vector<std::size_t> lines_{0};  // where each line of the text as written begins
  std::vector<std::pair<std::size_t, std::size_t>> joints_;  // begin and end of each
};

}  // namespace ulnet::conf
