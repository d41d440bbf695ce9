// Text forms of nets, NIDs and process ids. Source: spec/wire-lnet.md 1.1, 1.5.
#include <fmt/format.h>

#include "lnet/wire/text.h"
#include "ulnet/nid.hpp"

namespace ulnet {
namespace {

using wire::text::Form;
using wire::text::NetName;
using wire::text::quoted;

constexpr std::uint8_t kIp6Size = 12;

// Prints a NID of a type without a name, or with an address that its net has no text form for, in
// hexadecimal. Such a text does not parse as a NID.
std::string print_opaque(const Nid& nid) {
  std::string address;
  if (nid.size == 0) {
    address = fmt::format("{:x}", nid.address4());
  } else {
    for (std::size_t i = 0; i < nid.addr.size() && i < nid.size + 4U; ++i)
      address += fmt::format("{:02x}", nid.addr[i]);
  }
  return fmt::format("{}@<{}:{}>", address, nid.type, nid.net().num);
}

tl::unexpected<Error> bad_nid(std::string_view text, std::string_view why) {
  return fail(-EINVAL, fmt::format("{} is not a NID: {}", quoted(text), why));
}

Result<Nid> parse_ip(std::string_view text, std::string_view address, NetId net, Form form) {
  if (const auto ip4 = wire::text::ip4(address)) return Nid::small(net, *ip4);
  if (form == Form::kIp4) return bad_nid(text, "this net has IPv4 addresses");
  if (address.find('%') != std::string_view::npos) {
    return bad_nid(text, "an address with a scope means something on this host only");
  }
  if (const auto ip6 = wire::text::ip6(address)) return Nid::large(net, *ip6);
  return bad_nid(text, address.empty() ? "no address" : "neither an IPv4 nor an IPv6 address");
}

}  // namespace

std::string NetId::to_string() const {
  if (is_any()) return "<?>";
  const NetName* name = wire::text::name_of(type);
  if (name == nullptr) return fmt::format("<{}:{}>", static_cast<unsigned>(type), num);
  if (num == 0) return std::string(name->name);
  return fmt::format("{}{}", name->name, num);
}

Result<NetId> NetId::parse(std::string_view text) {
  const NetName* name = wire::text::name_at(text);
  if (name == nullptr) return fail(-EINVAL, fmt::format("{} is not a network type", quoted(text)));
  const std::string_view digits = text.substr(name->name.size());
  if (digits.empty()) return NetId{name->type, 0};
  if (name->form == Form::kNothing)
    return fail(-EINVAL, fmt::format("{}: lo has no number", quoted(text)));
  const auto num = wire::text::number(digits, 0xffff);
  if (!num)
    return fail(-EINVAL,
                fmt::format("{} is not a network: 0 to 65535 may follow the type", quoted(text)));
  return NetId{name->type, static_cast<std::uint16_t>(*num)};
}

std::string Nid::to_string() const {
  if (is_any()) return "<?>";
  const NetName* name = wire::text::name_of(net().type);
  if (name == nullptr) return print_opaque(*this);
  const bool ip = name->form == Form::kIp || name->form == Form::kIp4;
  if (name->form == Form::kIp && size == kIp6Size) {
    return fmt::format("{}@{}", wire::text::print_ip6(addr), net().to_string());
  }
  if (size != 0) return print_opaque(*this);
  if (ip)
    return fmt::format("{}.{}.{}.{}@{}", addr[0], addr[1], addr[2], addr[3], net().to_string());
  return fmt::format("{}@{}", address4(), net().to_string());
}

Result<Nid> Nid::parse(std::string_view text) {
  if (text == "<?>" || text == "*") return Nid::any();
  const std::size_t at = text.rfind('@');
  const std::string_view address = text.substr(0, at);
  NetId net{NetType::kTcp, 0};
  if (at != std::string_view::npos) {
    const Result<NetId> named = NetId::parse(text.substr(at + 1));
    if (!named) return bad_nid(text, named.error().reason);
    net = *named;
  }
  const Form form = wire::text::name_of(net.type)->form;
  if (form == Form::kNothing) return Nid::loopback();
  if (form != Form::kNumber) return parse_ip(text, address, net, form);
  const auto number = wire::text::address_number(address);
  if (!number) return bad_nid(text, "the address is a number on this net");
  return Nid::small(net, *number);
}

std::string ProcessId::to_string() const {
  if (pid.is_any()) return "LNET_PID_ANY-" + nid.to_string();
  const std::uint32_t number = pid.value & 0x7fffffffU;
  return fmt::format("{}{}-{}", pid.is_user() ? "U" : "", number, nid.to_string());
}

Result<ProcessId> ProcessId::parse(std::string_view text) {
  constexpr std::string_view kAnyPid = "LNET_PID_ANY";
  const std::size_t dash = text.find('-');
  ProcessId id{{}, Pid::lustre()};
  if (dash != std::string_view::npos) {
    std::string_view word = text.substr(0, dash);
    const bool user = word.starts_with('U');
    const auto number = wire::text::number(word.substr(user ? 1 : 0), 0x7fffffffU);
    if (!number && word != kAnyPid)
      return fail(-EINVAL, fmt::format("{} is not a PID", quoted(word)));
    id.pid = number ? Pid{*number | (user ? 0x80000000U : 0)} : Pid::any();
    text.remove_prefix(dash + 1);
  }
  const Result<Nid> nid = Nid::parse(text);
  if (!nid) return tl::unexpected(nid.error());
  id.nid = *nid;
  return id;
}

}  // namespace ulnet
