import { f, type RecordOf } from '../../values/fields/index.ts';

/** Counted figures of a tenant, such as the figures of a month (reports §2). Outdated figures are counted again. */
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
