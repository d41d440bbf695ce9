#include "lnet/config/plain_text.h"

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

/// The first byte of the line that is no blank; 0 for none.
char first_byte(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? '\0' : line[at];
}

/// Whether the text is a modprobe file: a line begins with `options`.
bool has_options_line(std::string_view text) {
  constexpr std::string_view kWord = "options";
  for (std::size_t at = text.find(kWord); at != std::string_view::npos;
       at = text.find(kWord, at + 1)) {
    const std::size_t before =
        at == 0 ? std::string_view::npos : text.find_last_not_of(" \t", at - 1);
    if (before == std::string_view::npos || text[before] == '\n') return true;
  }
  return false;
}

/// Whether the line is a modprobe command other than `options`: a quote that it leaves open ends
/// with the line.
bool is_command(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  for (const std::string_view command :
       {"alias", "blacklist", "include", "install", "remove", "softdep"})
    if (word == command) return true;
  return false;
}

}  // namespace

PlainText::PlainText(std::string_view written) : plain_(written) {
  const bool modprobes = has_options_line(written);
  bool comment = false, goes_on = false;  // goes_on: of a line that is a comment
  char quote = 0;                         // the character that opened the current quote
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    const char c = plain_[i];
    if (c == '\n') {
      const std::string_view line = written.substr(lines_.back(), i - lines_.back());
      if (is_command(line)) quote = 0;
      end_line(line);
      // modprobe joins the lines before it looks for comments.
      const bool whole = goes_on || first_byte(line) == '#';
      comment = goes_on = modprobes && quote == 0 && whole && ends_with_backslash(line);
      continue;
    }
    if (quote != 0 && c == quote) {
      comment = false;
      quote = 0;
    } else if (c == '#') {
      comment = true;
    } else if (!comment && quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    }
    if (comment) plain_[i] = ' ';
  }
}

void PlainText::end_line(std::string_view written) {
  const std::size_t begin = lines_.back(), end = begin + written.size();
  lines_.push_back(end + 1);
  // A backslash at the end of a line continues the line. Comments are blanks in `plain_` already,
  // so the first branch also finds a backslash before a comment. The second branch finds one at the
  // end of a comment.
  const std::string_view line = std::string_view(plain_).substr(begin, written.size());
  if (ends_with_backslash(line)) {
    joints_.emplace_back(begin + last_byte(line), end + 1);
    plain_[joints_.back().first] = plain_[end] = ' ';
  } else if (ends_with_backslash(written)) {
    plain_[end] = ' ';
  }
}

std::size_t PlainText::continuation_at(std::string_view rest) const {
  const auto at = static_cast<std::size_t>(rest.data() - plain_.data());
  const auto joint =
      std::ranges::lower_bound(joints_, at, {}, &std::pair<std::size_t, std::size_t>::first);
  return joint == joints_.end() || joint->first != at ? 0 : joint->second - at;
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
  return tl::unexpected(Problem{place_of(part), std::move(reason), code});
}

}  // namespace ulnet::conf
