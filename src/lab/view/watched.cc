#include "lab/view/watched.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "admin/client/find_socket.h"
#include "admin/conf/places.h"
#include "lab/live/programs.h"
#include "lab/live/stop_signal.h"

namespace ulnet::tools::lab {
namespace {

constexpr std::string_view kSsh = "ssh:";
constexpr std::string_view kSocket = ".sock";
constexpr std::chrono::seconds kConnect{20};

std::string name_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(kSocket)) name.resize(name.size() - kSocket.size());
  return name;
}

}  // namespace

Result<SocketPlace> parse_socket_place(const std::string& word) {
  constexpr const char* kExpected =
      "--door takes a socket's path, a node's name, or ssh:[USER@]HOST[:PATH]";
  if (!word.starts_with(kSsh)) {
    if (word.empty()) return fail(-EINVAL, kExpected);
    const auto socket = ctl::find_control_socket(word, {}, conf::place_environment());
    if (!socket) return tl::unexpected(socket.error());
    return SocketPlace{name_of(socket->path), {}, socket->path};
  }
  const std::string rest = word.substr(kSsh.size());
  const std::size_t colon = rest.find(":/");
  SocketPlace place{{}, rest.substr(0, colon), "/run/ulnet/ulnet.sock"};
  if (colon != std::string::npos) place.path = rest.substr(colon + 1);
  // ssh would take a word that begins with '-' for an option.
  if (place.host.empty() || place.host[0] == '-' || place.host.find(':') != std::string::npos)
    return fail(-EINVAL, "'" + word + "': " + kExpected);
  place.name = place.host.substr(place.host.find('@') + 1);
  return place;
}

struct Tunnels::Tunnel {
  pid_t ssh = -1;
  std::string said;  ///< the file with its standard error

  ~Tunnel() {
    if (ssh <= 0) return;
    ::kill(ssh, SIGTERM);
    ::waitpid(ssh, nullptr, 0);
  }
  /// Whether ssh still runs.
  bool runs() {
    if (ssh > 0 && ::waitpid(ssh, nullptr, WNOHANG) != 0) ssh = -1;
    return ssh > 0;
  }
};

Tunnels::Tunnels() = default;

Tunnels::~Tunnels() {
  tunnels_.clear();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

namespace {

/// Begins to forward `local` to the control socket. ssh writes its errors to the file `said`.
Result<pid_t> start_ssh(const SocketPlace& place, const std::string& local,
                        const std::string& said) {
  const std::string forward = local + ":" + place.path;
  std::vector<std::string> words;
  // setpriv ends ssh when this program is killed. It is a program of Debian's base system.
  if (!find_program("setpriv").empty()) words = {"setpriv", "--pdeathsig", "TERM", "--"};
  for (const char* word : {"ssh", "-N", "-T", "-o", "BatchMode=yes", "-o", "ControlMaster=no", "-o",
                           "ControlPath=none", "-o", "ExitOnForwardFailure=yes", "-L"})
    words.emplace_back(word);
  words.insert(words.end(), {forward, "--", place.host});
  const int errors = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (errors < 0) return fail(-errno, said + " cannot be made");
  const auto pid = start_program(words, {kDevNull, kDevNull, errors}, CtrlC::kReaches);
  ::close(errors);
  if (!pid) return fail(pid.error().code, "ssh cannot be run: is it installed?");
  return pid;
}

}  // namespace

Result<std::vector<WatchedNode>> Tunnels::open(const std::vector<std::string>& words) {
  std::vector<WatchedNode> watched;
  // per control socket: its host if ssh has to forward it; else empty
  std::vector<std::string> hosts;
  std::set<std::string> names;
  for (const std::string& word : words) {
    const auto place = parse_socket_place(word);
    if (!place) return tl::unexpected(place.error());
    std::string name = place->name;
    for (int again = 2; !names.insert(name).second; ++again)
      name = place->name + "-" + std::to_string(again);
    std::string path = place->path;
    if (!place->host.empty()) {
      if (folder_.empty()) {
        std::string pattern = std::filesystem::temp_directory_path() / "ulnet-doors-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) return fail(-errno, pattern + " cannot be made");
        folder_ = pattern;
      }
      path = folder_ + "/" + std::to_string(watched.size()) + ".sock";
      auto tunnel = std::make_unique<Tunnel>();
      tunnel->said = path + ".said";
      const auto ssh = start_ssh(*place, path, tunnel->said);
      if (!ssh) return tl::unexpected(ssh.error());
      tunnel->ssh = *ssh;
      tunnels_.push_back(std::move(tunnel));
    }
    hosts.push_back(place->host);
    watched.push_back({name, path});
  }
  const auto deadline = std::chrono::steady_clock::now() + kConnect;
  std::size_t next = 0;
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (hosts[i].empty()) continue;
    Tunnel& tunnel = *tunnels_[next++];
    while (::access(watched[i].socket.c_str(), F_OK) != 0) {
      if (!tunnel.runs() || StopSignal::came() != 0 ||
          std::chrono::steady_clock::now() > deadline) {
        const auto said = read_whole(tunnel.said);
        return fail(-EHOSTUNREACH, "ssh to " + hosts[i] + ": " +
                                       (said && !said->empty() ? *said : "no connection"));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  return watched;
}

}  // namespace ulnet::tools::lab
