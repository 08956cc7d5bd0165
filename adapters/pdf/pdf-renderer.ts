import type { DocumentRenderer, PrintableDocument, RenderedFile } from '../../lib/ports/index.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { drawDocument } from './draw-document.ts';
import { type FontFamily, Fonts, loadPackages, type Packages } from './fonts.ts';
import { Sheet } from './sheet.ts';

export interface PdfOptions {
  /**
   * Fonts for letters beyond Latin, Greek and Cyrillic, asked in this order for what Noto Sans does not have. Those of
   * Google's Noto Sans for Arabic, Hebrew, Japanese, Korean, Chinese, Thai and Devanagari are found without being named
   * where their packages are installed, such as `@expo-google-fonts/noto-sans-arabic`.
   */
  readonly fonts?: readonly FontFamily[];
}

/**
 * Makes PDFs with pdfkit: `Billing.open({ documentRenderer: pdfRenderer(), … })`. The packages and fonts are loaded with the
 * first document; without them each PDF fails with NOT_IMPLEMENTED (1), which names the line that installs them.
 */
export function pdfRenderer({ fonts: given = [] }: PdfOptions = {}): DocumentRenderer {
  let tools: Promise<{ readonly packages: Packages; readonly fonts: Fonts }> | undefined;
  const load = async () => {
    const packages = await loadPackages();
    return { packages, fonts: await Fonts.load(packages.fontkit, given) };
  };
  return {
    async pdf(document, { signal } = {}): Promise<RenderedFile> {
      tools ??= load();
      const { packages, fonts } = await tools.catch((error: unknown) => {
        tools = undefined;
        throw error;
      });
      refuseUnknownLanguage(document, fonts);
      const sheet = new Sheet(packages, fonts, { document, signal });
      await drawDocument(sheet, document);
      const bytes = await sheet.end({ size: 8, color: '#565d66' });
      return { bytes, missingCharacters: sheet.missingCharacters };
    },
  };
}

/** A document whose own words cannot be written says nothing. */
function refuseUnknownLanguage(
  { heading, language, columns, noLines }: PrintableDocument,
  fonts: Fonts,
): void {
  const words = [heading, columns.name, columns.period, columns.amount, noLines].join('');
  const missing = [...words].find((character) => /\p{L}/u.test(character) && !fonts.has(character));
  if (missing === undefined) return;
  throw new BillingError({
    code: ErrorCode.NOT_IMPLEMENTED,
    message: `PDFs in the language ${language} need a font that has ${missing}: give it to pdfRenderer({ fonts }), or install one such as @expo-google-fonts/noto-sans-arabic`,
    facts: { language, missing },
  });
}
