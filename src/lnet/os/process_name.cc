#include "lnet/os/process_name.h"

#include <fstream>

#include "lnet/base/printable.h"

namespace ulnet::node {

std::string program_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return text::printable(name);
}

std::string named_process(pid_t pid, uid_t uid) {
  const std::string user = "uid " + std::to_string(uid);
  if (pid <= 0) return user;  // the process is in another PID namespace, or it is the kernel
  const std::string numbers = "pid " + std::to_string(pid) + ", " + user;
  const std::string name = program_of(pid);
  return name.empty() ? numbers : name + " (" + numbers + ")";
}

}  // namespace ulnet::node
