// A problem at a place in a text that a user wrote: a configuration, a module parameter, a
// topology, a site. All readers of such texts report this type.
#pragma once

#include <cerrno>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace ulnet::conf {

/// Line and column (in bytes) in the text, from 1. Line 0: the text as a whole.
struct Place {
  int line = 0;
  int column = 0;
  auto operator<=>(const Place&) const = default;
};

enum class Severity : std::uint8_t {
  kNote,     ///< harmless
  kWarning,  ///< works, but not as well as it should
  kError,
};
/// Returns "note", "warning", "error".
std::string_view to_string(Severity severity);

/// An error, or what deserves a warning or a note. `reason` is what lnetctl prints as `descr`:
/// "invalid key 'x'", "no value specified for key 'x'", "invalid value 'foo' for key 'x'", ...
struct Problem {
  Place place = {};
  std::string reason = {};
  int code = -EINVAL;                       ///< a negative errno
  std::optional<std::int64_t> seq_no = {};  ///< the item's number in the text
  std::string file = {};  ///< name of the text: a path, "command line"; empty: it has none
  std::string hint = {};  ///< what the user can do; may be empty
  Severity severity = Severity::kError;

  bool operator==(const Problem&) const = default;
};
using Problems = std::vector<Problem>;

/// Makes a note, which is no error: "Ignoring unrecognized key 'x' for 'tunables'".
Problem note(Place place, std::string reason);

/// The value that was read, or the problem.
template <class T>
using Parsed = tl::expected<T, Problem>;

/// Returns "FILE:LINE:COLUMN", to which editors jump. Without a line "FILE"; without a file
/// "line 3, column 5", or nothing.
std::string place_text(const std::string& file, Place place);
/// Returns the place and the reason, "FILE:LINE:COLUMN: invalid key 'x'", without the hint.
std::string to_string(const Problem& problem);
/// Returns a line for each problem: to_string() and a line end.
std::string lines_of(const Problems& problems);
/// Returns the same problems, all in this file.
Problems in_file(Problems problems, const std::string& file);

}  // namespace ulnet::conf
