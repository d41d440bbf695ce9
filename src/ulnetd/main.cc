// ulnetd: one LNet node as a daemon, which clients control through its control API. Source:
// DESIGN.md 5, docs/man/ulnetd.8.scd.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ulnetd/background.h"
#include "ulnetd/configuration.h"
#include "ulnetd/daemon.h"
#include "ulnetd/exit_code.h"
#include "ulnetd/explain.h"
#include "ulnetd/instance.h"
#include "ulnetd/last_words.h"
#include "ulnetd/places.h"
#include "ulnetd/user.h"

namespace {

using namespace ulnet;
using namespace ulnet::tools;

void complain(const std::string& line) { std::fprintf(stderr, "ulnetd: %s\n", line.c_str()); }

/// Peers need several descriptors each: takes as many as the system allows.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Logs the program's version, its configuration, and its user.
void log_start(Log& log, const DaemonOptions& options, const std::optional<std::string>& file) {
  log.info(fmt::format("ulnetd {}: node {}, process {}, {}", ULNET_VERSION, options.name,
                       ::getpid(), file ? "configuration " + *file : "no configuration file"));
  if (::geteuid() == 0)
    log.warn(
        "running as root and keeping it: start ulnetd with --user NAME, or from its systemd unit, "
        "which gives it a user of its own, or as any user after 'setcap cap_net_bind_service=+ep "
        "PATH-OF-ulnetd'");
  if (!options.user) return;
  log.info("running as user " + *options.user +
           (may_bind_privileged_ports() ? ", which may use ports below 1024" : ""));
  std::vector<std::string> files = options.modparams;
  if (file) files.push_back(*file);
  for (const std::string& one : files)
    if (::access(one.c_str(), R_OK) != 0)
      log.warn(one + " cannot be read by user " + *options.user + ": no reload will work");
}

/// Becomes the user of --user, if one is given, and chooses the control socket. This user then
/// makes and opens all other files. So an access that works now works later too, and files in the
/// user's folders cannot mislead root.
Result<std::string> take_place(const DaemonOptions& options) {
  std::optional<std::string> path;
  if (options.user) {
    const auto user = find_user(*options.user);
    if (!user) return fail(user.error().code, "--user: " + user.error().reason);
    if (::geteuid() == 0) {
      const auto chosen =
          choose_socket_path_for(options.control, options.name, user->uid, user->gid);
      if (!chosen) return chosen;
      path = *chosen;
    }
    if (const auto became = become(*user); !became)
      return fail(became.error().code, "--user " + user->text + ": " + became.error().reason);
  }
  if (path) return *path;
  return choose_socket_path(options.control, options.name, conf::place_environment());
}

/// A further explanation of an error when the daemon makes its files.
std::string hint(const DaemonOptions& options, int code) {
  if (code != -EACCES || !options.user) return {};
  return "; user " + *options.user +
         " needs a folder of its own for this (with --control or --log-file)";
}

/// "/run/ulnet/a.sock" → "/run/ulnet/a.log"
std::string log_beside(const std::string& socket) {
  return socket.substr(0, socket.size() - (socket.ends_with(".sock") ? 5 : 0)) + ".log";
}

int serve(DaemonOptions options, Configuration configuration,
          const std::optional<std::string>& file) {
  const auto path = take_place(options);
  if (!path) {
    complain(path.error().reason);
    return kExitFailed;
  }
  if (options.background) {
    std::optional<std::string>& log_file = configuration.config.daemon.log_file;
    if (!log_file) options.settings.log_file = log_file = log_beside(*path);
    if (const auto code = go_to_background(*log_file)) return *code;
  }
  const auto instance =
      claim_socket(*path, options.control_of_environment ? SocketOrigin::kEnvironment
                                                         : SocketOrigin::kCommandLine);
  if (!instance) {
    complain(instance.error().reason + hint(options, instance.error().code));
    return instance.error().code == -EEXIST ? kExitAlreadyRunning : kExitFailed;
  }
  auto log = Log::open(configuration.config.daemon, options.name);
  if (!log) {
    complain(log.error().reason + hint(options, log.error().code));
    return kExitFailed;
  }
  set_last_words(options.name, configuration.config.daemon);
  node::MemoryReserve reserve;
  log_start(*log, options, file);
  for (const conf::Problem& warning : configuration.warnings) log->warn(to_string(warning));
  Signals signals;
  raise_descriptor_limit();
  const int code = Daemon(options, file, configuration.config, *path, *log, signals, reserve).run();
  if (code == kExitDone) log->info("ended");  // logged after the node's last lines
  log->show_repeats(true);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = parse_options(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  const auto& options = std::get<DaemonOptions>(parsed);
  const conf::PlaceEnvironment environment = conf::place_environment();
  const auto file = options.config ? options.config : find_config_file(environment);
  const auto configuration = read_configuration(file, options);
  if (!configuration) {
    for (const conf::Problem& mistake : configuration.error()) complain(to_string(mistake));
    return kExitConfiguration;
  }
  if (!options.check) return serve(options, *configuration, file);
  for (const conf::Problem& warning : configuration->warnings)
    complain("warning: " + to_string(warning));
  std::printf("%s: ok: %s\n", file.value_or("command line").c_str(),
              summary(configuration->config).c_str());
  return kExitDone;
}
