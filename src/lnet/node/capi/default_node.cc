#include "lnet/node/capi/default_node.h"

#include <pthread.h>

#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

#include "lnet/base/nearest_word.h"
#include "lnet/config/modparams.h"
#include "lnet/config/params.h"

namespace ulnet::capi {

DefaultNode& DefaultNode::get() {
  // Never destroyed: handlers and threads of the program may outlive main().
  static DefaultNode* const instance = new DefaultNode;
  return *instance;
}

DefaultNode::DefaultNode() {
  // fork() happens with the lock held, so that the child finds the lock free and the fields
  // consistent.
  pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                 [] {
                   get().mutex_.unlock();
                   get().abandon();
                 });
}

Result<void> DefaultNode::may_change() const {
  if (references_ != 0) return fail(-EBUSY, "the node is up: configure it before LNetNIInit()");
  return {};
}

Result<void> DefaultNode::set_networks(const char* networks) {
  const auto lock = settled();
  if (auto may = may_change(); !may) return may;
  if (networks == nullptr) return networks_.reset(), Result<void>();
  if (const auto nets = conf::parse_networks(networks); !nets)
    return tl::unexpected<Error>(nets.error());
  networks_ = networks;
  return {};
}

Result<void> DefaultNode::set_param(const std::string& name, const char* value) {
  const auto lock = settled();
  if (auto may = may_change(); !may) return may;
  const conf::Param* param = conf::find_param(name);
  if (param == nullptr) {
    std::vector<std::string_view> names;
    for (const conf::Param& known : conf::all_params()) names.push_back(known.name);
    const std::string meant = text::did_you_mean(name, names);
    return fail(-ENOENT, "no parameter '" + name + "'" + (meant.empty() ? "" : ". " + meant));
  }
  if (value == nullptr) return params_.erase(std::string(param->name)), Result<void>();
  auto checked = conf::check_param(*param, value);
  if (!checked) return tl::unexpected<Error>(checked.error());
  params_[std::string(param->name)] = *std::move(checked);
  return {};
}

Result<void> DefaultNode::set_log(Log log, void* context) {
  const auto lock = settled();
  if (auto may = may_change(); !may) return may;
  log_ = log;
  log_context_ = context;
  return {};
}

NodeOptions DefaultNode::options_for(Pid pid) const {
  NodeOptions options;
  options.pid = pid;
  options.log = log_;
  options.log_context = log_context_;
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
  const auto lock = settled();
  if (references_ != 0) return references_++;
  auto node = Node::start(options_for(pid));
  if (!node) return tl::unexpected<Error>(node.error());
  owned_ = std::move(*node);
  node_.store(owned_.get(), std::memory_order_release);
  references_ = 1;
  return 0;
}

void DefaultNode::fini() {
  auto lock = settled();
  if (references_ == 0 || --references_ != 0) return;
  node_.store(nullptr, std::memory_order_release);
  std::unique_ptr<Node> node = std::move(owned_);
  ending_ = true;
  lock.unlock();
  node.reset();
  lock.lock();
  queues_->clear();
  ending_ = false;
  ending_.notify_all();
}

std::unique_lock<std::mutex> DefaultNode::settled() {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!ending_) return lock;
    lock.unlock();
    ending_.wait(true);
  }
}

void DefaultNode::abandon() {
  node_.store(nullptr, std::memory_order_release);
  ending_ = false;
  (void)owned_.release();
  // The locks of these objects may have been held by a thread that does not exist in the child. So
  // the objects are not destroyed.
  (void)queues_.release();
  (void)sinks_.release();
  queues_ = std::make_unique<EventQueues>();
  sinks_ = std::make_unique<HandlerSinks>();
  references_ = 0;
}

}  // namespace ulnet::capi
