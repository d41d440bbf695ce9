// What a misspelled word was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ulnet::text {

/// The one of `words` that is `typed` but for a few slips: a letter too many, missing, another, or
/// two letters exchanged; at most one slip for every three letters of the longer word. Of equally
/// near ones the first. Empty when none is near enough, and for texts of more than 64 bytes. The
/// result views into `words`.
std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> words);

/// The same as a sentence to put after a complaint: "Did you mean 'ping'?"; empty when there is
/// none.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> words);

}  // namespace ulnet::text
