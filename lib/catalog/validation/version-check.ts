import type { Currency } from '../../values/money/index.ts';
import type { VersionContent } from '../model/version-content.ts';
import type { Findings } from './findings.ts';
import type { Names } from './names.ts';

/** What the checks of one version share. */
export interface VersionCheck {
  readonly content: VersionContent;
  readonly findings: Findings;
  readonly names: Names;
  readonly currencies: ReadonlySet<Currency>;
}
