import type { Report } from './rounds.ts';

/** The options of every section. */
export interface SectionOptions {
  /** A migrated, empty database, for the superuser. */
  readonly databaseUrl: string;
  /** Rounds that count. */
  readonly rounds: number;
  /** Rows a round, or in the whole input. */
  readonly rows: number;
}

/** Runs a section as a program of its own: options in, report out, to the parent process. */
export async function runSection(section: (options: SectionOptions) => Promise<Report[]>): Promise<void> {
  const options: SectionOptions = JSON.parse(process.argv[2] ?? '{}');
  const reports = await section(options);
  process.send?.(reports, undefined, {}, () => process.disconnect());
}
