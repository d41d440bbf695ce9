// The bytes that the peers of a lone node send: structures of its protocols with fields chosen by a
// script, mostly plausible.
#pragma once

#include <array>
#include <cerrno>
#include <vector>

#include "lnet/base/limits.h"
#include "lnet/lnd/sock/engine/address.h"
#include "lnet/wire/acceptor.h"
#include "lnet/wire/bytes_of_fixture.h"
#include "lnet/wire/ksock_frame.h"
#include "lnet/wire/ksock_hello.h"
#include "script.h"

namespace ulnet::fuzz {

using Bytes = std::vector<std::byte>;

/// The NIDs of the node itself, on two nets.
std::vector<Nid> own_nids(bool large);
/// NIDs of peers, of the node, of no node, the wildcard, and 0@lo.
const std::array<Nid, 8>& nids(bool large);
lnd::sock::Address peer_address(bool large, unsigned which);
lnd::sock::Endpoint remote_of(Script& script, bool large);

inline constexpr wire::ConnType kTypes[] = {wire::ConnType::kControl, wire::ConnType::kBulkIn,
                                            wire::ConnType::kBulkOut, wire::ConnType::kAny,
                                            wire::ConnType::kNone};

/// A valid hello from the first peer to the node.
wire::Hello plain_hello(bool large);
wire::Hello hello_of(Script& script, bool large);
Bytes hello_bytes(Script& script, const wire::Hello& hello);
Bytes request_bytes(Script& script, bool large);
/// A NOOP, or the framing of a message that does not follow.
Bytes frame_bytes(Script& script);
/// Framing, header and payload in the form of `version`. Responses name one of `asked`.
Bytes message_bytes(Script& script, std::uint32_t version, bool large,
                    const std::vector<wire::WireHandle>& asked);

}  // namespace ulnet::fuzz
