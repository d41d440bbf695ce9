#include "ulnetd/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "admin/conf/places.h"
#include "lnet/config/params.h"
#include "text/shell/cli_app.h"
#include "ulnet/nid.hpp"
#include "ulnetd/exit_code.h"

namespace ulnet::tools {

namespace {

constexpr const char* kExamples = R"(Examples:
  ulnetd                                        the node of /etc/ulnet.conf
  ulnetd --check --config new.conf              is this file right?
  ulnetd --background --name a --if 127.0.0.11 --accept-port 9988 --set accept=trust
                                                a node on loopback, without root
  ulnetd --if eth0 --if eth1 --net tcp1         two interfaces on the net tcp1
  ulnetd --user nobody                          started as root, runs as nobody
  ulnetd --metrics 9100                         /metrics and /healthz on 127.0.0.1:9100

Signals: TERM and INT drain, then end (a second one ends at once); HUP reads the configuration again.
Exit codes: 0 done, 1 failed, 2 command line, 3 configuration, 4 already running.)";

/// The reason why `name` cannot be a node's name, which is used as a file name; empty when it
/// can.
std::string check_name(const std::string& name) {
  if (conf::is_name(name)) return {};
  return "a name has 1 to 64 letters, digits, '-', '_' and '.'";
}

/// The node's name when the options name only its control socket, by a word: "a" or "a.sock".
std::string name_of(std::string control) {
  if (control.ends_with(".sock")) control.resize(control.size() - 5);
  return control;
}

std::string check_net(const std::string& net) {
  const auto parsed = NetId::parse(net);
  return parsed ? std::string() : "not a net: " + parsed.error().reason;
}

/// Puts "NAME=VALUE" into `params`; returns the reason when it is wrong.
std::string set_param(const std::string& text, std::map<std::string, std::string>& params) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return "'" + text + "' is not NAME=VALUE";
  const std::string name = text.substr(0, equals);
  const auto value = conf::check_param(name, text.substr(equals + 1));
  if (!value) return value.error().reason;
  params[std::string(conf::find_param(name)->name)] = *value;
  return {};
}

/// Chooses the node's name and control socket. ULNET_CONTROL, which names the node that the other
/// tools talk to, counts only when neither --control nor --name says which node this one is.
/// Returns the reason when the name is wrong.
std::string name_by_control(DaemonOptions& options, bool named) {
  const char* const environment = std::getenv("ULNET_CONTROL");
  if (options.control.empty() && !named && environment != nullptr && *environment != '\0') {
    options.control = environment;
    options.control_of_environment = true;
  }
  if (options.control.empty() || options.control.find('/') != std::string::npos) return {};
  const std::string name = name_of(options.control);
  if (const std::string bad = check_name(name); !bad.empty())
    return (options.control_of_environment ? "ULNET_CONTROL: " : "--control: ") + bad;
  if (!named) options.name = name;
  return {};
}

std::string check_interface(const std::string& text) {
  if (text.empty()) return "an interface or an address is missing";
  return text.find(',') == std::string::npos ? "" : "one at a time; --if may be repeated";
}

template <class List>
std::vector<std::string> names_of(const List& list) {
  return {list.begin(), list.end()};
}

/// The options as written on the command line.
struct Words {
  DaemonOptions options;
  std::vector<std::string> params;  // NAME=VALUE
  std::optional<std::uint16_t> accept_port;
  std::string mode;
  bool selftest = false;
  bool metrics_api = false;
  bool skip_unsupported = false;

  /// Uses the port for bulk connections as well, even if a file (an export has both) gives them
  /// another port; --set gives them their own.
  void use_port(const std::string& port) {
    const auto is_bulk = [](const std::string& p) { return p.starts_with("accept_port_bulk="); };
    if (std::ranges::none_of(params, is_bulk)) params.push_back("accept_port_bulk=" + port);
    params.push_back("accept_port=" + port);
  }

  /// Joins all words into `options`; returns the reason when something is wrong.
  std::string finish(const CLI::App& app) {
    std::string wrong = name_by_control(options, app.count("--name") != 0);
    if (accept_port) use_port(std::to_string(*accept_port));
    if (!mode.empty()) params.push_back("mode=" + mode);
    for (const std::string& param : params)
      if (wrong.empty()) wrong = set_param(param, options.params);
    if (app.count("--selftest") != 0) options.settings.selftest = selftest;
    if (app.count("--metrics-api") != 0) options.settings.metrics_api = metrics_api;
    if (app.count("--skip-unsupported") != 0) options.settings.skip_unsupported = skip_unsupported;
    return wrong;
  }
};

/// Adds the options for the node.
void add_options_of_the_node(CLI::App& app, Words& words) {
  DaemonOptions& options = words.options;
  add_value(app, "--config,-c", options.config, "FILE",
            "configuration file (lnetctl's YAML); else /etc/ulnet.conf, else ulnet.conf in the "
            "user's configuration folder");
  add_value(app, "--name,-n", options.name, "NAME", "this node's name among several on the machine")
      ->check(check_name)
      ->capture_default_str();
  add_value(app, "--control", options.control, "PATH",
            "control socket; else, without --name, ULNET_CONTROL; else /run/ulnet/NAME.sock, "
            "else the user's runtime folder");
  add_value(app, "--accept-port", words.accept_port, "PORT",
            "TCP port to listen on and to dial, for all connections (default 988)")
      ->check(CLI::Range(1, 65535));
  add_value(app, "--if,-i", options.interfaces, "ADDR|IFACE",
            "interface or address to bring up; repeatable")
      ->check(check_interface)
      ->take_all()
      ->allow_extra_args(false);
  add_value(app, "--net", options.net, "NET", "the net of --if")
      ->check(check_net)
      ->capture_default_str();
  add_value(app, "--set,-s", words.params, "NAME=VALUE",
            "a module parameter (see 'ulnetctl param show'); repeatable")
      ->take_all()
      ->allow_extra_args(false);
  add_value(app, "--modparams", options.modparams, "FILE",
            "file of modprobe's whose 'options lnet|ksocklnd NAME=VALUE ...' are module "
            "parameters of the node; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--mode", words.mode, "threads: shared, or pinned to their CPUs")
      ->check(CLI::IsMember({"shared", "dedicated"}));
}

/// Adds the options for the daemon.
void add_options_of_the_daemon(CLI::App& app, Words& words) {
  conf::DaemonSettings& settings = words.options.settings;
  app.add_flag("--selftest", words.selftest,
               "serve LNet selftest: obey consoles (lst, ulst) as a test node");
  add_value(app, "--user", words.options.user, "USER[:GROUP]",
            "started as root: become this user and keep one right, to use ports below 1024");
  app.add_flag("--skip-unsupported", words.skip_unsupported,
               "leave out, with a warning, nets whose type is not built in (only tcp is)");
  app.add_flag("--background", words.options.background,
               "return when the node is ready, and go on in the background; without a log file the "
               "log goes to NAME.log beside the control socket");
  app.add_flag("--check", words.options.check, "check the configuration and end");
  app.add_flag("--strict", words.options.strict,
               "treat warnings about the configuration as mistakes");
  app.add_option("--log-format", settings.log_format, "format of the log (default text)")
      ->check(CLI::IsMember(names_of(conf::kLogFormats)));
  app.add_option("--log-level", settings.log_level, "least level to log (default info)")
      ->check(CLI::IsMember(names_of(conf::kLogLevels)));
  add_value(app, "--log-file", settings.log_file, "FILE",
            "append the log to a file instead of stderr");
  add_value(app, "--metrics", settings.metrics, "PORT",
            "serve /metrics and /healthz on 127.0.0.1:PORT (0: any)");
  app.add_flag("--metrics-api", words.metrics_api,
               "serve the rest of the control API there too, read-only, to all users");
  add_value(app, "--drain", settings.drain, "SECONDS",
            "seconds that messages in flight may take to end (default 10)")
      ->check(CLI::Range(0U, conf::kDrainMax));
}

}  // namespace

std::variant<DaemonOptions, int> parse_options(int argc, char** argv) {
  Words words;
  CLI::App app("ulnetd - an LNet node in user space", "ulnetd");
  app.footer(kExamples);
  // A later option wins: an administrator's additions follow those of the systemd unit.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version,-V", "ulnetd " ULNET_VERSION);
  add_options_of_the_node(app, words);
  add_options_of_the_daemon(app, words);
  if (const auto wrong = parse_words(app, words_of(argc, argv), kExitUsage)) return *wrong;
  if (const std::string wrong = words.finish(app); !wrong.empty()) {
    std::cerr << "ulnetd: " << wrong << ". See 'ulnetd --help'.\n";
    return int{kExitUsage};
  }
  return words.options;
}

}  // namespace ulnet::tools
