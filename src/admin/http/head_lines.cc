#include "admin/http/head_lines.h"

namespace ulnet::http {

namespace {

/// Whether a byte may be in a name (`tchar`, RFC 9110 5.6.2).
bool is_name_byte(unsigned char byte) {
  if ((byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z')) return true;
  if (byte >= 'a' && byte <= 'z') return true;
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return kMarks.find(static_cast<char>(byte)) != std::string_view::npos;
}

/// Whether a byte may be in a value, or is a blank around it. Bytes from 0x80 on are allowed
/// (`obs-text`).
bool is_value_byte(unsigned char byte) { return byte == '\t' || (byte >= ' ' && byte != 0x7f); }

}  // namespace

void HeadLines::take_byte(unsigned char byte) {
  switch (at_) {
    case At::kRequestLine:
      if (byte == '\n') at_ = At::kLineBegin;
      return;
    case At::kLineBegin:
      // A line that begins with a blank would continue the value of the line before: RFC 9112 5.2.
      at_ = byte == '\r' ? At::kHeadEnd : is_name_byte(byte) ? At::kName : At::kMistake;
      return;
    case At::kName:
      if (!is_name_byte(byte)) at_ = byte == ':' ? At::kValue : At::kMistake;
      return;
    case At::kValue:
      if (!is_value_byte(byte)) at_ = byte == '\r' ? At::kLineEnd : At::kMistake;
      return;
    case At::kLineEnd:
      at_ = byte == '\n' ? At::kLineBegin : At::kMistake;
      return;
    case At::kHeadEnd:
      at_ = byte == '\n' ? At::kBehind : At::kMistake;
      return;
    case At::kBehind:
    case At::kMistake:
      return;
  }
}

}  // namespace ulnet::http
