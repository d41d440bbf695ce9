#include "lnet/config/routes_text.h"

#include <algorithm>
#include <charconv>

#include "lnet/base/text.h"
#include "lnet/config/param_words.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::conf {

namespace {

/// The range of a route's number.
struct Count {
  const char* what;
  std::uint32_t min, max;
};
constexpr Count kHopCount{"hopcount", 1, 255};
constexpr Count kPriority{"priority", 0, 0x7fffffff};

/// Reads one entry in either form.
class RuleReader {
 public:
  RuleReader(const PlainText& in, std::string_view entry) : in_(in), entry_(entry) {}

  Parsed<RouteRule> read() {
    const std::size_t brace = entry_.find('{');
    if (auto read = brace == std::string_view::npos ? line() : braces(brace); !read)
      return tl::unexpected(std::move(read.error()));
    if (rule_.nets.empty() || rule_.gateways.empty())
      return in_.wrong(entry_, "a route needs a net and a gateway: " + quoted_word(entry_));
    return std::move(rule_);
  }

  /// The number of nets in the entry.
  std::size_t nets() const { return nets_; }

 private:
  /// "NETS [HOPS] GATEWAYS[:PRIORITY]"
  Parsed<void> line() {
    const auto words = words_of(in_, entry_);
    if (!words) return tl::unexpected(words.error());
    for (const std::string_view word : *words) {
      const bool is_gateway = word.find('@') != std::string_view::npos;
      if (auto read = is_gateway ? gateway_of_line(word) : net_or_hops(word); !read) return read;
    }
    return {};
  }
  Parsed<void> net_or_hops(std::string_view word) {
    const bool digits = word.find_first_not_of("0123456789") == std::string_view::npos;
    if (digits && !rule_.nets.empty() && !rule_.hop && rule_.gateways.empty())
      return count(word, kHopCount, rule_.hop);
    if (rule_.hop || !rule_.gateways.empty()) return not_a_net(word);
    return net(word);
  }
  Parsed<void> gateway_of_line(std::string_view word) {
    if (rule_.priority)
      return in_.wrong(word, "text behind the priority in route " + quoted_word(entry_));
    // ":priority" follows the net of the last gateway; an IPv6 address has its colons before the @
    const std::size_t colon = word.find(':', word.find('@'));
    if (colon != std::string_view::npos)
      if (auto read = count(word.substr(colon + 1), kPriority, rule_.priority); !read) return read;
    return gateway(word.substr(0, colon));
  }

  /// "NET: { gateway: NID, hop: N, priority: N }", the keys in any order.
  Parsed<void> braces(std::size_t brace) {
    const std::string_view before = text::trim(entry_.substr(0, brace));
    const std::size_t close = entry_.find('}', brace);  // exists: the brackets are balanced
    if (!before.ends_with(':')) return in_.wrong(entry_.substr(brace), "a ':' is missing before {");
    if (const auto behind = text::trim(entry_.substr(close + 1)); !behind.empty())
      return in_.wrong(behind, "text behind the } in route " + quoted_word(entry_));
    if (auto read = net(text::trim(before.substr(0, before.size() - 1))); !read) return read;
    const auto fields = split(in_, entry_.substr(brace + 1, close - brace - 1), ",");
    if (!fields) return tl::unexpected(fields.error());
    for (const std::string_view each : *fields) {
      if (text::trim(each).empty()) continue;
      if (auto read = field(each); !read) return read;
    }
    return {};
  }
  Parsed<void> field(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view key = text::trim(text.substr(0, colon));
    const std::string_view value =
        unquoted(text::trim(text.substr(std::min(colon + 1, text.size()))));
    if (key == "gateway") {
      if (!rule_.gateways.empty()) return in_.wrong(text, kSeveralGateways);
      return gateway(value);
    }
    const bool is_hop = key == "hop";
    if (!is_hop && key != "priority")
      return in_.wrong(text,
                       "invalid key " + quoted_word(key) + " in route " + quoted_word(entry_));
    std::optional<std::uint32_t>& to = is_hop ? rule_.hop : rule_.priority;
    if (to) return in_.wrong(text, "key " + quoted_word(key) + " is given twice");
    return count(value.empty() ? text : value, is_hop ? kHopCount : kPriority, to);
  }
  /// The word without its quotes: a YAML reader would need them around "[3,4]@gni".
  static std::string_view unquoted(std::string_view word) {
    const bool quotes =
        word.size() >= 2 && word.front() == word.back() && (word[0] == '"' || word[0] == '\'');
    return quotes ? word.substr(1, word.size() - 2) : word;
  }

  Parsed<void> net(std::string_view word) {
    const auto pattern = wire::NetPattern::parse(word);
    const auto nets = pattern ? pattern->expand(kRoutesMax) : tl::unexpected(pattern.error());
    if (!nets) return not_a_net(word);
    nets_ += nets->size();
    if (nets_ > kRoutesMax) return in_.wrong(word, kTooManyRoutes, -E2BIG);
    rule_.nets.push_back(word);
    return {};
  }
  Parsed<void> not_a_net(std::string_view word) {
    return in_.wrong(word.empty() ? entry_ : word,
                     "invalid net " + quoted_word(word) + " in route " + quoted_word(entry_));
  }
  /// A gateway may be a pattern, but not "*" for any address.
  Parsed<void> gateway(std::string_view word) {
    const std::string invalid = "invalid gateway " + quoted_word(word);
    const auto pattern = wire::NidPattern::parse(word);
    if (!pattern) return in_.wrong(word, invalid + ": " + pattern.error().reason);
    if (pattern->address.is_any()) return in_.wrong(word, invalid + ": it is any address");
    rule_.gateways.push_back(word);
    return {};
  }
  Parsed<void> count(std::string_view word, const Count& of, std::optional<std::uint32_t>& to) {
    std::uint32_t value = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error != std::errc::invalid_argument && rest == word.data() + word.size();
    if (!whole)
      return in_.wrong(word.empty() ? entry_ : word,
                       "invalid " + std::string(of.what) + " " + quoted_word(word));
    if (error != std::errc{} || value < of.min || value > of.max)
      return in_.wrong(word, std::string(of.what) + " " + quoted_word(word) + " out of range (" +
                                 std::to_string(of.min) + " to " + std::to_string(of.max) + ")");
    to = value;
    return {};
  }

  const PlainText& in_;
  const std::string_view entry_;
  RouteRule rule_;
  std::size_t nets_ = 0;
};

}  // namespace

Parsed<std::vector<RouteRule>> read_routes(const PlainText& in, std::string_view part) {
  const auto entries = split(in, part, ";\n");
  if (!entries) return tl::unexpected(entries.error());
  std::vector<RouteRule> rules;
  std::size_t routes = 0;
  for (const std::string_view entry : *entries) {
    if (text::trim(entry).empty()) continue;
    RuleReader reader(in, entry);
    auto rule = reader.read();
    if (!rule) return tl::unexpected(std::move(rule.error()));
    routes += reader.nets() * rule->gateways.size();
    if (routes > kRoutesMax) return in.wrong(entry, kTooManyRoutes, -E2BIG);
    rules.push_back(*std::move(rule));
  }
  return rules;
}

}  // namespace ulnet::conf
