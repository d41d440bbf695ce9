#include "admin/conf/modprobe.h"

#include <algorithm>

#include "lnet/base/text.h"
#include "lnet/config/param_words.h"

namespace ulnet::conf {

namespace {

constexpr std::string_view kInLine = " \t\r";  // blanks, without the line end
constexpr std::string_view kOptions = "options";
constexpr auto kEnd = std::string_view::npos;

bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

/// Reads a text from its beginning to its end.
class Scan {
 public:
  explicit Scan(const PlainText& in, std::string_view text) : in_(in), rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool at_blank() const { return !rest_.empty() && kBlanks.find(rest_.front()) != kEnd; }
  bool at_line_end() const { return rest_.empty() || rest_.front() == '\n'; }
  bool at_quote() const { return !rest_.empty() && is_quote(rest_.front()); }
  std::string_view rest() const { return rest_; }

  void skip(std::string_view bytes) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(bytes), rest_.size()));
  }
  void skip_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1); }
  /// Takes bytes up to the first of `ends`.
  std::string_view take_until(std::string_view ends) {
    return take(std::min(rest_.find_first_of(ends), rest_.size()));
  }
  /// Whether the line ends here with a backslash, and therefore continues on the next line.
  bool at_continuation() const { return in_.continuation_at(rest_) != 0; }
  /// Takes bytes up to a blank. A backslash joins its line with the next one, so the bytes may
  /// include line ends.
  std::string_view take_joined() {
    const std::string_view begin = rest_;
    take_until(kBlanks);
    for (std::size_t joint = in_.continuation_at(rest_); joint != 0;
         joint = in_.continuation_at(rest_)) {
      take(joint);
      take_until(kBlanks);
    }
    return begin.substr(0, begin.size() - rest_.size());
  }
  std::string_view take_name() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_name);
    return take(static_cast<std::size_t>(end - rest_.begin()));
  }
  std::string_view take(std::size_t bytes) {
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  bool take_equals() {
    if (!rest_.starts_with('=')) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Takes the text in the quotes that begin here. Only a blank may follow the closing quote.
  Parsed<std::string_view> take_quoted() {
    const std::string_view begin = rest_;
    const std::size_t end = begin.find(begin.front(), 1);
    if (end == kEnd) return in_.wrong(begin, "a quote is not closed: " + quoted_word(begin));
    rest_.remove_prefix(end + 1);
    if (!rest_.empty() && kBlanks.find(rest_.front()) == kEnd)
      return in_.wrong(rest_, "text behind the quote: " + quoted_word(begin));
    return begin.substr(1, end - 1);
  }

 private:
  const PlainText& in_;
  std::string_view rest_;
};

/// Returns how many bytes a value without quotes has. The value continues to the next "name=".
std::size_t up_to_assignment(std::string_view text) {
  for (std::size_t i = text.find_first_of(kBlanks); i != kEnd; i = text.find_first_of(kBlanks, i)) {
    i = text.find_first_not_of(kBlanks, i);
    if (i == kEnd) break;
    if (begins_with_assignment(text.substr(i))) return i;
  }
  return text.size();
}

bool is_lnets(std::string_view module) {
  return std::ranges::any_of(kLnetModules,
                             [&](std::string_view name) { return is_module(module, name); });
}

/// Reads the parameters of one line that begins with `options`; the scan is behind that word. If
/// the line is for another module, the scan stays in the line.
Parsed<void> read_options(const PlainText& in, Scan& scan, std::vector<ModuleParam>& to,
                          Problems& notes) {
  const std::string_view word(scan.rest().data() - kOptions.size(), kOptions.size());
  scan.skip(kInLine);
  const std::string_view module = scan.take_until(kBlanks);
  if (module.empty()) notes.push_back(note(in.place_of(word), "'options' names no module"));
  if (!is_lnets(module)) return {};
  for (scan.skip(kInLine); !scan.at_line_end(); scan.skip(kInLine)) {
    if (scan.at_quote()) {
      const auto enclosed = scan.take_quoted();
      if (!enclosed) return tl::unexpected(enclosed.error());
      auto params = read_assignments(in, *enclosed);
      if (!params) return tl::unexpected(std::move(params.error()));
      for (ModuleParam& param : *params) to.push_back({module, param.name, param.value});
      continue;
    }
    const std::string_view at = scan.rest();
    const std::string_view name = scan.take_name();
    if (!name.empty() && (scan.at_end() || scan.at_blank())) {
      to.push_back({module, name, {}, true});
      continue;
    }
    if (name.empty() || !scan.take_equals())
      return in.wrong(at,
                      quoted_word(at.substr(0, at.find_first_of(kBlanks))) + " is not NAME=VALUE");
    if (scan.at_continuation()) scan.skip(kInLine);
    auto value = scan.at_quote() ? scan.take_quoted() : scan.take_joined();
    if (!value) return tl::unexpected(std::move(value.error()));
    to.push_back({module, name, *value});
  }
  return {};
}

}  // namespace

Parsed<std::vector<ModuleParam>> read_modprobe(const PlainText& in, Problems& notes) {
  std::vector<ModuleParam> params;
  for (Scan scan(in, in.text()); !scan.at_end();) {
    scan.skip(kInLine);
    if (scan.take_until(kBlanks) == kOptions)
      if (auto read = read_options(in, scan, params, notes); !read)
        return tl::unexpected(std::move(read.error()));
    if (!scan.at_end()) scan.skip_line();
  }
  return params;
}

Parsed<std::vector<ModuleParam>> read_assignments(const PlainText& in, std::string_view part) {
  std::vector<ModuleParam> params;
  Scan scan(in, part);
  for (scan.skip(kBlanks); !scan.at_end(); scan.skip(kBlanks)) {
    const std::string_view at = scan.rest();
    const std::string_view name = scan.take_name();
    scan.skip(kInLine);
    if (name.empty() || !scan.take_equals())
      return in.wrong(at,
                      quoted_word(at.substr(0, at.find_first_of(kBlanks))) + " is not NAME=VALUE");
    scan.skip(kInLine);
    auto value = scan.at_quote() ? scan.take_quoted() : scan.take(up_to_assignment(scan.rest()));
    if (!value) return tl::unexpected(std::move(value.error()));
    params.push_back({{}, name, *value});
  }
  return params;
}

bool has_options(const PlainText& in) {
  for (Scan scan(in, in.text()); !scan.at_end(); scan.skip_line()) {
    scan.skip(kInLine);
    if (scan.take_until(kBlanks) == kOptions) return true;
    if (scan.at_end()) break;
  }
  return false;
}

bool begins_with_assignment(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_name);
  if (end == text.begin()) return false;
  const std::size_t equals =
      text.find_first_not_of(kInLine, static_cast<std::size_t>(end - text.begin()));
  return equals != kEnd && text[equals] == '=';
}

bool is_module(std::string_view written, std::string_view name) {
  return std::equal(written.begin(), written.end(), name.begin(), name.end(),
                    [](char a, char b) { return (a == '-' ? '_' : a) == (b == '-' ? '_' : b); });
}

}  // namespace ulnet::conf
