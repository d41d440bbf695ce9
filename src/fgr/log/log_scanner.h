// Finds the NIDs in the text of a log and counts them, with the troubles that their lines name. It
// takes the text in chunks of any size, and its memory does not grow with the text. Source: design
// document 004, section III (its last paragraph on logging); docs/spec/wire-lnet.md 1.5.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fgr/log/log_words.h"
#include "lnet/base/hash_index.h"
#include "ulnet/nid.hpp"

namespace ulnet::plan {

/// Mentions of NIDs, with the troubles in their lines. A line counts once for each NID in it,
/// however often it names it.
struct Mentions {
  std::uint64_t all = 0;
  std::uint64_t troubled = 0;  ///< those whose lines have a word for trouble
  std::array<std::uint64_t, kTroubles> by_trouble{};

  void add(const Mentions& more);
};
struct NidCount : Mentions {
  Nid nid;
};

struct LogCounts {
  std::vector<NidCount> nids;  ///< the NIDs that were mentioned, in the order of the NIDs
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;     ///< lines with a NID
  std::uint64_t troubled = 0;  ///< lines with a NID and a word for trouble
  std::array<std::uint64_t, kTroubles> by_trouble{};
  std::uint64_t uncounted = 0;  ///< mentions of NIDs beyond the limit
};

/// Returns the NID whose '@' is at `at`; nothing when the text around it is not a NID. A name such
/// as "0@lo" stands for no host and does not count. Any character that is not part of an address
/// may come before it: "12345-10.1.1.4@o2ib2", "MGC10.1.1.4@o2ib2". Takes small and large NIDs, and
/// numbers also in hexadecimal.
std::optional<Nid> nid_around(std::string_view text, std::size_t at);

class LogScanner {
 public:
  /// A longer line counts as several lines, which are cut beside a blank if possible.
  static constexpr std::size_t kLongestLine = 65'536;
  /// The longest text of a NID: an IPv6 address, '@', "bxi3f65535".
  static constexpr std::size_t kLongestNid = 64;

  /// Counts all NIDs of `always`, and the first `most_others` other ones. Mentions of further NIDs
  /// count only in LogCounts::uncounted.
  explicit LogScanner(std::span<const Nid> always, std::size_t most_others = 200'000);

  /// Takes the next part of the text. The counts do not depend on where the text is cut.
  void feed(std::string_view chunk);
  /// Ends a line that was begun, as at the end of a file.
  void end_line();
  /// Ends the text and returns the counts. The caller calls it once.
  LogCounts finish();

 private:
  struct Entry {
    NidCount count;
    Nid nid;  ///< the NID of `count`: the key of the index
    std::uint64_t last_line = 0;
  };

  void take_whole_lines(std::string_view text);
  void take_line(std::string_view line);
  void take_piece(std::string_view piece);
  void take_carried_pieces();
  void count(const Nid& nid, TroubleSet troubles);
  Entry* entry_of(const Nid& nid);
  Entry* add(const Nid& nid);

  std::deque<Entry> entries_;
  HashIndex<Nid, Entry, NidHash, &Entry::nid> index_;
  std::size_t others_left_;
  std::string carried_;  ///< the line that the last chunk began; at most kLongestLine and a chunk
  LogCounts counts_;
};

}  // namespace ulnet::plan
