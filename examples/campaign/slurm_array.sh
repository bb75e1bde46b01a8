#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A campaign as a Slurm job array: each task executes its share of the runs with a store of its own.
#
#   sbatch --array=1-20 examples/campaign/slurm_array.sh examples/campaign/campaign.toml results/campaign
#   weir merge results/campaign/shard-* --into results/campaign/all
#   weir compare examples/campaign/campaign.toml --out results/campaign/all --continue
#
# The last command repeats no existing run: it prints the table and draws the pictures. To continue a task that was
# killed or ran out of time, submit it again: sbatch --array=7 with WEIR_SHARDS=20 in the environment.
#SBATCH --job-name=weir
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
set -euo pipefail

scenario=${1:?usage: sbatch --array=1-N slurm_array.sh SCENARIO DIR}
results=${2:?usage: sbatch --array=1-N slurm_array.sh SCENARIO DIR}
task=${SLURM_ARRAY_TASK_ID:?is not set: this script is for sbatch --array=1-N}
shards=${WEIR_SHARDS:-${SLURM_ARRAY_TASK_MAX:-$task}}

exec "${WEIR:-weir}" compare "$scenario" --shard "$task/$shards" --out "$results/shard-$task" --continue \
  --jobs "${SLURM_CPUS_PER_TASK:-1}"
