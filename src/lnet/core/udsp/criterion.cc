// Reads a pattern of nets or NIDs, and matches nets and NIDs with it. Source: spec/multirail.md
// 10.1, spec/cli-lnetctl.md 8.
#include "lnet/core/udsp/criterion.h"

#include <fmt/format.h>

#include "lnet/base/limits.h"

namespace ulnet::core::udsp {

Result<Criterion> Criterion::parse(std::string_view text) {
  if (text.size() > limits::kUdspTextMax)
    return fail(-E2BIG, fmt::format("a pattern has at most {} bytes", limits::kUdspTextMax));
  Criterion criterion;
  if (text.find_first_of("@.:") == std::string_view::npos) {
    auto nets = wire::NetPattern::parse(text);
    if (!nets) return tl::unexpected<Error>(std::move(nets.error()));
    criterion.pattern_ = *std::move(nets);
    return criterion;
  }
  auto nids = wire::NidPattern::parse(text);
  if (!nids) return tl::unexpected<Error>(std::move(nids.error()));
  criterion.pattern_ = *std::move(nids);
  return criterion;
}

bool Criterion::covers(const Nid& nid) const {
  return names_nets() ? names(nid.net()) : names(nid);
}

bool Criterion::names(NetId net) const {
  const auto* nets = std::get_if<wire::NetPattern>(&pattern_);
  return nets != nullptr && nets->matches(net);
}

bool Criterion::names(const Nid& nid) const {
  const auto* nids = std::get_if<wire::NidPattern>(&pattern_);
  return nids != nullptr && nids->matches(nid);
}

std::string Criterion::to_string() const {
  if (const auto* nets = std::get_if<wire::NetPattern>(&pattern_)) return nets->to_string();
  const auto& nids = std::get<wire::NidPattern>(pattern_);
  return nids.net.is_all() ? "*@*" : nids.to_string();  // in a criterion "*" alone names nets
}

}  // namespace ulnet::core::udsp
