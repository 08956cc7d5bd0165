import type { Ports } from '../../ports/index.ts';
import type { CallContext, WithContext } from '../../records/index.ts';
import { type KeyValueService, SystemKey } from '../../tenants/index.ts';
import { BillingError } from '../../values/errors/index.ts';
import { takerOf } from '../../values/given/index.ts';
import { stringifyExactJson } from '../../values/money/index.ts';
import {
  formatOf,
  OverdueFormat,
  overdueXmlText,
  readOverdueDocument,
  readOverdueJson,
} from '../config/read-config.ts';
import { type OverdueDefinition, overdueDefinition, writeOverdueXml } from '../config/write-config.ts';
import { invalidOverdueConfig } from '../config/written.ts';
import type { OverdueConfigs } from '../loading/overdue-configs.ts';
import type {
  NewOverdueDefinition,
  OverdueConfigOperations,
  OverdueUploadOptions,
} from './overdue-operations.ts';

/** Overdue configurations (§1), each the value of its tenant's key (platform §3). */
export class OverdueConfigService implements OverdueConfigOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #configs: OverdueConfigs;
  readonly #keyValues: Pick<KeyValueService, 'add'>;

  constructor(
    ports: Pick<Ports, 'storage'>,
    configs: OverdueConfigs,
    keyValues: Pick<KeyValueService, 'add'>,
  ) {
    this.#ports = ports;
    this.#configs = configs;
    this.#keyValues = keyValues;
  }

  async upload(
    context: CallContext,
    config: Uint8Array | string | NewOverdueDefinition,
    { format }: OverdueUploadOptions = {},
  ): Promise<void> {
    await this.#keyValues.add(context, SystemKey.OVERDUE_CONFIG, checkedText(config, format));
  }

  async get(context: CallContext): Promise<OverdueDefinition> {
    const config = await this.#ports.storage.read(context.tenant, this.#configs.configOf);
    return overdueDefinition(config);
  }

  async getXml(context: CallContext): Promise<string> {
    const { text, config } = await this.#ports.storage.read(context.tenant, (session) =>
      this.#configs.documentOf(session),
    );
    return formatOf(text) === OverdueFormat.XML ? text : writeOverdueXml(config);
  }
}

/** The text to keep. @throws as `upload`. */
function checkedText(config: Uint8Array | string | NewOverdueDefinition, format?: OverdueFormat): string {
  if (typeof config !== 'string' && !(config instanceof Uint8Array)) return definitionText(config);
  readOverdueDocument(config, format);
  return overdueXmlText(config);
}

const withAmountsRead = takerOf({
  overdueStates: [{ condition: { totalUnpaidInvoiceBalanceEqualsOrExceeds: 'amount' } }],
});

/**
 * The JSON of a definition, by whose rules it is checked. Its problems have no places: nobody has written that text.
 * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010), MISSING_OR_INVALID_FIELD (60003).
 */
export function definitionText(definition: NewOverdueDefinition): string {
  const text = stringifyExactJson(withAmountsRead(definition, ''));
  try {
    readOverdueJson(text);
  } catch (error) {
    if (!(error instanceof BillingError) || error.problems === undefined) throw error;
    throw invalidOverdueConfig(error.problems.map(({ message }) => ({ message })));
  }
  return text;
}
