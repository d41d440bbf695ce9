#include "conf/plain_text.h"

#include <algorithm>
#include <functional>

namespace ulnet::conf {

namespace {

/// The last byte of the line that is no blank; npos for none.
std::size_t last_byte(std::string_view line) { return line.find_last_not_of(" \t\r"); }

bool ends_with_backslash(std::string_view line) {
  const std::size_t last = last_byte(line);
  return last != std::string_view::npos && line[last] == '\\';
}

}  // namespace

PlainText::PlainText(std::string_view written) : plain_(written) {
  bool comment = false;
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    if (plain_[i] == '#') comment = true;
    if (plain_[i] == '\n') {
      end_line(written.substr(lines_.back(), i - lines_.back()));
      comment = false;
    } else if (comment) {
      plain_[i] = ' ';
    }
  }
}

void PlainText::end_line(std::string_view written) {
  const std::size_t begin = lines_.back(), end = begin + written.size();
  lines_.push_back(end + 1);
  // Before a comment, whose bytes are blanks by now, or at its end.
  const std::string_view line = std::string_view(plain_).substr(begin, written.size());
  if (ends_with_backslash(line))
    plain_[begin + last_byte(line)] = plain_[end] = ' ';
  else if (ends_with_backslash(written))
    plain_[end] = ' ';
}

Place PlainText::place_of(std::string_view part) const {
  const std::less_equal<const char*> not_behind;
  const char* const begin = plain_.data();
  const bool inside = part.data() != nullptr && not_behind(begin, part.data()) &&
                      not_behind(part.data(), begin + plain_.size());
  if (!inside) return {1, 1};
  const std::size_t blanks = part.find_first_not_of(" \t\r\n");
  const std::size_t at = static_cast<std::size_t>(part.data() - begin) +
                         (blanks == std::string_view::npos ? 0 : blanks);
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), at) - 1;
  return {static_cast<int>(line - lines_.begin()) + 1, static_cast<int>(at - *line) + 1};
}

tl::unexpected<Problem> PlainText::wrong(std::string_view part, std::string reason,
                                         int code) const {
  return tl::unexpected(Problem{place_of(part), code, std::move(reason)});
}

}  // namespace ulnet::conf
