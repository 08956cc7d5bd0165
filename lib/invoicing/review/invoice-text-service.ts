import type { CallContext } from '../../records/index.ts';
import type { KeyValueService } from '../../tenants/index.ts';
import {
  type DocumentText,
  type DocumentTextUpload,
  documentTextKey,
  localeGiven,
} from '../documents/text-keys.ts';

/** Templates and translations (§14), which are values of the tenant's keys (platform §3). */
export class InvoiceTextService {
  readonly #keyValues: KeyValueService;

  constructor(keyValues: KeyValueService) {
    this.#keyValues = keyValues;
  }

  async upload(context: CallContext, upload: DocumentTextUpload): Promise<void> {
    const key = keyOf(upload);
    if (upload.replace) await this.#keyValues.add(context, key, upload.text);
    else await this.#keyValues.addNew(context, key, upload.text);
  }

  async get(context: CallContext, text: DocumentText): Promise<string | null> {
    const { values } = await this.#keyValues.get(context, keyOf(text));
    return values[0] ?? null;
  }

  async delete(context: CallContext, text: DocumentText): Promise<void> {
    await this.#keyValues.delete(context, keyOf(text));
  }
}

function keyOf({ kind, locale }: DocumentText): string {
  return documentTextKey(kind, locale == null ? null : localeGiven(locale));
}
