// Whether the Host header of a request to a loopback port is a loopback address or localhost, and
// not a name that its owner's DNS server lets point here.
#pragma once

#include <string_view>

namespace ulnet::node::control {

/// True for an address of 127.0.0.0/8, for [::1] and for localhost, each with or without a port.
/// Addresses are parsed and not compared by prefix: the owner of the name "127.evil.example" may
/// let it resolve to this machine.
bool names_loopback(std::string_view host);

}  // namespace ulnet::node::control
