#include "lnet/config/cpt_list.h"

#include <algorithm>

#include "lnet/base/expr_list.h"
#include "lnet/base/limits.h"
#include "lnet/base/text.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::conf {

namespace {

bool is_device_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;  // more than any device, alias or address
  return !name.empty() && name.size() <= kLongest &&
         name.find_first_of(" \t\"'()[]{},;#@\\") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return static_cast<unsigned char>(c) > ' '; });
}

}  // namespace

Result<std::vector<std::uint32_t>> parse_cpt_list(std::string_view text) {
  std::string whole(text::trim(text));
  // "0,1" and "0-1" without brackets are accepted too.
  if (whole.find_first_of(",-") != std::string::npos && whole.front() != '[')
    whole = "[" + whole + "]";
  auto list = ExprList::parse(whole, limits::kMaxCpts - 1);
  if (!list) {
    const bool too_large = ExprList::parse(whole, 0xffffffffU).has_value();
    return fail(too_large ? -ERANGE : -EINVAL, list.error().reason);
  }
  return list->expand(limits::kMaxCpts);
}

Result<std::vector<NiItem>> parse_interface_list(std::string_view text) {
  const Error bad{-EINVAL, "bad interface list"};
  auto words = wire::split_list(text);
  if (!words || words->empty()) return tl::unexpected(bad);
  std::vector<NiItem> nis;
  for (const std::string_view word : *words) {
    NiItem ni;
    // eth0[0,1]:2 is the alias eth0:2 on two CPTs.
    const std::size_t open = word.find('[');
    const std::size_t close = word.find(']');
    ni.interface = word.substr(0, open);
    if (open != std::string_view::npos) {
      if (close == std::string_view::npos || close < open) return tl::unexpected(bad);
      auto cpts = parse_cpt_list(word.substr(open, close - open + 1));
      if (!cpts && cpts.error().code == -ERANGE) return fail(-ERANGE, "invalid CPT value");
      if (!cpts) return tl::unexpected(bad);
      ni.cpts = std::move(*cpts);
      const std::string_view alias = word.substr(close + 1);
      if (!alias.empty() && alias.front() != ':') return tl::unexpected(bad);
      ni.interface += alias;
    }
    if (!is_device_name(ni.interface)) return tl::unexpected(bad);
    nis.push_back(std::move(ni));
  }
  return nis;
}

}  // namespace ulnet::conf
