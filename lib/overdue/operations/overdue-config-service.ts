import type { Ports } from '../../ports/index.ts';
import type { CallContext, WithContext } from '../../records/index.ts';
import { type KeyValueService, SystemKey } from '../../tenants/index.ts';
import { formatOf, OverdueFormat, readOverdueDocument } from '../config/document-format.ts';
import { overdueXmlText } from '../config/read-config.ts';
import { type OverdueDefinition, overdueDefinition, writeOverdueXml } from '../config/write-config.ts';
import type { OverdueConfigs } from '../loading/overdue-configs.ts';
import { definitionText } from './definition-text.ts';
import type {
  NewOverdueDefinition,
  OverdueConfigOperations,
  OverdueUploadOptions,
} from './overdue-config-operations.ts';

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
