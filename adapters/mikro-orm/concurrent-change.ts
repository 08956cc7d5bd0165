/** A row was changed between its reading and its writing; the operation runs again from the start. */
export class ConcurrentChangeError extends Error {
  override readonly name = 'ConcurrentChangeError';

  constructor(table: string) {
    super(`A row of ${table} was changed by another transaction in between`);
  }
}
