// The Host header of a request to a loopback port: is it a name of this machine that no DNS server
// can give to somebody else?
#pragma once

#include <string_view>

namespace ulnet::node::control {

/// True for an address of 127.0.0.0/8, for [::1] and for localhost, each with a port or without.
/// Addresses are parsed, not compared by their beginning: "127.evil.example" is a name that its
/// owner's DNS server may point here.
bool names_loopback(std::string_view host);

}  // namespace ulnet::node::control
