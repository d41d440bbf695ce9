// Finds the NIDs in the text of a log and counts them, with what their lines say went wrong. It
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

/// Lines that name a NID; a line counts once for each NID, however often it names it.
struct NidCount {
  Nid nid;
  std::uint64_t mentions = 0;
  std::uint64_t troubled = 0;  ///< of those, lines that have a word for trouble
  std::array<std::uint64_t, kTroubles> by_trouble{};
};

struct LogCounts {
  std::vector<NidCount> nids;  ///< that were mentioned, in the order of the NIDs
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;     ///< with a NID
  std::uint64_t troubled = 0;  ///< of those, with a word for trouble
  std::array<std::uint64_t, kTroubles> by_trouble{};
  std::uint64_t uncounted = 0;  ///< mentions of NIDs for which there was no place any more
};

/// The NID whose '@' is at `at`; nothing when the text around it is none. Names as "0@lo" stand for
/// no host and are none either. An address may follow any other character but those it is made of:
/// "12345-10.1.1.4@o2ib2", "MGC10.1.1.4@o2ib2". Small and large NIDs, numbers also in hexadecimal.
std::optional<Nid> nid_around(std::string_view text, std::size_t at);

class LogScanner {
 public:
  /// A longer line is taken for several, which are cut beside a blank where there is one.
  static constexpr std::size_t kLongestLine = 65'536;
  /// No text of a NID is longer: an IPv6 address, '@', "bxi3f65535".
  static constexpr std::size_t kLongestNid = 64;

  /// NIDs of `always` are counted; so many different others are, and those that come later only as
  /// LogCounts::uncounted.
  explicit LogScanner(std::span<const Nid> always, std::size_t most_others = 200'000);

  /// The next part of the text. Where it is cut does not change what is counted.
  void feed(std::string_view chunk);
  /// A line that was begun is at its end, as at the end of a file.
  void end_line();
  /// The text is at its end. Call it once.
  LogCounts finish();

 private:
  struct Entry {
    NidCount count;
    Nid nid;  ///< that of `count`: the index's key
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
