#include "lnet/core/contract/letter.h"

namespace ulnet::core {

Letter::Letter() = default;
Letter::Letter(const Letter&) = default;
Letter::Letter(Letter&&) noexcept = default;
Letter& Letter::operator=(const Letter&) = default;
Letter& Letter::operator=(Letter&&) noexcept = default;
Letter::~Letter() = default;

}  // namespace ulnet::core
