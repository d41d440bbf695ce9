// The `peers:` of LNet's Multi-Rail design document. Its items are lists of all the NIDs of a peer,
// which are numbered. The functions compute what an import of such a list changes, given the node's
// peers. Pure. Source: spec/design-vs-today.md 2.3.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "admin/client/control_api.h"
#include "ulnet/nid.hpp"

namespace ulnet::ctl {

/// One change, and the position in the list of the NID that causes it.
struct PeerListChange {
  std::size_t number = 0;
  std::optional<Error> refused = {};  ///< what is wrong with the NID; nothing is changed then
  bool del = false;                   ///< deletes NIDs, or the whole peer when `nids` is empty
  Nid primary = {};
  std::vector<Nid> nids = {};
};

/// The error with the number of the NID in its reason.
Error about_nid(std::size_t number, const Error& error);

/// Reads each word as one NID. -EINVAL with the number of a word that is not a NID; -E2BIG.
Result<std::vector<Nid>> listed_nids(std::span<const std::string> words);

/// Computes the changes that make these the NIDs of a peer. The first of the NIDs that a peer has
/// (`known`: `{"peer": [...]}`) selects that peer. The peer gets these NIDs and loses its others.
/// The peer is made anew if the node does not know it, if it was not configured, or if it loses its
/// primary NID. Each NID is a change of its own: a NID that the node refuses is left out and named.
std::vector<PeerListChange> replacing(const Tree& known, std::span<const Nid> nids);
/// Computes the changes that delete the NIDs of the list from the selected peer. The peer is
/// deleted with its last NID. Its primary NID is not deleted before that.
std::vector<PeerListChange> deleting(const Tree& known, std::span<const Nid> nids);

}  // namespace ulnet::ctl
