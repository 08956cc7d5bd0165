/** Whether Stripe has told what an earlier request with the same idempotency key came to, in an answer or an error. */
export function isReplay(told: unknown): boolean {
  const headers = headersOf(told);
  return headers !== null && 'idempotent-replayed' in headers && headers['idempotent-replayed'] === 'true';
}

function headersOf(told: unknown): object | null {
  if (typeof told !== 'object' || told === null) return null;
  const response = 'lastResponse' in told ? told.lastResponse : told;
  if (typeof response !== 'object' || response === null || !('headers' in response)) return null;
  return typeof response.headers === 'object' ? response.headers : null;
}
