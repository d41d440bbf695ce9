// ulnetd: one LNet node as a daemon, driven through its control door. Source: DESIGN.md 5,
// docs/man/ulnetd.8.scd.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <variant>

#include "tools/ulnetd/configuration.h"
#include "tools/ulnetd/daemon.h"
#include "tools/ulnetd/exit_code.h"
#include "tools/ulnetd/instance.h"
#include "tools/ulnetd/places.h"

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

/// Logs what runs, with which configuration, and as which user.
void tell_start(Log& log, const DaemonOptions& options, const std::optional<std::string>& file) {
  log.info(fmt::format("ulnetd {}: node {}, process {}, {}", ULNET_VERSION, options.name,
                       ::getpid(), file ? "configuration " + *file : "no configuration file"));
  if (::geteuid() == 0)
    log.warn(
        "running as root and keeping it: start ulnetd from its systemd unit, which gives it a user "
        "of its own, or as any user after 'setcap cap_net_bind_service=+ep PATH-OF-ulnetd'");
}

int serve(const DaemonOptions& options, const Configuration& configuration,
          const std::optional<std::string>& file, const conf::PlaceEnvironment& environment) {
  const auto path = choose_socket_path(options.control, options.name, environment);
  if (!path) {
    complain(path.error().reason);
    return kExitFailed;
  }
  const auto instance =
      Instance::claim(*path, options.control_of_environment ? SocketOrigin::kEnvironment
                                                            : SocketOrigin::kCommandLine);
  if (!instance) {
    complain(instance.error().reason);
    return instance.error().code == -EEXIST ? kExitAlreadyRunning : kExitFailed;
  }
  auto log = Log::open(configuration.config.daemon, options.name);
  if (!log) {
    complain(log.error().reason);
    return kExitFailed;
  }
  tell_start(*log, options, file);
  for (const std::string& warning : configuration.warnings) log->warn(warning);
  Signals signals;
  raise_descriptor_limit();
  const int code = Daemon(options, file, configuration.config, *path, *log, signals).run();
  if (code == kExitDone) log->info("ended");  // after the node's last lines
  log->tell_repeats(true);
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
    for (const std::string& mistake : configuration.error()) complain(mistake);
    return kExitConfiguration;
  }
  if (!options.check) return serve(options, *configuration, file, environment);
  for (const std::string& warning : configuration->warnings) complain("warning: " + warning);
  std::printf("%s: ok: %s\n", file.value_or("command line").c_str(),
              summary(configuration->config).c_str());
  return kExitDone;
}
