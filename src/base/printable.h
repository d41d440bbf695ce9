// Text of strangers made fit for terminals and logs.
#pragma once

#include <string>
#include <string_view>

namespace ulnet::text {

/// The text with '?' in the place of every control character and of every byte that belongs to no
/// UTF-8 letter: a terminal obeys them (ESC, and the 8-bit CSI), and a line end begins another line
/// of a log.
std::string printable(std::string_view text);

}  // namespace ulnet::text
