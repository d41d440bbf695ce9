#include "node/capi/default_node.h"

#include <pthread.h>

#include <cstdlib>
#include <sstream>

namespace ulnet::capi {

DefaultNode& DefaultNode::get() {
  // Never destroyed: handlers and threads of the program may outlive main().
  static DefaultNode* const instance = new DefaultNode;
  return *instance;
}

DefaultNode::DefaultNode() {
  // The lock is held over the fork so that the child finds it free and the fields whole.
  pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                 [] {
                   get().mutex_.unlock();
                   get().abandon();
                 });
}

int DefaultNode::set_networks(std::string networks) {
  const std::lock_guard lock(mutex_);
  if (references_ != 0) return -EBUSY;
  networks_ = std::move(networks);
  return 0;
}

int DefaultNode::set_param(std::string name, std::string value) {
  const std::lock_guard lock(mutex_);
  if (references_ != 0) return -EBUSY;
  params_[std::move(name)] = std::move(value);
  return 0;
}

NodeOptions DefaultNode::options_for(Pid pid) const {
  NodeOptions options;
  options.pid = pid;
  const char* from_environment = std::getenv("ULNET_NETWORKS");
  options.networks = networks_                     ? *networks_
                     : from_environment != nullptr ? from_environment
                                                   : "tcp";
  if (const char* params = std::getenv("ULNET_PARAMS")) {
    std::istringstream words{std::string(params)};
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      options.params[word.substr(0, equals)] =
          equals == std::string::npos ? "" : word.substr(equals + 1);
    }
  }
  for (const auto& [name, value] : params_) options.params[name] = value;
  return options;
}

Result<int> DefaultNode::init(Pid pid) {
  const std::lock_guard lock(mutex_);
  if (references_ != 0) return references_++;
  auto node = Node::start(options_for(pid));
  if (!node) return tl::unexpected<Error>(node.error());
  owned_ = std::move(*node);
  node_.store(owned_.get(), std::memory_order_release);
  references_ = 1;
  return 0;
}

void DefaultNode::fini() {
  const std::lock_guard lock(mutex_);
  if (references_ == 0 || --references_ != 0) return;
  node_.store(nullptr, std::memory_order_release);
  owned_.reset();
  queues_.clear();
}

void DefaultNode::abandon() {
  node_.store(nullptr, std::memory_order_release);
  (void)owned_.release();
  references_ = 0;
}

}  // namespace ulnet::capi
