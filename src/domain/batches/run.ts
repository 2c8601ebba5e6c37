/** Who runs: enough to tell, on the same host, whether that process is still there. */
export interface RunOwner {
  readonly host: string;
  /** Process id, start time and boot, where the system tells them. */
  readonly process: string;
}

export interface RunRecord {
  readonly id: string;
  readonly number: number;
  readonly command: string;
  readonly owner: RunOwner;
  readonly startedAt: string;
  readonly leaseUntil: string;
  readonly endedAt: string | null;
  readonly exitCode: number | null;
}
