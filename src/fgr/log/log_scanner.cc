#include "fgr/log/log_scanner.h"

#include <algorithm>
#include <bit>

#include "lnet/wire/text.h"

namespace ulnet::plan {
namespace {

using wire::text::Form;

constexpr bool is_decimal(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hexadecimal(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_letter_or_digit(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// Whether a character may be part of a NID's text.
constexpr bool is_of_nid(char c) {
  return is_letter_or_digit(c) || c == '.' || c == ':' || c == '@';
}

/// Returns the longest end of `text` in which `is` is true for all characters, at most kLongestNid.
template <class Is>
std::string_view ending(std::string_view text, Is is) {
  std::size_t begin = text.size();
  while (begin > 0 && text.size() - begin < LogScanner::kLongestNid && is(text[begin - 1])) --begin;
  return text.substr(begin);
}

/// Returns the net at the beginning of `text`. The whole word counts: "o2ib2:28/4" begins with a
/// net, "tcpdump" and "tcp_recv" do not.
std::optional<NetId> net_at_beginning(std::string_view text) {
  const wire::text::NetName* name = wire::text::name_at(text);
  if (name == nullptr || name->form == Form::kNothing) return std::nullopt;
  std::size_t end = name->name.size();
  std::uint32_t number = 0;
  for (; end < text.size() && is_decimal(text[end]); ++end) {
    number = number * 10 + static_cast<std::uint32_t>(text[end] - '0');
    if (number > 0xffff) return std::nullopt;
  }
  if (end < text.size() && (is_letter_or_digit(text[end]) || text[end] == '_')) return std::nullopt;
  return NetId{name->type, static_cast<std::uint16_t>(number)};
}

std::optional<Nid> numbered_nid(std::string_view before, NetId net) {
  std::string_view digits = ending(before, is_hexadecimal);
  const std::size_t rest = before.size() - digits.size();
  const bool hexadecimal = digits.size() < before.size() && rest >= 2 &&
                           (before[rest - 1] == 'x' || before[rest - 1] == 'X') &&
                           before[rest - 2] == '0';
  if (!hexadecimal) digits = ending(before, is_decimal);
  const bool part_of_more = before.size() > digits.size() && !hexadecimal &&
                            before[before.size() - digits.size() - 1] == '.';
  if (part_of_more) return std::nullopt;
  const auto value = wire::text::number(digits, 0xffffffff, hexadecimal ? 16 : 10);
  if (!value) return std::nullopt;
  return Nid::small(net, *value);
}

/// Returns an IPv6 address at the end of `before`. The text before the address may end with letters
/// that are also hexadecimal digits and with a colon, as in "nid:fe80::1".
std::optional<Nid> ip6_nid(std::string_view before, NetId net) {
  std::string_view word =
      ending(before, [](char c) { return is_hexadecimal(c) || c == ':' || c == '.'; });
  const std::size_t rest = before.size() - word.size();
  if (rest > 0 && is_letter_or_digit(before[rest - 1]))
    word.remove_prefix(std::min(word.find(':'), word.size()));
  if (word.starts_with(':') && !word.starts_with("::")) word.remove_prefix(1);
  if (word.find(':') == std::string_view::npos) return std::nullopt;
  const auto address = wire::text::ip6(word);
  if (!address) return std::nullopt;
  return Nid::large(net, *address);
}

std::optional<Nid> ip_nid(std::string_view before, NetId net, Form form) {
  const std::string_view word = ending(before, [](char c) { return is_decimal(c) || c == '.'; });
  const std::size_t rest = before.size() - word.size();
  const auto address = wire::text::ip4(word);
  if (form == Form::kIp && (!address || (rest > 0 && before[rest - 1] == ':')))
    if (const auto nid = ip6_nid(before, net)) return nid;
  if (!address) return std::nullopt;
  return Nid::small(net, *address);
}

/// Returns how many characters of a line that is too long the scanner takes as one piece.
std::size_t piece_of(std::string_view line) {
  std::size_t end = LogScanner::kLongestLine;
  while (end > LogScanner::kLongestLine - LogScanner::kLongestNid && is_of_nid(line[end - 1]))
    --end;
  return end > LogScanner::kLongestLine - LogScanner::kLongestNid ? end : LogScanner::kLongestLine;
}

void add_each(std::array<std::uint64_t, kTroubles>& counts, TroubleSet troubles) {
  for (unsigned left = troubles; left != 0; left &= left - 1) ++counts[std::countr_zero(left)];
}

}  // namespace

void Mentions::add(const Mentions& more) {
  all += more.all;
  troubled += more.troubled;
  for (std::size_t i = 0; i < kTroubles; ++i) by_trouble[i] += more.by_trouble[i];
}

std::optional<Nid> nid_around(std::string_view text, std::size_t at) {
  if (at == 0 || (!is_hexadecimal(text[at - 1]) && text[at - 1] != ':')) return std::nullopt;
  const auto net = net_at_beginning(text.substr(at + 1));
  if (!net) return std::nullopt;
  const std::string_view before = text.substr(0, at);
  const Form form = wire::text::name_of(net->type)->form;
  if (form == Form::kNumber) return numbered_nid(before, *net);
  return ip_nid(before, *net, form);
}

LogScanner::LogScanner(std::span<const Nid> always, std::size_t most_others)
    : others_left_(most_others) {
  for (const Nid& nid : always)
    if (index_.find(nid) == nullptr) add(nid);
}

void LogScanner::feed(std::string_view chunk) {
  counts_.bytes += chunk.size();
  const std::size_t last = chunk.rfind('\n');
  if (last == std::string_view::npos) {
    carried_ += chunk;
    return take_carried_pieces();
  }
  if (!carried_.empty()) {
    const std::size_t end = chunk.find('\n');
    carried_ += chunk.substr(0, end);
    take_line(carried_);
    carried_.clear();
    take_whole_lines(chunk.substr(end + 1, last - end));
  } else {
    take_whole_lines(chunk.substr(0, last + 1));
  }
  carried_ = chunk.substr(last + 1);
  take_carried_pieces();
}

void LogScanner::end_line() {
  take_line(carried_);
  carried_.clear();
}

LogCounts LogScanner::finish() {
  end_line();
  for (const Entry& entry : entries_)
    if (entry.count.all > 0) counts_.nids.push_back(entry.count);
  std::ranges::sort(counts_.nids, {}, &NidCount::nid);
  return std::move(counts_);
}

/// Skips lines without an '@'.
void LogScanner::take_whole_lines(std::string_view text) {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@')) {
    const std::size_t before = text.substr(0, at).rfind('\n');
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t end = text.find('\n', at);
    take_line(text.substr(begin, end - begin));
    text.remove_prefix(end + 1);
  }
}

void LogScanner::take_line(std::string_view line) {
  while (line.size() > kLongestLine) {
    const std::size_t piece = piece_of(line);
    take_piece(line.substr(0, piece));
    line.remove_prefix(piece);
  }
  take_piece(line);
}

/// Cuts pieces from the carried line as take_line() does, once the line is certainly too long.
void LogScanner::take_carried_pieces() {
  std::size_t done = 0;
  while (carried_.size() - done > kLongestLine) {
    const std::string_view rest = std::string_view(carried_).substr(done);
    const std::size_t piece = piece_of(rest);
    take_piece(rest.substr(0, piece));
    done += piece;
  }
  carried_.erase(0, done);
}

void LogScanner::take_piece(std::string_view piece) {
  bool found = false;
  TroubleSet troubles = 0;
  for (std::size_t at = piece.find('@'); at != std::string_view::npos;
       at = piece.find('@', at + 1)) {
    const auto nid = nid_around(piece, at);
    if (!nid) continue;
    if (!found) {
      found = true;
      ++counts_.lines;
      troubles = troubles_in(piece);
      if (troubles != 0) ++counts_.troubled;
      add_each(counts_.by_trouble, troubles);
    }
    count(*nid, troubles);
  }
}

void LogScanner::count(const Nid& nid, TroubleSet troubles) {
  Entry* entry = entry_of(nid);
  if (entry == nullptr) {
    ++counts_.uncounted;
    return;
  }
  if (entry->last_line == counts_.lines) return;
  entry->last_line = counts_.lines;
  ++entry->count.all;
  if (troubles == 0) return;
  ++entry->count.troubled;
  add_each(entry->count.by_trouble, troubles);
}

LogScanner::Entry* LogScanner::entry_of(const Nid& nid) {
  if (Entry* known = index_.find(nid)) return known;
  if (others_left_ == 0) return nullptr;
  --others_left_;
  return add(nid);
}

LogScanner::Entry* LogScanner::add(const Nid& nid) {
  Entry& entry = entries_.emplace_back();
  entry.nid = entry.count.nid = nid;
  index_.insert(nid, &entry);
  return &entry;
}

}  // namespace ulnet::plan
