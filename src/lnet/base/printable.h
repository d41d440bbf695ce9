// Makes text from untrusted sources safe for terminals and logs.
#pragma once

#include <string>
#include <string_view>

namespace ulnet::text {

/// The text with '?' for every control character and every byte that is not part of well-formed
/// UTF-8. A terminal would execute control characters (ESC, and the 8-bit CSI), and a line end
/// would begin another line of a log.
std::string printable(std::string_view text);

/// Whether the text has a byte below ' ', such as a line end, or DEL.
bool has_control_characters(std::string_view text);

}  // namespace ulnet::text
