import type { EInvoiceDocument } from '../../lib/ports/index.ts';
import type { XmlElement } from './xml-elements.ts';

/** The parts of an e-invoice, in the order of its schema. The lines are written one by one. */
export interface XmlParts {
  readonly root: string;
  readonly namespaces: Readonly<Record<string, string>>;
  readonly beforeLines: readonly (XmlElement | null)[];
  readonly line: (line: EInvoiceDocument['lines'][number]) => XmlElement | null;
  readonly afterLines: readonly (XmlElement | null)[];
  /** Name of the element that contains the lines and everything after them. Null means the root element. */
  readonly linesIn: string | null;
}

/** The business process (BT-23). It is the same for all profiles. */
export const BUSINESS_PROCESS = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';

/** The allowance reason code for discounts in the code list UNTDID 5189. */
export const DISCOUNT = '95';

export function isZero(amount: string): boolean {
  return /^-?[0.]*$/.test(amount);
}
