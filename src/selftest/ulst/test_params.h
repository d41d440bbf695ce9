// Parses the parameters of a test as add_test takes them: "brw write size=1M check=simple",
// "ping". Source: spec/cli-lst.md 3.7, 5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "selftest/console/distribution.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lst {

struct TestParams {
  std::string type;  ///< "brw" or "ping"
  bool write = false;
  std::string check = "none";  ///< none, simple, full, discard
  std::int64_t size = 4096;    ///< bytes
  std::int64_t offset = 0;
};

/// Parses a test, whose name is words[0]. -EINVAL with lst's sentence.
Result<TestParams> parse_test(std::span<const std::string> words);

/// Parses a size in bytes: "4096", "64k", "1m". -EINVAL with lst's sentence.
Result<std::int64_t> parse_size(std::string_view text);

using svc::selftest::console::Distribution;
/// Parses "4:1". -EINVAL with lst's sentence.
Result<Distribution> parse_distribution(std::string_view text);

}  // namespace ulnet::tools::lst
