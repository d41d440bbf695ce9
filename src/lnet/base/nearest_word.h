// Which of several words a misspelled word was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ulnet::text {

/// The word of `words` from which `typed` differs least. A difference is a letter too many, a
/// missing or a wrong letter, or two letters exchanged; there may be at most one for every three
/// letters of the longer word. Of several equally near words, the first. Empty if none is near
/// enough, and for texts of more than 64 bytes. The result is a view into `words`.
std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> words);

/// The same as a sentence for an error message: "Did you mean 'ping'?"; empty if no word is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> words);

}  // namespace ulnet::text
