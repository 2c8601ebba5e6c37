/** The task of a script: where its files are, and which API it calls. */
export interface ScriptTask {
  readonly input: string;
  readonly output: string;
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly connections: number;
  readonly databaseUrl: string;
}

/** The task is the script's only argument, as JSON. */
export function readTask(): ScriptTask {
  return JSON.parse(process.argv[2] ?? '{}');
}

/** A row by its columns. */
export type CustomerCells = Readonly<Record<string, string>>;

/** What is sent for a customer. */
export function bodyOf(cells: CustomerCells): string {
  const { address_line1, city, country, postal_code, ...fields } = cells;
  return JSON.stringify({ ...fields, address: { address_line1, city, country, postal_code } });
}
