export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 421 | 422 | 500;

/** A request that the sandbox refuses, with the status and the error object of its answer. */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly code: string;
  readonly field: string | undefined;

  constructor(status: RefusalStatus, code: string, message: string, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

/** The body of an answer that is not a success: `{data: null, error: {code, message, field?}}`. */
export function errorBody(code: string, message: string, field?: string): string {
  return JSON.stringify({
    data: null,
    error: field === undefined ? { code, message } : { code, message, field },
  });
}
