// The `peers:` of LNet's Multi-Rail design document: lists of all the NIDs of a peer, which are
// numbered. Computes what an import of such a list changes, given the node's peers. Pure. Source:
// spec/design-vs-today.md 2.3.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "admin/client/control_api.h"
#include "ulnet/nid.hpp"

namespace ulnet::ctl {

/// One change, and the number in the list of the NID that causes it.
struct PeerListChange {
  std::size_t number = 0;
  std::optional<Error> refused = {};  ///< this is wrong with the NID, so nothing is changed
  bool del = false;                   ///< deletes NIDs, or the whole peer when `nids` is empty
  Nid primary = {};
  std::vector<Nid> nids = {};
};

/// The error with the number of the NID in its reason.
Error about_nid(std::size_t number, const Error& error);

/// Each word as one NID. -EINVAL with the number of a word that is not a NID; -E2BIG.
Result<std::vector<Nid>> listed_nids(std::span<const std::string> words);

/// The first of these NIDs that a peer has (`known`: `{"peer": [...]}`) selects that peer. It gets
/// these NIDs and loses its others. A peer that was not configured, or that loses its primary NID,
/// is made anew; so is one that the node does not know. Each NID is a change of its own, so that a
/// NID that is refused is left out and named.
std::vector<PeerListChange> replacing(const Tree& known, std::span<const Nid> nids);
/// Deletes the NIDs of the list from that peer. The peer goes with its last NID; its primary NID
/// does not go before.
std::vector<PeerListChange> deleting(const Tree& known, std::span<const Nid> nids);

}  // namespace ulnet::ctl
