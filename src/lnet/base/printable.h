// Makes text from untrusted sources fit for terminals and logs.
#pragma once

#include <string>
#include <string_view>

namespace ulnet::text {

/// The text with '?' in the place of every control character and of every byte that is not part
/// of well-formed UTF-8. A terminal would obey control characters (ESC, and the 8-bit CSI), and a
/// line end would begin another line of a log.
std::string printable(std::string_view text);

/// Whether a byte is below ' ', or is DEL: a line end among them.
bool has_control_characters(std::string_view text);

}  // namespace ulnet::text
