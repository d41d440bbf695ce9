#include "admin/client/event_parser.h"

#include <utility>

namespace ulnet::ctl {

bool EventParser::feed(std::string_view bytes, const Take& take) {
  for (const char byte : bytes) {
    const bool second = std::exchange(after_return_, byte == '\r') && byte == '\n';
    if (second) continue;
    if (byte == '\r' || byte == '\n') {
      if (!end_line(take)) return false;
      continue;
    }
    if (line_.size() + event_.data.size() >= kEventBytes) {
      too_long_ = true;
      return false;
    }
    line_ += byte;
  }
  return true;
}

bool EventParser::end_line(const Take& take) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (!std::exchange(begun_, true) && line_.starts_with(kByteOrderMark))
    line_.erase(0, kByteOrderMark.size());
  if (line_.empty()) return end_event(take);
  if (line_.front() != ':') take_field();  // otherwise the line is a comment
  line_.clear();
  return true;
}

void EventParser::take_field() {
  const std::string_view line = line_;
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == line.npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    event_.kind = value;
  } else if (field == "data") {
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (field == "id" && value.find('\0') == value.npos) {
    event_.id = value;
  }
}

bool EventParser::end_event(const Take& take) {
  bool wanted = true;
  if (std::exchange(has_data_, false)) {  // without data it is no event
    if (event_.kind.empty()) event_.kind = "message";
    wanted = take(event_);
  }
  event_.kind.clear();
  event_.data.clear();
  return wanted;
}

}  // namespace ulnet::ctl
