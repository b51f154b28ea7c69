/** Why a worker was replaced: the label of `ramjet_worker_restarts_total`. */
export const RESTART_REASONS = ['exception', 'stall', 'memory', 'exit', 'publish'] as const
export type RestartReason = (typeof RESTART_REASONS)[number]
