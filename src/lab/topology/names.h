// Names in a topology: which are allowed, and words that stand for several, as "client[1-4]".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/base/expr_list.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

inline constexpr std::size_t kLongestName = 32;  ///< letters of a name

/// Letters, digits, '-' and '_', a letter or digit first, and not "all". So a name is safe in
/// paths, arguments and YAML.
bool is_name(std::string_view text);
/// What is_name() asks for, for error messages.
inline constexpr std::string_view kNameRule =
    "a name has up to 32 letters, digits, '-' and '_', begins with a letter or digit, and is not "
    "'all'";

/// A text and the numbers that follow it: "client[1-4]", "oss[0-6/2]"; "oss*" with any number.
/// Numbers keep the digits of the first one: "n[004-009]" is n004 to n009.
struct NamePattern {
  std::string before;
  ExprList numbers;
  std::size_t digits = 0;  ///< with zeros in front; 0: numbers have none, but "*" takes both

  /// True for texts that have a bracket or a star: others are plain names.
  static bool is_one(std::string_view text);
  /// -EINVAL, with the reason.
  static Result<NamePattern> parse(std::string_view text);
  bool matches(std::string_view name) const;
  /// "client1", "client2", ...: in the order written. -EINVAL for "*", -E2BIG beyond `limit`.
  Result<std::vector<std::string>> expand(std::size_t limit) const;
};

/// ": did you mean 'client1'?" for the word that is most like `typed`; empty when none is.
std::string nearest_of(std::string_view typed, const std::vector<std::string_view>& words);

}  // namespace ulnet::tools::lab
