// One run of ulnetctl: its name, the node that it talks to, and how it prints.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "admin/client/control_client.h"
#include "admin/client/find_socket.h"
#include "admin/client/lnetconfig.h"
#include "admin/client/node_connection.h"
#include "lnet/config/interfaces.h"
#include "text/shell/speak.h"

namespace ulnet::tools {

/// Exit codes as lnetctl's: a negative errno, of which the shell sees the low eight bits
/// (spec/cli-lnetctl.md 7).
inline constexpr int kRequestFailed = -EINVAL;  // 234
inline constexpr int kTargetFailed = -1;        // 255
inline constexpr int kBadCommand = -1;
inline constexpr int kGenericError = -ENODATA;  // 195
inline constexpr int kHelpShown = 1;

/// Thrown: the command ends with this exit code, and has printed what there is to say.
struct CommandEnds {
  int code = 0;
};

class Session {
 public:
  /// `program` is the name in messages and in the prompt: lnetctl or lnet_legacy2yaml when called
  /// by that name, else ulnetctl.
  explicit Session(std::string program) : program_(std::move(program)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& program() const { return program_; }
  /// Whether the program was called as lnetctl. It then prints exactly what lnetctl prints.
  bool is_lnetctl() const { return program_ == "lnetctl"; }
  /// Sets the node. Call this before the first connect().
  void use_control(const std::string& control) { control_ = control; }
  /// Returns the argument of use_control(), or an empty text without that call.
  const std::string& control() const { return control_; }
  void use_json(bool json) { json_ = json; }
  bool json() const { return json_; }

  /// Returns the node, connected on first use. Ends the command with kRequestFailed, after a
  /// message on stderr, when no node runs, or when the command must not change the node because the
  /// user did not name it. The result is valid until the next connect().
  ctl::LnetConfig& connect(ctl::Intent intent);

  /// Formats the sections as YAML in lnetctl's format, or as JSON.
  std::string text_of(const ctl::Tree& tree, bool as_json) const;
  void show(const ctl::Tree& tree, bool as_json);
  /// Prints as show() does. When called as lnetctl, prints nothing if every section is empty.
  /// Returns 0.
  int show_unless_empty(const ctl::Tree& tree, bool as_json);
  /// Connects, and calls `ask`. Prints the sections as show_unless_empty() does, or the error.
  int show_by(const std::function<Result<ctl::Tree>(ctl::LnetConfig&)>& ask,
              std::string_view entity, bool as_json);
  /// Prints a sentence that lnetctl does not print: on stderr, as a YAML comment.
  void hint(std::string_view sentence);
  /// Prints the hint of the node's last answer, if it has one.
  void hint_of_answer();
  /// Prints the error of a failed request in lnetctl's frame, and the node's hint if there is
  /// one. `seq_no`: the number of the item in a document. Returns the command's exit code.
  int failed(std::string_view operation, std::string_view entity, const Error& error,
             std::optional<std::int64_t> seq_no = {});
  /// Prints an error as failed() does; returns 0 for a success.
  int finish(std::string_view operation, std::string_view entity, const Result<void>& result);
  /// Makes a change in the node; the rest as finish().
  template <class What>
  int change(std::string_view operation, std::string_view entity, const What& what) {
    return finish(operation, entity, connect(ctl::Intent::kChange).change(what));
  }
  /// Prints the older form of errors, with errno and descr nested and `descr` unchanged. Returns
  /// `exit_code`.
  int nested(std::string_view operation, std::string_view entity, int code, std::string_view descr,
             int exit_code);

 private:
  const std::string program_;
  std::string control_;
  bool json_ = false;
  std::optional<ctl::NodeConnection> connection_;
  ctl::ControlClient* client_ = nullptr;  // belongs to connection_; set after connect()
  std::unique_ptr<ctl::LnetConfig> lnet_;
};

}  // namespace ulnet::tools
