// Checks that the header lines of a request are well-formed. httplib ignores a malformed line. If
// that line is the Content-Length, httplib would take the body for the next request. Source: RFC
// 9112 2.2, 5.1, 5.2, RFC 9110 5.5.
#pragma once

#include <cstdint>
#include <string_view>

namespace ulnet::http {

/// Takes the bytes of one request's head, in pieces of any size.
class HeadLines {
 public:
  void take(std::string_view bytes) {
    for (const char byte : bytes) take_byte(static_cast<unsigned char>(byte));
  }
  /// Whether a line behind the request line is malformed. A line must have a name, a colon, a value
  /// without control bytes other than the tab, and CRLF. True from the first byte that shows the
  /// mistake.
  bool malformed() const { return at_ == At::kMistake; }

 private:
  enum class At : std::uint8_t {
    kRequestLine,  ///< httplib judges this line
    kLineBegin,
    kName,
    kValue,
    kLineEnd,  ///< behind the CR of a line
    kHeadEnd,  ///< behind the CR of the empty line
    kBehind,   ///< the head is over
    kMistake,
  };
  void take_byte(unsigned char byte);

  At at_ = At::kRequestLine;
};

}  // namespace ulnet::http
