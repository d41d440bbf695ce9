// One run of ulnetctl: who it is called, which node it talks to, and how it prints.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conf/interfaces.h"
#include "ctl/lnetconfig.h"
#include "tools/shell/door.h"
#include "tools/shell/speak.h"

namespace ulnet::tools {

/// Exit codes as lnetctl's: a negative errno, of which the shell sees the low eight bits
/// (spec/cli-lnetctl.md 7).
inline constexpr int kRequestFailed = -EINVAL;  // 234
inline constexpr int kTargetFailed = -1;        // 255
inline constexpr int kBadCommand = -1;
inline constexpr int kGenericError = -ENODATA;  // 195
inline constexpr int kHelpShown = 1;

class Session {
 public:
  /// `program` is the name that messages and the prompt use: lnetctl when called so, else ulnetctl.
  explicit Session(std::string program) : program_(std::move(program)) {}

  const std::string& program() const { return program_; }
  /// Called by the original's name it prints what that prints, to the letter.
  bool is_lnetctl() const { return program_ == "lnetctl"; }
  void use_control(std::string control) { node_ = NodeDoor(std::move(control)); }
  void use_json(bool json) { json_ = json; }
  bool json() const { return json_; }

  /// The node, connected on first use. Null, after a sentence on stderr, when there is none, or
  /// when it may not be changed because nobody named it: the command then ends with kRequestFailed.
  ctl::LnetConfig* connect(ctl::Intent intent);

  /// Sections as YAML in their hands, or as JSON.
  std::string text_of(const ctl::Tree& tree, bool as_json) const;
  void show(const ctl::Tree& tree, bool as_json);
  /// ... but as lnetctl nothing at all when every section is empty. Returns 0.
  int show_unless_empty(const ctl::Tree& tree, bool as_json);
  /// A sentence beside the recorded text: on stderr, as a comment of YAML.
  void hint(std::string_view sentence);
  /// The framed error of a failed request, and the node's hint if it gave one; returns the
  /// command's exit code.
  int failed(std::string_view operation, std::string_view entity, const Error& error);
  /// ... and as the command's result: 0 or failed().
  int finish(std::string_view operation, std::string_view entity, const Result<void>& result);
  /// The older shape, errno and descr nested; `descr` as it stands. Returns `exit_code`.
  int nested(std::string_view operation, std::string_view entity, int code, std::string_view descr,
             int exit_code);
  /// What ulnet does not do yet.
  int not_built(std::string_view operation, std::string_view entity, std::string_view command);

 private:
  const std::string program_;
  NodeDoor node_{std::string()};
  bool json_ = false;
  ctl::DoorClient* door_ = nullptr;  // of node_, once connected
  std::unique_ptr<ctl::LnetConfig> lnet_;
};

}  // namespace ulnet::tools
