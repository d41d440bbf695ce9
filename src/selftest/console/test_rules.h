// Which tests a console sends to nodes. Source: spec/wire-selftest.md 3.4, 4.2, 6.
#pragma once

#include "selftest/console/members.h"
#include "ulnet/result.hpp"

namespace ulnet::svc::selftest::console {

/// -EINVAL when a node would refuse the test, with the reason for the user.
Result<void> check_test(const TestSpec& spec, std::uint32_t features);

/// The same for the nodes of the test: -EINVAL when a client cannot have so many servers, or when
/// a server cannot be named in the list of destinations. Also when one of the nodes is not known
/// to be ulnet and the test stops production nodes: a size that stops all of them, or
/// check=discard or an offset, which stop some versions and which the user may answer for (4.2,
/// 6).
Result<void> check_parties(const TestSpec& spec, const Members& clients, const Members& servers);

/// The parameters as they travel in a session with these features. The test has passed
/// check_test().
wire::LstParameters parameters_of(const TestSpec& spec, std::uint32_t features);

}  // namespace ulnet::svc::selftest::console
