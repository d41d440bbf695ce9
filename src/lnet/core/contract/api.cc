// Defines the constructors, assignments and destructor of ApiCall, so that they are compiled once.
// Source: DESIGN.md 2.
#include "lnet/core/contract/api.h"

namespace ulnet::core {

ApiCall::ApiCall() = default;
ApiCall::ApiCall(const ApiCall&) = default;
ApiCall::ApiCall(ApiCall&&) noexcept = default;
ApiCall& ApiCall::operator=(const ApiCall&) = default;
ApiCall& ApiCall::operator=(ApiCall&&) noexcept = default;
ApiCall::~ApiCall() = default;

}  // namespace ulnet::core
