/** A record to which the storage has not yet assigned a record id. */
export type New<T> = Omit<T, 'recordId'>;
