// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/fifo.h"

#include <gtest/gtest.h>

namespace weir::expresspass::fifo_test {
namespace {

TEST(CreditFifo, KeepsItsOrderAroundTheEndOfItsMemory) {
  Fifo<int> queue;
  EXPECT_FALSE(queue.is_allocated());
  queue.allocate(3);
  int in = 0;
  int out = 0;
  queue.push(in++);
  for (int i = 0; i < 10; ++i) {
    queue.push(in++);
    queue.push(in++);
    EXPECT_TRUE(queue.full());
    EXPECT_EQ(queue.pop(), out++);
    EXPECT_EQ(queue.pop(), out++);
    EXPECT_EQ(queue.size(), 1u);
  }
}

}  // namespace
}  // namespace weir::expresspass::fifo_test
