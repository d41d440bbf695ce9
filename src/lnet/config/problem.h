// Places in a configuration's text, and problems and notes about them.
#pragma once

#include <cerrno>
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
  bool operator==(const Place&) const = default;
};

/// An error at a place. `reason` is what lnetctl prints as `descr`: "invalid key 'x'", "no value
/// specified for key 'x'", "invalid value 'foo' for key 'x'", ...
struct Problem {
  Place place;
  int code = -EINVAL;
  std::string reason;
  std::optional<std::int64_t> seq_no = {};  ///< the item's number in the text
};

/// The value that was read, or the problem.
template <class T>
using Parsed = tl::expected<T, Problem>;

/// A remark that is no error: "Ignoring unrecognized key 'x' for 'tunables'".
struct Note {
  Place place;
  std::string text;
};
using Notes = std::vector<Note>;

/// "line 3, column 5: " and `what`; without a line only `what`.
std::string with_place(Place place, std::string_view what);

}  // namespace ulnet::conf
