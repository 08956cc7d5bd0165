/** A record before storage assigns its record id. */
export type New<T> = Omit<T, 'recordId'>;
