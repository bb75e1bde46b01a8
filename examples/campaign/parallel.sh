#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A campaign by GNU parallel, on this machine or, with its option --sshlogin in PARALLEL, on several: each job makes its
# share of the runs and has a store of its own, and one store is made from all of them.
#
#   examples/campaign/parallel.sh examples/campaign/campaign.toml results/campaign 8
#
# Called again after an interruption it goes on where it stopped.
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
