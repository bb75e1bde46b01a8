#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A campaign with GNU parallel, on this machine or, with its option --sshlogin in PARALLEL, on several: each job runs its
# share of the runs with a store of its own; the stores are then merged into one.
#
#   examples/campaign/parallel.sh examples/campaign/campaign.toml results/campaign 8
#
# After an interruption, call it again to continue.
set -euo pipefail

scenario=${1:?usage: parallel.sh SCENARIO DIR SHARDS}
results=${2:?usage: parallel.sh SCENARIO DIR SHARDS}
shards=${3:?usage: parallel.sh SCENARIO DIR SHARDS}
weir=${WEIR:-weir}

mkdir -p "$results"
seq "$shards" | parallel --halt soon,fail=1 --joblog "$results/jobs.log" \
  "$weir" compare "$scenario" --shard "{}/$shards" --out "$results/shard-{}" --continue --jobs 1 ">" "$results/shard-{}.txt"
rm -rf "$results/all"
"$weir" merge "$results"/shard-*/ --into "$results/all"
"$weir" compare "$scenario" --out "$results/all" --continue
