import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';

const install = 'npm install pdfkit fontkit bidi-js @expo-google-fonts/noto-sans';

/** The packages that PDFs are made with, loaded when the first one is asked for. */
export interface Packages {
  readonly PDFDocument: typeof import('pdfkit');
  readonly fontkit: typeof import('fontkit');
  readonly bidi: import('bidi-js').Bidi;
}

/** @throws BillingError NOT_IMPLEMENTED (1) with the line that installs them, where they are not. */
export async function loadPackages(): Promise<Packages> {
  const [pdfkit, fontkit, bidi] = await Promise.all([
    import('pdfkit'),
    import('fontkit'),
    import('bidi-js'),
  ]).catch((error: unknown) => {
    throw notInstalled(error);
  });
  return { PDFDocument: pdfkit.default, fontkit, bidi: bidiOf(bidi) };
}

export function notInstalled(cause: unknown): BillingError {
  return new BillingError({
    code: ErrorCode.NOT_IMPLEMENTED,
    message: `PDFs need packages that are not installed: ${install}`,
    cause,
  });
}

/** A CommonJS module whose export is the factory itself. */
function bidiOf(module: unknown): import('bidi-js').Bidi {
  const factory = (module as { readonly default: () => import('bidi-js').Bidi }).default;
  return factory();
}
