// Starts the threads that move bytes.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace ulnet::lnd {

/// Starts a thread that runs `body` and handles no signals: they belong to the program's threads.
/// `name` has at most 15 characters. Throws std::system_error if the system has no thread.
template <class Body>
std::thread start_thread(const char* name, Body body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(body));
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace ulnet::lnd
