import type { Duration } from '../../values/time/index.ts';
import type { Findings } from './findings.ts';
import type { WrittenValue } from './written.ts';

/** What XML and JSON call otherwise (§1.1), and where they count otherwise (§1.3). */
export interface Form {
  readonly name: string;
  readonly blockChanges: string;
  readonly disableEntitlement: string;
  readonly interval: string;
  readonly responses: string;
  /** Parts of a state that are taken and have no meaning. */
  readonly ignored: readonly string[];
  /** Smallest number of a time criterion (§1.3 rule 3). */
  readonly leastTime: number;
  readonly readInterval: (value: WrittenValue, findings: Findings) => Duration | null;
}

/** What reads a part of a configuration. */
export interface Reading {
  readonly form: Form;
  readonly findings: Findings;
  readonly acceptsEmptyConditions: boolean;
}
