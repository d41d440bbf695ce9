// A rig for the MPI driver: a process alone, which sends to itself. Compiled for each MPI.
#include <mpi.h>

#include <stdexcept>

#include "lnet/lnd/mpi/mpi_lnd.h"
#include "tests/lnet/conformance/rig.h"

namespace ulnet::conformance {
namespace {

/// MPI as long as the program runs.
struct Mpi {
  Mpi() {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
      throw std::runtime_error("MPI does not start");
  }
  ~Mpi() { MPI_Finalize(); }
};

class MpiRig final : public Rig {
 public:
  explicit MpiRig(std::uint32_t short_bytes) {
    static const Mpi mpi;
    static std::uint64_t epoch = 0;
    MPI_Comm_dup(MPI_COMM_SELF, &comm_);
    const core::Hop self{Nid::small({NetType::kMpi, 0}, 0), Pid::lustre()};
    lnd::mpi::MpiOptions options;
    options.engine.short_bytes = short_bytes;
    driver_ = std::make_unique<lnd::mpi::MpiLnd>(
        inlet_, std::vector{lnd::mpi::Group{&comm_, {self}}}, self.nid, options, epoch += 1000);
    inlet_.attach(*driver_);
    lnd::NiSpec spec;
    spec.id = {1};
    spec.net = self.nid.net();
    const auto started = driver_->start_ni(spec);
    if (!started) throw std::runtime_error(started.error().reason);
    a = b = {driver_.get(), &inlet_, spec.id, self, started->limits};
    nowhere = {Nid::small({NetType::kMpi, 0}, 99), Pid::lustre()};
  }
  ~MpiRig() override {
    driver_->stop_ni(a.ni);
    driver_.reset();
    MPI_Comm_free(&comm_);
  }
  void cut() override { driver_->stop_ni(a.ni); }
  void pump() override { driver_->progress({}); }

 private:
  Recorder inlet_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<lnd::mpi::MpiLnd> driver_;
};

}  // namespace

std::vector<RigKind> rigs() {
  return {{"mpi", []() -> std::unique_ptr<Rig> { return std::make_unique<MpiRig>(4096); }},
          {"mpi_long_short_messages",
           []() -> std::unique_ptr<Rig> { return std::make_unique<MpiRig>(65536); }}};
}

}  // namespace ulnet::conformance
