// Names in a topology: which names are valid, and words that stand for several, as "client[1-4]".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/base/expr_list.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

inline constexpr std::size_t kLongestName = 32;  ///< characters of a name

/// Whether the text consists of letters, digits, '-' and '_', with a letter or digit first, and is
/// not "all". Such a name is safe in paths, arguments and YAML.
bool is_name(std::string_view text);
/// The rule of is_name(), for error messages.
inline constexpr std::string_view kNameRule =
    "a name has up to 32 letters, digits, '-' and '_', begins with a letter or digit, and is not "
    "'all'";

/// A text and the numbers that follow it: "client[1-4]", "oss[0-6/2]"; "oss*" stands for any
/// number. Numbers have as many digits as the first one: "n[004-009]" is n004 to n009.
struct NamePattern {
  std::string before;
  ExprList numbers;
  /// How many digits each number has, if the numbers have leading zeros. 0: numbers are written
  /// without leading zeros; "*" then accepts numbers with and without leading zeros.
  std::size_t digits = 0;

  /// Whether the text is a pattern: it has a bracket or a star. Other texts are plain names.
  static bool is_one(std::string_view text);
  /// Parses a pattern. -EINVAL, with the reason.
  static Result<NamePattern> parse(std::string_view text);
  bool matches(std::string_view name) const;
  /// Returns "client1", "client2", ..., in the order in which the pattern has them. -EINVAL for
  /// "*", -E2BIG beyond `limit`.
  Result<std::vector<std::string>> expand(std::size_t limit) const;
};

/// Returns ": did you mean 'client1'?" with the word that is most like `typed`; empty when no word
/// is similar.
std::string nearest_of(std::string_view typed, std::span<const std::string_view> words);

}  // namespace ulnet::tools::lab
