import type { VersionContent } from './version-content.ts';

/** Place in a document: both count from 1, the column in UTF-16 code units. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** Place of a record of the content, of a child element, or of one of its repeated children; undefined: not written. */
export type Locate = (record: object, child?: string, index?: number) => Location | undefined;

/** One version of a document: well-formed and of the right shape, but not yet validated. */
export interface ParsedVersion {
  readonly content: VersionContent;
  readonly locate: Locate;
}
