#include "fgr/log/nid_owners.h"

#include <algorithm>

namespace ulnet::plan {
namespace {

/// Whether the NID may belong to these clients. On nets of numbers any NID may, because the plan
/// does not know the clients' NIDs.
bool may_be_client(const PlannedHost& clients, const Nid& nid) {
  return clients.has(nid.net()) &&
         (is_numbered(nid.net()) || std::ranges::any_of(clients.interfaces, [&](const auto& known) {
            return known.pattern.matches(nid);
          }));
}

}  // namespace

NidOwners::NidOwners(const Plan& plan) : planned_(plan) {
  for (std::size_t i = 0; i < planned_.hosts().size(); ++i)
    if (planned_.host(i).clients()) clients_.push_back(i);
}

NidOwner NidOwners::owner_of(std::size_t host) const {
  const PlannedHost& found = planned_.host(host);
  return {found.config.kind, found.config.system, found.config.number, {}, false};
}

NidOwner NidOwners::of(const Nid& nid) const {
  NidOwner owner;
  if (const auto host = planned_.owner(nid)) {
    owner = owner_of(*host);
  } else if (!planned_.on_fabric(nid.net())) {
    const auto clients = std::ranges::find_if(
        clients_, [&](std::size_t each) { return may_be_client(planned_.host(each), nid); });
    return clients == clients_.end() ? owner : owner_of(*clients);
  } else if (const auto other = nid.is_small() ? planned_.owner(nid.address4()) : std::nullopt) {
    owner = owner_of(*other);
    owner.stray = true;
  }
  if (const Group* const group = planned_.group_of(nid.net()))
    owner.group = static_cast<std::size_t>(group - planned_.plan().groups.data());
  return owner;
}

std::vector<Nid> NidOwners::planned() const { return planned_.nids(); }

}  // namespace ulnet::plan
