/** What the tenant wants of duplicates (`usage.duplicatePolicy`, §2.1). */
export const OnDuplicate = {
  /** A tracking id that was used before is refused. */
  FAIL: 'FAIL',
  /** The same submission again changes nothing and is no error. */
  IGNORE: 'IGNORE',
} as const;
export type OnDuplicate = (typeof OnDuplicate)[keyof typeof OnDuplicate];

/** The settings of recording (§8). */
export interface RecordingConfig {
  readonly onDuplicate: OnDuplicate;
  readonly negativeAmounts: boolean;
  /** Whether units that no catalog of the tenant has are refused. */
  readonly rejectsUnknownUnits: boolean;
  /** Whether what is recorded may pass a threshold of the tenant's terms (§12.1). */
  readonly mayPassThresholds: boolean;
}
