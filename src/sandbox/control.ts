import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Core } from './core.ts';
import { errorBody, oneOf, type Reader, Refusal, readObject, required, uuidText } from './fields.ts';
import { type Journal, KINDS, KYC_STATUSES, MODES, type RecordHeader, type SandboxMode } from './journal.ts';

/** Adds the control endpoints, which the real API does not have: to inspect the sandbox, and to change it for a test. */
export function addControl(app: FastifyInstance, core: Core, storeId: string): void {
  app.get('/sandbox/summary', (_request, reply) => {
    reply.send({ store_id: storeId, ...core.counts() });
  });
  app.get('/sandbox/objects', (request, reply) => sendObjects(core, request, reply));
  app.post('/sandbox/customers/:id/kyc', (request, reply) => setKyc(core, request, reply));
  app.post('/sandbox/kyc', (request, reply) => setEveryKyc(core, request, reply));
  app.post('/sandbox/institutions', (request, reply) => setLimits(core, request, reply));
}

interface JournalLine extends RecordHeader {
  readonly object?: unknown;
  readonly answer: { readonly data?: unknown } | null;
}

interface ObjectFilter {
  readonly kind: unknown;
  readonly mode: unknown;
}

function sendObjects(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const { kind, mode } = request.query as Readonly<Record<string, unknown>>;
  if (kind !== undefined && !KINDS.some((known) => known === kind)) {
    throw new Refusal(400, 'invalid_kind', `kind must be one of ${KINDS.join(', ')}`, 'kind');
  }
  if (mode !== undefined && !MODES.some((known) => known === mode)) {
    throw new Refusal(400, 'invalid_mode', `mode must be one of ${MODES.join(', ')}`, 'mode');
  }
  reply.header('content-type', 'application/x-ndjson; charset=utf-8');
  reply.send(Readable.from(objectLines(core.journal, { kind, mode })));
}

async function* objectLines(journal: Journal, filter: ObjectFilter): AsyncGenerator<string> {
  for await (const lines of journal.lines()) {
    const shown = lines
      .map((line) => JSON.parse(line) as JournalLine)
      .filter((line) => isShown(line, filter))
      .map((line) => `${JSON.stringify(shownObject(line))}\n`);
    if (shown.length > 0) yield shown.join('');
  }
}

function isShown(line: JournalLine, { kind, mode }: ObjectFilter): boolean {
  const isObject = line.id !== undefined && KINDS.some((known) => known === line.kind);
  return isObject && (kind === undefined || kind === line.kind) && (mode === undefined || mode === line.mode);
}

function shownObject(line: JournalLine) {
  return {
    kind: line.kind,
    mode: line.mode,
    id: line.id,
    idempotency_key: line.key,
    // Equal numbers mean equal natural content, so duplicates can be grouped by this number.
    natural: line.natural,
    created_at: new Date(line.at).toISOString(),
    object: line.object ?? line.answer?.data,
  };
}

function setKyc(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const { id } = request.params as { id: string };
  const mode = MODES.find((candidate) => core.modes[candidate].customers.has(id));
  if (mode === undefined) throw new Refusal(404, 'customer_not_found', 'there is no such customer');
  const { status } = readObject(jsonOf(request), { status: required(oneOf(...KYC_STATUSES)) }, '');
  const change = { kind: 'kyc', id, kyc: status } as const;
  remember(core, reply, [{ ...change, mode }], { id, kyc_status: status });
}

/** Sets the verification of all customers in both modes that have another result. */
function setEveryKyc(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const { status } = readObject(jsonOf(request), { status: required(oneOf(...KYC_STATUSES)) }, '');
  const changes = MODES.flatMap((mode) =>
    [...core.modes[mode].customers]
      .filter(([, kyc]) => kyc !== status)
      .map(([id]) => ({ kind: 'kyc', id, kyc: status, mode }) as const),
  );
  remember(core, reply, changes, { changed: changes.length });
}

const limit: Reader<number> = (value, field) => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new Refusal(400, 'invalid_type', `${field} must be a number of at least 0`, field);
  }
  return value;
};

function setLimits(core: Core, request: FastifyRequest, reply: FastifyReply): void {
  const fields = { id: required(uuidText), min_amount: required(limit), max_amount: required(limit) };
  const list: Reader<unknown[]> = (value, field) => {
    if (!Array.isArray(value)) throw new Refusal(400, 'invalid_type', `${field} must be an array`, field);
    return value;
  };
  const { institutions } = readObject(jsonOf(request), { institutions: required(list) }, '');
  const changes = institutions.map((entry) => {
    const { id, min_amount, max_amount } = readObject(entry, fields, 'institutions.');
    if (core.directory.find(id) === undefined) {
      throw new Refusal(404, 'institution_not_found', 'there is no such institution', 'institutions.id');
    }
    // An institution belongs to both modes, so the mode in this line is not used.
    return { mode: 'sandbox', kind: 'limits', id, limits: [min_amount, max_amount] } as const;
  });
  remember(core, reply, changes, { changed: changes.length });
}

function remember(
  core: Core,
  reply: FastifyReply,
  changes: readonly (Omit<RecordHeader, 'at'> & { mode: SandboxMode })[],
  answer: object,
): void {
  const at = core.settings.now().getTime();
  let open = changes.length;
  if (open === 0) reply.send({ data: answer, error: null });
  for (const change of changes) {
    core.remember({ at, ...change }, 'null', undefined, (error) => {
      open -= 1;
      if (open > 0) return;
      if (error) reply.code(500).type('application/json').send(errorBody('storage_failed', error.message));
      else reply.send({ data: answer, error: null });
    });
  }
}

function jsonOf(request: FastifyRequest): unknown {
  try {
    return JSON.parse(String(request.body));
  } catch {
    throw new Refusal(400, 'invalid_json', 'the body is not JSON');
  }
}
