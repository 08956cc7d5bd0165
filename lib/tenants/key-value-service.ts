import type { Ports } from '../ports/index.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import { BusEventType, type CallContext, type NewBusEvent, type WithContext } from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import {
  type BillingError,
  billingError,
  ErrorCode,
  invalidField,
  invalidParameter,
} from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { checkStorable, shortenText } from '../values/text/index.ts';
import { type CallbackPolicy, readCallbackUrl } from './callback-url.ts';
import { checkConfiguration } from './configuration/read-configuration.ts';
import { KeyKind, type KeyValueOperations, keyKind, SystemKey } from './key-value-operations.ts';

/** Maximum number of characters of a tenant key. */
const MAX_TENANT_KEY_CHARACTERS = 255;

/** Maximum size of a tenant value in bytes (`server.limits.text`). */
const MAX_TENANT_VALUE_BYTES = 10 * 1_048_576;

/**
 * Maximum number of characters of a configuration or of usage terms. These documents are parsed without interruption,
 * and a malicious document of this size takes 0.1 s.
 */
const MAX_TENANT_DOCUMENT_CHARACTERS = 256 * 1_024;

/** Operations on the values of the key CATALOG, which are the uploaded documents (catalog §5 rules 9 and 10). */
interface CatalogValues {
  /** Returns the documents in upload order. */
  sources(context: CallContext): Promise<readonly string[]>;
  upload(context: CallContext, source: string): Promise<void>;
  delete(context: CallContext): Promise<void>;
}

/** Checks of values that other modules implement. */
interface ValueChecks {
  /** Checks a payment state machine. @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid document. */
  checkPaymentStateMachine(value: string): void;
  /**
   * Checks a template or translation.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for invalid text. INVALID_PARAMETER (60002) for a key with an
   * invalid locale.
   */
  checkDocumentText(key: string, value: string): void;
  /** Checks an overdue configuration. @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010) if it violates a rule. */
  checkOverdueConfig(value: string): void;
  /** Checks usage terms. @throws BillingError INVALID_PARAMETER (60002) if they violate a rule. */
  checkUsageTerms(value: string): void;
  /** Returns true if valid usage terms have thresholds. */
  hasUsageThresholds(value: string): boolean;
}

/**
 * Creates the operations on a tenant's values (platform §3). The server itself reads some of the tenant's keys, such as
 * the configuration and the callback. The tenant can choose any other keys.
 */
export function keyValueService(
  ports: Pick<Ports, 'storage' | 'ids' | 'logger'>,
  {
    catalog,
    callbacks,
    checks,
  }: { readonly catalog: CatalogValues; readonly callbacks: CallbackPolicy; readonly checks: ValueChecks },
): KeyValueService {
  async function store(
    context: CallContext,
    { key, value, replace }: { readonly key: string; readonly value: string; readonly replace: boolean },
  ): Promise<void> {
    checkKey(key);
    checkValue(value);
    check(context, key, value);
    const kind = keyKind(key);
    await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await session.keyValues.lock();
      const isSingle = kind !== KeyKind.USER;
      const there = isSingle || !replace ? await session.keyValues.find([key]) : [];
      if (!replace && there.length > 0) throw alreadyThere(key);
      if (isSingle) await session.keyValues.deactivate(there);
      const id: Uuid = ports.ids.next();
      const now = context.createdDate;
      const row = { id, key, value, isSingle, isActive: true, createdDate: now, updatedDate: now };
      const [recordId = 0] = await session.keyValues.insert([row]);
      const hasThresholds = kind === KeyKind.USAGE && checks.hasUsageThresholds(value);
      await markTenant(session, kind, { recordId, hasThresholds });
      if (isSingle) session.publish([configurationEvent(BusEventType.TENANT_CONFIG_CHANGE, key, id)]);
    });
  }

  function check(context: CallContext, key: string, value: string): void {
    switch (keyKind(key)) {
      case KeyKind.CALLBACK:
        readCallbackUrl(value, callbacks);
        return;
      case KeyKind.CONFIGURATION:
        checkSize(key, value);
        for (const sentence of checkConfiguration(value).ineffective)
          ports.logger.warn({ tenantId: context.tenant.id }, `tenant configuration: ${sentence}`);
        return;
      case KeyKind.PAYMENT_STATE_MACHINE:
        checks.checkPaymentStateMachine(value);
        return;
      case KeyKind.INVOICE_TEXT:
        checks.checkDocumentText(key, value);
        return;
      case KeyKind.OVERDUE:
        checks.checkOverdueConfig(value);
        return;
      case KeyKind.USAGE:
        if (key !== SystemKey.USAGE_TERMS) throw notOffered(key);
        checkSize(key, value);
        checks.checkUsageTerms(value);
        return;
      case KeyKind.PLUGIN_CONFIGURATION:
      case KeyKind.USER:
        return;
      case KeyKind.CATALOG:
        throw notOffered(key);
    }
  }

  return {
    check(context, key, value) {
      checkKey(key);
      checkValue(value);
      check(context, key, value);
    },

    async add(context, key, value) {
      if (key === SystemKey.CATALOG) {
        checkValue(value);
        return catalog.upload(context, value);
      }
      await store(context, { key, value, replace: true });
    },

    async addNew(context, key, value) {
      await store(context, { key, value, replace: false });
    },

    async get(context, key) {
      checkKey(key);
      if (key === SystemKey.CATALOG) return { key, values: await catalog.sources(context) };
      const rows = await ports.storage.readInOneStatement(context.tenant, (session) =>
        session.keyValues.find([key]),
      );
      return { key, values: rows.map(({ value }) => value) };
    },

    async delete(context, key) {
      checkKey(key);
      if (key === SystemKey.CATALOG) return catalog.delete(context);
      await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.keyValues.lock();
        await deleteKey(session, key);
      });
    },

    async search(context, prefix) {
      checkStorable('Key prefix', prefix);
      const rows = await ports.storage.readInOneStatement(context.tenant, (session) =>
        session.keyValues.findByPrefix(prefix),
      );
      const byKey = Map.groupBy(rows, ({ key }) => key);
      const found = [...byKey].map(([key, own]) => ({ key, values: own.map(({ value }) => value) }));
      const values = SystemKey.CATALOG.startsWith(prefix) ? await catalog.sources(context) : [];
      if (values.length > 0) found.push({ key: SystemKey.CATALOG, values: [...values] });
      return found.sort((one, other) => (one.key < other.key ? -1 : 1));
    },
  };
}

export interface KeyValueService extends KeyValueOperations<WithContext> {
  /** Adds the first value of a key. @throws BillingError INVALID_PARAMETER (60002) if the key already has a value. */
  addNew: KeyValueOperations<WithContext>['add'];
  /**
   * Checks a value in the same way as `add`, but does not store it.
   * @throws The errors of `add` for the key and the value.
   */
  check(context: CallContext, key: string, value: string): void;
}

/** Rejects documents that are too large to be parsed without interruption. */
function checkSize(key: string, value: string): void {
  if (value.length <= MAX_TENANT_DOCUMENT_CHARACTERS) return;
  throw billingError(
    ErrorCode.TOO_LARGE,
    `${key} has ${value.length} characters; at most ${MAX_TENANT_DOCUMENT_CHARACTERS} are accepted`,
    { key, size: value.length, limit: MAX_TENANT_DOCUMENT_CHARACTERS },
  );
}

async function deleteKey(session: WriteSession, key: string): Promise<void> {
  const rows = await session.keyValues.find([key]);
  if (rows.length === 0) return;
  await session.keyValues.deactivate(rows);
  const kind = keyKind(key);
  await markTenant(session, kind, { recordId: null, hasThresholds: false });
  if (kind !== KeyKind.USER)
    session.publish([configurationEvent(BusEventType.TENANT_CONFIG_DELETION, key, null)]);
}

/**
 * Stores a reference to the current value in the tenant's row, which every node reads. The reference is null for a
 * deleted value.
 */
async function markTenant(
  session: WriteSession,
  kind: KeyKind,
  { recordId, hasThresholds }: { readonly recordId: number | null; readonly hasThresholds: boolean },
): Promise<void> {
  if (kind === KeyKind.CONFIGURATION) await session.keyValues.setConfiguration(recordId);
  if (kind === KeyKind.OVERDUE) await session.keyValues.setOverdueConfig(recordId);
  if (kind === KeyKind.CALLBACK) await session.keyValues.setCallback(recordId);
  if (kind === KeyKind.USAGE) await session.keyValues.setUsageThresholds(hasThresholds ? recordId : null);
  if (kind === KeyKind.PAYMENT_STATE_MACHINE) await session.keyValues.raiseStateMachineRevision();
}

/** Returns the bus event that reports a configuration change (platform §10.4). */
function configurationEvent(type: BusEventType, key: string, objectId: Uuid | null): NewBusEvent {
  return { type, accountRecordId: null, payload: { accountId: null, objectId, metaData: { key } } };
}

function checkKey(key: string): void {
  checkStorable('Key', key);
  if (key !== '' && key.length <= MAX_TENANT_KEY_CHARACTERS) return;
  throw invalidField(`A key has 1 to ${MAX_TENANT_KEY_CHARACTERS} characters, not ${key.length}`, {
    key: shortenText(key),
  });
}

function checkValue(value: string): void {
  checkStorable('Value', value);
  if (value === '') {
    throw invalidField('The value needs to be sent as the body');
  }
  // In UTF-8, a UTF-16 code unit takes at most three bytes, so a short text need not be measured.
  if (value.length * 3 <= MAX_TENANT_VALUE_BYTES) return;
  const bytes = new TextEncoder().encode(value).length;
  if (bytes <= MAX_TENANT_VALUE_BYTES) return;
  throw billingError(
    ErrorCode.TOO_LARGE,
    `The value has ${bytes} bytes; at most ${MAX_TENANT_VALUE_BYTES} are accepted`,
    { bytes },
  );
}

function alreadyThere(key: string): BillingError {
  return invalidParameter(
    `${shortenText(key)} already has a value, and the request does not allow replacing it`,
    {
      key: shortenText(key),
    },
  );
}

function notOffered(key: string): BillingError {
  return billingError(
    ErrorCode.NOT_IMPLEMENTED,
    `${key} is not supported: a value of this key has no effect, so none is stored`,
    { key },
  );
}
