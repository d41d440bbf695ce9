// Splits texts into words, for the readers of networks=, ip2nets= and routes=.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/config/plain_text.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

inline constexpr std::string_view kBlanks = " \t\r\n";

/// The word in quotes, without the blanks around it: cut after 64 bytes.
std::string quoted_word(std::string_view word);
/// -EINVAL: the text is longer than a module parameter may be (limits::kParamTextMax), or not
/// UTF-8.
Result<void> check_param_text(std::string_view text);
/// Splits `part`, a view into the text, at any of `separators` outside brackets; blank pieces are
/// kept. Unbalanced brackets are a Problem at the wrong bracket. Square brackets may be nested in
/// parentheses and braces, and nothing else.
Parsed<std::vector<std::string_view>> split(const PlainText& in, std::string_view part,
                                            std::string_view separators);
/// Splits `part` at blanks, as split() does.
Parsed<std::vector<std::string_view>> words_of(const PlainText& in, std::string_view part);
/// The text from the first byte of `first` to the last of `last`, both views into one text.
std::string_view from_to(std::string_view first, std::string_view last);

/// Converts to a Result: the problem loses its place.
template <class T>
Result<T> without_place(Parsed<T> read) {
  if (read) return *std::move(read);
  return fail(read.error().code, std::move(read.error().reason));
}

}  // namespace ulnet::conf
