#include "fgr/log/log_words.h"

#include <array>
#include <bit>
#include <utility>

namespace ulnet::plan {
namespace {

/// Which characters may stand beside a word.
enum class Edge : std::uint8_t {
  kAny,
  kWord,    ///< no letter and no digit
  kNumber,  ///< as kWord; besides, "-110" in "12345-110@gni1" and "-110.5" is not an error number
};
struct TroubleWord {
  std::string_view text;
  Trouble trouble;
  Edge edge = Edge::kAny;
};
constexpr TroubleWord kWords[] = {
    {"timed out", Trouble::kTimedOut},
    {"timeout", Trouble::kTimedOut},
    {"-110", Trouble::kTimedOut, Edge::kNumber},
    {"-62", Trouble::kTimedOut, Edge::kNumber},
    {"expired", Trouble::kTimedOut, Edge::kWord},
    {"refused", Trouble::kRefused},
    {"-111", Trouble::kRefused, Edge::kNumber},
    {"no route", Trouble::kNoRoute},
    {"unreachable", Trouble::kNoRoute},
    {"-113", Trouble::kNoRoute, Edge::kNumber},
    {"-101", Trouble::kNoRoute, Edge::kNumber},
    {"lost", Trouble::kLost, Edge::kWord},
    {"reset by peer", Trouble::kLost},
    {"network error", Trouble::kLost},
    {"request sent has failed", Trouble::kLost},
    {"not connected", Trouble::kLost},
    {"-104", Trouble::kLost, Edge::kNumber},
    {"-107", Trouble::kLost, Edge::kNumber},
    {"-108", Trouble::kLost, Edge::kNumber},
    {"down", Trouble::kDown, Edge::kWord},
    {"evict", Trouble::kEvicted},
    {"dropped", Trouble::kDropped},
    {"dropping", Trouble::kDropped},
    {"checksum", Trouble::kCorrupt},
    {"corrupt", Trouble::kCorrupt},
};
static_assert(std::size(kWords) <= 32, "a bit for each");

constexpr bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alnum(char c) {
  return is_digit(c) || is_small_letter(c) || (c >= 'A' && c <= 'Z');
}
constexpr bool same_letter(char in_line, char in_word) {
  return in_line == in_word || (is_small_letter(in_word) && in_line == in_word - 'a' + 'A');
}

/// For each of a word's first three characters: the words that have this character there, as a bit
/// for each word. Where no word begins, the intersection of the three is nearly always empty.
constexpr auto kBeginnings = [] {
  std::array<std::array<std::uint32_t, 256>, 3> sets{};
  for (std::size_t i = 0; i < std::size(kWords); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const char c = kWords[i].text[k];
      sets[k][static_cast<unsigned char>(c)] |= 1U << i;
      if (is_small_letter(c)) sets[k][static_cast<unsigned char>(c - 'a' + 'A')] |= 1U << i;
    }
  return sets;
}();

bool is_whole_word(std::string_view line, std::size_t begin, std::size_t end, Edge edge) {
  if (edge == Edge::kAny) return true;
  if (begin > 0 && is_alnum(line[begin - 1])) return false;
  if (end == line.size()) return true;
  if (is_alnum(line[end])) return false;
  if (edge == Edge::kWord) return true;
  return line[end] != '@' &&
         !(line[end] == '.' && end + 1 < line.size() && is_digit(line[end + 1]));
}

bool word_is_at(std::string_view line, std::size_t begin, const TroubleWord& word) {
  if (line.size() - begin < word.text.size()) return false;
  for (std::size_t i = 0; i < word.text.size(); ++i)
    if (!same_letter(line[begin + i], word.text[i])) return false;
  return is_whole_word(line, begin, begin + word.text.size(), word.edge);
}

}  // namespace

std::string_view name_of(Trouble trouble) {
  constexpr std::array<std::string_view, kTroubles> kNames = {
      "timed out", "refused", "no route", "lost", "down", "evicted", "dropped", "corrupt"};
  return kNames[static_cast<std::size_t>(trouble)];
}

TroubleSet troubles_in(std::string_view line) {
  TroubleSet found = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(line.data());
  const auto words_at = [&](std::size_t i) {
    return kBeginnings[0][bytes[i]] & kBeginnings[1][bytes[i + 1]] & kBeginnings[2][bytes[i + 2]];
  };
  const auto look_at = [&](std::size_t i) {
    for (std::uint32_t words = words_at(i); words != 0; words &= words - 1) {
      const TroubleWord& word = kWords[std::countr_zero(words)];
      if (word_is_at(line, i, word))
        found |= static_cast<TroubleSet>(1U << static_cast<unsigned>(word.trouble));
    }
  };
  std::size_t i = 0;
  for (; i + 6 <= line.size(); i += 4)  // checks four places with one branch
    if ((words_at(i) | words_at(i + 1) | words_at(i + 2) | words_at(i + 3)) != 0)
      for (std::size_t k = i; k < i + 4; ++k) look_at(k);
  for (; i + 2 < line.size(); ++i) look_at(i);
  return found;
}

}  // namespace ulnet::plan
