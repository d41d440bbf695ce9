#include "lnet/lnd/sock/engine/tunables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>

#include "lnet/base/assert.h"
#include "lnet/config/params.h"

namespace ulnet::lnd::sock {
namespace {

using T = SockTunables;

constexpr std::size_t kCongestionMax = 15;  // TCP_CA_NAME_MAX, with its end

using Number = NumberTunable;
constexpr std::array kNumbers = {
    Number{"sock_timeout", &T::sock_timeout},
    Number{"credits", &T::credits},
    Number{"peer_credits", &T::peer_credits},
    Number{"peer_buffer_credits", &T::peer_buffer_credits},
    Number{"peer_timeout", &T::peer_timeout},
    Number{"nscheds", &T::nscheds},
    Number{"nconnds", &T::nconnds},
    Number{"nconnds_max", &T::nconnds_max},
    Number{"min_reconnectms", &T::min_reconnectms},
    Number{"max_reconnectms", &T::max_reconnectms},
    Number{"eager_ack", &T::eager_ack},
    Number{"typed_conns", &T::typed_conns},
    Number{"min_bulk", &T::min_bulk},
    Number{"tx_buffer_size", &T::tx_buffer_size},
    Number{"rx_buffer_size", &T::rx_buffer_size},
    Number{"nagle", &T::nagle},
    Number{"round_robin", &T::round_robin},
    Number{"keepalive", &T::keepalive},
    Number{"keepalive_idle", &T::keepalive_idle},
    Number{"keepalive_intvl", &T::keepalive_intvl},
    Number{"keepalive_count", &T::keepalive_count},
    Number{"enable_csum", &T::enable_csum},
    Number{"inject_csum_error", &T::inject_csum_error},
    Number{"nonblk_zcack", &T::nonblk_zcack},
    Number{"zc_min_payload", &T::zc_min_payload},
    Number{"zc_recv", &T::zc_recv},
    Number{"zc_recv_min_nfrags", &T::zc_recv_min_nfrags},
    Number{"conns_per_peer", &T::conns_per_peer},
    Number{"tos", &T::tos},
    Number{"enable_irq_affinity", &T::enable_irq_affinity},
    Number{"accept_port", &T::accept_port},
    Number{"accept_port_bulk", &T::accept_port_bulk},
    Number{"accept_backlog", &T::accept_backlog},
    Number{"accept_timeout", &T::accept_timeout},
    Number{"accept_pending", &T::accept_pending},
    Number{"accept_open", &T::accept_open},
    Number{"accept_open_per_address", &T::accept_open_per_address},
    Number{"unprivileged_connect", &T::unprivileged_connect},
    Number{"spin_us", &T::spin_us},
    Number{"long_cycle_ms", &T::long_cycle_ms},
    Number{"zc_request", &T::zc_request},
};
/// A tunable that is not a number. `set` takes a canonical text.
struct Word {
  std::string_view name;
  Result<void> (*set)(T& to, const conf::Param& param, const std::string& text);
};
template <auto kField>
Result<void> set_choice(T& to, const conf::Param& param, const std::string& text) {
  using Choice = std::remove_reference_t<decltype(to.*kField)>;
  to.*kField = static_cast<Choice>(conf::choice_of(param, text));
  return {};
}
Result<void> set_congestion(T& to, const conf::Param&, const std::string& text) {
  if (text.size() > kCongestionMax)
    return fail(-EINVAL, "no congestion control has a name of this length");
  to.congestion = text;
  return {};
}
constexpr std::array kWords = {
    Word{"accept", set_choice<&T::accept>},
    Word{"peer_address_check", set_choice<&T::peer_address_check>},
    Word{"wait", set_choice<&T::wait>},
    Word{"congestion", set_congestion},
};

/// Sets a tunable from the canonical text of its value.
Result<void> set(T& to, const conf::Param& param, const std::string& text) {
  if (const auto* word = std::ranges::find(kWords, param.name, &Word::name); word != kWords.end())
    return word->set(to, param, text);
  const auto* number = std::ranges::find(kNumbers, param.name, &Number::name);
  if (number == kNumbers.end())
    return fail(-ENOENT, "no tunable of the tcp driver: " + std::string(param.name));
  std::from_chars(text.data(), text.data() + text.size(), to.*number->field);
  return {};
}

}  // namespace

SockTunables::SockTunables() {
  const auto set_default = [&](std::string_view name) {
    const conf::Param* param = conf::find_param(name);
    ULNET_ASSERT(param != nullptr);
    const Result<void> done = set(*this, *param, std::string(param->initial));
    ULNET_ASSERT(done);
  };
  for (const Number& number : kNumbers) set_default(number.name);
  for (const Word& word : kWords) set_default(word.name);
}

std::span<const NumberTunable> number_tunables() { return kNumbers; }

Result<void> set_tunable(SockTunables& to, std::string_view name, std::string_view value) {
  const conf::Param* param = conf::find_param(name);
  if (param == nullptr) return fail(-ENOENT, "no tunable of the tcp driver: " + std::string(name));
  const auto text = conf::check_param(*param, value);
  if (!text) return tl::unexpected<Error>(text.error());
  return set(to, *param, *text);
}

SockTunables tunables_of(const conf::ParamValues& params) {
  SockTunables tunables;
  for (const auto& [name, value] : params.given())
    if (const auto done = set_tunable(tunables, name, value); !done)
      ULNET_ASSERT(done.error().code == -ENOENT);  // a parameter of another module
  return tunables;
}

}  // namespace ulnet::lnd::sock
