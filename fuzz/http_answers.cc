#include "http_answers.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace ulnet::fuzz {

namespace {

/// The parts of an answer's status line and header lines that decide where it ends.
struct Head {
  int status = 0;
  bool chunked = false;
  bool stream = false;                ///< server-sent events
  std::optional<std::size_t> length;  ///< Content-Length
};

bool is_name(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= ' ' && byte != 0x7f);
  });
}

bool is(std::string_view text, const char* word) {
  return ::strcasecmp(std::string(text).c_str(), word) == 0;
}

/// The whole text as a number.
std::optional<std::size_t> number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// Removes a line with its CRLF from the front. Nothing: there is no complete line.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  if (end == std::string_view::npos) return {};
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

/// Removes header lines, or the lines of a trailer, with the empty line after them. Calls `fn(name,
/// value)` for each until it returns false. False: a line is malformed, or the end is missing.
template <class Fn>
bool take_fields(std::string_view& text, Fn&& fn) {
  for (;;) {
    const auto line = take_line(text);
    if (!line) return false;
    if (line->empty()) return true;
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos || !is_name(line->substr(0, colon))) return false;
    std::string_view value = line->substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    if (!is_value(value) || !fn(line->substr(0, colon), value)) return false;
  }
}

/// The 200 in "HTTP/1.1 200 OK".
std::optional<int> status_of(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  if (!line.starts_with(kVersion)) return {};
  line.remove_prefix(kVersion.size());
  if (line.size() < 4 || line[3] != ' ' || !is_value(line)) return {};
  const auto status = number(line.substr(0, 3), 10);
  if (!status || *status < 100 || *status > 599) return {};
  return static_cast<int>(*status);
}

std::optional<Head> take_head(std::string_view& heard) {
  const auto first = take_line(heard);
  const auto status = first ? status_of(*first) : std::nullopt;
  if (!status) return {};
  Head head{.status = *status, .chunked = false, .stream = false, .length = {}};
  const bool good = take_fields(heard, [&](std::string_view name, std::string_view value) {
    if (is(name, "Content-Type")) head.stream = value.starts_with("text/event-stream");
    if (is(name, "Transfer-Encoding")) {
      if (head.chunked || !is(value, "chunked")) return false;
      head.chunked = true;
    }
    if (is(name, "Content-Length")) {
      if (head.length) return false;
      head.length = number(value, 10);
      return head.length.has_value();
    }
    return true;
  });
  // An answer with both a length and chunks can smuggle another answer (RFC 9112 6.1).
  if (!good || (head.chunked && head.length)) return {};
  return head;
}

/// Chunks, the last one of 0 bytes, then trailer fields, then an empty line (RFC 9112 7.1). The
/// control API sends no chunk extensions, so here they are a mistake.
bool take_chunks(std::string_view& heard) {
  for (;;) {
    const auto line = take_line(heard);
    const auto size = line ? number(*line, 16) : std::nullopt;
    if (!size) return false;
    if (*size == 0) return take_fields(heard, [](auto, auto) { return true; });
    if (heard.size() < *size || !heard.substr(*size).starts_with("\r\n")) return false;
    heard.remove_prefix(*size + 2);
  }
}

}  // namespace

bool take_answer(std::string_view& heard, AnswersTo requests) {
  const auto head = take_head(heard);
  if (!head) return false;
  if (head->status < 200 || head->status == 204 || head->status == 304)
    return !head->chunked && head->length.value_or(0) == 0;
  if (requests.head && (heard.empty() || heard.starts_with("HTTP/1.1 "))) return true;
  if (head->chunked) return take_chunks(heard);
  // Other code of the server writes the body of a stream. This body ends with the connection, as
  // does an answer in pieces to a client of HTTP/1.0.
  const std::size_t length = head->stream ? heard.size() : head->length.value_or(heard.size());
  if (heard.size() < length) return false;
  heard.remove_prefix(length);
  return true;
}

}  // namespace ulnet::fuzz
