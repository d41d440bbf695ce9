// What a driver reports for the log and the events of its node: a peer that it refused and why, a
// connection that broke, a peer that came or went.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "ulnet/nid.hpp"

namespace ulnet::lnd {

/// How important a report is: the levels of NodeOptions::log.
enum class Severity : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// What a report is about.
enum class Topic : std::uint8_t {
  kConnection,
  kPeer,    ///< a peer is there, or is gone
  kMemory,  ///< the driver refused or delayed something for lack of memory
};

/// Identifies the reports that repeat each other: those with equal keys. The log prints the first
/// of them at once, and later ones rarely.
struct RepeatKey {
  /// Where the reports come from: the NID that the remote address would have; for a driver without
  /// addresses the peer's NID. Either names the driver, whose nets have a type of their own.
  Nid source;
  /// What happened, as static text: the name of the driver's counter of it.
  std::string_view kind;
  bool operator==(const RepeatKey&) const = default;
};

/// The text of a report before anybody has made it: a copy of the driver's own value, and the
/// function that turns this value into text. So the receiver makes a text only for reports that
/// become events or lines, and makes the lines on another thread. A report that it drops, by its
/// severity or as a repeat, costs neither a text nor an allocation. If a report had a string
/// instead, and the driver first asked the receiver which severities it wants, then the thread that
/// moves messages would make the text of each line, and of each repeat.
class ReportText {
 public:
  /// The size of the largest value of a driver.
  static constexpr std::size_t kBytes = 80;

  /// The namespace of `Value` has a function `std::string to_text(const Value&)`. Any thread may
  /// call it, even when the driver no longer exists, so the value points at most to static text.
  template <class Value>
  explicit ReportText(const Value& value)
      : make_([](const std::byte* bytes) {
          Value copy{};
          std::memcpy(&copy, bytes, sizeof copy);
          return to_text(copy);
        }) {
    static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= kBytes);
    std::memcpy(bytes_.data(), &value, sizeof value);
  }

  /// One line: "10.0.0.2@tcp (10.0.0.9:1021) is connected".
  std::string make() const { return make_(bytes_.data()); }

 private:
  std::string (*make_)(const std::byte* bytes);
  std::array<std::byte, kBytes> bytes_{};
};

struct Report {
  Severity severity = Severity::kDebug;
  Topic topic = Topic::kConnection;
  Nid peer = Nid::any();  ///< any: the driver does not know it yet
  RepeatKey key;
  ReportText text;
};

/// Receives the reports of drivers.
class ReportSink {
 public:
  virtual ~ReportSink() = default;
  /// Called by any thread of a driver, under its run token: must neither wait nor call the driver.
  virtual void report(const Report& report) = 0;
};

}  // namespace ulnet::lnd
