// Which tests a console sends to nodes. Source: spec/wire-selftest.md 3.4, 4.2, 6.
#pragma once

#include "svc/selftest/console/members.h"
#include "ulnet/result.hpp"

namespace ulnet::svc::selftest::console {

/// -EINVAL with the reason for what a node would refuse: the user reads why.
Result<void> check_test(const TestSpec& spec, std::uint32_t features);

/// The same for the nodes that it is for: -EINVAL when a client cannot have so many servers, or a
/// server cannot be named in the list of destinations; or when a size stops every production node,
/// check=discard or an offset those of some versions (4.2, 6), and one of these nodes is not known
/// to be ulnet.
Result<void> check_parties(const TestSpec& spec, const Members& clients, const Members& servers);

/// As it travels, for a session with these features. The test has been checked.
wire::LstParameters parameters_of(const TestSpec& spec, std::uint32_t features);

}  // namespace ulnet::svc::selftest::console
