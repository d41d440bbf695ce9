#include "admin/client/nid_words.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "lnet/config/interfaces.h"
#include "lnet/config/model.h"

namespace ulnet::ctl {

namespace {

// The quotes are part of lnetctl's text.
const Error kInvalid{-EINVAL, "\"Unable to parse nidlist: invalid NID in nidstr\""};
const Error kNothing{-EINVAL, "\"Unable to parse nidlist: no valid NIDs in string\""};
const Error kBackwards{-ERANGE, "\"Unable to parse nidlist: range is wrong order\""};

/// Whether a word may be the name of a host. A mistyped address must not be looked up.
bool may_be_host(std::string_view name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
  const bool address_like = name.find_first_not_of("0123456789.-") == std::string_view::npos;
  return !name.empty() && name.size() <= 253 && plain && !address_like;
}

std::optional<Nid> named_host(std::string_view word, const HostResolver& resolve) {
  const std::size_t at = word.find('@');
  const std::string host(word.substr(0, at));
  const auto net = at == std::string_view::npos ? Result<NetId>(NetId{NetType::kTcp, 0})
                                                : NetId::parse(word.substr(at + 1));
  const bool ip_net = net && (net->type == NetType::kTcp || net->type == NetType::kO2ib ||
                              net->type == NetType::kEfa || net->type == NetType::kGip);
  if (!ip_net || !may_be_host(host)) return std::nullopt;
  const auto address = resolve(host);
  if (!address || (net->type == NetType::kGip && !address->is_small())) return std::nullopt;
  return conf::on_net(*address, *net);
}

}  // namespace

std::optional<Nid> resolve_host(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &list) != 0) return std::nullopt;
  constexpr NetId kTcp{NetType::kTcp, 0};
  std::optional<Nid> v4;
  std::optional<Nid> v6;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    if (one->ai_family == AF_INET && !v4) {
      sockaddr_in address{};
      std::memcpy(&address, one->ai_addr, sizeof address);
      v4 = Nid::small(kTcp, ntohl(address.sin_addr.s_addr));
    } else if (one->ai_family == AF_INET6 && !v6) {
      sockaddr_in6 address{};
      std::memcpy(&address, one->ai_addr, sizeof address);
      std::array<std::uint8_t, 16> bytes{};
      std::memcpy(bytes.data(), &address.sin6_addr, bytes.size());
      v6 = Nid::large(kTcp, bytes);
    }
  }
  ::freeaddrinfo(list);
  return v4 ? v4 : v6;
}

Result<std::vector<Nid>> nids_of_words(std::span<const std::string> words, std::size_t limit,
                                       const HostResolver& resolve) {
  std::vector<Nid> nids;
  for (const std::string& word : words) {
    auto parts = wire::split_list(word);
    if (!parts) return tl::unexpected(kInvalid);
    for (const std::string_view part : *parts) {
      const auto one = Nid::parse(part);
      if (one && !one->is_any()) {
        nids.push_back(*one);
      } else if (const auto pattern = wire::NidPattern::parse(part); pattern && !one) {
        auto some = pattern->expand(limit);
        if (!some) return some.error().code == -E2BIG ? some : tl::unexpected(kInvalid);
        nids.insert(nids.end(), some->begin(), some->end());
      } else if (const auto host = named_host(part, resolve)) {
        nids.push_back(*host);
      } else {
        return tl::unexpected(part.find('@') == std::string_view::npos ? kNothing : kInvalid);
      }
      if (nids.size() > limit) return fail(-E2BIG, "more than " + std::to_string(limit) + " NIDs");
    }
  }
  if (nids.empty()) return tl::unexpected(kNothing);
  return nids;
}

namespace {

/// The first part of the words that is neither a NID nor a pattern, and why.
struct Unreadable {
  std::string part, why;
};
std::optional<Unreadable> find_unreadable(std::span<const std::string> words) {
  for (const std::string& word : words) {
    const auto parts = wire::split_list(word);
    if (!parts) return Unreadable{word, parts.error().reason};
    for (const std::string_view part : *parts) {
      if (Nid::parse(part)) continue;
      if (const auto pattern = wire::NidPattern::parse(part); !pattern)
        return Unreadable{std::string(part), pattern.error().reason};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<Nid>> peer_nids(std::span<const std::string> words) {
  const HostResolver nobody = [](const std::string&) { return std::nullopt; };
  auto nids = nids_of_words(words, conf::kPeerNidsMax, nobody);
  if (nids) return nids;
  if (nids.error().code == -E2BIG)
    return fail(-E2BIG, "Unable to parse nidlist: specifies more NIDs than allowed");
  const auto wrong = find_unreadable(words);
  if (wrong && wrong->why.find("runs backwards") != std::string::npos)
    return tl::unexpected(kBackwards);
  return nids;
}

std::string unreadable_range(std::span<const std::string> words) {
  const auto wrong = find_unreadable(words);
  return wrong ? wrong->part.substr(0, wrong->part.find('@')) : std::string();
}

std::string hint_of_nids(std::span<const std::string> words) {
  for (const std::string& word : words) {
    const auto parts = wire::split_list(word);
    if (!parts) return {};
    for (const std::string_view part : *parts) {
      const auto at = part.rfind('@');
      const std::string name(part);
      if (at == part.npos) return "'" + name + "' has no net: write '" + name + "@tcp' for net tcp";
      if (!NetId::parse(part.substr(at + 1)))
        return "'" + std::string(part.substr(at + 1)) + "' in '" + name +
               "' is not a net: nets are named tcp, tcp1 and so on";
    }
  }
  return {};
}

Result<void> check_nets_named(std::span<const std::string> words) {
  for (const std::string& word : words) {
    const auto parts = wire::split_list(word);
    if (!parts) return tl::unexpected(kInvalid);
    for (const std::string_view part : *parts) {
      const bool has_net = part.find('@') != std::string_view::npos;
      if (!has_net && (Nid::parse(part) || wire::NidPattern::parse(part)))
        return tl::unexpected(kNothing);
    }
  }
  return {};
}

Result<Nid> primary_nid(const std::string& word) {
  const auto plain = Nid::parse(word);
  if (plain && !plain->is_any()) return *plain;
  const auto pattern = wire::NidPattern::parse(word);
  if (pattern && !plain)
    if (const auto one = pattern->expand(1); one && one->size() == 1) return one->front();
  return fail(-EINVAL, "'" + word + "' is not one NID: it cannot be a primary NID");
}

Result<Tree> expansion_of(std::span<const wire::NidPattern> patterns) {
  Tree nids = Tree::array();
  for (const wire::NidPattern& pattern : patterns) {
    const auto some = pattern.expand(conf::kPeerNidsMax - nids.size());
    if (!some) return tl::unexpected(some.error());
    for (const Nid& nid : *some) nids.push_back(nid.to_string());
  }
  return Tree{{"nidlist", std::move(nids)}};
}

Result<std::optional<Nid>> nid_or_all(std::string_view text, bool all) {
  if (all) return std::optional<Nid>();
  const auto one = Nid::parse(text);
  if (!one || one->is_any()) return fail(-EINVAL, "invalid NID '" + std::string(text) + "'");
  return std::optional<Nid>(*one);
}

}  // namespace ulnet::ctl
