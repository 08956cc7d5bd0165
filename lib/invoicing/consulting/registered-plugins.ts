import type { InvoicePlugin, Ports } from '../../ports/index.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import { InvoicePluginCalls } from './invoice-plugin-calls.ts';

/** The invoice plugins that the engine was opened with, and which of them a tenant has. */
export class RegisteredInvoicePlugins {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger' | 'ids'>;
  readonly #byName: ReadonlyMap<string, InvoicePlugin>;

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'logger' | 'ids'>,
    plugins: readonly InvoicePlugin[],
  ) {
    this.#ports = ports;
    this.#byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
    if (this.#byName.size === plugins.length) return;
    throw new Error(`Two invoice plugins have one name: ${plugins.map(({ name }) => name).join(', ')}`);
  }

  /** True: no tenant has any, so that nothing has to be read to know it. */
  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Those of a tenant (§13 rule 1): by its configuration, else all by name; names that are not registered are skipped. */
  of({ plugins }: Pick<InvoicingConfig, 'plugins'>): InvoicePluginCalls {
    const names = plugins.length > 0 ? [...new Set(plugins)] : [...this.#byName.keys()].sort();
    return new InvoicePluginCalls(
      this.#ports,
      names.flatMap((name) => this.#byName.get(name) ?? []),
    );
  }
}
