#include "text/yaml_node.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>

#include "lnet/base/limits.h"
#include "lnet/base/text.h"
#include "text/quantity.h"

namespace ulnet::conf {

namespace {

tl::unexpected<Problem> refused(Place place, std::string reason, int code = -EINVAL) {
  return tl::unexpected(Problem{place, std::move(reason), code});
}

/// Presents the text as the stream from which the YAML library reads, without a copy.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // only read: no put area is set
    setg(begin, begin, begin + text.size());
  }
};

/// Builds the tree from the library's events.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, YamlTags tags) : text_(text), tags_(tags) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }
  std::vector<YamlNode> take() { return std::move(documents_); }

  // At a stray token the library ends a document without consuming the token. It would then find
  // empty documents at that place for ever.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos <= last_start_) throw YAML::ParserException(mark, "unexpected text");
    last_start_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    leaf(mark, anchor, YamlNode::Kind::kNull, {});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_alias(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool null = tag == "?" && (value.empty() || value == "~" || value == "null");
    leaf(mark, anchor, null ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    std::optional<std::string> key;  // the key of a map, between the key and its value
    Place key_place;
  };

  [[noreturn]] static void refuse_alias(const YAML::Mark& mark) {
    throw YAML::ParserException(
        mark, "aliases and anchors are not allowed (put text that begins with * or & in quotes)");
  }
  /// Finds a tag. A node with a tag begins at the tag, and no plain text begins like a tag.
  void look_for_tag(const YAML::Mark& mark) const {
    if (tags_ == YamlTags::kPassedOver) return;
    const std::string_view at =
        text_.substr(std::min(static_cast<std::size_t>(mark.pos), text_.size()));
    if (!at.starts_with('!')) return;
    throw YAML::ParserException(mark,
                                "tags are not allowed: remove " +
                                    text::quoted(at.substr(0, at.find_first_of(" \t\r\n,[]{}"))) +
                                    " (put text that begins with ! in quotes)");
  }
  YamlNode node_at(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) const {
    if (anchor != 0) refuse_alias(mark);
    look_for_tag(mark);
    YamlNode node;
    node.kind = kind;
    node.place = {mark.line + 1, mark.column + 1};
    return node;
  }
  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind,
            const std::string& value) {
    YamlNode node = node_at(mark, anchor, kind);
    node.text = value;
    add(std::move(node));
  }
  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlNode::Kind kind) {
    if (open_.size() >= limits::kConfigNestingMax)
      throw YAML::ParserException(mark, "nested too deep");
    if (expects_key()) throw YAML::ParserException(mark, "a key must be plain text");
    open_.push_back({node_at(mark, anchor, kind), std::nullopt, {}});
  }
  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }
  bool expects_key() const {
    return !open_.empty() && open_.back().node.is_map() && !open_.back().key;
  }
  void add(YamlNode node) {
    if (open_.empty()) {
      documents_.push_back(std::move(node));
    } else if (open_.back().node.is_sequence()) {
      open_.back().node.items.push_back(std::move(node));
    } else if (expects_key()) {
      open_.back().key = std::move(node.text);
      open_.back().key_place = node.place;
    } else {
      node.key_place = open_.back().key_place;
      open_.back().node.entries.push_back({std::move(*open_.back().key), std::move(node)});
      open_.back().key.reset();
    }
  }

  std::string_view text_;  ///< the places that the library gives are byte offsets in it
  const YamlTags tags_;
  std::vector<YamlNode> documents_;
  std::vector<Open> open_;
  int last_start_ = -1;  // place in the text of the latest document's first token
};

/// Walks the text once, before the library does, and finds where the nesting first exceeds the
/// limit. It counts indentation, dashes and brackets, even brackets inside strings; no
/// configuration has that many.
class NestingScan {
 public:
  std::optional<Place> too_deep(std::string_view text) {
    int line = 1;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (const int column = scan_line(text.substr(0, end)); column > 0) return Place{line, column};
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line;
    }
    return std::nullopt;
  }

 private:
  // Returns the column at which the nesting is too deep, else 0.
  int scan_line(std::string_view line) {
    std::size_t i = line.find_first_not_of(' ');
    if (i == std::string_view::npos || line[i] == '#') return 0;
    while (!indents_.empty() && indents_.back() >= i) indents_.pop_back();
    for (; i < line.size(); ++i) {
      indents_.push_back(i);
      if (too_many()) return static_cast<int>(i) + 1;
      const bool indicator = (line[i] == '-' || line[i] == '?' || line[i] == ':') &&
                             (i + 1 == line.size() || line[i + 1] == ' ' || line[i + 1] == '\t');
      if (!indicator) break;
      i = std::min(line.find_first_not_of(" \t", i + 1), line.size()) - 1;
    }
    for (; i < line.size(); ++i) {
      if (line[i] == '[' || line[i] == '{') ++brackets_;
      if ((line[i] == ']' || line[i] == '}') && brackets_ > 0) --brackets_;
      if (too_many()) return static_cast<int>(i) + 1;
    }
    return 0;
  }
  bool too_many() const { return indents_.size() + brackets_ > 2 * limits::kConfigNestingMax; }

  std::vector<std::size_t> indents_;
  std::size_t brackets_ = 0;
};

/// Finds the tab in the indentation of this line (from 1); nothing: it has no tab.
std::optional<Place> indenting_tab(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const std::size_t tab = text.find_first_not_of(' ');
  if (tab == std::string_view::npos || text[tab] != '\t') return std::nullopt;
  return Place{line, static_cast<int>(tab) + 1};
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const auto& [name, node] : entries) {
    if (name == key) return &node;
  }
  return nullptr;
}

std::optional<std::int64_t> YamlNode::as_int() const {
  return is_scalar() ? text::parse_number(text) : std::nullopt;
}

std::optional<bool> YamlNode::as_bool() const {
  return is_scalar() ? text::parse_truth(text) : std::nullopt;
}

std::span<const YamlNode> YamlNode::as_list() const {
  return is_sequence() ? std::span(items) : std::span(this, 1);
}

std::string YamlNode::shown() const {
  switch (kind) {
    case Kind::kNull:
      return "";
    case Kind::kScalar:
      return text;
    case Kind::kSequence:
      return "(a list)";
    case Kind::kMap:
      return "(a mapping)";
  }
  return {};
}

namespace {

/// Finds the place of a byte. Columns count bytes, as the library counts them.
Place place_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line = lines == 0 ? 0 : before.rfind('\n') + 1;
  return {static_cast<int>(lines) + 1, static_cast<int>(offset - line) + 1};
}

/// Rewrites a message of the library, which uses words of the YAML grammar, as a message that says
/// how to correct the mistake.
std::string in_plain_words(const std::string& message) {
  const std::pair<std::string_view, std::string_view> kMeant[] = {
      {YAML::ErrorMsg::END_OF_MAP_FLOW,
       "a '{' is not closed, or a word with a bracket is not in quotes"},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW,
       "a '[' is not closed, or a word with a bracket is not in quotes"},
      {YAML::ErrorMsg::FLOW_END,
       "a bracket is closed that is not open, or a word with a bracket is not in quotes"},
      {YAML::ErrorMsg::BLOCK_ENTRY,
       "a bracket or quotes above are not closed, or the list is not indented as its first line"},
      {YAML::ErrorMsg::END_OF_MAP,
       "quotes above are not closed, or the line is not indented as its neighbours"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "quotes are not closed"},
      {YAML::ErrorMsg::MAP_KEY, "two ': ' in a line, or quotes above are not closed"},
      {YAML::ErrorMsg::MAP_VALUE, "two ': ' in a line, or quotes above are not closed"},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR, "put text that begins with * in quotes"}};
  for (const auto& [said, meant] : kMeant)
    if (message == said) return message + " (" + std::string(meant) + ")";
  return message;
}

}  // namespace

Parsed<std::vector<YamlNode>> load_yaml(std::string_view text, YamlTags tags) {
  if (text.size() > limits::kConfigTextMax)
    return refused({}, "the text is longer than 16 MiB", -E2BIG);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return refused(place_at(text, nul), "a byte of zero: the file is no text");
  if (const std::size_t good = text::bytes_of_utf8(text); good != text.size())
    return refused(place_at(text, good), "the text is not UTF-8");
  if (const auto place = NestingScan().too_deep(text)) return refused(*place, "nested too deep");
  // The library reports errors as exceptions. They do not leave this function.
  try {
    TextBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    Builder builder(text, tags);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const YAML::Exception& e) {
    // The library does not say that a tab made it fail.
    if (const auto tab = indenting_tab(text, e.mark.line + 1))
      return refused(*tab, "a tab: YAML is indented by spaces only");
    return refused({e.mark.line + 1, e.mark.column + 1}, in_plain_words(e.msg));
  }
}

}  // namespace ulnet::conf
