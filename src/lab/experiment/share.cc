#include "lab/experiment/share.h"

#include <cerrno>
#include <charconv>
#include <optional>
#include <string>

namespace ulnet::tools::lab {
namespace {

constexpr double kMaxShare = 1000;

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kMaxShare) return {};
  return value;
}

}  // namespace

Result<ShareRange> parse_share(std::string_view text) {
  const auto wrong = [&] {
    return fail(-EINVAL, "'" + std::string(text) +
                             "' is no share: 0.7.. (at least), ..0.5 (at most), 0.4..0.6");
  };
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto value = number_in(text);
    if (!value) return wrong();
    return ShareRange{*value, *value};
  }
  const std::string_view least = text.substr(0, dots), most = text.substr(dots + 2);
  ShareRange range;
  if (least.empty() && most.empty()) return wrong();
  if (!least.empty()) {
    const auto value = number_in(least);
    if (!value) return wrong();
    range.least = *value;
  }
  if (!most.empty()) {
    const auto value = number_in(most);
    if (!value || *value < range.least) return wrong();
    range.most = *value;
  }
  return range;
}

}  // namespace ulnet::tools::lab
