// SPDX-License-Identifier: Apache-2.0
#include "schemes/dynamic_threshold/advice.h"

#include <cstdint>
#include <string>

namespace weir::dynamic_threshold {
namespace {

/// For every ingress if `queues` of them are equally congested: each receives alpha times the bytes that all leave
/// free.
std::int64_t settled_xoff(double alpha, Bytes shared, std::size_t queues) {
  return static_cast<std::int64_t>(alpha * static_cast<double>(shared.count()) /
                                   (1 + alpha * static_cast<double>(queues)));
}

std::string bytes_text(std::int64_t bytes) {
  return std::to_string(bytes) + " B";
}

}  // namespace

Advice advise(const AdvisedFabric& fabric) {
  constexpr double kBeta = 8;  // Zhu et al. 2015, 4: t_PFC = beta (B - headroom - used) / 8
  constexpr double kPriorities8 = 8;
  constexpr double kAlpha = kBeta / kPriorities8;
  constexpr std::int64_t kFrames = 2;
  Advice out;
  out.share_of_free = kAlpha;
  out.parameters.push_back({"alpha", kAlpha, "xoff = alpha x (shared buffer - used bytes); alpha = beta / 8, beta = 8",
                            "Choudhury and Hahne 1998 (the law); Zhu et al., SIGCOMM 2015, section 4 (beta = 8)"});
  out.parameters.push_back(
      {"scale_alpha_with_rate", false, "one alpha for ports of all rates", "Choudhury and Hahne 1998"});
  out.parameters.push_back({"resume_offset", fabric.maximum_frame * kFrames,
                            "xoff - xon = 2 x largest frame = 2 x " + bytes_text(fabric.maximum_frame.count()),
                            "Zhu et al., SIGCOMM 2015, section 4: RESUME two MTU below the threshold"});
  for (const AdvisedSwitch& of : fabric.switches) {
    const std::size_t all = of.ports * fabric.lossless;
    out.consequences.push_back(
        of.name + ": xoff = alpha x shared / (1 + alpha x n), shared = " + bytes_text(of.shared.count()) +
        ": with n = 1 congested ingress " + bytes_text(settled_xoff(kAlpha, of.shared, 1)) +
        ", with all n = " + std::to_string(all) + " " + bytes_text(settled_xoff(kAlpha, of.shared, all)));
  }
  return out;
}

}  // namespace weir::dynamic_threshold
