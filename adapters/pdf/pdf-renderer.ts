import type { DocumentRenderer, PrintableDocument, RenderedFile } from '../../lib/ports/index.ts';
import { billingError, checkOptionTypes, ErrorCode, requireOption } from '../../lib/values/errors/index.ts';
import { drawDocument } from './draw-document.ts';
import type { FontFamily } from './font-family.ts';
import { Fonts, loadPackages, type Packages } from './fonts.ts';
import { openedLogo } from './logo.ts';
import { type Drawn, Sheet } from './sheet.ts';

export interface PdfOptions {
  /**
   * Fonts for characters that Noto Sans lacks (it has Latin, Greek and Cyrillic), in this order. Installed packages of Noto
   * Sans for Arabic, Hebrew, Japanese, Korean, Chinese, Thai and Devanagari, such as
   * `@expo-google-fonts/noto-sans-arabic`, are found automatically.
   */
  readonly fonts?: readonly FontFamily[];
}

/**
 * Renders PDFs with pdfkit: `Billing.open({ documentRenderer: pdfRenderer(), … })`. Packages and fonts are loaded with
 * the first document. If they are missing, PDFs fail with NOT_IMPLEMENTED (1) and the install command.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an option of the wrong type.
 */
export function pdfRenderer(options: PdfOptions = {}): DocumentRenderer {
  checkOptions(options);
  const given = options.fonts ?? [];
  let tools: Promise<{ readonly packages: Packages; readonly fonts: Fonts }> | undefined;
  const load = async () => {
    const packages = await loadPackages();
    return { packages, fonts: await Fonts.load(packages.fontkit, given) };
  };
  async function renderPdf(drawn: Drawn): Promise<RenderedFile> {
    const { document } = drawn;
    tools ??= load();
    const { packages, fonts } = await tools.catch((error: unknown) => {
      tools = undefined;
      throw error;
    });
    refuseUnknownLanguage(document, fonts);
    const sheet = new Sheet(packages, fonts, drawn);
    const { opened, problem: logoProblem } = await openedLogo(sheet, document.logo);
    await drawDocument(sheet, document, opened);
    const bytes = await sheet.end({ size: 8, color: '#565d66' });
    return { bytes, missingCharacters: sheet.missingCharacters, logoProblem };
  }
  return {
    pdf: (document, { signal } = {}) => renderPdf({ document, signal }),
    pdfWithEInvoice: (document, attachment, { signal } = {}) => renderPdf({ document, attachment, signal }),
  };
}

function checkOptions(options: PdfOptions): void {
  checkOptionTypes(options, { fonts: 'a list' });
  for (const [at, family] of (options.fonts ?? []).entries()) {
    requireOption(`fonts[${at}]`, family, 'an object');
    const { regular } = family;
    requireOption(`fonts[${at}].regular`, regular, typeof regular === 'string' ? 'text' : 'an object');
  }
}

/** Rejects a document if its fixed texts contain characters that are missing from all fonts. */
function refuseUnknownLanguage(
  { heading, language, columns, noLines }: PrintableDocument,
  fonts: Fonts,
): void {
  const words = [heading, columns.name, columns.period, columns.amount, noLines].join('');
  const missing = [...words].find((character) => /\p{L}/u.test(character) && !fonts.has(character));
  if (missing === undefined) return;
  throw billingError(
    ErrorCode.NOT_IMPLEMENTED,
    `PDFs in the language ${language} need a font with ${missing}: pass it to pdfRenderer({ fonts }), or install one such as @expo-google-fonts/noto-sans-arabic`,
    { language, missing },
  );
}
