// Checks that the Host header of a request to a loopback port is a loopback address or localhost.
// The owner of any other name can make a DNS server resolve the name to this machine.
#pragma once

#include <string_view>

namespace ulnet::http {

/// Whether the host is an address of 127.0.0.0/8, [::1] or localhost, each with or without a port.
/// Addresses are parsed and not compared by prefix, because the owner of the name
/// "127.evil.example" can let it resolve to this machine.
bool names_loopback(std::string_view host);

}  // namespace ulnet::http
