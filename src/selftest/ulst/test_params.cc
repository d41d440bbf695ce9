#include "selftest/ulst/test_params.h"

#include <optional>

#include "lnet/base/text.h"

namespace ulnet::tools::lst {

namespace {

constexpr std::int64_t kSizeMax = 1 << 20;
constexpr std::uint32_t kOffsetMax = 1U << 30;

/// Returns the text after "size=" or "s="; `word` and `name` are in lower case.
std::optional<std::string_view> behind(std::string_view word, std::string_view name) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view said = word.substr(0, equals);
  if (said != name && said != name.substr(0, 1)) return std::nullopt;
  return word.substr(equals + 1);
}

/// Two options with the same meaning, which may disagree: check= and skip_rx_copy.
struct Checks {
  std::string check;
  bool skip = false;

  Result<std::string> settled() const {
    if (!skip) return check.empty() ? "none" : check;
    if (check.empty() || check == "discard") return std::string("discard");
    return fail(-EINVAL, "skip_rx_copy conflicts with check=" + check);
  }
};

Result<void> read_word(std::string_view word, TestParams& params, Checks& checks) {
  if (word == "read" || word == "r" || word == "write" || word == "w") {
    params.write = word[0] == 'w';
  } else if (const auto size = behind(word, "size")) {
    const auto bytes = parse_size(*size);
    if (!bytes) return tl::unexpected(bytes.error());
    params.size = *bytes;
  } else if (const auto check = behind(word, "check")) {
    if (*check != "full" && *check != "simple" && *check != "discard")
      return fail(-EINVAL, "Unknow flag " + std::string(*check));
    checks.check = *check;
  } else if (const auto offset = behind(word, "off"); offset && word[1] == 'f') {
    const auto bytes = text::number(*offset, kOffsetMax);
    if (!bytes || *bytes % 8 != 0)
      return fail(-EINVAL, "Invalid offset " + std::string(*offset) + ": not a multiple of 8");
    params.offset = *bytes;
  } else if (word == "skip_rx_copy") {
    checks.skip = true;
  } else {
    return fail(-EINVAL, "Unknow parameter: " + std::string(word));
  }
  return {};
}

}  // namespace

Result<std::int64_t> parse_size(std::string_view said) {
  const std::string small = text::lower(said);
  std::string_view digits = small;
  std::int64_t unit = 1;
  if (digits.ends_with('k')) unit = 1 << 10;
  if (digits.ends_with('m')) unit = 1 << 20;
  if (unit != 1) digits.remove_suffix(1);
  const auto number = text::number(digits, UINT32_MAX);
  if (!number || *number == 0) return fail(-EINVAL, "Invalid size " + small);
  const std::int64_t size = *number * unit;
  if (size > kSizeMax)
    return fail(-EINVAL, "Size exceed limitation: " + std::to_string(size) + " bytes");
  return size;
}

Result<TestParams> parse_test(std::span<const std::string> words) {
  if (words.empty()) return fail(-EINVAL, "Missing the name of the test: brw or ping");
  TestParams params{.type = text::lower(words[0])};
  if (params.type != "brw" && params.type != "ping")
    return fail(-EINVAL, "Unknow test name " + words[0]);
  if (params.type == "ping" && words.size() > 1)
    return fail(-EINVAL, "Unknow parameter: " + words[1]);
  Checks checks;
  for (const std::string& word : words.subspan(1))
    if (const auto read = read_word(text::lower(word), params, checks); !read)
      return tl::unexpected(read.error());
  const auto check = checks.settled();
  if (!check) return tl::unexpected(check.error());
  params.check = *check;
  return params;
}

Result<Distribution> parse_distribution(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto part = [&](std::string_view word) {
    return text::number(word, INT32_MAX).value_or(0);
  };
  Distribution parsed{0, 0};
  if (colon != std::string_view::npos)
    parsed = {part(text.substr(0, colon)), part(text.substr(colon + 1))};
  if (parsed.clients < 1 || parsed.servers < 1)
    return fail(-EINVAL, "Invalid distribution: " + std::string(text));
  return parsed;
}

}  // namespace ulnet::tools::lst
