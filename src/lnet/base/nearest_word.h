// Finds the word that a misspelled word was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ulnet::text {

/// The word of `words` from which `typed` differs least; the first of equally near words. A
/// difference is an extra, missing or wrong character, or two exchanged characters; one is allowed
/// for every three characters of the longer word. Empty if no word is near enough, and for texts of
/// more than 64 bytes. The result is a view into `words`.
std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> words);

/// The same as a sentence for an error message: "Did you mean 'ping'?"; empty if no word is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> words);

}  // namespace ulnet::text
