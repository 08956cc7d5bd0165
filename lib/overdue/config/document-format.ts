import type { OverdueConfig } from './overdue-config.ts';
import { type ConfigReading, overdueXmlText, readOverdueJson, readOverdueXml } from './read-config.ts';

/** The two forms of a configuration (§1.4). */
export const OverdueFormat = { XML: 'XML', JSON: 'JSON' } as const;
export type OverdueFormat = (typeof OverdueFormat)[keyof typeof OverdueFormat];

/** XML if the first character beyond white space is `<`: no JSON begins so. */
export function formatOf(document: Uint8Array | string): OverdueFormat {
  return overdueXmlText(document).trimStart().startsWith('<') ? OverdueFormat.XML : OverdueFormat.JSON;
}

/**
 * Reads a configuration in either form.
 * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010), TOO_LARGE (60012).
 */
export function readOverdueDocument(
  document: Uint8Array | string,
  format: OverdueFormat = formatOf(document),
): OverdueConfig {
  return readIn(format, document, {});
}

/** The same of what is stored, which has been accepted by the rules of its time. */
export function readStoredOverdueDocument(document: string): OverdueConfig {
  return readIn(formatOf(document), document, { acceptsEmptyConditions: true });
}

function readIn(format: OverdueFormat, document: Uint8Array | string, reading: ConfigReading): OverdueConfig {
  return format === OverdueFormat.XML
    ? readOverdueXml(document, reading)
    : readOverdueJson(overdueXmlText(document), reading);
}

/**
 * Refuses a value of the tenant's key that breaks a rule of §1.3.
 * @throws as `readOverdueDocument`.
 */
export function checkOverdueConfig(value: string): void {
  readOverdueDocument(value);
}
