import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { Authorship, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import { BULK_USAGE_LINES_PER_TURN, MAX_BULK_USAGE_CALLS } from '../../values/limits.ts';
import { type RecordingConfigOf, recordingConfigOf } from '../loading/tenant-recording-config.ts';
import { lineNames } from '../recording/line-names.ts';
import { LineReport, type UsageReport } from '../recording/line-report.ts';
import { readLine } from '../recording/read-submission.ts';
import type { RecordingConfig } from '../recording/recording-config.ts';
import type { SubmittedLine } from '../recording/usage-submission.ts';
import { chunksOf } from './line-chunk.ts';
import { LinePreparation, type LineRead } from './line-preparation.ts';
import { addTo, NO_CHUNK, type StoredChunk, storeChunk } from './store-chunk.ts';
import type { RecordAllOptions } from './usage-operations.ts';

/** Records usage of many subscriptions (§2.5). */
export class BulkService {
  readonly #ports: Pick<Ports, 'storage' | 'sha256' | 'systemClock'>;
  readonly #preparation: LinePreparation;
  readonly #configOf: RecordingConfigOf;
  readonly #chunkSize: number;
  #running = 0;

  constructor(
    ports: Pick<Ports, 'storage' | 'sha256' | 'systemClock'>,
    catalogs: CatalogProvider,
    { settingsOf, chunkSize }: { readonly settingsOf: SettingsOf; readonly chunkSize: number },
  ) {
    this.#ports = ports;
    this.#preparation = new LinePreparation(ports, catalogs);
    this.#configOf = recordingConfigOf(settingsOf);
    this.#chunkSize = chunkSize;
  }

  async recordAll(
    context: CallContext,
    lines: AsyncIterable<SubmittedLine> | Iterable<SubmittedLine>,
    { listsAll = false }: RecordAllOptions = {},
  ): Promise<UsageReport> {
    const authorship = authorshipOf(context);
    if (this.#running >= MAX_BULK_USAGE_CALLS) throw busy();
    this.#running += 1;
    try {
      return await this.#recordAll(context, { lines, authorship, listsAll });
    } finally {
      this.#running -= 1;
    }
  }

  async #recordAll(context: CallContext, { lines, authorship, listsAll }: BulkCall): Promise<UsageReport> {
    const { storage, systemClock } = this.#ports;
    const { tenant } = context;
    const report = new LineReport({ isFull: listsAll });
    let config: RecordingConfig | undefined;
    const reading = async function* (this: BulkService): AsyncGenerator<LineRead> {
      let count = 0;
      for await (const line of lines) {
        config ??= await storage.read(tenant, this.#configOf);
        count += 1;
        if (count % BULK_USAGE_LINES_PER_TURN === 0) await systemClock.nextTurn();
        yield { read: readLine(line, config), names: lineNames(line) };
      }
    }.bind(this);
    // A chunk is read and looked up while the one before it is stored, but on the one connection of a host's transaction.
    let before: Promise<StoredChunk> = Promise.resolve(NO_CHUNK);
    try {
      const chunks = chunksOf(reading(), { chunkSize: this.#chunkSize, sizeOf: pointsOf });
      for await (const chunk of chunks) {
        assertInvariant(config, 'Lines were read without the settings of recording');
        const prepared = await this.#preparation.prepared(context, chunk, config);
        addTo(report, await before);
        const { mayPassThresholds } = config;
        before = storeChunk({ storage, tenant, authorship, mayPassThresholds }, prepared);
        if (tenant.within !== undefined) await before;
      }
      addTo(report, await before);
    } finally {
      await before;
    }
    return report.report;
  }
}

interface BulkCall {
  readonly lines: AsyncIterable<SubmittedLine> | Iterable<SubmittedLine>;
  readonly authorship: Authorship;
  readonly listsAll: boolean;
}

function pointsOf({ read }: LineRead): number {
  return 'usage' in read ? read.usage.records.length : 0;
}

function busy(): BillingError {
  return new BillingError({
    code: ErrorCode.TOO_MANY_REQUESTS,
    message: `${MAX_BULK_USAGE_CALLS} bulk calls are being recorded; nothing of this one was read, send it again later`,
    facts: { retryAfterSeconds: 1 },
  });
}
