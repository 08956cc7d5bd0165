import { setImmediate } from 'node:timers/promises';
import type { EInvoiceWriter } from '../../lib/ports/index.ts';
import type { EInvoiceProfile } from '../../lib/records/index.ts';
import { cii } from './cii.ts';
import { ubl } from './ubl.ts';
import { startTag, type XmlElement, xmlText } from './xml-elements.ts';

/** Identifiers of the specifications that a document follows (BT-24). */
const specifications: Readonly<Record<EInvoiceProfile, string>> = {
  EN16931: 'urn:cen.eu:en16931:2017',
  XRECHNUNG: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
  PEPPOL_BIS3: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
};

/** Number of lines that are written before other work can run. One line takes about 10 µs. */
const LINES_AT_ONCE = 100;

/** Writes e-invoices as UBL 2.1 and CII D16B: `Billing.open({ eInvoices: eInvoiceWriter(), … })`. Needs no packages. */
export function eInvoiceWriter(): EInvoiceWriter {
  return {
    async xml(document, { syntax, profile }): Promise<string> {
      const parts = (syntax === 'UBL' ? ubl : cii)(document, specifications[profile]);
      const texts = ['<?xml version="1.0" encoding="UTF-8"?>\n', startTag(parts.root, parts.namespaces)];
      const add = (element: XmlElement | null) => texts.push(element === null ? '' : xmlText(element));
      for (const element of parts.beforeLines) add(element);
      if (parts.linesIn !== null) texts.push(startTag(parts.linesIn, {}));
      for (const [index, line] of document.lines.entries()) {
        if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) await setImmediate();
        add(parts.line(line));
      }
      for (const element of parts.afterLines) add(element);
      if (parts.linesIn !== null) texts.push(`</${parts.linesIn}>`);
      texts.push(`</${parts.root}>\n`);
      return texts.join('');
    },
  };
}
