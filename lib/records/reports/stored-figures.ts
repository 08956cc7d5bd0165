import { f, type RecordOf } from '../../values/fields/index.ts';

/**
 * Figures of a tenant that were counted, such as those of a month (reports §2). They are counted again when they are
 * out of date.
 */
export const storedFiguresFields = {
  name: f.text(),
  /** The figures of the last complete count, or null before the first count has ended. */
  figures: f.orNull(f.json<unknown>()),
  /** The system time at which the count of `figures` started, or null before the first count has ended. */
  countedAt: f.orNull(f.instant()),
  /** The figures and the position of a count that is still in progress, or null if no count is in progress. */
  progress: f.orNull(f.json<unknown>()),
};
export interface StoredFigures extends RecordOf<typeof storedFiguresFields> {}
