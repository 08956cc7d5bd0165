import type {
  AggregatedUsage,
  RawUsageRecord,
  RawUsageRecords,
  UsageIntervalRequest,
  UsageRange,
  UsageSource,
  UsageSourceContext,
} from '../../../lib/index.ts';

interface Call {
  readonly member: string;
  readonly range: UsageRange | null;
  readonly context: UsageSourceContext;
  readonly properties: Readonly<Record<string, string | null>>;
  readonly requests: readonly UsageIntervalRequest[];
}

/** A meter of the host that records its calls. Tests can override its answers. */
export class MeteringSource implements UsageSource {
  readonly name: string;
  readonly calls: Call[] = [];
  records: RawUsageRecord[] = [];
  /** Overrides every answer. */
  instead: (() => unknown) | null = null;
  getAggregatedUsage?: NonNullable<UsageSource['getAggregatedUsage']>;

  constructor(name = 'meter') {
    this.name = name;
  }

  /** `99 sms 2026-04-01T00:00:00Z`, which is also the tracking id. */
  use(subscriptionId: string, ...texts: readonly string[]): void {
    for (const text of texts) {
      const [amount = '', unitType = '', when = ''] = text.split(' ');
      this.records.push({ subscriptionId, amount, unitType, instant: new Date(when), trackingId: text });
    }
  }

  /** From now on, answers with a quantity for each interval. */
  addUp(quantityOf: (request: UsageIntervalRequest) => AggregatedUsage | null): void {
    this.getAggregatedUsage = async (requests, context) => {
      this.calls.push({ member: 'getAggregatedUsage', range: null, context, properties: {}, requests });
      const answers = requests.map(quantityOf);
      return answers.some((answer) => answer === null) ? null : (answers as AggregatedUsage[]);
    };
  }

  async getUsageForAccount(
    range: UsageRange,
    context: UsageSourceContext,
    properties: Parameters<UsageSource['getUsageForAccount']>[2],
  ): Promise<RawUsageRecords | null> {
    return this.#answer({ member: 'getUsageForAccount', range, context, properties, requests: [] });
  }

  async getUsageForSubscription(
    ...[, range, context, properties]: Parameters<UsageSource['getUsageForSubscription']>
  ): Promise<RawUsageRecords | null> {
    return this.#answer({ member: 'getUsageForSubscription', range, context, properties, requests: [] });
  }

  async #answer({
    properties,
    ...call
  }: Omit<Call, 'properties'> & {
    readonly properties: Parameters<UsageSource['getUsageForAccount']>[2];
  }): Promise<RawUsageRecords | null> {
    const values = Object.fromEntries(properties.map(({ key, value }) => [key, value]));
    this.calls.push({ ...call, properties: values });
    if (this.instead !== null) return this.instead() as RawUsageRecords | null;
    return streamOf(this.records);
  }
}

async function* streamOf(records: readonly RawUsageRecord[]): AsyncGenerator<RawUsageRecord> {
  yield* records;
}
