// Which tests a console may send to nodes. Source: spec/wire-selftest.md 3.4, 4.2, 6.
#pragma once

#include "selftest/console/members.h"
#include "ulnet/result.hpp"

namespace ulnet::svc::selftest::console {

/// Checks a test. -EINVAL with the reason for the user: a node would refuse the test.
Result<void> check_test(const TestSpec& spec, std::uint32_t features);

/// Checks the nodes of the test. -EINVAL when a client cannot have that number of servers, or when
/// the list of destinations cannot name a server. -EINVAL also when a node is not known to be ulnet
/// and the test stops production nodes. A size that stops all versions is always refused.
/// check=discard and an offset stop some versions; the user can confirm that the nodes survive them
/// (4.2, 6).
Result<void> check_parties(const TestSpec& spec, const Members& clients, const Members& servers);

/// Returns the parameters in the form that a session with these features sends. The test has passed
/// check_test().
wire::LstParameters parameters_of(const TestSpec& spec, std::uint32_t features);

}  // namespace ulnet::svc::selftest::console
