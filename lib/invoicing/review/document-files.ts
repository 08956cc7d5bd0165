import type { Ports, PrintableDocument, RenderedFile } from '../../ports/index.ts';
import { hostAnswer, wantedSignal } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { shortened } from '../../values/text/index.ts';

/** Files of documents, by what the host has given to make them with (§14 rule 6). */
export class DocumentFiles {
  readonly #ports: Pick<Ports, 'documentRenderer' | 'logger' | 'scopes'>;

  constructor(ports: Pick<Ports, 'documentRenderer' | 'logger' | 'scopes'>) {
    this.#ports = ports;
  }

  /** @throws BillingError NOT_IMPLEMENTED (1) where the host has given no renderer. */
  check(): void {
    if (this.#ports.documentRenderer === undefined) throw noRenderer();
  }

  async pdf(document: PrintableDocument, facts: Readonly<Record<string, string>>): Promise<Uint8Array> {
    const { documentRenderer, logger } = this.#ports;
    if (documentRenderer === undefined) throw noRenderer();
    const signal = wantedSignal(this.#ports);
    const { bytes, missingCharacters } = await hostAnswer(async () =>
      fileOf(await documentRenderer.pdf(document, { signal })),
    );
    if (missingCharacters !== '')
      logger.warn({ ...facts, characters: shortened(missingCharacters) }, 'no font for characters of a PDF');
    return bytes;
  }
}

/** Read while the call lasts: an answer that cannot be read is a throw of the renderer's own. */
function fileOf({ bytes, missingCharacters }: RenderedFile): RenderedFile {
  if (!(bytes instanceof Uint8Array)) throw new Error('The document renderer answered no bytes');
  return { bytes, missingCharacters: String(missingCharacters ?? '') };
}

function noRenderer(): BillingError {
  return new BillingError({
    code: ErrorCode.NOT_IMPLEMENTED,
    message:
      'There are no PDFs without a renderer: npm install pdfkit fontkit bidi-js @expo-google-fonts/noto-sans, and open the engine with documentRenderer: pdfRenderer() of billwright/pdf',
  });
}
