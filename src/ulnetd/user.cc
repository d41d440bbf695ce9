#include "ulnetd/user.h"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

namespace ulnet::tools {

namespace {

constexpr std::uint32_t kKept = 1U << CAP_NET_BIND_SERVICE;

/// An id as a number; the greatest one means "none" to the system.
std::optional<std::uint32_t> number_of(const std::string& text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number == UINT32_MAX) return std::nullopt;
  return number;
}

/// Calls one of the getpw*_r and getgr*_r, as `ask(record, buffer, size, &found)`, with a buffer of
/// the size that it needs, and passes the entry to `take`. Returns whether it found one.
template <class Record, class Ask, class Take>
Result<bool> look_up(Ask ask, Take take) {
  std::vector<char> scratch(4096);
  for (;;) {
    Record record{};
    Record* found = nullptr;
    const int code = ask(&record, scratch.data(), scratch.size(), &found);
    if (code == ERANGE && scratch.size() < (1U << 20)) {
      scratch.resize(scratch.size() * 2);
      continue;
    }
    // These errors may also mean "no such entry" (getpwnam(3)).
    const bool none = code == ENOENT || code == ESRCH || code == EBADF || code == EPERM;
    if (code != 0 && !none) return fail(-code, std::strerror(code));
    if (found != nullptr) take(*found);
    return found != nullptr;
  }
}

Result<bool> look_up_user(const std::string& name, User& user) {
  const auto take = [&](const passwd& entry) {
    user.uid = entry.pw_uid;
    user.gid = entry.pw_gid;
    user.entry = entry.pw_name;
  };
  const auto known = look_up<passwd>(
      [&](auto... scratch) { return ::getpwnam_r(name.c_str(), scratch...); }, take);
  const auto number = number_of(name);
  if (!known || *known || !number) return known;
  return look_up<passwd>([&](auto... scratch) { return ::getpwuid_r(*number, scratch...); }, take);
}

Result<gid_t> group_of(const std::string& name) {
  gid_t gid = 0;
  const auto known =
      look_up<group>([&](auto... scratch) { return ::getgrnam_r(name.c_str(), scratch...); },
                     [&](const group& entry) { gid = entry.gr_gid; });
  if (!known) return fail(known.error().code, "group " + name + ": " + known.error().reason);
  if (*known) return gid;
  if (const auto number = number_of(name)) return *number;
  return fail(-EINVAL, "there is no group '" + name + "'");
}

Result<std::uint32_t> permitted() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0)
    return fail(-errno, std::string("capget: ") + std::strerror(errno));
  return sets[0].permitted;
}

/// Limits the capabilities of this thread to `capabilities`, and clears the inheritable ones.
Result<void> keep_only(std::uint32_t capabilities) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  sets[0].permitted = sets[0].effective = capabilities;
  if (::syscall(SYS_capset, &header, sets.data()) != 0)
    return fail(-errno, std::string("capset: ") + std::strerror(errno));
  return {};
}

/// Removes capabilities from the bounding set, so that no program that this process starts can
/// regain them. Without CAP_SETPCAP, as in some containers, the set stays as it is; with
/// no_new_privs that gives a program nothing.
void shrink_bounding_set() {
  for (unsigned long one = 0; ::prctl(PR_CAPBSET_READ, one, 0, 0, 0) >= 0; ++one)
    if (one != CAP_NET_BIND_SERVICE) ::prctl(PR_CAPBSET_DROP, one, 0, 0, 0);
}

Result<void> change_ids(const User& user) {
  const bool groups = user.entry.empty() ? ::setgroups(1, &user.gid) == 0
                                         : ::initgroups(user.entry.c_str(), user.gid) == 0;
  if (groups && ::setresgid(user.gid, user.gid, user.gid) == 0 &&
      ::setresuid(user.uid, user.uid, user.uid) == 0)
    return {};
  const int code = errno;
  return fail(-code, "cannot become this user: " + std::string(std::strerror(code)) +
                         (code == EPERM ? " (CAP_SETUID and CAP_SETGID are needed)" : ""));
}

}  // namespace

Result<User> find_user(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  User user;
  const auto known = look_up_user(name, user);
  if (!known) return fail(known.error().code, "user " + name + ": " + known.error().reason);
  const auto number = number_of(name);
  if (!*known && !number) return fail(-EINVAL, "there is no user '" + name + "'");
  if (!*known) user.uid = *number;
  if (colon != std::string::npos) {
    const auto group = group_of(text.substr(colon + 1));
    if (!group) return tl::unexpected(group.error());
    user.gid = *group;
  } else if (!*known) {
    return fail(-EINVAL,
                "the system has no user " + name + ": say its group too, as " + name + ":GROUP");
  }
  if (user.uid == 0) return fail(-EINVAL, "'" + name + "' is root");
  user.text = (user.entry.empty() ? name : user.entry) + " (uid " + std::to_string(user.uid) +
              ", gid " + std::to_string(user.gid) + ")";
  return user;
}

Result<void> become(const User& user) {
  if (::geteuid() == user.uid && ::getuid() == user.uid && ::getegid() == user.gid) return {};
  if (::geteuid() != 0)
    return fail(-EPERM, "only root may become another user, and this is the one with the uid " +
                            std::to_string(::geteuid()));
  const auto have = permitted();
  if (!have) return tl::unexpected(have.error());
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0)
    return fail(-errno, std::string("prctl: ") + std::strerror(errno));
  shrink_bounding_set();
  if (const auto changed = change_ids(user); !changed) return changed;
  if (const auto kept = keep_only(*have & kKept); !kept) return kept;
  ::prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
  if (::setuid(0) == 0) return fail(-EPERM, "the process could become root's again");
  return {};
}

}  // namespace ulnet::tools
