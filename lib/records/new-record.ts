/** A record before storage has numbered it. */
export type New<T> = Omit<T, 'recordId'>;
