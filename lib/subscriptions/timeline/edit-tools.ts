import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** What a rule needs besides the facts: the instant of the call, and ids for what it adds. */
export interface EditTools {
  readonly now: Instant;
  readonly nextId: () => Uuid;
}
