// Gives the names of health statuses, and puts the values of a note into its text. Source:
// spec/multirail.md 5.2, 11.2, decision 132.
#include "lnet/core/contract/ports.h"

#include <string_view>
#include <system_error>

namespace ulnet::core {

const char* to_string(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kLocalInterrupt:
      return "local_interrupt";
    case Health::kLocalDropped:
      return "local_dropped";
    case Health::kLocalAborted:
      return "local_aborted";
    case Health::kLocalNoRoute:
      return "local_no_route";
    case Health::kLocalTimeout:
      return "local_timeout";
    case Health::kLocalError:
      return "local_error";
    case Health::kRemoteDropped:
      return "remote_dropped";
    case Health::kRemoteError:
      return "remote_error";
    case Health::kRemoteTimeout:
      return "remote_timeout";
    case Health::kNetworkTimeout:
      return "network_timeout";
  }
  return "unknown";
}

std::string to_string(const Note& note) {
  std::string text = note.text;
  const auto put = [&text](std::string_view place, auto&& words) {
    for (auto at = text.find(place); at != text.npos; at = text.find(place, at))
      text.replace(at, place.size(), words());
  };
  put("{}", [&] { return std::to_string(note.detail); });
  put("{error}", [&] {
    const int code = static_cast<int>(note.detail);
    return std::generic_category().message(code) + " (-" + std::to_string(code) + ")";
  });
  put("{by}", [&] { return note.by.to_string(); });
  put("{nid}", [&] { return note.nid.to_string(); });
  put("{net}", [&] { return note.nid.net().to_string(); });
  return text;
}

bool names_its_nid(const Note& note) {
  const std::string_view text = note.text;
  return text.find("{nid}") != text.npos || text.find("{net}") != text.npos;
}

}  // namespace ulnet::core
